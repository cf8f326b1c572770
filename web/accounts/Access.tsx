import Button from '@mui/material/Button'
import { styled } from '@mui/material/styles'
import { useEffect, useState } from 'react'
import { calls } from '../../contract/calls.ts'
import type { AccountBeneath } from '../../contract/tree.ts'
import { useCall } from '../calls/useCall.ts'
import { useSubmit } from '../calls/useSubmit.ts'
import { manages } from '../levels.ts'
import { At } from '../moments.tsx'
import { Card, CardButtons } from '../parts/Card.tsx'
import { Chip } from '../parts/Chip.tsx'
import { chunk } from '../parts/chunk.ts'
import { Later } from '../parts/dialog/Later.tsx'
import { Loaded } from '../parts/Loaded.tsx'
import { PassingButton } from '../parts/PassingButton.tsx'
import { Working } from '../parts/Spinner.tsx'
import { useSession } from '../session.tsx'

/** Shows whether an account beneath the caller can sign in, and lets the caller suspend it or lift that. */
export function Access({ name }: { name: string }) {
  const { role } = useSession()
  const loaded = useCall(calls.tree.account, { name })
  const account = loaded.data
  const lift = useSubmit(calls.tree.lift)
  const { unanswered, reset } = lift
  // There is no dialog to give up, so the page says at once what was done.
  useEffect(() => {
    if (unanswered) reset()
  }, [unanswered, reset])
  const [asking, setAsking] = useState(false)
  const ask = () => {
    // The dialog says what becomes of the suspension of this moment.
    loaded.refetch()
    setAsking(true)
  }
  const mayManage = account !== undefined && manages(role, account)
  return (
    <Card title="Access" aside={account && <State account={account} />}>
      <Lines>
        <Loaded of={loaded}>{account && <Explained account={account} />}</Loaded>
      </Lines>
      <CardButtons>
        {account?.suspension?.liftable && (
          <PassingButton
            variant="contained"
            disabled={lift.loading}
            onClick={() => lift.submit({ name, seen: account.suspension?.since })}
          >
            <Working loading={lift.loading}>Lift suspension</Working>
          </PassingButton>
        )}
        {mayManage && (account.suspension === null || account.suspension.liftable) && (
          <Button variant="outlined" disabled={lift.loading} onClick={ask}>
            {account.suspension ? 'Change suspension' : 'Suspend'}
          </Button>
        )}
      </CardButtons>
      <Later part={dialog} given={{ open: asking, account, onClose: () => setAsking(false) }} />
    </Card>
  )
}

const dialog = chunk(async () => (await import('./SuspendDialog.tsx')).SuspendDialog)

function State({ account: { suspension, suspended_above } }: { account: AccountBeneath }) {
  if (suspension) return <Chip tone="bad">Suspended</Chip>
  return suspended_above ? <Chip tone="warn">Suspended above</Chip> : <Chip tone="good">Can sign in</Chip>
}

function Explained({ account }: { account: AccountBeneath }) {
  const { name, suspension, suspended_above, service_stopped } = account
  return (
    <>
      {suspension && (
        <>
          <p>
            Suspended by {suspension.by} on <At iso={suspension.since} />
            {suspension.service_too && ', and its clients are not served'}.
            {!service_stopped && ' Its clients stay served.'}
          </p>
          {suspension.reason !== '' && <blockquote>{suspension.reason}</blockquote>}
          {!suspension.liftable && <p>Only somebody above you can lift this.</p>}
        </>
      )}
      {suspended_above && (
        <p>
          An account above {name} is suspended, so {name} cannot sign in either
          {service_stopped && !suspension?.service_too && ', and its clients are not served'}.
        </p>
      )}
      {!suspension && !suspended_above && <p>{name} can sign in.</p>}
    </>
  )
}

const Lines = styled('div')(({ theme }) => ({
  display: 'grid',
  gap: 8,
  minHeight: 24,
  overflowWrap: 'anywhere',
  '& blockquote': {
    margin: 0,
    paddingLeft: 12,
    borderLeft: `3px solid ${theme.palette.divider}`,
    color: theme.palette.text.secondary,
    whiteSpace: 'pre-wrap',
  },
}))

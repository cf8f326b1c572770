import Button from '@mui/material/Button'
import { styled } from '@mui/material/styles'
import { useNavigate } from 'react-router'
import { calls } from '../../contract/calls.ts'
import { counted, countedOf, inCredits, listed } from '../../contract/quantities.ts'
import type { AccountBeneath } from '../../contract/tree.ts'
import { useCall } from '../calls/useCall.ts'
import { Cancel } from '../parts/dialog/Cancel.tsx'
import { Dialog } from '../parts/dialog/Dialog.tsx'
import { TouchLink } from '../parts/TouchLink.tsx'
import { useHasLeft } from '../parts/useHasLeft.ts'
import { Question } from '../Question.tsx'
import { to } from '../screens.ts'
import { LeftBalances } from './Balances.tsx'
import { holdsClients } from './held.ts'

interface CloseAccountDialogProps {
  open: boolean
  /** Undefined while it is loading; the dialog opens only after that. */
  account: AccountBeneath | undefined
  onClose: () => void
  /** Opens the dialog that moves the clients of a dealer. */
  onMoveClients: () => void
}

/** Asks before an account is closed, and says what becomes of what it has; or says who is in the way. */
export function CloseAccountDialog({ open, account, onClose, onMoveClients }: CloseAccountDialogProps) {
  const navigate = useNavigate()
  const hasLeft = useHasLeft()
  if (!account) return null
  const inTheWay = whoIsInTheWay(account)
  if (inTheWay !== '') return <InTheWay {...{ open, account, onClose, onMoveClients, inTheWay }} />
  return (
    <Question
      about={open ? account : null}
      title={({ name }) => `Close ${name}?`}
      yes={`Close ${account.name}`}
      call={calls.tree.close}
      input={({ name }) => ({ name })}
      onClose={onClose}
      onDone={({ name }) => hasLeft() || navigate(to.branch(name))}
    >
      {({ name, parent, credits }) => (
        <>
          <p>
            {credits > 0 && (
              <>
                <strong>
                  {inCredits(credits)} {credits === 1 ? 'goes' : 'go'} to {parent}.
                </strong>{' '}
              </>
            )}
            {name} is signed out at once and never signs in again. Its name stays taken, and its transactions
            stay. This cannot be undone.
          </p>
          {credits > 0 && <LeftBalances name={name} parent={parent} credits={credits} />}
        </>
      )}
    </Question>
  )
}

function InTheWay({
  open,
  account,
  onClose,
  onMoveClients,
  inTheWay,
}: CloseAccountDialogProps & { account: AccountBeneath; inTheWay: string }) {
  const { name: of, role, beneath } = account
  const clients = role === 'dealer' ? beneath.clients : 0
  const { data } = useCall(calls.tree.list, { of }, { enabled: open && role !== 'dealer' })
  return (
    <Dialog
      open={open}
      title={`Close ${of}`}
      onClose={onClose}
      actions={
        <>
          <Cancel autoFocus onClick={onClose} />
          {clients > 0 && !holdsClients(account) && (
            <Button variant="contained" onClick={onMoveClients}>
              Move its {counted(clients, 'client')} to…
            </Button>
          )}
        </>
      }
    >
      <p>
        {of} has <strong>{inTheWay}</strong>. Only an empty account can be closed.
      </p>
      <Names>
        {data?.data.map(({ name }) => (
          <li key={name}>
            <TouchLink to={to.branch(name)}>{name}</TouchLink>
          </li>
        ))}
      </Names>
    </Dialog>
  )
}

const Names = styled('ul')({
  marginTop: 12,
  display: 'flex',
  flexWrap: 'wrap',
  gap: '8px 16px',
})

function whoIsInTheWay({ beneath: { resellers, dealers, clients } }: AccountBeneath): string {
  return listed(countedOf({ reseller: resellers, dealer: dealers, client: clients }))
}

import { styled } from '@mui/material/styles'
import { useWatch } from 'react-hook-form'
import * as z from 'zod/mini'
import { calls } from '../../contract/calls.ts'
import { PackageSelection } from '../../contract/clients.ts'
import { Cancel } from '../parts/dialog/Cancel.tsx'
import { Confirm } from '../parts/dialog/Confirm.tsx'
import { Dialog } from '../parts/dialog/Dialog.tsx'
import { useLastValue } from '../parts/dialog/useLastValue.ts'
import { Form } from '../parts/form/Form.tsx'
import { UnderWay } from '../parts/Progress.tsx'
import { useCall, useSubmit } from '../queries.ts'
import { inClients } from '../words.ts'
import { Content, LeftOut, type OneAct, useAgreement, useEnd } from './ChosenParts.tsx'
import { type Act, type BoxEvent, isBoxEvent, type State, sortFor } from './chosenAct.ts'
import { Day } from './Day.tsx'
import { PackageField } from './fields.tsx'
import { SendToChosen } from './SendToChosen.tsx'

interface ChosenDialogProps {
  /** What is to be done; null while the dialog is closed. */
  act: Act | null
  names: readonly string[]
  onClose: () => void
  /** Receives the clients to which it was done. */
  onDone: (names: readonly string[]) => void
}

/** Says what an act will do to clients, as the server sees them, and does it: to all of them or none. */
export function ChosenDialog({ act, names, onClose, onDone }: ChosenDialogProps) {
  const shown = useLastValue(act)
  const about = useLastValue(act === null ? null : names)
  const loaded = useCall(calls.clients.multiquote, { clients: [...(about ?? [])] }, { enabled: act !== null })
  if (shown === null) return null
  const props = {
    open: act !== null,
    data: loaded.isFetching ? undefined : loaded.data?.data,
    fault: loaded.isFetching ? undefined : loaded.error?.message,
    again: loaded.refetch,
    onClose,
    onDone,
  }
  if (shown === 'delete') return <DeleteChosen {...props} />
  if (isBoxEvent(shown)) return <SendToChosen key={shown} {...props} act={shown} />
  return <ChangeChosen key={shown} {...props} act={shown} />
}

function DeleteChosen({ open, data, fault, again, onClose, onDone }: OneAct) {
  const { acted, leftOut } = sortFor('delete', data ?? [])
  const [agreed, setAgreed] = useAgreement(open)
  const names = acted.map(({ name }) => name)
  const { submit, loading, submitError, reset } = useSubmit(calls.clients.multiremove, {
    onDone: () => end(names),
  })
  const { end, close } = useEnd({ submitError, reset, again, onClose, onDone })
  return (
    <Confirm
      open={open}
      title={data ? `Delete ${inClients(acted.length)}?` : 'Delete the selected clients?'}
      yes={data ? `Delete ${inClients(acted.length)}` : 'Delete'}
      no="Cancel"
      onYes={() => submit({ clients: names })}
      onNo={close}
      loading={loading}
      blocked={!data || acted.length === 0 || (leftOut.length > 0 && !agreed)}
    >
      <Content data={data} fault={fault} again={again}>
        <p>
          {acted.length === 0
            ? 'None of the selected clients has expired, and only expired ones can be deleted.'
            : `${acted.length === 1 ? 'Its login and MAC address become' : 'Their logins and MAC addresses become'} free for other clients. This cannot be undone.`}
        </p>
        {acted.length > 0 && (
          <List tabIndex={0} role="region" aria-label="Clients to delete">
            <ul>
              {acted.map(({ name, expiry }) => (
                <li key={name}>
                  <span className="identifier">{name}</span>
                  <span>
                    expired on <Day iso={expiry} />
                  </span>
                </li>
              ))}
            </ul>
          </List>
        )}
        {acted.length > 0 && (
          <LeftOut some={leftOut} why="not expired" agreed={agreed} onAgree={setAgreed} busy={loading} />
        )}
        <UnderWay loading={loading} what={`Deleting ${inClients(acted.length)}`} />
      </Content>
    </Confirm>
  )
}

function ChangeChosen({ open, act, data, fault, again, onClose, onDone }: OneAct & { act: Change }) {
  const { acted, leftOut } = sortFor(act, data ?? [])
  const [agreed, setAgreed] = useAgreement(open)
  const names = acted.map(({ name }) => name)
  const { submit, loading, submitError, reset } = useSubmit(calls.clients.multisave, {
    onDone: () => end(names),
  })
  const { end, close } = useEnd({ submitError, reset, again, onClose, onDone })
  return (
    <Dialog open={open} title={TITLES[act]} onClose={close} busy={loading}>
      <Form
        schema={Chosen}
        values={FIRST}
        submit={data ? SUBMITS[act](inClients(acted.length)) : TITLES[act]}
        onSubmit={({ package_selection }) =>
          submit({
            clients: names,
            ...(act === 'package' ? { package_selection } : { status: act === 'on' }),
          })
        }
        autoFocus
        loading={loading}
        submitError={submitError}
        blocked={!data || acted.length === 0 || (leftOut.length > 0 && !agreed)}
        aside={<Cancel autoFocus={act !== 'package'} disabled={loading} onClick={close} />}
      >
        {act === 'package' && <PackageField />}
        <Content data={data} fault={fault} again={again}>
          <Consequence act={act} data={data ?? []} />
          {acted.length > 0 && (
            <LeftOut some={leftOut} why="expired" agreed={agreed} onAgree={setAgreed} busy={loading} />
          )}
          <UnderWay loading={loading} what={`Changing ${inClients(acted.length)}`} />
        </Content>
      </Form>
    </Dialog>
  )
}

type Change = Exclude<Act, 'delete' | BoxEvent>

const Chosen = z.object({ package_selection: PackageSelection })
const FIRST = { package_selection: 1 as const }

const TITLES = {
  package: 'Change the package',
  on: 'Switch clients on',
  off: 'Switch clients off',
} as const

const SUBMITS = {
  package: (some: string) => `Change the package of ${some}`,
  on: (some: string) => `Switch ${some} on`,
  off: (some: string) => `Switch ${some} off`,
} as const

function Consequence({ act, data }: { act: Change; data: readonly State[] }) {
  const { acted, same } = sortFor(act, data, Number(useWatch({ name: 'package_selection' })))
  if (acted.length === 0) return <p>All of the selected clients have expired: they can only be renewed.</p>
  const changed = inClients(acted.length - same.length)
  const rest = same.length > 0 ? ` ${inClients(same.length)} ${ALREADY[act](same.length)}` : ''
  return <p aria-live="polite">{`${CONSEQUENCES[act](changed)}${rest}`}</p>
}

const CONSEQUENCES = {
  package: (some: string) => `The package of ${some} changes.`,
  on: (some: string) => `${some} will be served again, each until its expiry.`,
  off: (some: string) => `${some} will not be served until switched on again. Expiries stay as they are.`,
} as const

const ALREADY = {
  package: (count: number) => `${count === 1 ? 'has' : 'have'} this package already.`,
  on: (count: number) => `${count === 1 ? 'is' : 'are'} on already.`,
  off: (count: number) => `${count === 1 ? 'is' : 'are'} off already.`,
} as const

const List = styled('div')(({ theme }) => ({
  maxHeight: 208,
  margin: '12px 0',
  padding: '4px 16px',
  overflowY: 'auto',
  borderRadius: 8,
  background: theme.palette.background.default,
  fontVariantNumeric: 'tabular-nums',
  '& li': {
    display: 'flex',
    flexWrap: 'wrap',
    alignItems: 'center',
    justifyContent: 'space-between',
    gap: '0 16px',
    minHeight: 32,
    contentVisibility: 'auto',
    containIntrinsicHeight: '32px',
  },
}))

import { styled } from '@mui/material/styles'
import { useWatch } from 'react-hook-form'
import * as z from 'zod/mini'
import { calls } from '../../contract/calls.ts'
import { PackageSelection } from '../../contract/clients.ts'
import { counted } from '../../contract/quantities.ts'
import { dropDraftsOf } from '../drafts.ts'
import { OnDay } from '../moments.tsx'
import { Confirm } from '../parts/dialog/Confirm.tsx'
import { useLastValue } from '../parts/dialog/useLastValue.ts'
import { FormDialog } from '../parts/form/FormDialog.tsx'
import { useSession } from '../session.tsx'
import { type Act, type BoxEvent, type ChosenState, isBoxEvent, sortFor } from './chosenAct.ts'
import { PackageField } from './fields.tsx'
import { SendToChosen } from './SendToChosen.tsx'
import { inALine } from './Sums.tsx'
import { ActContent, type ActProps, useAct } from './useAct.tsx'

interface ChosenDialogProps {
  open: boolean
  /** What is to be done; null while the dialog is closed. */
  act: Act | null
  /** The logins of the selected clients; null while the dialog is closed. */
  names: readonly string[] | null
  onClose: () => void
  /** Receives the clients to which it was done. */
  onDone?: ((names: readonly string[]) => void) | undefined
  /** Receives those that somebody else has deleted or moved. */
  onGone?: (names: readonly string[]) => void
}

/** Says what an act will do to clients, as the server sees them, and does it: to all of them or none. */
export function ChosenDialog({ open, act, names, onClose, onDone, onGone }: ChosenDialogProps) {
  const shown = useLastValue(act)
  const chosen = useLastValue(names) ?? NOBODY
  if (shown === null) return null
  const props = { open, chosen, onClose, onDone, onGone }
  if (shown === 'delete') return <DeleteChosen {...props} act={shown} />
  if (isBoxEvent(shown)) return <SendToChosen key={shown} {...props} act={shown} />
  return <ChangeChosen key={shown} {...props} act={shown} />
}

const NOBODY: readonly string[] = []

function DeleteChosen({ onClose, onDone, ...about }: ActProps<'delete'>) {
  const { open } = about
  const { name: dealer } = useSession()
  const does = useAct(calls.clients.multiremove, {
    onClose,
    onDone: (names) => {
      dropDraftsOf(dealer, names)
      onDone?.(names)
    },
    ...about,
  })
  const { acted, names, sending, blocked } = does
  const close = () => {
    sending.reset()
    onClose()
  }
  return (
    <Confirm
      open={open}
      title={acted.length > 0 ? `Delete ${counted(acted.length, 'client')}?` : 'Delete the selected clients?'}
      yes={acted.length > 0 ? `Delete ${counted(acted.length, 'client')}` : 'Delete'}
      onYes={() => sending.submit({ clients: names })}
      onNo={close}
      loading={sending.loading}
      blocked={blocked}
      unanswered={sending.unanswered}
    >
      <ActContent {...about} does={does} doing="Deleting">
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
                    expired on <OnDay inRows iso={expiry} />
                  </span>
                </li>
              ))}
            </ul>
          </List>
        )}
      </ActContent>
    </Confirm>
  )
}

function ChangeChosen(props: ActProps<Change>) {
  const { act, open, onClose } = props
  const does = useAct(calls.clients.multisave, props)
  const { data, acted, names, sending, blocked } = does
  // Which clients have the chosen package already is known only once one is chosen, so the button counts all of them.
  const same = act === 'package' ? 0 : sortFor(act, acted).same.length
  const { title, labelOf } = TEXTS[act]
  return (
    <FormDialog
      open={open}
      title={title}
      onClose={onClose}
      schema={ChosenPackage}
      values={FIRST}
      label={data ? labelOf(counted(acted.length - same, 'client')) : title}
      onSubmit={({ package_selection }) =>
        sending.submit({
          clients: names,
          ...(act === 'package' ? { package_selection } : { status: act === 'on' }),
        })
      }
      autoFocus={act === 'package'}
      sending={sending}
      blocked={blocked || same === acted.length}
    >
      {act === 'package' && <PackageField />}
      <ActContent {...props} does={does} doing="Changing">
        <Changes act={act} data={data ?? []} />
      </ActContent>
    </FormDialog>
  )
}

type Change = Exclude<Act, 'delete' | BoxEvent>

const ChosenPackage = z.object({ package_selection: PackageSelection })
const FIRST = { package_selection: 1 as const }

function Changes({ act, data }: { act: Change; data: readonly ChosenState[] }) {
  const { acted, same } = sortFor(act, data, Number(useWatch({ name: 'package_selection' })))
  if (acted.length === 0) return <p>All of the selected clients have expired: they can only be renewed.</p>
  const changed = acted.length - same.length
  const { effectOn, already } = TEXTS[act]
  const says = [
    changed > 0 && effectOn(counted(changed, 'client')),
    same.length > 0 && `${counted(same.length, 'client')} ${already(same.length)}`,
  ]
  return <p aria-live="polite">{says.filter(Boolean).join(' ')}</p>
}

/** The title, the button that does it, what it does, and what clients are already to whom it does nothing. */
const TEXTS = {
  package: {
    title: 'Change the package',
    labelOf: (some: string) => `Change the package of ${some}`,
    effectOn: (some: string) => `The package of ${some} changes.`,
    already: (count: number) => `${count === 1 ? 'has' : 'have'} this package already.`,
  },
  on: {
    title: 'Switch clients on',
    labelOf: (some: string) => `Switch ${some} on`,
    effectOn: (some: string) => `${some} will be served again, each until its expiry.`,
    already: (count: number) => `${count === 1 ? 'is' : 'are'} on already.`,
  },
  off: {
    title: 'Switch clients off',
    labelOf: (some: string) => `Switch ${some} off`,
    effectOn: (some: string) =>
      `${some} will not be served until switched on again. Expiries stay as they are.`,
    already: (count: number) => `${count === 1 ? 'is' : 'are'} off already.`,
  },
} as const satisfies Record<Change, object>

const List = styled('div')(({ theme }) => ({
  maxHeight: 208,
  margin: '12px 0',
  padding: '4px 16px',
  overflowY: 'auto',
  borderRadius: 8,
  background: theme.palette.background.default,
  fontVariantNumeric: 'tabular-nums',
  '& li': { ...inALine, contentVisibility: 'auto', containIntrinsicHeight: '32px' },
}))

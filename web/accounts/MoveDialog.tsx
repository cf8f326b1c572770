import { useMemo } from 'react'
import * as z from 'zod/mini'
import { calls } from '../../contract/calls.ts'
import { LEVELS } from '../../contract/levels.ts'
import { counted, countedOf, inCredits } from '../../contract/quantities.ts'
import type { AccountBeneath } from '../../contract/tree.ts'
import { useCall } from '../calls/useCall.ts'
import { useSubmit } from '../calls/useSubmit.ts'
import { FormDialog } from '../parts/form/FormDialog.tsx'
import { SelectInput } from '../parts/form/SelectInput.tsx'
import { useHeld } from '../parts/useHeld.ts'

interface MoveDialogProps {
  open: boolean
  /** Undefined while it is loading; the dialog opens only after that. */
  account: AccountBeneath | undefined
  onClose: () => void
}

/** Asks where an account is to be moved, and says what goes along. */
export function MoveDialog({ open, account, onClose }: MoveDialogProps) {
  const move = useSubmit(calls.tree.move, { onDone: onClose })
  const { data: users, error } = useCall(calls.session.users, {}, { enabled: open })
  const held = useHeld(account, move.loading || move.unanswered)
  if (!held) return null
  const { name, parent, role } = held
  const { owner } = LEVELS[role]
  const ownerTitle = LEVELS[owner as 'reseller'].title.toLowerCase()
  const parents = users?.filter((user) => user.role === owner && user.name !== parent) ?? []
  return (
    <FormDialog
      open={open}
      title={`Move ${name}`}
      onClose={onClose}
      schema={Destination}
      values={NOWHERE}
      label={({ to }) => (to === '' ? 'Move' : `Move to ${to}`)}
      onSubmit={({ to }) => move.submit({ name, to })}
      sending={move}
    >
      <Consequences account={held} />
      <SelectInput
        name="to"
        label="To"
        help={users && parents.length === 0 && `There is no other ${ownerTitle}`}
        fault={error && !users ? `Error: ${error.message}` : undefined}
        options={[
          { value: '', label: `Choose a ${ownerTitle}` },
          ...parents.map((user) => ({ value: user.name, label: user.name })),
        ]}
      />
    </FormDialog>
  )
}

const NOWHERE = { to: '' }

const Destination = z.object({ to: z.string().check(z.minLength(1, 'Please choose an account')) })

function Consequences({ account }: { account: AccountBeneath }) {
  const { name, parent, credits, beneath } = account
  const along = useMemo(
    () => [
      `its balance of ${inCredits(credits)}`,
      ...countedOf({ dealer: beneath.dealers }),
      counted(beneath.clients, 'client'),
    ],
    [credits, beneath],
  )
  return (
    <p>
      {name} takes along <strong>{inSentence(along)}</strong>, and its own history. {parent} keeps the
      transactions written until now. An open request for credits is withdrawn.
    </p>
  )
}

function inSentence(parts: readonly string[]): string {
  return parts.length < 2 ? parts.join() : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`
}

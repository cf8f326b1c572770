import { useMemo, useState } from 'react'
import * as z from 'zod/mini'
import { calls } from '../../contract/calls.ts'
import { LEVELS } from '../../contract/levels.ts'
import { counted, countedOf, inCredits, listed } from '../../contract/quantities.ts'
import type { AccountBeneath } from '../../contract/tree.ts'
import { useCall } from '../calls/useCall.ts'
import { useSubmit } from '../calls/useSubmit.ts'
import { titleOf } from '../levels.ts'
import { FormDialog } from '../parts/form/FormDialog.tsx'
import { useHeld } from '../parts/useHeld.ts'
import { whyHeld } from './held.ts'
import { MoveTo, warningOf } from './MoveTo.tsx'

interface MoveAccountDialogProps {
  open: boolean
  /** Undefined while it is loading; the dialog opens only after that. */
  account: AccountBeneath | undefined
  onClose: () => void
}

/** Asks where an account is to be moved, and says what goes along. */
export function MoveAccountDialog({ open, account, onClose }: MoveAccountDialogProps) {
  const move = useSubmit(calls.tree.move, { onDone: onClose })
  const { data: users, error } = useCall(calls.session.users, {}, { enabled: open })
  const [known, setKnown] = useState(false)
  const held = useHeld(account, move.loading || move.unanswered || !open)
  if (!held) return null
  const { name, parent, role } = held
  const { owner } = LEVELS[role]
  const parents = users?.filter((user) => user.role === owner && user.name !== parent)
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
      // A suspension may have begun above it while this is open.
      blocked={({ to }) => held.held_above || (to !== '' && !known)}
    >
      <Consequences account={held} />
      {held.held_above && <p role="status">{whyHeld(held)}</p>}
      <MoveTo
        kind={titleOf(owner).toLowerCase()}
        names={parents?.map((user) => user.name)}
        fault={error && !users ? `Error: ${error.message}` : undefined}
        warning={(to) => stopped(held, to)}
        onKnown={setKnown}
      />
    </FormDialog>
  )
}

const NOWHERE = { to: '' }

const Destination = z.object({ to: z.string().check(z.minLength(1, 'Please choose an account')) })

function Consequences({ account }: { account: AccountBeneath }) {
  const { name, parent, credits, beneath, suspension } = account
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
      {name} takes along <strong>{listed(along)}</strong>, and its own history. {parent} keeps the
      transactions written until now. An open request for credits is withdrawn.
      {suspension && ` ${name} ${stillSuspended(suspension)}`}
    </p>
  )
}

/** Says that a move lifts no suspension: its old parent, who may have set it, cannot any more. */
function stillSuspended({ by, liftable }: NonNullable<AccountBeneath['suspension']>): string {
  return liftable
    ? `stays suspended by ${by}; you can lift that.`
    : 'stays suspended; only somebody above you can lift that.'
}

/** Says what a suspension of the new parent, or above it, does to the account; null where it changes nothing. */
function stopped(account: AccountBeneath, to: AccountBeneath): string | null {
  const { name, beneath } = account
  const who = beneath.dealers > 0 ? `${name} and its dealers` : name
  const effects = [
    isSuspended(to) && !isSuspended(account) ? `${who} will be signed out` : '',
    to.service_stopped && !account.service_stopped && beneath.clients > 0
      ? 'the clients lose their service'
      : '',
  ].filter(Boolean)
  const isHeld = to.held_above || to.suspension?.liftable === false
  return warningOf(to, effects, isHeld)
}

function isSuspended({ suspension, suspended_above }: AccountBeneath): boolean {
  return suspension !== null || suspended_above
}

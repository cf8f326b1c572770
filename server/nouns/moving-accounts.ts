import type { calls } from '../../contract/calls.ts'
import { LEVELS } from '../../contract/levels.ts'
import { type Handler, Unchanged } from '../context.ts'
import { fieldRefusal } from '../refusal.ts'
import { beneathOf, requireOpen } from '../tree/beneath.ts'
import { endRequest, lockRequest } from '../tree/credit-request.ts'
import { lockTree } from '../tree/locks.ts'
import { isSuspended, requireLiftable } from '../tree/suspension.ts'

/** Moves a dealer to another reseller, or a reseller to another superreseller, with everything beneath it. */
export const moveAccount: Handler<typeof calls.tree.move> = async (context, { name, to }) => {
  const { sql, account } = context
  await lockTree(sql)
  const moved = requireOpen(await beneathOf(context, name))
  const { owner } = LEVELS[moved.role]
  if (owner === 'admin') throw fieldRefusal('invalid_input', 'name', 'A super reseller cannot be moved.')
  const parent = requireOpen(await beneathOf(context, to))
  if (parent.role !== owner) {
    throw fieldRefusal('invalid_input', 'to', `${parent.name} is no ${LEVELS[owner].title.toLowerCase()}.`)
  }
  if (parent.id === moved.parent) return new Unchanged({ status: 'OK' as const })
  await requireLiftable(sql, account, {
    from: [moved.parent, moved.superreseller],
    to: [parent.id, parent.superreseller],
    dealer: null,
  })
  await lockRequest(sql, moved.id)
  await sql`select move_account(${moved.id}, ${parent.id}, ${account.id})`
  // At the moment of the move itself, by which the old parent finds it.
  await endRequest(sql, moved.id, {
    state: 'withdrawn',
    answer: 'You have another parent now.',
    at: sql`moment()`,
  })
  // As a suspension does: a call that is under way fails at its end, because it began before.
  if (await isSuspended(sql, parent.id)) await sql`select end_sessions_beneath(${moved.id})`
  return { status: 'OK' }
}

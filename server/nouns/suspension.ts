import type { calls, InputOf } from '../../contract/calls.ts'
import { type Account, type Context, type Handlers, Unchanged } from '../context.ts'
import { lockHoldings } from '../ledger/transfer.ts'
import type { Sql } from '../postgres/pool.ts'
import { Refusal } from '../refusal.ts'
import { beneathOf, managedBy } from '../tree/beneath.ts'
import { lockTree } from '../tree/locks.ts'
import { mayLift } from '../tree/suspension.ts'

export const suspension: Pick<Handlers<typeof calls.tree>, 'suspend' | 'lift'> = {
  // A login locks the account's row, a transfer its holding, and every change its own session at the end: each of them
  // is either over before the suspension begins, or finds it.
  async suspend(context, { name, reason, service_too, seen }) {
    const { sql, account, now } = context
    await lockTree(sql)
    const child = await managedBy(context, name)
    await lockHoldings(sql, [child.balance_holding])
    await sql`select from account where id = ${child.id} for no key update`
    const present = await presentOf(context, child.id)
    refuseOther(child.name, present, seen)
    if (present?.actor === account.id && present.reason === reason && present.service_too === service_too) {
      return new Unchanged({ status: 'OK' as const })
    }
    if (present) await lift(sql, account, now, { ...present, name: child.name })
    await sql`
      insert into suspension (account, actor, reason, service_too, created)
      values (${child.id}, ${account.id}, ${reason}, ${service_too}, ${now})`
    await sql`select end_sessions_beneath(${child.id})`
    return { status: 'OK' }
  },

  async lift(context, { name, seen }) {
    const { sql, account, now } = context
    const child = await beneathOf(context, name, 'lock')
    const present = await presentOf(context, child.id)
    if (!present) throw new Refusal('changed_since', `${child.name} is not suspended.`)
    refuseOther(child.name, present, seen)
    await lift(sql, account, now, { ...present, name: child.name })
    return { status: 'OK' }
  },
}

type Present = {
  id: number
  since: string
  actor: number
  liftable: boolean
  reason: string
  service_too: boolean
}

/** Returns the present suspension of an account itself, and whether the caller may lift it. */
async function presentOf({ sql, account: caller }: Context, account: number): Promise<Present | undefined> {
  const [present] = await sql<Present[]>`
    select s.id, s.created as since, s.actor, ${mayLift(sql, caller)} as liftable, s.reason, s.service_too
    from suspension s join account a on a.id = s.actor
    where s.account = ${account} and s.lifted is null`
  return present
}

/** Refuses a change by somebody who saw another suspension than the present one. `seen` is null where they saw none. */
function refuseOther(
  name: string,
  present: Present | undefined,
  seen: InputOf<typeof calls.tree.lift>['seen'],
): void {
  if (seen === undefined || seen === (present?.since ?? null)) return
  throw new Refusal(
    'changed_since',
    `The suspension of ${name} has changed in the meantime. Please look again.`,
  )
}

async function lift(
  sql: Sql,
  caller: Account,
  now: Date,
  { id, liftable, name }: Present & { name: string },
): Promise<void> {
  if (!liftable) {
    throw new Refusal(
      'account_suspended',
      `Only who suspended ${name}, or somebody above them, can change that.`,
    )
  }
  await sql`update suspension set lifted = ${now}, lifted_by = ${caller.id} where id = ${id}`
}

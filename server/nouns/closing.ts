import type { calls } from '../../contract/calls.ts'
import { countedOf, listed } from '../../contract/quantities.ts'
import type { Handler } from '../context.ts'
import { lockHoldings, transfer } from '../ledger/transfer.ts'
import type { Sql } from '../postgres/pool.ts'
import { Refusal } from '../refusal.ts'
import { findAccount } from '../tree/account.ts'
import { type Beneath, managedBy } from '../tree/beneath.ts'
import { endRequest, lockRequest } from '../tree/credit-request.ts'
import { lockTree } from '../tree/locks.ts'

/** Closes an account with nothing beneath it, for good. Its balance goes to its parent. */
export const closeAccount: Handler<typeof calls.tree.close> = async (context, { name }) => {
  const { sql, account, now } = context
  await lockTree(sql)
  const child = await managedBy(context, name)
  const parent = await findAccount(sql, sql`a.id = ${child.parent}`)
  if (!parent) throw new Error(`${child.name} has no parent`)
  await lockRequest(sql, child.id)
  // Who creates an account or a client has locked the balance too: it is either counted here, or refused.
  const locked = await lockHoldings(sql, [child.balance_holding, parent.balance_holding])
  await requireNothingBeneath(sql, child)
  const credits = locked.find(({ id }) => id === child.balance_holding)?.balance ?? 0
  if (credits > 0) {
    // Read after the wait for the balance, during which it may have been changed, and for whoever changes it alone.
    const [{ description = '' } = {}] = await sql<{ description: string }[]>`
      select description from account where id = ${child.id} for no key update`
    await transfer(sql, {
      type: 'REMOVE',
      source: child.balance_holding,
      destination: parent.balance_holding,
      rows: [{ credits, actor: account.id, login: child.name, description }],
    })
  }
  await endRequest(sql, child.id, { state: 'declined', answer: 'The account was closed.', at: now })
  await sql`
    update account set closed = ${now}, preferences = '{}', low_own = null, low_by_parent = null
    where id = ${child.id}`
  await sql`select end_sessions(${child.id})`
  return { status: 'OK', credits }
}

async function requireNothingBeneath(sql: Sql, { id, name }: Beneath): Promise<void> {
  const [beneath] = await sql<{ resellers: number; dealers: number; clients: number }[]>`
    select count(*) filter (where role = 'reseller') as resellers, count(*) filter (where role = 'dealer') as dealers,
      (select count(*) from client where dealer = ${id} and deleted is null) as clients
    from account where parent = ${id} and closed is null`
  const { resellers = 0, dealers = 0, clients = 0 } = beneath ?? {}
  const inTheWay = countedOf({ reseller: resellers, dealer: dealers, client: clients })
  if (inTheWay.length === 0) return
  throw new Refusal('not_empty', `${name} has ${listed(inTheWay)}. Only an empty account can be closed.`)
}

import { noneWhileSuspended } from '../../../contract/credits.ts'
import { lockHoldings, transfer } from '../../ledger/transfer.ts'
import { fieldRefusal } from '../../refusal.ts'
import type { Beneath, TreeContext } from '../../tree/beneath.ts'
import { childOf } from '../../tree/child.ts'
import { isSuspended } from '../../tree/suspension.ts'

type Receiver = { id: number; name: string; description: string; balance_holding: number }

/**
 * Finds a child as `childOf` does, and locks its balance, the caller's, and then its row: what was read of it stays
 * until the transaction ends, so that a row of the ledger describes the account as it is then.
 */
export async function lockedChild(context: TreeContext, name: string): Promise<Beneath> {
  const { balance_holding } = await childOf(context, name)
  await lockHoldings(context.sql, [context.account.balance_holding, balance_holding])
  return childOf(context, name, 'lock')
}

/** Passes credits to a child, unless that is suspended. Returns the child's balance afterwards. */
export async function addTo(
  { sql, account }: TreeContext,
  child: Receiver,
  credits: number,
): Promise<number> {
  const { name: login, description } = child
  const balance = await transfer(sql, {
    type: 'ADD',
    source: account.balance_holding,
    destination: child.balance_holding,
    rows: [{ credits, actor: account.id, login, description }],
  })
  // Read once the transfer has locked the child's holding, which a suspension locks too.
  if (await isSuspended(sql, child.id)) {
    throw fieldRefusal('account_suspended', 'credits', noneWhileSuspended(login))
  }
  return balance.destination
}

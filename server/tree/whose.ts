import type { TransactionFilter } from '../../contract/transactions.ts'
import type { Account } from '../context.ts'
import { fieldRefusal } from '../refusal.ts'
import { accountSeenBy, type TreeContext } from './beneath.ts'
import { clientOf } from './client.ts'

/**
 * Finds whose transactions a filter selects: those of one of the caller's clients, also what another dealer wrote
 * before it was moved here, or those of an account that the caller may see.
 * @throws Refusal where there is no such client or account, or both are asked for
 */
export async function whoseTransactions(
  caller: TreeContext,
  { account, client }: Pick<TransactionFilter, 'account' | 'client'>,
): Promise<Pick<Account, 'id' | 'role'> | { client: number }> {
  if (client === undefined) return accountSeenBy(caller, account)
  if (account !== undefined) throw fieldRefusal('invalid_input', 'account', 'Choose an account or a client.')
  const { id } = await clientOf(caller, client)
  return { client: id }
}

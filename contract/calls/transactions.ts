import * as z from 'zod/mini'
import { call, EVERYBODY } from '../call.ts'
import {
  daysInOrder,
  TransactionPage,
  TransactionQuery,
  TransactionSum,
  transactionFilter,
} from '../transactions.ts'

/** All transactions of the caller and of everything beneath, filtered, sorted, paged and summed by the server. */
export const transactions = {
  list: call({
    method: 'GET',
    path: '/transactions',
    roles: EVERYBODY,
    summary: 'A page of the transactions of the caller and of everything beneath',
    input: TransactionQuery,
    output: TransactionPage,
  }),
  sums: call({
    method: 'GET',
    path: '/transactions/sums',
    roles: EVERYBODY,
    summary: 'The sums by type of all transactions that a filter finds',
    input: z.strictObject(transactionFilter).check(daysInOrder),
    output: z.object({ data: z.array(TransactionSum) }),
  }),
}

import * as z from 'zod/mini'
import { pagePlace, pageQuery } from './page.ts'
import { Day, GivenName, Search, TRANSACTION_TYPES, Transaction } from './shapes.ts'

export const TRANSACTION_SORTS = ['created', 'type', 'credits', 'login'] as const

/** Which transactions of the caller and of everything beneath it are meant; a field that is left out selects all. */
export const transactionFilter = {
  /** The name of an account: its transactions and those of everything beneath it. */
  account: z.optional(GivenName),
  /** The login of one of the caller's clients: its transactions, also those of before it was moved to the caller. */
  client: z.optional(GivenName),
  type: z.optional(z.enum(TRANSACTION_TYPES)),
  /** The first and the last day, both included. */
  from: z.optional(Day),
  to: z.optional(Day),
  /** A plain substring of login, MAC or description. */
  search: z._default(Search, ''),
}

const Filter = z.object(transactionFilter)
export type TransactionFilter = z.output<typeof Filter>

type Days = { from?: string | undefined; to?: string | undefined }

/** Returns what is wrong with two days, of which either may be left out. */
export function dayFault({ from, to }: Days): string | undefined {
  return from !== undefined && to !== undefined && from > to ? OUT_OF_ORDER : undefined
}

const OUT_OF_ORDER = 'The last day is before the first'

/** Refuses a last day that is before the first one. */
export const daysInOrder = z.refine<Days>((days) => dayFault(days) === undefined, {
  path: ['to'],
  error: OUT_OF_ORDER,
})

export const TransactionQuery = z
  .strictObject({
    ...transactionFilter,
    ...pageQuery({ rows: 25 }),
    /** Where more than 10,000 match, another order than that of time is that of the newest 10,000. */
    sort: z._default(z.enum(TRANSACTION_SORTS), 'created'),
    order: z._default(z.enum(['asc', 'desc']), 'desc'),
  })
  .check(daysInOrder)

/** A page of transactions. */
export const TransactionPage = z.object({
  data: z.array(Transaction),
  count: z.int(),
  /** True where more than 10,000 match, at which the count stops. */
  count_capped: z.boolean(),
  ...pagePlace,
})

/** The number and the credits of the transactions of one type; types without any are left out. */
export const TransactionSum = z.object({
  type: z.enum(TRANSACTION_TYPES),
  transactions: z.int(),
  credits: z.int(),
})
export type TransactionSum = z.output<typeof TransactionSum>

/** The sign of a type's credits in the balance of the row's own account; 0 where it moves none. */
export function signOf(type: Transaction['type']): 1 | -1 | 0 {
  if (type === 'ADD' || type === 'RETRIEVED') return 1
  return type === 'REMOVE' || type === 'USED' ? -1 : 0
}

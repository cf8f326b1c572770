import { type ClientFilter, COUNTED_TO } from '../../../contract/clients.ts'
import type { Selection } from '../../tree/selection.ts'

/** A page that is asked for; `page` counts from 1. */
export type ListQuery = Selection & { page: number; per_page: number }

/** One that is filtered by the state of its clients. */
export type PageQuery = ListQuery & { filter: ClientFilter }

/** How many clients are in each state. */
export type Counts = Record<ClientFilter, number>

/** The ids of the clients on a page in their order, and the counts of the list. `capped`: the asked filter has more. */
export type FoundPage = { counts: Counts; capped: boolean; ids: number[] }

/** A page with the number of clients that its filter leaves. */
export type CountedPage = FoundPage & { count: number }

/** Cuts the counts of a search at COUNTED_TO, and says whether that cut the count of the asked filter. */
export function capCounts(counts: Counts, { filter }: PageQuery): Omit<FoundPage, 'ids'> {
  const cap = (count: number) => Math.min(count, COUNTED_TO)
  return {
    counts: {
      all: cap(counts.all),
      active: cap(counts.active),
      expiring: cap(counts.expiring),
      expired: cap(counts.expired),
    },
    capped: counts[filter] > COUNTED_TO,
  }
}

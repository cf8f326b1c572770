import { type ClientFilter, COUNTED_TO } from '../../../contract/clients.ts'
import type { Selection } from '../../tree/selection.ts'

/** A page that is asked for. */
export type Query = Selection & { page: number; per_page: number }

export type Counts = Record<ClientFilter, number>

/** The counts of a list, whether that of the asked filter ends at COUNTED_TO, and which clients are on the asked page. */
export type Seen = { counts: Counts; capped: boolean; ids: number[] }

/** The counts of a search as they are told: exact to COUNTED_TO. */
export function told({ all, active, expiring, expired }: Counts, { filter }: Query): Omit<Seen, 'ids'> {
  const least = (count: number) => Math.min(count, COUNTED_TO)
  return {
    counts: { all: least(all), active: least(active), expiring: least(expiring), expired: least(expired) },
    capped: { all, active, expiring, expired }[filter] > COUNTED_TO,
  }
}

/** Where a page lies in a list of so many. */
export function sliceOf({ page, per_page }: Query, count: number): { before: number; limit: number } {
  const before = (page - 1) * per_page
  return { before, limit: Math.max(0, Math.min(per_page, count - before)) }
}

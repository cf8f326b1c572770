import { COUNTED_TO } from '../../../contract/clients.ts'
import type { Context } from '../../context.ts'
import { sendAhead } from '../../postgres/begin.ts'
import { readSearch } from '../../tree/selection.ts'
import { keptCounts, scannedCounts } from './counts.ts'
import { scanInOrder } from './in-order.ts'
import { collect, collectOnline, collectStates, estimateTextMatches, mergeByExpiry } from './matches.ts'
import {
  type CountedPage,
  type Counts,
  capCounts,
  type FoundPage,
  type ListQuery,
  type PageQuery,
} from './page.ts'

/**
 * The ways to find a page of clients. None is quick for every list, so `choosePlan` chooses one by how many clients
 * there are and how many are expected to match. Times were measured on two cores with a million clients in memory.
 *
 * - `browse`: nothing is searched. Add up the kept counts and read the page from the index of the list's order.
 *   First and last pages take 12 to 15 ms; the middle of a million takes 0.6 s, because half of them are skipped.
 * - `scan`: a broad search among at most 200,000 clients. Count by reading all of them, then read in the list's order
 *   until the page is full. Counting reads 100,000 clients in 60 ms; filling the page skips at most 20,000.
 * - `collect`: at most 200,000 matches are expected. Collect them by the indexes, count, sort and cut the page.
 *   100,000 matches take 93 ms.
 * - `merge`: in the order of expiries, few match by text and more than 200,000 by expiry. Count as `cap` does, and merge
 *   the first matches of both kinds. At most 200,000 are expected by text, and at most 10,000 of each kind are taken.
 * - `cap`: more matches than can be looked at each. Count every state up to 10,000 and read the page in the list's
 *   order, where matches lie close together. 80 ms where nearly all of a million match.
 *
 * A list of those who are online is found by none of them: see `findOnline`.
 */
export type Plan = 'browse' | 'scan' | 'collect' | 'merge' | 'cap'

/** What the choice is made by. `expected` are matches by text, `ofExpiries` the exact counts of those by expiry. */
export type Estimate = { all: Counts; expected: number; ofExpiries: Counts }

/** The most clients that are counted, or collected and sorted, one by one. */
export const MOST_COLLECTED = 200_000

/**
 * Reading in the list's order fills a page soon where at least this share matches; fewer may all lie at its far end.
 */
const LEAST_SHARE_IN_ORDER = 0.2
/**
 * The most clients skipped on the way to a page: by name, which one table has, and by any other order, which needs two.
 */
const MOST_SKIPPED = { byName: 20_000, otherwise: 6_667 }

const NONE: Counts = { all: 0, active: 0, expiring: 0, expired: 0 }

/**
 * Chooses the plan of a search. @param most stands for MOST_COLLECTED, so that tests reach every plan with few clients
 */
export function choosePlan(
  query: PageQuery,
  estimate: Estimate,
  most = MOST_COLLECTED,
): Exclude<Plan, 'browse'> {
  const { all, expected, ofExpiries } = estimate
  if (all.all <= most && fillsPageSoon(query, estimate)) return 'scan'
  if (expected > most) return 'cap'
  if (ofExpiries.all <= most) return 'collect'
  return query.sort === 'expiry' ? 'merge' : 'cap'
}

/** Whether reading in the list's order is expected to fill the page before it has skipped too many. */
function fillsPageSoon({ sort, filter, page, per_page }: PageQuery, { all, expected, ofExpiries }: Estimate) {
  // In the order of expiries, those that match by expiry lie together, perhaps all at the far end.
  if (sort === 'expiry' && ofExpiries.all > 0) return false
  const share = (expected + ofExpiries.all) / all.all
  const skipped = (page * per_page) / share / (all[filter] / all.all)
  return (
    share > LEAST_SHARE_IN_ORDER && skipped < (sort === 'name' ? MOST_SKIPPED.byName : MOST_SKIPPED.otherwise)
  )
}

/** Finds a page of the clients that the caller may see, with the counts of the list. */
export async function findPage(context: Context, query: ListQuery, most?: number): Promise<CountedPage> {
  const { filter } = query
  if (filter === 'online') return findOnline(context, query, most)
  const found = await findByState(context, { ...query, filter }, most)
  return { ...found, count: found.counts[filter] }
}

/**
 * Finds a page of those whose boxes are online. Nothing is kept in the order of polls, because an index of them would
 * make each of 8,000 writes a second dearer: all that match are looked up in `presence`, and the page is cut from the
 * rest. Of 100,000 clients with half of them online that takes 50 ms. The counts of the states are those of the same
 * list without this filter.
 */
async function findOnline(context: Context, query: ListQuery, most?: number): Promise<CountedPage> {
  const { counts } = await findByState(context, { ...query, filter: 'all', page: 1, per_page: 1 }, most)
  const search = await readSearch(context, query.search)
  const { count, ids } = await collectOnline(context, query, search)
  const isCapped = search !== null && count > COUNTED_TO
  return { counts, count: isCapped ? COUNTED_TO : count, capped: isCapped, ids }
}

async function findByState(context: Context, query: PageQuery, most = MOST_COLLECTED): Promise<FoundPage> {
  const { filter } = query
  const all = await keptCounts(context)
  const search = await readSearch(context, query.search)
  if (!search)
    return { counts: all, capped: false, ids: await scanInOrder(context, query, null, all[filter]) }

  const ofExpiries = search.expiries.length > 0 ? await keptCounts(context, search.expiries) : NONE
  const expected = await estimateTextMatches(context, search)
  switch (choosePlan(query, { all, expected, ofExpiries }, most)) {
    case 'scan': {
      const counts = await scannedCounts(context, search)
      return { ...capCounts(counts, query), ids: await scanInOrder(context, query, search, counts[filter]) }
    }
    case 'collect': {
      // Two letters that nobody has are in no index: all entries are read, and a second process helps.
      if (all.all > most)
        await sendAhead(context.sql, context.sql`set local max_parallel_workers_per_gather = 2`)
      const { ids, ...counts } = await collect(context, query, search)
      return { ...capCounts(counts, query), ids }
    }
    case 'merge': {
      const { ids, ...counts } = await collectStates(context, query, search, ofExpiries)
      return { ...capCounts(counts, query), ids: ids ?? (await mergeByExpiry(context, query, search)) }
    }
    case 'cap': {
      const { ids, ...counts } = await collectStates(context, query, search, ofExpiries)
      const page = ids ?? (await scanInOrder(context, query, search, counts[filter]))
      return { ...capCounts(counts, query), ids: page }
    }
  }
}

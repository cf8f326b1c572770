import { COUNTED_TO } from '../../../contract/clients.ts'
import { sliceOf } from '../../../contract/page.ts'
import type { Context } from '../../context.ts'
import { sendAhead } from '../../postgres/begin.ts'
import { readSearch, type Search } from '../../tree/search.ts'
import { countsOfExpiries, keptCounts, scannedCounts } from './counts.ts'
import { listedState, scanInOrder, skipToPage, walkToPage } from './in-order.ts'
import { canJump, jumpInOrder } from './jump.ts'
import {
  areManyOfEach,
  collect,
  collectOnline,
  collectStates,
  estimateOwn,
  estimateTextMatches,
  sortMatches,
  sortState,
} from './matches.ts'
import {
  type CountedPage,
  type Counts,
  capCounts,
  type FoundPage,
  type ListQuery,
  type PageQuery,
} from './page.ts'

/**
 * The ways to find a page of clients. None is quick for every list, so one is chosen by how many clients there are, how
 * many would be skipped, and how many are expected to match. Times were measured on two cores with a million clients in
 * memory.
 *
 * - `browse`: nothing is searched. Add up the kept counts and read the page from the index of the list's order. First
 *   and last pages take 2 to 5 ms; each thousand that is skipped takes 1 to 4 ms more.
 * - `sort`: nothing is searched, and few are in the asked state, so that the index of the list's order would be read
 *   nearly to its end. Read them by their expiries and sort them. 20,000 take 60 ms.
 * - `jump`: nothing is searched, and many would have to be skipped in the order of expiries or dealers. The kept counts
 *   say with which of them the page begins. The middle of a million takes 1.5 times as long as a first page by expiry,
 *   and 3 to 5 times as long by dealer.
 * - `skip`: nothing is searched, and many have to be skipped in another order. Skip them in an index that has the order
 *   and the ids, without reading a client. 475,000 take 40 ms; with a filter, whose clients are listed first, 230 ms.
 * - `scan`: a broad search among at most 200,000 clients. Count by reading all of them, then read in the list's order
 *   until the page is full. Counting reads 100,000 clients in 60 ms; filling the page skips at most 20,000.
 * - `collect`: at most 200,000 matches are expected. Collect them by the indexes, count, sort and cut the page. 100,000
 *   matches take 93 ms.
 * - `merge`: in the order of expiries, few match by text and more than 200,000 by expiry. Count as `cap` does, and
 *   merge the first matches of both kinds. At most 200,000 are expected by text, and at most 10,000 of each kind are
 *   taken.
 * - `cap`: more matches than can be looked at each. Count every state up to 10,000 and read the page in the list's
 *   order, where matches lie close together. 80 ms where nearly all of a million match.
 *
 * Where many are expected to match, none of them has to count: some 50,000 matches, in whatever order, nearly always
 * have more than 10,000 of each state. That takes 15 to 30 ms of a million.
 *
 * A list of those who are online is found by none of them: see `findOnline`.
 */
type Plan = 'browse' | 'sort' | 'jump' | 'skip' | 'scan' | 'collect' | 'merge' | 'cap'

/**
 * What the choice is made by. `expected` are matches by text, `ofExpiries` the exact counts of those by expiry. `all`
 * is null where it decides nothing, because few are expected.
 */
type Estimate = { all: Counts | null; expected: number; ofExpiries: Counts }

/** The numbers of clients at which another plan becomes quicker. Tests set others, to reach every plan with few. */
export const BOUNDS = {
  /** So few matches are collected without counting all clients, which would take longer. */
  few: 1_000,
  /**
   * Up to so many clients of the caller are read one by one. That is quicker than the index of letters, which finds
   * matches among everybody's clients first: 1.3 ms instead of 16 for a first name among 800, 4.4 instead of 12 among
   * 1,400. By itself the planner would take the index.
   */
  own: 2_000,
  /** The same, where the index of pairs of letters would be used instead. */
  paired: 20_000,
  /**
   * How many more matches are looked at than should be needed: the first that are met are the oldest clients, among
   * whom the states are not as frequent as among all.
   */
  margin: 1.2,
  /** The most that are counted, or collected and sorted, one by one. */
  collected: 200_000,
  /** The most skipped on the way to a page: by name, which one table has, and by any other order, which needs two. */
  skippedByName: 20_000,
  skipped: 6_667,
  /** The most clients in a state that are sorted, where the index of the list's order would be read for longer. */
  sorted: 20_000,
  /** The most clients in a state that are listed in memory, to tell who is in it. */
  listed: 500_000,
}
export type Bounds = typeof BOUNDS

/** How many clients are walked past in the time in which one match is sorted. */
const WALKED_PER_SORTED = 0.3
/** The index of pairs of letters helps a search that so few of the clients match. */
const MOST_SHARE_OF_PAIRS = 0.25
/**
 * Reading in the list's order fills a page soon where at least this share matches; fewer may all lie at its far end.
 */
const LEAST_SHARE_IN_ORDER = 0.2

/** The counts of a list that has more clients in each state than are counted. */
const MANY: Counts = {
  all: Number.POSITIVE_INFINITY,
  active: Number.POSITIVE_INFINITY,
  expiring: Number.POSITIVE_INFINITY,
  expired: Number.POSITIVE_INFINITY,
}

/**
 * How many matches to look at until each state has more than COUNTED_TO, if states are as frequent as among all
 * clients.
 */
function mostToMeet({ all, active, expiring, expired }: Counts, { margin }: Bounds): number {
  const rarest = Math.min(active, expiring, expired) / all
  return Math.ceil(((COUNTED_TO + 1) / rarest) * margin)
}

/** Chooses the plan of a list where nothing is searched. */
export function chooseUnsearched(
  query: PageQuery,
  counts: Counts,
  bounds = BOUNDS,
): 'browse' | 'sort' | 'jump' | 'skip' {
  const count = counts[query.filter]
  const { offset, limit } = sliceOf(query, count)
  const skipped = Math.min(offset, count - offset - limit)
  const walked = (skipped + limit) * (counts.all / count)
  const isRare = query.filter !== 'all' && query.sort !== 'expiry' && count <= bounds.sorted
  if (isRare && walked > Math.max(bounds.skipped, count * WALKED_PER_SORTED)) return 'sort'
  if (skipped <= bounds.skipped) return 'browse'
  if (canJump(query)) return 'jump'
  return query.filter === 'all' || counts[listedState(query.filter)] <= bounds.listed ? 'skip' : 'browse'
}

/** Chooses the plan of a search. */
export function choosePlan(
  query: PageQuery,
  estimate: Estimate,
  bounds = BOUNDS,
): Exclude<Plan, 'browse' | 'sort' | 'jump' | 'skip'> {
  const { all, expected, ofExpiries } = estimate
  if (all && all.all <= bounds.collected && fillsPageSoon(query, { ...estimate, all }, bounds)) return 'scan'
  if (expected > bounds.collected) return 'cap'
  if (ofExpiries.all <= bounds.collected) return 'collect'
  return query.sort === 'expiry' ? 'merge' : 'cap'
}

/** Whether reading in the list's order is expected to fill the page before it has skipped too many. */
function fillsPageSoon(
  { sort, filter, page, per_page }: PageQuery,
  { all, expected, ofExpiries }: Estimate & { all: Counts },
  bounds: Bounds,
) {
  // In the order of expiries, those that match by expiry lie together, perhaps all at the far end.
  if (sort === 'expiry' && ofExpiries.all > 0) return false
  const share = (expected + ofExpiries.all) / all.all
  const skipped = (page * per_page) / share / (all[filter] / all.all)
  return share > LEAST_SHARE_IN_ORDER && skipped < stepsTo({ sort }, bounds)
}

function stepsTo({ sort }: Pick<PageQuery, 'sort'>, { skippedByName, skipped }: Bounds): number {
  return sort === 'name' ? skippedByName : skipped
}

/** Finds a page of the clients that the caller may see, with the counts of the list. */
export async function findPage(context: Context, query: ListQuery, bounds?: Bounds): Promise<CountedPage> {
  const { filter } = query
  if (filter === 'online') return findOnline(context, query, bounds)
  const found = await findByState(context, { ...query, filter }, bounds)
  return { ...found, count: found.counts[filter] }
}

/**
 * Finds a page of those whose boxes are online. Nothing is kept in the order of polls, because an index of them would
 * make each of 8,000 writes a second dearer: all that match are looked up in `presence`, and the page is cut from the
 * rest. Of 100,000 clients with half of them online that takes 50 ms. The counts of the states are those of the same
 * list without this filter.
 */
async function findOnline(context: Context, query: ListQuery, bounds?: Bounds): Promise<CountedPage> {
  const { counts } = await findByState(context, { ...query, filter: 'all', page: 1, per_page: 1 }, bounds)
  const search = await readSearch(context, query.search)
  const { count, ids } = await collectOnline(context, query, search)
  const isCapped = search !== null && count > COUNTED_TO
  return { counts, count: isCapped ? COUNTED_TO : count, capped: isCapped, ids }
}

async function findByState(context: Context, query: PageQuery, bounds = BOUNDS): Promise<FoundPage> {
  const search = await readSearch(context, query.search)
  return search ? findMatches(context, query, search, bounds) : findUnsearched(context, query, bounds)
}

async function findUnsearched(context: Context, query: PageQuery, bounds: Bounds): Promise<FoundPage> {
  const counts = await keptCounts(context)
  const count = counts[query.filter]
  const found = (ids: number[]) => ({ counts, capped: false, ids })
  switch (chooseUnsearched(query, counts, bounds)) {
    case 'browse':
      return found(await scanInOrder(context, query, null, count))
    case 'sort':
      return found(await sortState(context, query, count))
    case 'jump':
      return found(await jumpInOrder(context, query, count))
    case 'skip':
      return found(await skipToPage(context, query, count))
  }
}

async function findMatches(
  context: Context,
  query: PageQuery,
  search: Search,
  bounds: Bounds,
): Promise<FoundPage> {
  const { filter } = query
  const ofExpiries = countsOfExpiries(search, context.now)
  const [expected, own] = await Promise.all([estimateTextMatches(context, search), estimateOwn(context)])
  const usesPairs = own > bounds.paired && expected < own * MOST_SHARE_OF_PAIRS
  const indexed = usesPairs ? { ...search, textMatches: search.indexedMatches } : search
  const all = expected + ofExpiries.all <= bounds.few ? null : await keptCounts(context)
  if (all && (await hasManyOfEach(all))) return { ...capCounts(MANY, query), ids: await walkOrSort() }
  switch (choosePlan(query, { all, expected, ofExpiries }, bounds)) {
    case 'scan': {
      const counts = await scannedCounts(context, search)
      return { ...capCounts(counts, query), ids: await scanInOrder(context, query, search, counts[filter]) }
    }
    case 'collect': {
      // The index of letters is one for all dealers, and only a bitmap scan can use it.
      if (own <= bounds.own) await sendAhead(context.sql, context.sql`set local enable_bitmapscan = off`)
      // One letter that nobody has is in no index: all entries are read, and a second process helps.
      if (!all || all.all > bounds.collected)
        await sendAhead(context.sql, context.sql`set local max_parallel_workers_per_gather = 2`)
      const { ids, ...counts } = await collect(context, query, indexed)
      return { ...capCounts(counts, query), ids }
    }
    case 'merge': {
      const { ids, ...counts } = await collectStates(context, query, indexed, ofExpiries)
      return { ...capCounts(counts, query), ids: ids ?? (await sortMatches(context, query, indexed)) }
    }
    case 'cap': {
      const { ids, ...counts } = await collectStates(context, query, indexed, ofExpiries)
      return { ...capCounts(counts, query), ids: ids ?? (await walkOrSort()) }
    }
  }

  /** Looks at the first matches, and where they are not enough once more at twice as many. */
  async function hasManyOfEach(all: Counts): Promise<boolean> {
    const met = mostToMeet(all, bounds)
    for (const most of [met, 2 * met]) {
      if (most < expected && (await areManyOfEach(context, indexed, most))) return true
    }
    return false
  }

  /**
   * Finds a page where there are too many matches to count. It walks through the list's order until the page is full;
   * where the matches lie together elsewhere in that order, or the page is far from its beginning, it sorts all
   * matches. Neither takes much longer than the other.
   */
  async function walkOrSort(): Promise<number[]> {
    const matching = expected + ofExpiries.all
    const most = Math.max(stepsTo(query, bounds), matching * WALKED_PER_SORTED)
    const inState = all ? all[filter] / all.all : 1
    const needed = (query.page * query.per_page) / (matching / own) / inState
    const walked = needed < most ? await walkToPage(context, query, search, Math.ceil(most)) : null
    return walked ?? (await sortMatches(context, query, indexed))
  }
}

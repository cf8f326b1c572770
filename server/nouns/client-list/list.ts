import type { calls } from '../../../contract/calls.ts'
import type { AnyClientRow } from '../../../contract/shapes.ts'
import type { Context, Handler } from '../../context.ts'
import { sendAhead } from '../../postgres/begin.ts'
import { readSearch, shown } from '../../tree/selection.ts'
import { count, countKept } from './counts.ts'
import { everyFound, expectedOf, find, findFirst, merge } from './find.ts'
import { type Counts, type Query, type Seen, told } from './seen.ts'
import { walk } from './walk.ts'

/** A page of the dealer's own clients, or of all for the admin. */
export const listClients: Handler<typeof calls.clients.list> = page
export const listAllClients: Handler<typeof calls.admin.clients> = page

async function page(context: Context, input: Query) {
  const { page: current_page, per_page } = input
  // One plan for all dealers and all terms would be the wrong one for the biggest dealer, and for most terms.
  await sendAhead(context.sql, context.sql`set local plan_cache_mode = force_custom_plan`)
  const { counts, capped, ids } = await look(context, input)
  const count = counts[input.filter]
  return {
    data: await rowsOf(context, ids),
    count,
    count_capped: capped,
    counts,
    current_page,
    per_page,
    total_pages: Math.max(1, Math.ceil(count / per_page)),
  }
}

/** So many are found and sorted in a moment; of more, the first ones are met sooner. */
const FOUND_AT_ONCE = 200_000
const NONE: Counts = { all: 0, active: 0, expiring: 0, expired: 0 }

/**
 * The counts of a list and the clients of a page, in the way that is the nearest.
 * @param atOnce how many may be found and sorted at once
 */
export async function look(context: Context, query: Query, atOnce = FOUND_AT_ONCE): Promise<Seen> {
  const { filter, sort } = query
  const all = await countKept(context)
  const condition = await readSearch(context, query.search)
  if (!condition) return { counts: all, capped: false, ids: await walk(context, query, null, all[filter]) }
  const byExpiry = condition.expiries.length > 0 ? await countKept(context, condition.expiries) : NONE
  const expected = await expectedOf(context, condition)
  if (all.all <= atOnce && isNear(query, all, expected, byExpiry)) {
    const counts = await count(context, condition)
    return { ...told(counts, query), ids: await walk(context, query, condition, counts[filter]) }
  }
  if (expected <= atOnce && byExpiry.all <= atOnce) {
    // What no index finds, as two letters that nobody has, is looked for among all: a second process helps.
    if (all.all > atOnce)
      await sendAhead(context.sql, context.sql`set local max_parallel_workers_per_gather = 2`)
    const { ids, ...counts } = await find(context, query, everyFound(context, condition, sort))
    return { ...told(counts, query), ids }
  }
  // Too many to look at each.
  const { ids, ...counts } = await findFirst(context, query, condition, byExpiry)
  if (ids) return { ...told(counts, query), ids }
  const meet = sort === 'expiry' && expected <= atOnce ? merge : walk
  return { ...told(counts, query), ids: await meet(context, query, condition, counts[filter]) }
}

/** A page is met in walking through so great a part of all that match; fewer may lie in runs, far from where one begins. */
const DENSE = 0.2
/** So many are passed in a moment by name, which is in one table; a third of them in any other order, which takes two. */
const PASSED = 20_000

function isNear(
  { sort, filter, page, per_page }: Query,
  all: Counts,
  expected: number,
  byExpiry: Counts,
): boolean {
  // By expiry, those of the asked days lie together.
  if (sort === 'expiry' && byExpiry.all > 0) return false
  const share = (expected + byExpiry.all) / all.all
  const passed = (page * per_page) / share / (all[filter] / all.all)
  return share > DENSE && passed < (sort === 'name' ? PASSED : PASSED / 3)
}

/** The rows of these clients, in their order. */
function rowsOf({ sql }: Context, ids: readonly number[]): Promise<AnyClientRow[]> {
  return sql<AnyClientRow[]>`
    select ${shown(sql)}
    from unnest(${ids}::bigint[]) with ordinality as picked (id, place) join client c on c.id = picked.id
    join service s on s.client = c.id join account d on d.id = c.dealer
    order by place`
}

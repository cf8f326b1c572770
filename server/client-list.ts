import type { calls } from '../contract/calls.ts'
import { type ClientFilter, COUNTED_TO, expiringUntil } from '../contract/clients.ts'
import type { AnyClientRow } from '../contract/shapes.ts'
import type { Context, Handler } from './context.ts'
import { sendAhead } from './postgres/begin.ts'
import {
  anyOf,
  type Condition,
  type Fragment,
  inState,
  own,
  readSearch,
  rowsOf,
  type Selection,
} from './selection.ts'

/** A page of the dealer's own clients, or of all for the admin. */
export const listClients: Handler<typeof calls.clients.list> = page
export const listAllClients: Handler<typeof calls.admin.clients> = page

async function page(context: Context, input: Selection & { page: number; per_page: number }) {
  const { page: current_page, per_page } = input
  // One plan for all dealers and all terms would be the wrong one for the biggest dealer, and for most terms.
  await sendAhead(context.sql, context.sql`set local plan_cache_mode = force_custom_plan`)
  const { counts, capped, condition } = await look(context, input.search)
  const count = counts[input.filter]
  return {
    data: await rowsAt(context, input, condition, { count, capped: capped[input.filter] }),
    count,
    count_capped: capped[input.filter],
    counts,
    current_page,
    per_page,
    total_pages: Math.max(1, Math.ceil(count / per_page)),
  }
}

type Counts = Record<ClientFilter, number>

type Found = {
  counts: Counts
  /** Which counts stopped at COUNTED_TO. */
  capped: Record<ClientFilter, boolean>
  /** What picks the rows. */
  condition: { of: Fragment }
}

const ALL_EXACT = { all: false, active: false, expiring: false, expired: false }

/**
 * How many clients a search matches, by state, and how they are best come by. Where few match, an index has found them
 * all; where many do, whoever walks through the clients in any order meets enough of them soon.
 */
async function look(context: Context, search: string): Promise<Found> {
  const { sql } = context
  const condition = await readSearch(context, search)
  if (!condition) return { counts: await countAll(context), capped: ALL_EXACT, condition: { of: sql`true` } }
  const few = await findFew(context, condition)
  const of = few === null ? anyOf(sql, condition) : sql`c.id = any (${few}::text::bigint[])`
  if (few !== null) return { counts: await countFew(context, few), capped: ALL_EXACT, condition: { of } }
  return { ...(await countMany(context, of)), condition: { of } }
}

/** The counts as they are kept: no client is looked at. */
async function countAll({ sql, account, now }: Context): Promise<Counts> {
  const kept =
    account.role === 'admin' ? sql`superreseller_clients` : sql`dealer_clients where dealer = ${account.id}`
  const [counts] = await sql<Counts[]>`
    select coalesce(sum(clients), 0) as all,
      coalesce(sum(clients) filter (where expiry >= ${now}), 0) as active,
      coalesce(sum(clients) filter (where expiry >= ${now} and expiry < ${expiringUntil(now)}), 0) as expiring,
      coalesce(sum(clients) filter (where expiry < ${now}), 0) as expired
    from ${kept}`
  return counts as Counts
}

/** The ids of the clients that meet a condition, as the database writes an array; null where they are too many to count. */
async function findFew({ sql, account }: Context, { ways }: Condition): Promise<string | null> {
  const each = ways.map(({ lead, holds }) => {
    const from = lead === 'client' ? sql`client c` : sql`client c join service s on s.client = c.id`
    return sql`(select c.id from ${from} where ${own(sql, account, lead)} and ${holds} limit ${COUNTED_TO + 1})`
  })
  const [found] = await sql<{ ids: string; count: number }[]>`
    select coalesce(array_agg(id), '{}')::text as ids, count(*) as count from (
      ${each.reduce((all, one) => sql`${all} union ${one}`)}
    ) as found`
  return found && found.count <= COUNTED_TO ? found.ids : null
}

async function countFew({ sql, now }: Context, ids: string): Promise<Counts> {
  const [counts] = await sql<Counts[]>`
    select count(*) as all,
      count(*) filter (where expiry >= ${now}) as active,
      count(*) filter (where expiry >= ${now} and expiry < ${expiringUntil(now)}) as expiring,
      count(*) filter (where expiry < ${now}) as expired
    from service where client = any (${ids}::text::bigint[])`
  return counts as Counts
}

/** Each state by itself, as far as is counted. The active have the expiring among them, and are as many at least. */
async function countMany(
  { sql, account, now }: Context,
  condition: Fragment,
): Promise<Pick<Found, 'counts' | 'capped'>> {
  const counts: Counts = { all: COUNTED_TO, active: 0, expiring: 0, expired: 0 }
  const capped = { ...ALL_EXACT, all: true }
  for (const filter of ['expiring', 'active', 'expired'] as const) {
    if (filter === 'active' && capped.expiring) {
      counts.active = COUNTED_TO
      capped.active = true
      continue
    }
    const [found] = await sql<{ count: number }[]>`
      select count(*) as count from (
        select from client c join service s on s.client = c.id
        where ${own(sql, account, 'service')} and ${condition} and ${inState(sql, filter, now)} limit ${COUNTED_TO + 1}
      ) as found`
    const count = found?.count ?? 0
    counts[filter] = Math.min(count, COUNTED_TO)
    capped[filter] = count > COUNTED_TO
  }
  return { counts, capped }
}

/** So many rows are sorted in a moment. */
const FEW = 5_000

/** The rows of one page. What is nearer to the end is read from the end: the last page is as near as the first. */
async function rowsAt(
  context: Context,
  selection: Selection & { page: number; per_page: number },
  condition: { of: Fragment },
  { count, capped }: { count: number; capped: boolean },
): Promise<AnyClientRow[]> {
  const before = (selection.page - 1) * selection.per_page
  const rows = Math.min(selection.per_page, count - before)
  if (rows <= 0) return []
  const after = count - before - rows
  // Where a capped count ends there is no end.
  const backwards = !capped && after < before
  const order = backwards === (selection.order === 'asc') ? 'desc' : 'asc'
  // A state in which there are few is read whole, before a walk meets a few of them.
  const lead = selection.filter !== 'all' && count <= FEW ? 'service' : undefined
  const data = await context.sql<AnyClientRow[]>`
    ${rowsOf(context, { ...selection, order }, condition.of, lead)} limit ${rows} offset ${backwards ? after : before}`
  return backwards ? data.reverse() : data
}

import type { calls } from '../contract/calls.ts'
import { expiringUntil } from '../contract/clients.ts'
import type { AnyClientRow } from '../contract/shapes.ts'
import type { Context, Handler } from './context.ts'
import { matching, rowsOf, type Selection } from './selection.ts'

/** A page of the dealer's own clients, or of all for the admin. */
export const listClients: Handler<typeof calls.clients.list> = page
export const listAllClients: Handler<typeof calls.admin.clients> = page

/** A searched count is exact up to here. */
const EXACT_TO = 10_000

async function page(context: Context, input: Selection & { page: number; per_page: number }) {
  const { sql } = context
  const { page: current_page, per_page } = input
  const counts = await countOf(context, input)
  const count = counts[input.filter]
  const data = await sql<AnyClientRow[]>`
    ${rowsOf(context, input)} limit ${per_page} offset ${(current_page - 1) * per_page}`
  const capped = input.search !== '' && count > EXACT_TO
  return {
    data,
    count: capped ? EXACT_TO : count,
    count_capped: capped,
    counts,
    current_page,
    per_page,
    total_pages: Math.max(1, Math.ceil((capped ? EXACT_TO : count) / per_page)),
  }
}

/** How many clients a search matches, by state: 'active' has the expiring ones in it. */
async function countOf(context: Context, { search }: Selection) {
  const { sql, now } = context
  const [counts] = await sql<{ all: number; active: number; expiring: number; expired: number }[]>`
    select count(*) as all,
      count(*) filter (where c.expiry >= ${now}) as active,
      count(*) filter (where c.expiry >= ${now} and c.expiry < ${expiringUntil(now)}) as expiring,
      count(*) filter (where c.expiry < ${now}) as expired
    from client c where ${matching(context, search)}`
  return counts ?? { all: 0, active: 0, expiring: 0, expired: 0 }
}

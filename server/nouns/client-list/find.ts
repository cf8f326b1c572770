import type { calls } from '../../../contract/calls.ts'
import { MAC_PREFIX, searchedMac } from '../../../contract/clients.ts'
import type { Context, Handler } from '../../context.ts'
import { planForValues } from '../../postgres/begin.ts'
import { like } from '../../tree/search.ts'
import { rowsOf } from './list.ts'
import type { PageQuery } from './page.ts'
import { findPage } from './plan.ts'

const BEST = 6

/**
 * Returns the six best matches of the list's own search: the client with exactly this login or MAC, then those whose
 * login or MAC begins so, in that order, then all others by expiry.
 */
export const findClients: Handler<typeof calls.clients.find> = async (context, { search }) => {
  if (search === '') return { data: [] }
  // As for the list, a plan made for any dealer and any term would be wrong for most.
  await planForValues(context.sql)
  const first = await beginningWith(context, search)
  if (first.length === BEST) return { data: await rowsOf(context, first) }
  // Those found already may be the first of the list too.
  const { ids } = await findPage(context, { ...BY_EXPIRY, search, per_page: BEST * 2 })
  return { data: await rowsOf(context, [...new Set([...first, ...ids])].slice(0, BEST)) }
}

const BY_EXPIRY = { filter: 'all', sort: 'expiry', order: 'asc', page: 1 } satisfies Partial<PageQuery>

/** Finds clients whose login or MAC is the term or begins with it. The indexes have them in this order. */
async function beginningWith({ sql, account }: Context, term: string): Promise<number[]> {
  const mac = macMeant(term)
  const own = sql`from client c where c.dealer = ${account.id} and c.deleted is null`
  const byName = sql`
    select c.id, lower(c.name) = ${term.toLowerCase()} as is_exact ${own}
      and lower(c.name) like ${like(sql, term, 'begins')}
    order by lower(c.name) limit ${BEST}`
  const byMac = sql`
    select c.id, c.mac = ${mac} as is_exact ${own} and c.mac like ${`${mac}%`} order by c.mac limit ${BEST}`
  const found = await sql<{ id: number; is_exact: boolean }[]>`
    (${byName}) ${mac === null ? sql`` : sql`union all (${byMac})`}`
  const ids = [...found.filter((one) => one.is_exact), ...found].map(({ id }) => id)
  return [...new Set(ids)].slice(0, BEST)
}

/** Returns the beginning of a MAC as it is stored; null for what is none, or no more than all our MACs have. */
function macMeant(term: string): string | null {
  const mac = searchedMac(term)
  return mac?.startsWith(MAC_PREFIX) ? mac : null
}

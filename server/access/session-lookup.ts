import type { Caller } from '../context.ts'
import { openLookup } from '../postgres/lookup.ts'
import type { Sql } from '../postgres/pool.ts'
import { retryRead } from '../postgres/timeout.ts'
import { noSession } from './session.ts'

type Owner = Caller['account']

/**
 * Returns a function that finds the account of a session; it throws a 401 if the session has ended. However many requests
 * come, and whoever sends them, finding their sessions takes one connection of the pool.
 */
export function openSessionLookup(sql: Sql, clock: () => Date): (session: Buffer) => Promise<Owner> {
  const find = openLookup((sessions) => retryRead(sql, () => ownersOf(sql, sessions, clock())))
  return async (session) => {
    const owner = await find(session.toString('hex'))
    if (!owner) throw noSession()
    return owner
  }
}

/** The limit makes PostgreSQL look each session up by its key; a plain join reads all, expecting to be asked for many. */
async function ownersOf(sql: Sql, sessions: readonly string[], now: Date): Promise<Map<string, Owner>> {
  const found = await sql<(Owner & { hex: string })[]>`
    select asked.hex, owner.* from unnest(${sessions}::text[]) asked (hex)
    cross join lateral (
      select a.id, a.name, a.role from session s join account a on a.id = s.account
      where s.token_hash = decode(asked.hex, 'hex') and s.expiry > ${now} limit 1
    ) owner`
  return new Map(found.map(({ hex, ...owner }) => [hex, owner]))
}

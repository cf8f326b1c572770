import type { Caller } from '../context.ts'
import type { Sql } from '../postgres/pool.ts'
import { retryRead } from '../postgres/timeout.ts'
import { noSession } from './session.ts'

type Owner = Caller['account']

/**
 * Returns a function that finds the account of a session; it throws a 401 if the session has ended. One query runs at a
 * time, for all sessions that were asked for since the last began. So however many requests come, and whoever sends
 * them, finding their sessions takes one connection of the pool.
 */
export function openSessionLookup(sql: Sql, clock: () => Date): (session: Buffer) => Promise<Owner> {
  let asked = new Set<string>()
  let running: Promise<unknown> | null = null
  let next: Promise<Map<string, Owner>> | null = null

  return async (session) => {
    const hex = session.toString('hex')
    asked.add(hex)
    next ??= findNext()
    const owner = (await next).get(hex)
    if (!owner) throw noSession()
    return owner
  }

  async function findNext(): Promise<Map<string, Owner>> {
    try {
      // If that query cannot reach the database, this one fails with it, instead of searching as long once more.
      await running
    } finally {
      running = null
      next = null
    }
    const sessions = [...asked]
    asked = new Set()
    const found = retryRead(sql, () => ownersOf(sql, sessions, clock()))
    running = found
    const end = () => {
      if (running === found) running = null
    }
    found.then(end, end)
    return found
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

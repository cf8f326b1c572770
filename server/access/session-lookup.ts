import { MINUTE_MS } from '../../contract/time.ts'
import type { Caller } from '../context.ts'
import { openLookup } from '../postgres/lookup.ts'
import type { Sql } from '../postgres/pool.ts'
import { retryRead } from '../postgres/timeout.ts'
import { goesOn, noSession } from './session.ts'

type Owner = Caller['account']

/** How long and of how many sessions the account is remembered: of all dealers who work at the same time. */
const REMEMBERED_MS = MINUTE_MS
const MOST_REMEMBERED = 10_000

/**
 * Finds the account of a session. However many requests come, and whoever sends them, finding their sessions takes one
 * connection of the pool.
 */
interface SessionLookup {
  /** @throws Refusal, a 401, if the session has ended */
  find(session: Buffer): Promise<Owner>
  /**
   * The same, but it may have ended since it was found in the last minute: for calls that many make at once, whose
   * transaction judges the session again. The account of a session never changes. All other calls find out at once that
   * it has ended: no password is hashed for it.
   */
  findOrRemember(session: Buffer): Promise<Owner>
}

export function openSessionLookup(sql: Sql, clock: () => Date): SessionLookup {
  const lookUp = openLookup((sessions) => retryRead(sql, () => ownersOf(sql, sessions, clock())))
  const remembered = new Map<string, { owner: Owner; until: number }>()
  return { find, findOrRemember }

  async function find(session: Buffer): Promise<Owner> {
    const hex = session.toString('hex')
    const owner = await lookUp(hex)
    if (!owner) throw noSession()
    remembered.delete(hex)
    remembered.set(hex, { owner, until: performance.now() + REMEMBERED_MS })
    const [oldest] = remembered.keys()
    if (oldest !== undefined && remembered.size > MOST_REMEMBERED) remembered.delete(oldest)
    return owner
  }

  async function findOrRemember(session: Buffer): Promise<Owner> {
    const known = remembered.get(session.toString('hex'))
    return known && performance.now() < known.until ? known.owner : find(session)
  }
}

/**
 * The limit makes PostgreSQL look each session up by its key; a plain join reads all, expecting to be asked for many.
 */
async function ownersOf(sql: Sql, sessions: readonly string[], now: Date): Promise<Map<string, Owner>> {
  const found = await sql<(Owner & { hex: string })[]>`
    select asked.hex, owner.* from unnest(${sessions}::text[]) asked (hex)
    cross join lateral (
      select a.id, a.name, a.role from session s join account a on a.id = s.account
      where s.token_hash = decode(asked.hex, 'hex') and ${goesOn(sql, now)} limit 1
    ) owner`
  return new Map(found.map(({ hex, ...owner }) => [hex, owner]))
}

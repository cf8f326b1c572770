import { begin } from '../postgres/begin.ts'
import { LOCKS } from '../postgres/locks.ts'
import type { Sql } from '../postgres/pool.ts'
import { isKey, proveKey, replaceKey } from './canary.ts'
import { ofClient, type Seal } from './seal.ts'

/** Rows at once: few enough that nobody waits for them. */
const AT_ONCE = 1_000

/**
 * Seals every client's password as `to` does now that is not sealed so: with another key, or bound to nobody as before
 * 0.2.0. Walks the clients once, in the order of their ids, each thousand in a transaction of its own where `sql` is a
 * pool. Answers how many there were.
 */
export async function resealPasswords(
  sql: Sql,
  from: Seal,
  to: Seal,
  isStopped = () => false,
): Promise<number> {
  let resealed = 0
  for (let last = 0; !isStopped(); ) {
    const rows = await sql<{ id: number; password: Buffer }[]>`
      select id, password from client
      where id > ${last} and password is not null and substring(password from 1 for ${to.head.length}) <> ${to.head}
      order by id limit ${AT_ONCE}`
    if (rows.length === 0) break
    const ids = rows.map(({ id }) => id)
    const before = rows.map(({ password }) => password.toString('hex'))
    const after = rows.map(({ id, password }) => {
      return to.close(from.open(password, ofClient(id)), ofClient(id)).toString('hex')
    })
    // Where a dealer has typed another password since, that one stays.
    const changed = await sql`
      update client set password = decode(sealed.after, 'hex')
      from unnest(${ids}::bigint[], ${before}::text[], ${after}::text[]) as sealed (id, before, after)
      where client.id = sealed.id and client.password = decode(sealed.before, 'hex')`
    resealed += changed.count
    last = rows.at(-1)?.id ?? last
  }
  return resealed
}

/**
 * Seals everything under another key, in one transaction: a backup has all of it before or all of it after. Done
 * already, it does nothing.
 * @throws StartFault where neither key is the database's
 */
export async function rotateKey(owner: Sql, from: Seal, to: Seal): Promise<number> {
  return begin(owner, async (sql) => {
    await sql`select pg_advisory_xact_lock(${LOCKS.schema})`
    if (await isKey(sql, to)) return 0
    await proveKey(sql, from)
    await sql`lock table client in share row exclusive mode`
    const resealed = await resealPasswords(sql, from, to)
    await replaceKey(sql, to)
    return resealed
  })
}

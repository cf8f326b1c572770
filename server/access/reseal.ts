import { begin, change } from '../postgres/begin.ts'
import { LOCKS } from '../postgres/locks.ts'
import type { Sql } from '../postgres/pool.ts'
import { matchesKey, replaceKey, requireKey } from './key-check.ts'
import { OF_PLAYLIST, ofClient, type Seal } from './seal.ts'

/** Rows of one transaction: few enough that no call waits for their locks. */
const AT_ONCE = 1_000

/**
 * Seals with `to` every client's password that was sealed with another key, or by a version before 0.2.0. Where `sql`
 * is a pool, each thousand has its own transaction. Returns how many were sealed again.
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
    // Unless the dealer has changed the password meanwhile.
    const changed = await change(
      sql,
      () => sql`
        update client set password = decode(sealed.after, 'hex')
        from unnest(${ids}::bigint[], ${before}::text[], ${after}::text[]) as sealed (id, before, after)
        where client.id = sealed.id and client.password = decode(sealed.before, 'hex')`,
    )
    resealed += changed.count
    last = rows.at(-1)?.id ?? last
  }
  return resealed
}

async function resealPlaylist(sql: Sql, from: Seal, to: Seal): Promise<void> {
  const [row] = await sql<{ address: Buffer | null; content: Buffer | null; held_content: Buffer | null }[]>`
    select address, content, held_content from playlist for update`
  if (!row) return
  const again = (sealed: Buffer | null, owner: string) => sealed && to.close(from.open(sealed, owner), owner)
  const resealed = {
    address: again(row.address, OF_PLAYLIST.address),
    content: again(row.content, OF_PLAYLIST.channels),
    held_content: again(row.held_content, OF_PLAYLIST.channels),
  }
  await sql`update playlist set ${sql(resealed)}`
}

/**
 * Replaces the key of the database in one transaction, so that no backup has texts of both keys. If that was done
 * already, it does nothing. Returns how many passwords were sealed again. @throws StartFault where neither key fits
 */
export async function rotateKey(owner: Sql, from: Seal, to: Seal): Promise<number> {
  return begin(owner, async (sql) => {
    await sql`select pg_advisory_xact_lock(${LOCKS.schema})`
    if (await matchesKey(sql, to)) return 0
    await requireKey(sql, from)
    await sql`lock table client in share row exclusive mode`
    const resealed = await resealPasswords(sql, from, to)
    await resealPlaylist(sql, from, to)
    // A body is not kept, so it cannot be digested again under the new key. Without a digest a repeated key counts as
    // the same change, and gets its first answer.
    await sql`update idempotency_key set body_hmac = ''`
    await replaceKey(sql, to)
    return resealed
  })
}

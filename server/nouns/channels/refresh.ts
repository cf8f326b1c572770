import { before, MINUTE_MS } from '../../../contract/time.ts'
import type { Seal } from '../../access/seal.ts'
import type { PlaylistRules } from '../../context.ts'
import { begin } from '../../postgres/begin.ts'
import type { Sql } from '../../postgres/pool.ts'
import { Refusal } from '../../refusal.ts'
import { keepAgain, readAgain } from './from-address.ts'
import type { KeptPlaylist } from './keep.ts'

type RefreshContext = {
  sql: Sql
  seal: Seal
  playlist: PlaylistRules
  now: Date
  /** When readings began that this server could not end, because it lost the database: the one that is noted is due at once. */
  unread?: readonly Date[]
  signal: AbortSignal
}

/**
 * Reads the playlist at its address again, where that is due. Of several servers the first one does it. Returns what
 * became of it; null where nothing was due, or where the address was replaced or read again meanwhile. No transaction is open
 * while it reads.
 */
export async function refreshPlaylist(
  context: RefreshContext,
): Promise<KeptPlaylist | { failure: string; cause: unknown } | null> {
  const { sql, seal, playlist, now, unread = [], signal } = context
  const due = before(now, playlist.minutes * MINUTE_MS)
  const [claimed] = await begin(
    sql,
    (sql) => sql<{ address: Buffer }[]>`
      update playlist set tried = ${now} where address is not null and (tried <= ${due} or tried = any (${unread.map((began) => began.toISOString())}::text[]::timestamptz[])) returning address`,
  )
  if (!claimed) return null
  const { address } = claimed
  try {
    const found = await readAgain(address, { sql, seal, rules: playlist, signal })
    return await begin(sql, (sql) => keepAgain(sql, { address, found, seal, now, isAsked: false }))
  } catch (error) {
    if (error instanceof Refusal && !signal.aborted) {
      const { message: failure, cause } = error
      const { count } = await begin(
        sql,
        (sql) => sql`update playlist set failure = ${failure} where address = ${address} and tried = ${now}`,
      )
      return count > 0 ? { failure, cause } : null
    }
    // Not read after all, as this server is being stopped: another one reads it at once.
    if (signal.aborted)
      await begin(
        sql,
        (sql) => sql`update playlist set tried = ${due} where address = ${address} and tried = ${now}`,
      )
    throw error
  }
}

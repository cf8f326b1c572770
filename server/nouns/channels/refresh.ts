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
  signal: AbortSignal
}

/** After how many minutes a reading has ended, or never will: its server was killed, or lost the database. */
const ENDED_AFTER = 5

/**
 * Reads the playlist at its address again, where that is due. Of several servers the first one does it. Returns what
 * became of it; null where nothing was due, or where the address was replaced or read again meanwhile. No transaction
 * is open while it reads. Meanwhile the time of the last reading is set so far back that the next one is due
 * ENDED_AFTER minutes from now: if this server is killed, another one then reads.
 */
export async function refreshPlaylist(
  context: RefreshContext,
): Promise<KeptPlaylist | { failure: string; cause: unknown } | null> {
  const { sql, seal, playlist, now, signal } = context
  const due = before(now, playlist.minutes * MINUTE_MS)
  const begun = before(now, (playlist.minutes - ENDED_AFTER) * MINUTE_MS)
  const [claimed] = await begin(
    sql,
    (sql) => sql<{ address: Buffer }[]>`
      update playlist set tried = ${begun} where address is not null
        -- Where the clock was ahead, the last reading lies in the future.
        and (tried <= ${due} or tried > ${new Date(now.getTime() + MINUTE_MS)})
      returning address`,
  )
  if (!claimed) return null
  const { address } = claimed
  try {
    const found = await readAgain(address, { sql, seal, rules: playlist, signal })
    return await begin(sql, (sql) => keepAgain(sql, { address, found, seal, now, begun }))
  } catch (error) {
    if (error instanceof Refusal && !signal.aborted) {
      const { message: failure, cause } = error
      const { count } = await begin(
        sql,
        (sql) => sql`
          update playlist set failure = ${failure}, tried = ${now} where address = ${address} and tried = ${begun}`,
      )
      return count > 0 ? { failure, cause } : null
    }
    // Not read after all, as this server is being stopped: another one reads it at once.
    if (signal.aborted)
      await begin(
        sql,
        (sql) => sql`update playlist set tried = ${due} where address = ${address} and tried = ${begun}`,
      )
    throw error
  }
}

import { OF_PLAYLIST, type Seal } from '../../access/seal.ts'
import type { PlaylistRules } from '../../context.ts'
import { begin } from '../../postgres/begin.ts'
import type { Sql } from '../../postgres/pool.ts'
import { Refusal } from '../../refusal.ts'
import { allowedBy, download } from './download.ts'
import { type Kept, keep, revise } from './keep.ts'
import { read } from './read.ts'

export type RefreshContext = {
  sql: Sql
  seal: Seal
  playlist: PlaylistRules
  now: Date
  signal: AbortSignal
}

/**
 * Reads the playlist at its address again, where that is due. Of several servers the first one does it. Returns what
 * became of it; null where nothing was due, or the address was replaced meanwhile. No transaction is open while it
 * reads.
 */
export async function refreshPlaylist(context: RefreshContext): Promise<Kept | { failure: string } | null> {
  const { sql, seal, playlist, now, signal } = context
  const due = new Date(now.getTime() - playlist.minutes * 60_000)
  const [claimed] = await begin(
    sql,
    (sql) => sql<{ address: Buffer }[]>`
      update playlist set tried = ${now} where address is not null and tried <= ${due} returning address`,
  )
  if (!claimed) return null
  const { address } = claimed
  try {
    const bytes = await download(seal.open(address, OF_PLAYLIST.address), {
      mayAsk: allowedBy(playlist),
      signal,
    })
    const found = await read({ bytes, isCompressed: false })
    return await begin(sql, async (sql) => {
      await revise(sql)
      const present = await sql`select from playlist where address = ${address}`
      return present.length > 0 ? keep(sql, seal, found, now) : null
    })
  } catch (error) {
    if (!(error instanceof Refusal) || signal.aborted) throw error
    const { message: failure } = error
    await begin(sql, (sql) => sql`update playlist set failure = ${failure} where address = ${address}`)
    return { failure }
  }
}

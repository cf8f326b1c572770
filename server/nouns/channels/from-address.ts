import { OF_PLAYLIST, type Seal } from '../../access/seal.ts'
import type { PlaylistRules } from '../../context.ts'
import type { Sql } from '../../postgres/pool.ts'
import { allowedBy, downloadPlaylist } from './download.ts'
import { holdOthers, inUseOf, type KeptPlaylist, keep } from './keep.ts'
import { type Read, read } from './read-in-thread.ts'

type Reading = { sql: Sql; seal: Seal; rules: PlaylistRules; signal: AbortSignal | null }

/** Downloads a playlist and reads it, while no transaction is open. @throws Refusal where either fails */
export async function readFrom(address: string, { sql, seal, rules, signal }: Reading): Promise<Read> {
  const bytes = await downloadPlaylist(address, { mayAsk: allowedBy(rules), signal })
  return read({ bytes, isCompressed: false }, () => inUseOf(sql, seal))
}

/** Reads the playlist at its encrypted address again, as `readFrom` does. */
export function readAgain(address: Buffer, reading: Reading): Promise<Read> {
  return readFrom(reading.seal.open(address, OF_PLAYLIST.address), reading)
}

type Again = {
  address: Buffer
  found: Read
  seal: Seal
  now: Date
  /** The moment that is noted while a reading is under way for which nobody asked; null where somebody did. */
  begun: Date | null
}

/**
 * Takes or holds back what was read again; null where the playlist has another address meanwhile, or where nobody asked
 * for this and another reading has begun since: it is the newer one.
 */
export async function keepAgain(
  sql: Sql,
  { address, found, seal, now, begun }: Again,
): Promise<KeptPlaylist | null> {
  await holdOthers(sql)
  const present =
    await sql`select from playlist where address = ${address} and tried = coalesce(${begun}, tried)`
  return present.length > 0 ? keep(sql, seal, found, { now, isAsked: begun === null }) : null
}

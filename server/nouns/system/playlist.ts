import type { HeldBack } from '../../../contract/channels.ts'
import type { Sql } from '../../postgres/pool.ts'

export type PlaylistState = {
  has_address: boolean
  /** How many channels are in use. */
  in_use: number
  /** What is held back, and why; null where nothing is. */
  held: HeldBack | null
  held_channels: number
  held_skipped: number
  /** Why the last reading failed, and when one did not; null where the last one did not. */
  failure: string | null
  read: string | null
}

/** Returns how the last reading of the playlist went; null where there is none. A good one is noted of each channel. */
export async function playlistStateOf(sql: Sql): Promise<PlaylistState | null> {
  const [row] = await sql<PlaylistState[]>`
    select address is not null as has_address, channels as in_use, held, held_channels, held_skipped, failure,
      case when failure is not null then greatest(given, (select max(seen) from channel)) end as read
    from playlist`
  return row ?? null
}

/**
 * Returns whether boxes have the channels of the playlist's last reading, which may have failed or be held back; null
 * where there is none.
 */
export async function isPlaylistCurrent(sql: Sql): Promise<boolean | null> {
  const [row] = await sql<{ current: boolean }[]>`
    select failure is null and held is null as current from playlist`
  return row?.current ?? null
}

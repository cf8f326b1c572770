import * as z from 'zod/mini'
import { Done } from './call.ts'
import { LONGEST_NAME } from './playlist-limits.ts'
import { bytes, counted, inDigits } from './quantities.ts'
import { Moment } from './shapes.ts'
import { oneLine, trimmed } from './text.ts'

/** A channel of a playlist, as the server keeps it. */
export type Channel = {
  /** Its tvg-id, its name and group, or all of these, by which it keeps its id. */
  key: string
  name: string
  number: number
  group: string
  /** Empty where it has none. */
  logo: string
  address: string
}

/** The most bytes of a playlist that a browser has compressed. */
export const MOST_COMPRESSED = 16 * 1024 * 1024

/** The file of a playlist, compressed with gzip, in base64. */
export const CompressedFile = z
  .string()
  .check(
    z.maxLength(
      Math.ceil(MOST_COMPRESSED / 3) * 4,
      `The file is larger than ${bytes(MOST_COMPRESSED)} when compressed`,
    ),
  )

/** Why a playlist is held back: no channels, more broken entries than channels, or at most a tenth of those in use. */
const HELD_BACK = ['empty', 'broken', 'shrunk'] as const
export type HeldBack = (typeof HELD_BACK)[number]

/** Says of a playlist why it is held back, as the end of a sentence about it. `inUse` counts the channels in use. */
export function faultInPlaylist(
  { why, channels, skipped }: { why: HeldBack; channels: number; skipped: number },
  inUse: number,
): string {
  const faults = {
    empty: 'has no channels. Is it an M3U playlist?',
    broken: `has ${counted(channels, 'channel')}, and ${counted(skipped, 'broken one')}.`,
    shrunk: `has ${counted(channels, 'channel')}, where ${inDigits(inUse)} are in use.`,
  }
  return faults[why]
}

export const PlaylistAddress = z
  .string()
  .check(
    z.overwrite(trimmed),
    z.maxLength(2_000, 'An address has at most 2,000 characters'),
    oneLine('An address may not have control characters'),
    z.regex(/^https?:\/\/[^\s/?#]/i, 'Type an address that begins with http:// or https://'),
  )

export const FileName = z
  .string()
  .check(
    z.minLength(1),
    z.maxLength(LONGEST_NAME, `A name has at most ${LONGEST_NAME} characters`),
    oneLine('This name has characters that cannot be stored'),
  )

export const GroupId = z.int().check(z.minimum(1), z.maximum(2_147_483_647))

const PlayerName = z
  .string()
  .check(z.regex(/^[a-z0-9_]{1,16}$/, 'A player has 1 to 16 of the characters a-z 0-9 _'))

/** A playlist that was read: how many channels it has, and how many entries have no address that a box could play. */
const Counted = { channels: z.int(), skipped: z.int() }

export const Playlist = z.object({
  kind: z.enum(['address', 'file']),
  /** Its address without what may be secret, or the name of the file. */
  shown: z.string(),
  given: Moment,
  /** When it was read last. */
  tried: Moment,
  /** Why that failed; null where it did not. */
  failure: z.nullable(z.string()),
  /** When its address is read again; null for a file. */
  next: z.nullable(Moment),
  /** When the channels in use were taken; null where none were yet. */
  taken: z.nullable(Moment),
  ...Counted,
  /** What was read last and held back. */
  held: z.nullable(z.object({ why: z.enum(HELD_BACK), at: Moment, ...Counted })),
})
export type Playlist = z.output<typeof Playlist>

export const Players = z.strictObject({ player: PlayerName, alt_player: PlayerName })

/** The words that links begin with until others are chosen. */
export const DEFAULT_PLAYERS: z.output<typeof Players> = { player: 'ffmpeg', alt_player: 'ffrt' }

export const Group = z.object({
  id: z.int(),
  name: z.string(),
  channels: z.int(),
  /** How many of its channels anybody can watch who has their address, because it has no {token}. */
  unprotected: z.int(),
  adult: z.boolean(),
  packages: z.array(z.int()),
})
export type Group = z.output<typeof Group>

export const PlaylistRead = z.extend(Done, { ...Counted, held: z.nullable(z.enum(HELD_BACK)) })

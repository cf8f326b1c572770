import { createHash } from 'node:crypto'
import type { FastifyBaseLogger } from 'fastify'
import { type Channel, DEFAULT_PLAYERS } from '../../../contract/channels.ts'
import { leavesOutAdults, PACKAGES } from '../../../contract/packages.ts'
import { channelsIn } from '../../access/playlist-content.ts'
import type { Seal } from '../../access/seal.ts'
import { isLost } from '../../postgres/errors.ts'
import type { Sql } from '../../postgres/pool.ts'
import { timelineOf } from '../../postgres/timeline.ts'
import { withTimeout } from '../../postgres/timeout.ts'
import { waitFor } from '../memory/wait-for.ts'
import { Away } from '../refusals.ts'
import type { SortedPaths } from '../streams/stream-paths.ts'
import type { Prepared } from '../wire/prepared.ts'

/** How old what is known of the channels may be before a box is told of them, in milliseconds. */
const CURRENT_FOR_MS = 5_000

/** A channel as boxes are told of it. */
export type Listed = Channel & { id: number; genre: Genre }

type Genre = { id: number; title: string; adult: boolean; packages: readonly number[] }

/** What the clients of one package can watch, in the order of the numbers. */
export type Offer = Ordered & {
  genres: readonly Genre[]
  byId: ReadonlyMap<number, Listed>
  /** Returns the same in the order of the names. It is sorted once, when a box asks for it first. */
  byName: () => Ordered
}

export type Ordered = { channels: readonly Listed[]; byGenre: ReadonlyMap<number, readonly Listed[]> }

/** What tells one state of the channels from another: `postgres/timeline.ts` says what a timeline is. */
type State = { revision: number; timeline: string }

/** The channels of the playlist in use, and the words before their addresses. */
export type Lineup = State & {
  player: string
  alt_player: string
  channels: readonly Listed[]
  genres: readonly Genre[]
  /** A hash of what the boxes of each package see of it. */
  seen: ReadonlyMap<number, string>
  /** The offers of packages, by that hash: packages of the same groups share one. */
  offers: Map<string, Offer>
  /** Where their addresses lead; null until somebody asks. */
  paths: SortedPaths | null
  /** The one that was asked for last is last. */
  prepared: Map<string, Prepared>
  preparedBytes: number
}

type LineupDependencies = {
  sql: Sql
  seal: Pick<Seal, 'open'>
  log: FastifyBaseLogger
  clock: () => Date
  /** Is called with what the boxes of each package saw before and see now. */
  onChange: (before: Lineup['seen'], after: Lineup['seen']) => void
}

/**
 * The lineup in memory. Before a box is told of it the revision is read, unless that was done within the last seconds.
 * While the database is away, what is known goes on.
 */
export function openLineup({ sql, seal, log, clock, onChange }: LineupDependencies) {
  let lineup: Lineup | null = null
  let readAt = Number.NEGATIVE_INFINITY
  let reading: Promise<void> | null = null
  /** When the last read began, by `performance.now`, and whether it failed. */
  let triedAt = Number.NEGATIVE_INFINITY
  let hasFailed = false

  return { current, isDue }

  /** Whether the next who asks has the revision read. */
  function isDue(now: number): boolean {
    return isOld(readAt, now)
  }

  /** @throws Away where nothing is known */
  async function current(): Promise<Lineup> {
    if (isDue(clock().getTime())) {
      if (!reading) {
        triedAt = performance.now()
        reading = read().finally(() => {
          reading = null
        })
      }
      // What is known is told after a short wait: reading on costs the next box nothing.
      await (lineup === null ? reading : waitFor(reading, triedAt, hasFailed))
    }
    if (lineup === null) throw new Away()
    return lineup
  }

  async function read(): Promise<void> {
    const began = clock().getTime()
    try {
      const [row] = await withTimeout(
        sql,
        () => sql<State[]>`select revision, ${timelineOf(sql)} as timeline from lineup`,
      )
      const { revision, timeline } = row ?? { revision: 0, timeline: '' }
      // A standby that was promoted may lack changes, and give their revisions again to others.
      if (lineup?.revision !== revision || lineup.timeline !== timeline) {
        const before = lineup?.seen
        lineup = await load(sql, seal, { revision, timeline })
        // What boxes were told by a server before this one is not known.
        if (before) onChange(before, lineup.seen)
      }
      hasFailed = false
    } catch (error) {
      hasFailed = true
      if (lineup === null) throw isLost(error) ? new Away() : error
      log.warn({ err: error }, 'the channels could not be read again: boxes get them from memory')
    }
    // Also after a failure, so that not every box waits for the database.
    readAt = began
  }
}

/** Whether what was read at a moment is too old. A moment in the future is of a clock that was set back since. */
export function isOld(at: number, now: number): boolean {
  return at > now || now - at >= CURRENT_FOR_MS
}

/** What changes while this loads has a later revision, and is loaded next time. */
async function load(sql: Sql, seal: Pick<Seal, 'open'>, state: State): Promise<Lineup> {
  const [[players], [playlist], genres] = await withTimeout(sql, () =>
    Promise.all([
      sql<{ player: string; alt_player: string }[]>`select player, alt_player from lineup`,
      sql<{ content: Buffer | null }[]>`select content from playlist`,
      sql<Genre[]>`
        select id, name as title, adult, packages from channel_group where channels > 0 order by place`,
    ]),
  )
  const content = playlist?.content ? await channelsIn(seal, playlist.content) : []
  const keys = content.map(({ key }) => key)
  const ids = await withTimeout(
    sql,
    () => sql<{ id: number; key: string }[]>`select id, key from channel where key = any (${keys}::text[])`,
  )
  const byTitle = new Map(genres.map((genre) => [genre.title, genre]))
  const byKey = new Map(ids.map(({ id, key }) => [key, id]))
  const channels = content.flatMap((channel) => {
    const [id, genre] = [byKey.get(channel.key), byTitle.get(channel.group)]
    return id === undefined || genre === undefined ? [] : [{ ...channel, id, genre }]
  })
  const { player, alt_player } = players ?? DEFAULT_PLAYERS
  return {
    ...{ ...state, player, alt_player },
    ...{ genres, channels: channels.sort((one, other) => one.number - other.number) },
    seen: seenByPackage({ channels, genres, player, alt_player }),
    ...{ offers: new Map(), paths: null, prepared: new Map(), preparedBytes: 0 },
  }
}

/**
 * Returns a hash of what the boxes of each package see of the channels. Their addresses are told only when one plays.
 */
function seenByPackage({
  channels,
  genres,
  player,
  alt_player,
}: Pick<Lineup, 'channels' | 'genres' | 'player' | 'alt_player'>): Map<number, string> {
  const hashes = new Map(genres.map((genre) => [genre, createHash('sha256')]))
  for (const { id, name, number, logo, genre } of channels)
    hashes.get(genre)?.update(JSON.stringify([id, name, number, logo]))
  const parts = genres.map((genre) => ({
    genre,
    sees: [genre.id, genre.title, genre.adult, hashes.get(genre)?.digest('base64')],
  }))
  return new Map(
    PACKAGES.map(({ value: packageId }) => {
      const held = parts.filter(({ genre }) => isHeld(genre, packageId)).map(({ sees }) => sees)
      return [
        packageId,
        createHash('sha256')
          .update(JSON.stringify([player, alt_player, held]))
          .digest('base64'),
      ]
    }),
  )
}

export function isHeld({ adult, packages }: Genre, packageId: number): boolean {
  return packages.includes(packageId) && !(adult && leavesOutAdults(packageId))
}

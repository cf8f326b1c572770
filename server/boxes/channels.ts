import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import type { FastifyBaseLogger } from 'fastify'
import type { Channel } from '../../contract/channels.ts'
import { leavesOutAdults, PACKAGES } from '../../contract/packages.ts'
import { OF_PLAYLIST, type Seal } from '../access/seal.ts'
import { isLost, withTimeout } from '../postgres/begin.ts'
import type { Sql } from '../postgres/pool.ts'
import type { Client } from './client.ts'
import { openNews } from './news.ts'
import { Away } from './refusals.ts'

/** How old what is known of the channels may be before a box is told of them, in milliseconds. */
const CURRENT_FOR = 5_000
/** How long a box waits for a database that does not answer, before it is told what is known, in milliseconds. */
const PATIENCE_MS = 2_000
/** The most bytes of prepared answers that are kept. */
const MOST_PREPARED = 64 * 1024 * 1024

/** A channel as boxes are told of it. */
export type Listed = Channel & { id: number; genre: Genre }

export type Genre = { id: number; title: string; adult: boolean; packages: readonly number[] }

/** What the clients of one package can watch, in the order of the numbers. */
export type Offer = {
  channels: readonly Listed[]
  genres: readonly Genre[]
  byGenre: ReadonlyMap<number, readonly Listed[]>
  byId: ReadonlyMap<number, Listed>
}

/** The channels of the playlist in use, and the words before their addresses. */
type Lineup = {
  revision: number
  player: string
  alt_player: string
  channels: readonly Listed[]
  genres: readonly Genre[]
  /** A hash of what the boxes of each package see of it. */
  seen: ReadonlyMap<number, string>
  offers: Map<number, Offer>
  /** How many channels lie in each folder; null until somebody asks. */
  folders: Map<string, number> | null
  prepared: Map<string, Buffer>
  preparedBytes: number
}

export type Channels = ReturnType<typeof openChannels>

/**
 * The channels in memory. Before a box is told of them the revision is read, unless that was done within the last seconds.
 * While the database is away, what is known goes on.
 */
export function openChannels(sql: Sql, seal: Pick<Seal, 'open'>, log: FastifyBaseLogger, clock: () => Date) {
  let lineup: Lineup | null = null
  let readAt = Number.NEGATIVE_INFINITY
  /** When a poll looked for other channels last. */
  let lookedAt = Number.NEGATIVE_INFINITY
  let reading: Promise<void> | null = null
  const news = openNews(clock)

  return {
    /** Whether a client's box has yet to be told that it has other channels. @throws Away */
    async hasNewsFor(client: Client): Promise<boolean> {
      const now = clock().getTime()
      if (now - Math.max(readAt, lookedAt) >= CURRENT_FOR) {
        // One poll looks for all of them, also where the channels cannot be read.
        lookedAt = now
        await current()
      }
      return news.isFor(client)
    },

    /** Notes that a client's box was told of its other channels, or loads them anyway. */
    isKnownTo: news.isKnownTo,

    /** Returns what the clients of a package can watch now. @throws Away where nothing is known */
    async offer(of: number): Promise<Offer> {
      return offerOf(await current(), of)
    },

    /** Returns the word before the address of a channel. @throws Away */
    async wordFor({ alt_player }: { alt_player: boolean }): Promise<string> {
      const { player, alt_player: other } = await current()
      return alt_player ? other : player
    },

    /** Whether no other channel lies in the same folder of a server of streams. @throws Away */
    async isAlone({ address }: Listed): Promise<boolean> {
      const now = await current()
      now.folders ??= countedFolders(now.channels)
      return now.folders.get(folderOf(address)) === 1
    },

    /** Returns an answer that is the same for many clients, and makes it only once. @throws Away */
    async prepared(name: string, of: number, word: string, make: (offer: Offer) => string): Promise<Buffer> {
      const now = await current()
      const key = `${name} ${of} ${word}`
      const known = now.prepared.get(key)
      if (known) return known
      const made = Buffer.from(make(offerOf(now, of)))
      now.preparedBytes += made.length
      if (now.preparedBytes > MOST_PREPARED) {
        now.prepared.clear()
        now.preparedBytes = made.length
      }
      now.prepared.set(key, made)
      return made
    },
  }

  async function current(): Promise<Lineup> {
    if (clock().getTime() - readAt >= CURRENT_FOR) {
      reading ??= read().finally(() => {
        reading = null
      })
      // What is known is told after a short wait: reading on costs the next box nothing.
      await (lineup === null ? reading : Promise.race([reading, pause(PATIENCE_MS)]))
    }
    if (lineup === null) throw new Away()
    return lineup
  }

  async function read(): Promise<void> {
    const began = clock().getTime()
    try {
      const [row] = await withTimeout(sql, () => sql<{ revision: number }[]>`select revision from lineup`)
      const revision = row?.revision ?? 0
      if (lineup?.revision !== revision) {
        const before = lineup?.seen
        lineup = await load(sql, seal, revision)
        // What boxes were told by a server before this one is not known.
        if (before) news.compare(before, lineup.seen)
      }
    } catch (error) {
      if (lineup === null) throw isLost(error) ? new Away() : error
      log.warn({ err: error }, 'boxes are told of the channels from memory')
    }
    // Also after a failure, so that not every box waits for the database.
    readAt = began
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref())
}

/** What changes while this loads has a later revision, and is loaded next time. */
async function load(sql: Sql, seal: Pick<Seal, 'open'>, revision: number): Promise<Lineup> {
  const [[words], [playlist], genres, ids] = await withTimeout(sql, () =>
    Promise.all([
      sql<{ player: string; alt_player: string }[]>`select player, alt_player from lineup`,
      sql<{ content: Buffer | null }[]>`select content from playlist`,
      sql<Genre[]>`
        select id, name as title, adult, packages from channel_group where channels > 0 order by place`,
      sql<{ id: number; key: string }[]>`select id, key from channel`,
    ]),
  )
  const byTitle = new Map(genres.map((genre) => [genre.title, genre]))
  const byKey = new Map(ids.map(({ id, key }) => [key, id]))
  const channels = (await unpacked(seal, playlist?.content ?? null)).flatMap((channel) => {
    const [id, genre] = [byKey.get(channel.key), byTitle.get(channel.group)]
    return id === undefined || genre === undefined ? [] : [{ ...channel, id, genre }]
  })
  const { player, alt_player } = words ?? { player: 'ffmpeg', alt_player: 'ffrt' }
  return {
    ...{ revision, player, alt_player },
    ...{ genres, channels: channels.sort((one, other) => one.number - other.number) },
    seen: seenByPackage({ channels, genres, player, alt_player }),
    ...{ offers: new Map(), folders: null, prepared: new Map(), preparedBytes: 0 },
  }
}

/** Returns a hash of what the boxes of each package see of the channels. Their addresses are told only when one plays. */
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
    PACKAGES.map(({ value: of }) => {
      const held = parts.filter(({ genre }) => isHeld(genre, of)).map(({ sees }) => sees)
      return [
        of,
        createHash('sha256')
          .update(JSON.stringify([player, alt_player, held]))
          .digest('base64'),
      ]
    }),
  )
}

async function unpacked(seal: Pick<Seal, 'open'>, content: Buffer | null): Promise<Channel[]> {
  if (content === null) return []
  const packed = Buffer.from(seal.open(content, OF_PLAYLIST.channels), 'base64')
  return JSON.parse((await promisify(gunzip)(packed)).toString())
}

function countedFolders(channels: readonly Listed[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const { address } of channels) {
    const folder = folderOf(address)
    counts.set(folder, (counts.get(folder) ?? 0) + 1)
  }
  return counts
}

/** Returns the folder of an address on its server, whatever is filled in. A server is asked for a path alone. */
function folderOf(address: string): string {
  const path = address.replace(/^[a-z]+:\/\/[^/?#]*/i, '').replace(/[?#|].*$/s, '')
  return path.slice(0, path.lastIndexOf('/') + 1)
}

function offerOf({ offers, channels, genres }: Lineup, of: number): Offer {
  const known = offers.get(of)
  if (known) return known
  const held = new Set(genres.filter((genre) => isHeld(genre, of)))
  const own = channels.filter(({ genre }) => held.has(genre))
  const offer = {
    ...{ channels: own, genres: [...held] },
    byGenre: Map.groupBy(own, ({ genre }) => genre.id),
    byId: new Map(own.map((one) => [one.id, one])),
  }
  offers.set(of, offer)
  return offer
}

function isHeld({ adult, packages }: Genre, of: number): boolean {
  return packages.includes(of) && !(adult && leavesOutAdults(of))
}

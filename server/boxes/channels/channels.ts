import type { FastifyBaseLogger } from 'fastify'
import type { Seal } from '../../access/seal.ts'
import type { Sql } from '../../postgres/pool.ts'
import type { BoxClient } from '../client.ts'
import { type SortedPaths, sortedPathsOf } from '../streams/stream-paths.ts'
import { Prepared } from '../wire/prepared.ts'
import { openChannelNews } from './channel-news.ts'
import { isHeld, isOld, type Lineup, type Listed, type Offer, type Ordered, openLineup } from './lineup.ts'

/**
 * The most bytes of prepared answers that are kept, as they are before they are compressed. All channels of the largest
 * playlist are about 36 MB, and there are four such answers: with those for adults and without, each with the word of
 * either player. While one is made, no other box is answered for some 300 ms.
 */
const MOST_PREPARED = 160 * 1024 * 1024

export type Channels = ReturnType<typeof openChannels>

/** What boxes are told of the channels in memory. */
export function openChannels(sql: Sql, seal: Pick<Seal, 'open'>, log: FastifyBaseLogger, clock: () => Date) {
  const news = openChannelNews(clock)
  const lineup = openLineup({ sql, seal, log, clock, onChange: news.compare })
  /** When a poll looked for other channels last. */
  let lookedAt = Number.NEGATIVE_INFINITY
  const isLookDue = (now: number) => lineup.isDue(now) && isOld(lookedAt, now)

  return {
    /** Whether a client's box has yet to be told that it has other channels. @throws Away */
    async hasNewsFor(client: BoxClient): Promise<boolean> {
      const now = clock().getTime()
      if (isLookDue(now)) {
        // One poll looks for all of them, also where the channels cannot be read.
        lookedAt = now
        await lineup.current()
      }
      return news.isNewTo(client)
    },

    /** Whether it is known without a look that there is no such news for a client's box. */
    hasNoNewsFor(client: BoxClient): boolean {
      return !isLookDue(clock().getTime()) && !news.isNewTo(client)
    },

    /** Notes that a client's box was told of its other channels, or loads them anyway. */
    noteTold: news.noteTold,

    /** Returns what the clients of a package can watch now. @throws Away where nothing is known */
    async offer(packageId: number): Promise<Offer> {
      return offerOf(await lineup.current(), packageId)
    },

    /** Returns the word before the address of a channel. @throws Away */
    async wordFor({ alt_player }: { alt_player: boolean }): Promise<string> {
      const { player, alt_player: other } = await lineup.current()
      return alt_player ? other : player
    },

    /** Returns where the addresses of all channels lead. @throws Away */
    async paths(): Promise<SortedPaths> {
      const now = await lineup.current()
      now.paths ??= sortedPathsOf(now.channels.map(({ address }) => address))
      return now.paths
    },

    /**
     * Returns an answer that is the same for many clients, and makes it only once for all packages of the same groups.
     * @throws Away
     */
    async prepared(
      name: string,
      packageId: number,
      word: string,
      make: (offer: Offer) => string,
    ): Promise<Prepared> {
      const now = await lineup.current()
      const key = `${name} ${sharedBy(now, packageId)} ${word}`
      const known = now.prepared.get(key)
      if (known) {
        now.prepared.delete(key)
        now.prepared.set(key, known)
        return known
      }
      const made = new Prepared(Buffer.from(make(offerOf(now, packageId))))
      keep(now, key, made)
      return made
    },
  }
}

/** Keeps an answer in place of those that were asked for longest ago. */
function keep(lineup: Lineup, key: string, made: Prepared): void {
  const { prepared } = lineup
  lineup.preparedBytes += made.json.length
  for (const [other, { json }] of prepared) {
    if (lineup.preparedBytes <= MOST_PREPARED) break
    prepared.delete(other)
    lineup.preparedBytes -= json.length
  }
  prepared.set(key, made)
}

/** Returns what packages of the same groups have in common. */
function sharedBy({ seen }: Pick<Lineup, 'seen'>, packageId: number): string {
  return seen.get(packageId) ?? String(packageId)
}

/** The order of a dictionary: capitals and accents count last. */
const NAMES = new Intl.Collator('en')

function offerOf(lineup: Lineup, packageId: number): Offer {
  const { offers, channels, genres } = lineup
  const shared = sharedBy(lineup, packageId)
  const known = offers.get(shared)
  if (known) return known
  const held = new Set(genres.filter((genre) => isHeld(genre, packageId)))
  const own = channels.filter(({ genre }) => held.has(genre))
  let byName: Ordered | null = null
  const offer: Offer = {
    ...ordered(own),
    genres: [...held],
    byId: new Map(own.map((one) => [one.id, one])),
    byName() {
      byName ??= ordered(own.toSorted((one, other) => NAMES.compare(one.name, other.name)))
      return byName
    },
  }
  offers.set(shared, offer)
  return offer
}

function ordered(channels: readonly Listed[]): Ordered {
  return { channels, byGenre: Map.groupBy(channels, ({ genre }) => genre.id) }
}

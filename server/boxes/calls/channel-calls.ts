import type { Seal } from '../../access/seal.ts'
import { isLost } from '../../postgres/errors.ts'
import type { Sql } from '../../postgres/pool.ts'
import type { BoxTurns } from '../box-turns.ts'
import type { Channels } from '../channels/channels.ts'
import { type Favourites, openFavourites } from '../channels/favourites.ts'
import type { Listed, Offer } from '../channels/lineup.ts'
import type { BoxClient } from '../client.ts'
import type { Presence } from '../memory/presence.ts'
import type { Roster } from '../memory/roster.ts'
import { Away } from '../refusals.ts'
import { streamAddress } from '../streams/stream-token.ts'
import { type Answer, PAGE_ITEMS } from '../wire/answers.ts'
import { checked } from '../wire/prepared.ts'
import type { BoxCall, BoxHandlers } from '../wire/routes.ts'

type ChannelDependencies = {
  sql: Sql
  seal: Pick<Seal, 'hmac'>
  clock: () => Date
  channels: Channels
  presence: Presence
  roster: Roster
  /** Returns the client of a box that is in and may play now. */
  letIn: (request: BoxCall) => Promise<BoxClient>
  turns: BoxTurns
}

/** The calls by which a box learns what it can watch, and where. */
export function channelCalls(dependencies: ChannelDependencies) {
  const { sql, roster, turns } = dependencies
  const favourites = openFavourites(sql, () => roster.isAway, turns)
  return {
    ...listCalls(dependencies, favourites),
    ...favouriteCalls(dependencies, favourites),
    ...playCalls(dependencies),
  } satisfies Partial<BoxHandlers>
}

/** The genres and the channels of a client's package. */
function listCalls({ channels, roster, letIn }: ChannelDependencies, favourites: Favourites) {
  return {
    'itv/get_genres': async (request) => {
      const { package_selection: packageId } = await letIn(request)
      return channels.prepared('genres', packageId, '', ({ genres }) =>
        checked('itv/get_genres', [
          { id: '*', title: 'All', alias: 'all', censored: 0 },
          ...genres.map(({ id, title, adult }) => ({
            ...({ id: wireOf(id), title, alias: title.toLowerCase(), censored: adult ? 1 : 0 } as const),
          })),
        ]),
      )
    },

    'itv/get_all_channels': async (request) => {
      const known = await letIn(request)
      // Another server may have told the box of another package, of which it asks once, before this one has heard of it.
      const client = roster.isAway ? known : ((await roster.findAnew(request.mac)) ?? known)
      const word = await channels.wordFor(client)
      channels.noteTold(client)
      return channels.prepared('channels', client.package_selection, word, ({ channels }) =>
        checked('itv/get_all_channels', { ...headOf(channels.length), data: channels.map(toldWith(word)) }),
      )
    },

    'itv/get_ordered_list': async (request) => {
      const client = await letIn(request)
      const [offer, word, own] = await Promise.all([
        channels.offer(client.package_selection),
        channels.wordFor(client),
        favourites.of(client).catch(orNone),
      ])
      const found = selected(offer, request, own)
      const from = (wholeOf(request.field('p'), 1) - 1) * PAGE_ITEMS
      const tell = toldWith(word)
      const page = found.slice(from, from + PAGE_ITEMS)
      const data = page.map((one) => ({ ...tell(one), fav: own.has(one.id) ? 1 : 0 }) as const)
      return { ...headOf(found.length), data }
    },

    'itv/get_epg_info': async (request) => {
      await letIn(request)
      return { data: {} }
    },
  } satisfies Partial<BoxHandlers>
}

function favouriteCalls({ channels, letIn }: ChannelDependencies, favourites: Favourites) {
  return {
    'itv/get_fav_ids': async (request) => [...(await favourites.of(await letIn(request)))].map(String),

    'itv/set_fav': async (request) => {
      const client = await letIn(request)
      const [{ byId }, own] = await Promise.all([
        channels.offer(client.package_selection),
        favourites.of(client),
      ])
      const asked = request.list('fav_ch').map(Number)
      // A box sends all that it knows. One that no playlist has today is its favourite again once it comes back.
      await favourites.keep(
        client,
        asked.filter((id) => byId.has(id) || own.has(id)),
      )
      return true
    },
  } satisfies Partial<BoxHandlers>
}

/** What a box plays: it asks for the address of a channel, and says what it has begun and stopped. */
function playCalls({ seal, clock, channels, presence, letIn }: ChannelDependencies) {
  return {
    'itv/create_link': async (request) => {
      const { field, mac, place } = request
      const client = await letIn(request)
      const { byId } = await channels.offer(client.package_selection)
      const channel = byId.get(Number(/\/ch\/(\d{1,10})/.exec(field('cmd'))?.[1]))
      if (!channel) return { id: '0', cmd: '', error: 'nothing_to_play' }
      presence.plays(client, place, channel.name, clock())
      const address = streamAddress(channel.address, seal, {
        client,
        channel: channel.id,
        mac,
        place,
        now: clock(),
      })
      return { id: String(channel.id), cmd: `${await channels.wordFor(client)} ${address}`, error: '' }
    },

    'itv/set_played': async (request) => {
      await plays(request, request.field('itv_id') || null)
      return true
    },

    'stb/log': async (request) => {
      const { field } = request
      if (field('real_action') === 'play' && field('tmp_type') === '1')
        await plays(request, field('ch_id') || null)
      else await plays(request, field('real_action') === 'stop' ? '' : null)
      return 1
    },
  } satisfies Partial<BoxHandlers>

  /** Notes what a box says that it plays; empty where it has stopped, null where it does not say. */
  async function plays(request: BoxCall, id: string | null): Promise<void> {
    const client = await letIn(request)
    if (id === null) return
    const { byId } = await channels.offer(client.package_selection)
    const title = id === '' ? '' : byId.get(Number(id))?.name
    if (title !== undefined) presence.plays(client, request.place, title, clock())
  }
}

/** A list is worth more than the marks in it, while the database is away. */
function orNone(error: unknown): Set<number> {
  if (error instanceof Away || isLost(error)) return new Set()
  throw error
}

/** Returns the channels of a genre or the favourites, in the order that a box wants. */
function selected(offer: Offer, { field }: BoxCall, favourites: ReadonlySet<number>): readonly Listed[] {
  const genre = field('genre')
  const { channels, byGenre } = field('sortby') === 'name' ? offer.byName() : offer
  const isAll = genre === '' || genre === '*'
  const found = isAll ? channels : (byGenre.get(Number(genre) - GENRE_OFFSET) ?? [])
  return field('fav') === '1' ? found.filter(({ id }) => favourites.has(id)) : found
}

/** Returns the head of a page of channels: how many there are in all, and on a page. */
function headOf(total_items: number) {
  return { total_items, max_page_items: PAGE_ITEMS, selected_item: 0, cur_page: 0 } as const
}

/** Returns what tells a box of a channel, with the word of its player. */
function toldWith(word: string): (channel: Listed) => Answer<'itv/get_all_channels'>['data'][number] {
  return ({ id, name, number, logo, genre }) => ({
    id: String(id),
    name,
    number: String(number),
    logo,
    tv_genre_id: wireOf(genre.id),
    // Every box asks for the address when it plays, so that none learns one that it may not have.
    cmd: `${word} http://localhost/ch/${id}_`,
    use_http_tmp_link: '1',
    use_load_balancing: '0',
    censored: genre.adult ? 1 : 0,
    open: 1,
    lock: 0,
    status: 1,
    hd: '0',
    enable_tv_archive: 0,
    allow_pvr: 0,
    xmltv_id: '',
  })
}

/** Kodi takes the genre 10 for that of hidden channels, and asks for it beside all others: no group may be that. */
const GENRE_OFFSET = 1_000

function wireOf(genre: number): string {
  return String(genre + GENRE_OFFSET)
}

function wholeOf(text: string, least: number): number {
  const number = /^\d{1,6}$/.test(text) ? Number(text) : least
  return Math.max(number, least)
}

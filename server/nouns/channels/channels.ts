import type * as z from 'zod/mini'
import type { calls } from '../../../contract/calls.ts'
import {
  DEFAULT_PLAYERS,
  faultInPlaylist,
  type Group,
  type Players,
  type Playlist,
} from '../../../contract/channels.ts'
import { MINUTE_MS } from '../../../contract/time.ts'
import { OF_PLAYLIST, openOrNull, type Seal } from '../../access/seal.ts'
import { type Context, type Handlers, Unchanged } from '../../context.ts'
import type { Sql } from '../../postgres/pool.ts'
import { fieldRefusal, notFound, Refusal } from '../../refusal.ts'
import { keepAgain, readAgain, readFrom } from './from-address.ts'
import { type Counted, holdOthers, inUseOf, keep, revise, take, whyHeld } from './keep.ts'
import { type Read, read } from './read-in-thread.ts'

export const channels: Handlers<typeof calls.channels> = {
  async all({ sql, business }) {
    const [[row], groups, [players]] = await Promise.all([
      sql<PlaylistRow[]>`
        select address is not null as has_address, shown, given, tried, failure, taken, channels, skipped, held, held_at,
          held_channels, held_skipped from playlist`,
      sql<Group[]>`
        select id, name, channels, unprotected, adult, packages from channel_group where channels > 0 order by place`,
      sql<z.output<typeof Players>[]>`select player, alt_player from lineup`,
    ])
    return {
      playlist: row ? playlistOf(row, business.playlist.minutes) : null,
      groups,
      players: players ?? DEFAULT_PLAYERS,
    }
  },

  giveAddress: {
    async outside({ sql, business: { seal, playlist: rules }, gone: signal }, { address, anyway }, begin) {
      const found = await readFrom(address, { sql, seal, rules, signal })
      const shown = `${new URL(address).origin}/…`
      return begin((context) => replace(context, found, { address, shown, anyway }))
    },
  },

  giveFile: {
    async outside({ sql, business: { seal } }, { name, file, anyway }, begin) {
      const bytes = Buffer.from(file, 'base64')
      const found = await read({ bytes, isCompressed: true }, () => inUseOf(sql, seal))
      return begin((context) => replace(context, found, { address: null, shown: name, anyway }))
    },
  },

  fetch: {
    async outside({ sql, business: { seal, playlist: rules }, gone: signal }, _input, begin) {
      const [known] = await sql<{ address: Buffer | null }[]>`select address from playlist`
      const address = known?.address
      if (!address) throw new Refusal('invalid_input', 'There is no address to read the playlist from.')
      const found = await readAgain(address, { sql, seal, rules, signal })
      return begin(async ({ sql, now }) => {
        const kept = await keepAgain(sql, { address, found, seal, now, begun: null })
        if (kept === null) throw changedSince()
        return { status: 'OK', ...kept }
      })
    },
  },

  async takeHeld({ sql, now, business }, { at }) {
    await revise(sql)
    if (!(await take(sql, business.seal, { at, now }))) throw changedSince()
    return { status: 'OK' }
  },

  async saveGroup({ sql }, { group, adult }) {
    await revise(sql)
    const [found] = await sql<{ adult: boolean }[]>`select adult from channel_group where id = ${group}`
    if (!found) throw notFound()
    if (found.adult === adult) return new Unchanged({ status: 'OK' })
    await sql`update channel_group set adult = ${adult} where id = ${group}`
    return { status: 'OK' }
  },

  async assign({ sql }, { give, take }) {
    await revise(sql)
    const named = new Set([...give.groups, ...take.groups])
    const known = await sql`select from channel_group where id = any (${[...named]}::integer[])`
    if (known.length !== named.size) throw notFound()
    // A group that the playlist does not have now gets them as well: it keeps them until it comes back.
    const given = await sql`
      update channel_group set packages = array(
        select unnest(packages) union select unnest(${give.packages}::integer[]) order by 1)
      where id = any (${give.groups}::integer[]) and not packages @> ${give.packages}::integer[]`
    const taken = await sql`
      update channel_group set packages = array(
        select unnest(packages) except select unnest(${take.packages}::integer[]) order by 1)
      where id = any (${take.groups}::integer[]) and packages && ${take.packages}::integer[]`
    return given.count + taken.count > 0 ? { status: 'OK' } : new Unchanged({ status: 'OK' })
  },

  async savePlayers({ sql }, { player = null, alt_player = null }) {
    await revise(sql)
    const { count } = await sql`
      update lineup set player = coalesce(${player}, player), alt_player = coalesce(${alt_player}, alt_player)
      where player <> ${player} or alt_player <> ${alt_player}`
    return count > 0 ? { status: 'OK' } : new Unchanged({ status: 'OK' })
  },
}

/** What was given: the address of a playlist, or null for a file. */
type Given = { address: string | null; shown: string; anyway: boolean | undefined }

/** Replaces the playlist by another one. The present channels stay in use until the new playlist is accepted. */
async function replace(
  { sql, now, business: { seal } }: Context,
  found: Read,
  { address, shown, anyway = false }: Given,
) {
  await holdOthers(sql)
  if (!anyway) await keepWorkingAddress(sql, seal, { found, address })
  const source = {
    address: address === null ? null : seal.close(address, OF_PLAYLIST.address),
    shown,
    given: now,
    tried: now,
  }
  await sql`
    insert into playlist ${sql(source)} on conflict (only_one) do update set ${sql(source)}`
  const kept = await keep(sql, seal, found, { now, isAsked: true })
  if (kept.held === null || !anyway) return { status: 'OK' as const, ...kept }
  await revise(sql)
  await take(sql, seal, { at: now.toISOString(), now })
  return { status: 'OK' as const, ...kept, held: null }
}

/**
 * What is held back may be a mistake, and nobody could type the address of the playlist in use again: it is shown
 * nowhere.
 * @throws Refusal where a playlist that would be held back replaces that address by another one, or by none
 */
async function keepWorkingAddress(
  sql: Sql,
  seal: Pick<Seal, 'open'>,
  { found: { keys, skipped }, address }: { found: Read; address: string | null },
): Promise<void> {
  const [inUse] = await sql<(Counted & { address: Buffer })[]>`
    select address, channels, skipped from playlist
    -- Of which some channels were taken: one that was only held back is worth nothing.
    where address is not null and taken >= given`
  if (!inUse) return
  const next = { channels: keys.length, skipped }
  const why = whyHeld(next, inUse)
  const present = openOrNull(seal, inUse.address, OF_PLAYLIST.address)
  if (why === null || present === null || present === address) return
  const fault = faultInPlaylist({ why, ...next }, inUse.channels)
  throw fieldRefusal('invalid_input', 'anyway', `Nothing was changed, because this playlist ${fault}`)
}

function changedSince(): Refusal {
  return new Refusal('changed_since', 'The playlist was changed meanwhile. Please look at it again.')
}

type PlaylistRow = Omit<Playlist, 'kind' | 'next' | 'held'> & {
  has_address: boolean
  held: NonNullable<Playlist['held']>['why'] | null
  held_at: string
  held_channels: number
  held_skipped: number
}

function playlistOf(row: PlaylistRow, minutes: number): Playlist {
  const { has_address, held: why, held_at: at, held_channels, held_skipped, ...told } = row
  return {
    ...told,
    kind: has_address ? 'address' : 'file',
    next: has_address ? new Date(Date.parse(told.tried) + minutes * MINUTE_MS).toISOString() : null,
    held: why === null ? null : { why, at, channels: held_channels, skipped: held_skipped },
  }
}

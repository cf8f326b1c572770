import parser from 'iptv-playlist-parser'
import type { Channel } from '../../../contract/channels.ts'
import { LONGEST_NAME, MOST_CHANNELS, MOST_GROUPS } from '../../../contract/playlist-limits.ts'
import { soundsAdult } from './adults.ts'
import { withKeys } from './keys.ts'
import { textOf } from './text-of.ts'

/** What a playlist says: its channels in order, its groups, and how many entries no box could play. */
type Playlist = { channels: Channel[]; groups: GroupListing[]; skipped: number }

export type GroupListing = { name: string; channels: number; unprotected: number }

/** A group that the admin has marked, or given to some packages. */
export type SetGroup = { name: string; adult: boolean }

/** The group of channels that name none, or whose group has no place among the most groups. */
const OTHER = 'Other'
/** The same of groups for adults. Its name makes it one of those. */
const OTHER_ADULTS = 'Other, adults'

/**
 * Reads an M3U playlist, where others are in use or none (see `withKeys`). What is broken in it is left out and
 * counted.
 * @param set the groups that the admin has set, also those that this playlist does not have
 */
export function parsePlaylist(
  bytes: Uint8Array,
  inUse: readonly Channel[] = [],
  known?: ReadonlySet<string>,
  set: readonly SetGroup[] = [],
): Playlist {
  const text = asPlaylist(textOf(bytes))
  const reading = new Reading()
  for (const { name, tvg, group, url = '', raw } of parser.parse(text).items) {
    const number = /\btvg-chno="?(\d{1,6})\b/.exec(raw)?.[1]
    reading.add({
      id: lineOf(tvg.id),
      name: lineOf(name) || lineOf(tvg.name),
      group: lineOf(group.title),
      logo: isWebAddress(tvg.logo) ? tvg.logo : '',
      address: url.trim(),
      number: number === undefined ? null : Number(number),
    })
  }
  return { ...reading.end(inUse, known, set), skipped: entriesIn(text) - reading.playable }
}

/** The parser passes over an entry without an address where another entry follows, so they are counted here. */
function entriesIn(text: string): number {
  let entries = 0
  for (const _ of text.matchAll(/\n[^\S\n]*#EXTINF:/g)) entries += 1
  return entries
}

type Entry = Omit<Channel, 'key' | 'number'> & { id: string; number: number | null }

class Reading {
  readonly #channels: Entry[] = []
  readonly #numbers = new Set<number>()
  /** How many entries a box could play, with those after the most channels: these are left out, and not broken. */
  playable = 0

  add({ id, name, group, logo, address, number }: Entry): void {
    if (!isPlayable(address)) return
    this.playable += 1
    if (this.#channels.length >= MOST_CHANNELS) return
    const called = name || id || `Channel ${this.#channels.length + 1}`
    const isFree = number !== null && number > 0 && !this.#numbers.has(number)
    if (isFree) this.#numbers.add(number)
    this.#channels.push({
      id,
      name: called,
      group: group || OTHER,
      logo,
      address,
      number: isFree ? number : null,
    })
  }

  /**
   * Gives the channels their groups and keys, and those without a number of their own what is left, in the order of the
   * playlist.
   */
  end(
    inUse: readonly Channel[],
    known: ReadonlySet<string> | undefined,
    set: readonly SetGroup[],
  ): Omit<Playlist, 'skipped'> {
    const placeOf = placesFor(new Set(this.#channels.map(({ group }) => group)), set)
    const placed = this.#channels.map((entry) => ({ ...entry, group: placeOf(entry.group) }))
    let next = 1
    const channels = withKeys(placed, inUse, known).map(({ number, ...channel }) => {
      if (number !== null) return { ...channel, number }
      while (this.#numbers.has(next)) next += 1
      const own = next
      next += 1
      return { ...channel, number: own }
    })
    return { channels, groups: listed(channels) }
  }
}

/**
 * Returns how to find the group under which a channel of some group is listed. Where there are too many groups, those
 * that the admin has set come first. What is for adults, by the admin's word or by its name, stays apart: the packages
 * leave it out by its group.
 */
function placesFor(names: ReadonlySet<string>, set: readonly SetGroup[]): (group: string) => string {
  if (names.size <= MOST_GROUPS) return (group) => group
  const first = set.flatMap(({ name }) => (names.has(name) ? [name] : []))
  const placed = new Set([...new Set([...first, ...names])].slice(0, MOST_GROUPS - 2))
  const adults = new Set(set.flatMap(({ name, adult }) => (adult ? [name] : [])))
  return (group) => {
    if (placed.has(group)) return group
    return adults.has(group) || soundsAdult(group) ? OTHER_ADULTS : OTHER
  }
}

function listed(channels: readonly Channel[]): GroupListing[] {
  const groups = new Map<string, GroupListing>()
  for (const { group: name, address } of channels) {
    const group = groups.get(name) ?? { name, channels: 0, unprotected: 0 }
    groups.set(name, group)
    group.channels += 1
    if (!address.includes('{token}')) group.unprotected += 1
  }
  return [...groups.values()]
}

/** Gives a playlist the first line that the parser asks for, and the attributes of its entries the quotes. */
function asPlaylist(text: string): string {
  const content = text.trimStart().replaceAll(/#EXTINF:.*/g, quoted)
  return content.startsWith('#EXTM3U') ? content : `#EXTM3U\n${content}`
}

/**
 * Puts double quotes around the attributes of an entry that have single ones or none. Its name follows the first comma.
 */
function quoted(entry: string): string {
  if (entry.length > LONGEST_ENTRY || !/=[^"]/.test(entry)) return entry
  return entry.replaceAll(ATTRIBUTE_OR_NAME, (found: string, single?: string, bare?: string) => {
    const value = single ?? bare
    return value === undefined ? found : `="${value.replaceAll('"', "'")}"`
  })
}

/**
 * In characters. The time for an entry grows with the square of its length, and no list of a provider's has one so
 * long.
 */
const LONGEST_ENTRY = 10_000

/** A value in double quotes, in single ones, or in none up to the next attribute or the name; or the name. */
const ATTRIBUTE_OR_NAME = /=".*?"|='(.*?)'(?=[\s,]|$)|=([^\s,"][^,]*?)(?=\s[\w-]+=|,|$)|,.*/g

function lineOf(text: string): string {
  const line = text.replaceAll(/\p{Cc}/gu, ' ').trim()
  return line.slice(0, LONGEST_NAME).toWellFormed().trim()
}

function isPlayable(address: string): boolean {
  return ADDRESS.test(address) && address.length <= 2_000
}

/** After a '|' come options for the player, such as `User-Agent=My Player`. */
const ADDRESS = /^(?:https?|rts?p|rtmps?|udp|igmp|mmsh?):\/\/[^\s\p{Cc}|]+(?:\|[^\p{Cc}]*)?$/iu

function isWebAddress(text: string): boolean {
  return /^https?:\/\/[^\s\p{Cc}]+$/iu.test(text) && text.length <= 1_000
}

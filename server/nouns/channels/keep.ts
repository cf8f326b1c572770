import type { HeldBack } from '../../../contract/channels.ts'
import { HOLD_ALL } from '../../../contract/packages.ts'
import { channelsIn } from '../../access/playlist-content.ts'
import { OF_PLAYLIST, openOrNull, type Seal } from '../../access/seal.ts'
import type { Sql } from '../../postgres/pool.ts'
import { soundsAdult } from './adults.ts'
import type { GroupListing, SetGroup } from './parse-playlist.ts'
import type { InUse, Read } from './read-in-thread.ts'

/** Waits until no other change is under way, and lets none begin: for what may turn out to change nothing. */
export async function holdOthers(sql: Sql): Promise<void> {
  await sql`
    insert into lineup (only_one) values (true)
    on conflict (only_one) do update set revision = lineup.revision`
}

/** Raises the revision, by which gateways learn of a change. Changes wait for each other here, so it comes first. */
export async function revise(sql: Sql): Promise<void> {
  await sql`
    insert into lineup (only_one) values (true)
    on conflict (only_one) do update set revision = lineup.revision + 1`
}

/**
 * Returns the channels in use, the keys of those that were in use by their tvg-id alone, and the groups that the admin
 * has set.
 */
export async function inUseOf(sql: Sql, seal: Pick<Seal, 'open'>): Promise<InUse> {
  const known = await sql<{ key: string }[]>`
    select key from channel where key like 'id %' and position(E'\\n' in key) = 0`
  const set = await sql<SetGroup[]>`
    select name, adult from channel_group where adult or packages <> ${HOLD_ALL}::integer[] order by place, id`
  return { inUse: await packedInUse(sql, seal), known: known.map(({ key }) => key), set: [...set] }
}

/** Returns the channels in use, packed; null where there are none. */
async function packedInUse(sql: Sql, seal: Pick<Seal, 'open'>): Promise<string | null> {
  const [row] = await sql<{ content: Buffer | null }[]>`select content from playlist`
  // A playlist that cannot be opened any more can still be replaced.
  return row?.content ? openOrNull(seal, row.content, OF_PLAYLIST.channels) : null
}

/**
 * How many rows `remove_outdated` may remove at once: more than one playlist can add, so one call removes all that are
 * too many.
 */
const MOST_AT_ONCE = 1_000_000

export type KeptPlaylist = { channels: number; skipped: number; held: HeldBack | null }

/**
 * Takes a playlist that was read, or holds it back, after `holdOthers`. The row of the playlist must be there. What is
 * taken is a change where a person asks for it, and else only if it differs from the playlist in use.
 */
export async function keep(
  sql: Sql,
  seal: Seal,
  read: Read,
  { now, isAsked }: { now: Date; isAsked: boolean },
): Promise<KeptPlaylist> {
  const { keys, groups, skipped, packed } = read
  const [present] = await sql<Counted[]>`select channels, skipped from playlist`
  const held = whyHeld({ channels: keys.length, skipped }, present ?? { channels: 0, skipped: 0 })
  if (held === null) {
    const hasNewIds = await giveIds(sql, keys, now)
    await sql`
      update playlist set tried = ${now}, failure = null, channels = ${keys.length}, skipped = ${skipped}, held = null,
        held_at = null, held_content = null, held_channels = null, held_skipped = null, held_groups = null`
    // Its groups follow from its channels. Each gateway loads all of them anew after a change.
    if (isAsked || hasNewIds || packed !== (await packedInUse(sql, seal))) {
      await revise(sql)
      await sql`update playlist set content = ${seal.close(packed, OF_PLAYLIST.channels)}, taken = ${now}`
      await keepGroups(sql, groups)
    }
  } else {
    // Its channels that have no id yet get one once it is taken: any number of playlists may be held back.
    await keepIds(sql, keys, (await newestSeen(sql)) ?? now)
    await sql`
      update playlist set tried = ${now}, failure = null, held = ${held}, held_at = ${now},
        held_content = ${seal.close(packed, OF_PLAYLIST.channels)}, held_channels = ${keys.length},
        held_skipped = ${skipped}, held_groups = ${sql.json(groups)}`
  }
  return { channels: keys.length, skipped, held }
}

/** Takes what was held back at a moment. Returns false where that is not held back any more. */
export async function take(
  sql: Sql,
  seal: Pick<Seal, 'open'>,
  { at, now }: { at: string; now: Date },
): Promise<boolean> {
  const [held] = await sql<{ content: Buffer; groups: GroupListing[] }[]>`
    select held_content as content, held_groups as groups from playlist where held_at = ${at}`
  if (!held) return false
  const keys = (await channelsIn(seal, held.content)).map(({ key }) => key)
  await giveIds(sql, keys, (await newestSeen(sql)) ?? now)
  await sql`
    update playlist set content = held_content, taken = ${now}, channels = held_channels, skipped = held_skipped,
      held = null, held_at = null, held_content = null, held_channels = null, held_skipped = null, held_groups = null`
  await keepGroups(sql, held.groups)
  return true
}

export type Counted = { channels: number; skipped: number }

/** Returns why a playlist is held back. An admin who has taken a broken playlist is not asked again each hour. */
export function whyHeld(next: Counted, present: Counted): HeldBack | null {
  if (next.channels === 0) return 'empty'
  if (isBroken(next) && !isBroken(present)) return 'broken'
  return next.channels * 10 <= present.channels ? 'shrunk' : null
}

function isBroken({ channels, skipped }: Counted): boolean {
  return skipped > channels
}

/**
 * Returns when the channels of the last playlist that was taken were seen; null before the first. Those of one that is
 * held back count as seen then: the clean-up counts from the newest moment, and must not remove the channels in use.
 */
async function newestSeen(sql: Sql): Promise<string | null> {
  const [row] = await sql<{ newest: string | null }[]>`select max(seen) as newest from channel`
  return row?.newest ?? null
}

/**
 * Gives every channel an id that has none yet, and forgets those of channels that were not seen for longest, where they
 * are too many. A row that conflicts would use up an id. Returns whether any had none.
 */
async function giveIds(sql: Sql, keys: readonly string[], seen: Date | string): Promise<boolean> {
  await keepIds(sql, keys, seen)
  const { count } = await sql`
    insert into channel (key, seen)
    select key, ${seen} from unnest(${keys}::text[]) with ordinality as asked (key, nr)
    where not exists (select from channel known where known.key = asked.key) order by nr`
  await sql`select remove_outdated('channel', '-infinity', ${MOST_AT_ONCE})`
  return count > 0
}

async function keepIds(sql: Sql, keys: readonly string[], seen: Date | string): Promise<void> {
  await sql`update channel set seen = ${seen} where key = any (${keys}::text[]) and seen < ${seen}`
}

/**
 * Keeps the groups of a playlist that is taken. What was set of a group stays, also while no playlist has it, unless
 * thousands of others have come since.
 */
async function keepGroups(sql: Sql, groups: readonly GroupListing[]): Promise<void> {
  const names = groups.map(({ name }) => name)
  await sql`
    update channel_group set channels = 0, unprotected = 0
    where channels > 0 and name <> all (${names}::text[])`
  await sql`
    insert into channel_group as kept (name, adult, packages, place, channels, unprotected)
    select name, name = any (${names.filter(soundsAdult)}::text[]), ${HOLD_ALL}::integer[], place, channels, unprotected
    from unnest(${names}::text[], ${groups.map(({ channels }) => channels)}::integer[], ${groups.map((group) => group.unprotected)}::integer[])
      with ordinality as given (name, channels, unprotected, place)
    on conflict (name) do update
      set place = excluded.place, channels = excluded.channels, unprotected = excluded.unprotected`
  await sql`select remove_outdated('channel_group', '-infinity', ${MOST_AT_ONCE})`
}

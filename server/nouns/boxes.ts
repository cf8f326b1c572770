import {
  type BoxModel,
  MOST_UNKNOWN_BOXES,
  type RefusedBoxes,
  UNKNOWN_BOX_DAYS,
  type UNKNOWN_BOX_SORTS,
  type UnknownBox,
} from '../../contract/boxes.ts'
import type { calls } from '../../contract/calls.ts'
import { MAC_DIGITS, MAC_PREFIX, macForms } from '../../contract/clients.ts'
import { pageOf } from '../../contract/page.ts'
import { before, DAY_MS, soonAfter } from '../../contract/time.ts'
import type { Handlers } from '../context.ts'
import { directionOf } from '../postgres/direction.ts'
import { likePattern, likePatterns } from '../postgres/like.ts'
import { beginJob, LOCKS } from '../postgres/locks.ts'
import type { Fragment, Sql } from '../postgres/pool.ts'
import { boxRefusal, isOnline, isUnknownBox, onlineSince } from '../tree/presence.ts'

/** How often the boxes are counted, and the types and versions of many, which takes longer; in milliseconds. */
const COUNTED_EVERY_MS = 60_000
const MODELS_EVERY_MS = 5 * COUNTED_EVERY_MS
/** The types and versions of so few are counted as often as the boxes. Tests with few boxes set another. */
const FEW = 50_000
/** A count that is older than so many of these times was made by a job that is late: whoever asks counts anew. */
const LATE = 3
const MOST_MODELS = 500

export const boxes: Handlers<typeof calls.boxes> = {
  async overview({ sql, now }) {
    const dayAgo = before(now, DAY_MS)
    const [all, refused, [unknown], counts] = await Promise.all([
      knownAndOnline(sql, now),
      sql<RefusedBoxes[]>`
        select reason, count(*) as boxes from (
          select ${boxRefusal(sql)} as reason from presence p where refusal is not null and answered > ${dayAgo}
        ) refused
        where reason is not null group by reason order by boxes desc, reason`,
      sql<{ boxes: number }[]>`
        select count(*) as boxes from (${newestUnknown(sql, now)}) u
        where asked > ${dayAgo} and ${isUnknownBox(sql)}`,
      // The first of each five minutes, which are as many as the chart can show.
      sql<{ at: string; online: number }[]>`
        select distinct on (date_bin('5 minutes', at, 'epoch')) at, online from box_count
        where at > ${dayAgo} and at <= ${now} order by date_bin('5 minutes', at, 'epoch'), at`,
    ])
    const ofNobody = unknown?.boxes ?? 0
    return {
      ...all,
      refused: [...(ofNobody > 0 ? [{ reason: 'unknown' as const, boxes: ofNobody }] : []), ...refused],
      counts: { at: counts.map(({ at }) => at), online: counts.map((count) => count.online) },
    }
  },

  async models({ sql, now }) {
    const counted = await sql<BoxModel[]>`
      select stb_type, version, boxes, online from box_model
      where counted > ${sinceLate(now, MODELS_EVERY_MS)} and counted <= ${now} order by boxes desc, stb_type, version`
    return { data: counted.length > 0 ? counted : await sql<BoxModel[]>`${models(sql, now)}` }
  },

  async unknown({ sql, now }, { search, sort, order, page, per_page }) {
    const rows = await sql<(UnknownBox & { count: number })[]>`
      with found as materialized (
        select u.*, count(*) over () as count from (${newestUnknown(sql, now)}) u
        where ${isUnknownBox(sql)} and ${isFound(sql, search)}
        order by ${orderOf(sql, sort, order)} limit ${per_page} offset ${(page - 1) * per_page}
      )
      select u.mac, u.stb_type, u.version, u.address, u.first_asked, u.asked, u.times, u.count, near.client as similar
      from found u left join lateral (${similarTo(sql)}) near on true
      order by ${orderOf(sql, sort, order)}`
    // A page past the end has no row that says how many there are.
    const count = rows[0]?.count ?? (page === 1 ? 0 : await countUnknown(sql, now, search))
    return pageOf(rows, count, { page, per_page })
  },
}

/**
 * Counts the boxes once a minute, and the types and versions of many once in five minutes. Returns how many are online;
 * null where a count of this minute is there already or another server makes it.
 */
export async function countBoxes(sql: Sql, now: Date, few = FEW): Promise<number | null> {
  const beginningOf = (every: number) => new Date(now.getTime() - (now.getTime() % every))
  const minute = beginningOf(COUNTED_EVERY_MS)
  const count = async (sql: Sql) => {
    const [counted] = await sql`select from box_count where at = ${minute}`
    if (counted) return null
    const [totals] = await sql<Totals[]>`${counting(sql, now)}`
    const { known, online } = totals ?? NONE
    const due = beginningOf(known > few ? MODELS_EVERY_MS : COUNTED_EVERY_MS)
    const [counts] = await sql`select from box_model where counted >= ${due} and counted <= ${now} limit 1`
    if (!counts) await sql`select count_box_models(${minute}, ${onlineSince(now)}, ${MOST_MODELS})`
    await sql`insert into box_count (at, known, online) values (${minute}, ${known}, ${online}) on conflict do nothing`
    return online
  }
  // Nothing depends on it, so its commit waits for no disk and for no standby.
  return beginJob(sql, LOCKS.boxCount, count, 'may be lost')
}

function models(sql: Sql, now: Date): Fragment {
  return sql`select * from models_of_boxes(${onlineSince(now)}, ${MOST_MODELS})`
}

/** Returns the newest count, or a new one where the job is late. */
async function knownAndOnline(sql: Sql, now: Date): Promise<Totals> {
  const [counted] = await sql<Totals[]>`
    select known, online from box_count
    where known is not null and at > ${sinceLate(now, COUNTED_EVERY_MS)} and at <= ${now} order by at desc limit 1`
  const [totals] = counted ? [counted] : await sql<Totals[]>`${counting(sql, now)}`
  return totals ?? NONE
}

type Totals = { known: number; online: number }
const NONE: Totals = { known: 0, online: 0 }

/**
 * Reads all boxes, because who is online changes with time alone. A million take 0.3 s, so a job does it and not each
 * viewer.
 */
function counting(sql: Sql, now: Date): Fragment {
  return sql`
    select (select count(*) from device) as known,
      (select count(*) from presence p where ${isOnline(sql, now)}) as online`
}

function sinceLate(now: Date, every: number): Date {
  return before(now, every * LATE)
}

/** Between two clean-ups there may be more of them than are kept. */
function newestUnknown(sql: Sql, now: Date): Fragment {
  return sql`
    select * from unknown_box where asked > ${before(now, UNKNOWN_BOX_DAYS * DAY_MS)} and asked <= ${soonAfter(now)}
    order by asked desc limit ${MOST_UNKNOWN_BOXES}`
}

function isFound(sql: Sql, term: string): Fragment {
  if (term === '') return sql`true`
  const pattern = likePattern(term)
  return sql`(u.mac ilike any (${likePatterns(macForms(term))}) or u.stb_type ilike ${pattern}
    or u.version ilike ${pattern} or u.address ilike ${pattern})`
}

async function countUnknown(sql: Sql, now: Date, term: string): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*) from (${newestUnknown(sql, now)}) u where ${isUnknownBox(sql)} and ${isFound(sql, term)}`
  return row?.count ?? 0
}

function orderOf(sql: Sql, sort: (typeof UNKNOWN_BOX_SORTS)[number], order: 'asc' | 'desc'): Fragment {
  const direction = directionOf(sql, order)
  const by = {
    mac: sql`u.mac`,
    first_asked: sql`u.first_asked`,
    asked: sql`u.asked`,
    times: sql`u.times`,
  }[sort]
  return sql`${by} ${direction}, u.mac`
}

/**
 * Returns a query of the client whose MAC differs from that of the box `u` in one or two digits, as `client`. It asks
 * the index of MACs for the 3,466 that a client may have, so that it costs the same however many clients there are. Of
 * several clients the one comes first whose own box has never signed in: that one's MAC was probably mistyped.
 */
function similarTo(sql: Sql): Fragment {
  return sql`
    select json_build_object('name', c.name, 'mac', c.mac, 'dealer', a.name, 'digits', differ.digits) as client
    from client c join account a on a.id = c.dealer left join device d on d.client = c.id
    cross join lateral (
      select count(*) as digits from generate_series(1, 17) place
      where substr(c.mac, place, 1) <> substr(u.mac, place, 1)
    ) differ
    where c.deleted is null and differ.digits <= 2 and c.mac = any (array(
      select overlay(overlay(${MAC_PREFIX}::text || substr(u.mac, 10) placing one.digit from first.place for 1)
        placing two.digit from second.place for 1)
      from unnest(${MAC_DIGITS}::int[]) first (place) join unnest(${MAC_DIGITS}::int[]) second (place)
        on first.place < second.place
      cross join regexp_split_to_table('0123456789ABCDEF', '') one (digit)
      cross join regexp_split_to_table('0123456789ABCDEF', '') two (digit)
    ))
    order by d.client is not null, differ.digits, c.id desc limit 1`
}

import type { FastifyBaseLogger } from 'fastify'
import { soonAfter } from '../../../contract/time.ts'
import { change } from '../../postgres/begin.ts'
import type { Sql } from '../../postgres/pool.ts'
import type { BoxCall } from '../wire/routes.ts'

/** The most that wait to be stored, so that a flood of MACs fills no memory. */
const MOST_WAITING = 1_000

/** What an unknown box last reported of itself. Moments are texts, as the driver wants them in arrays. */
type Asked = { asked: string; times: number; address: string | null; stb_type: string; version: string }

export type UnknownBoxes = ReturnType<typeof openUnknownBoxes>

/**
 * The boxes that asked to sign in with a MAC that no client has. They wait in memory; `write` stores them in one
 * statement.
 */
export function openUnknownBoxes(sql: Sql, log: FastifyBaseLogger, clock: () => Date) {
  let waiting = new Map<string, Asked>()
  return {
    note({ mac, field, place }: BoxCall, now: Date): void {
      if (waiting.size >= MOST_WAITING && !waiting.has(mac)) return
      const report = { stb_type: field('stb_type'), version: field('ver') }
      const times = (waiting.get(mac)?.times ?? 0) + 1
      waiting.set(mac, { asked: now.toISOString(), times, address: place.address, ...report })
    },

    /** Stores those that wait. Where the database is away, they are forgotten: they ask again. */
    async write(): Promise<void> {
      if (waiting.size === 0) return
      const boxes = waiting
      waiting = new Map()
      try {
        await change(sql, () => store(sql, boxes, soonAfter(clock())))
      } catch (err) {
        log.warn({ err }, 'the unknown boxes that asked could not be stored')
      }
    },
  }
}

/** What is dated later than `soon`, as by a clock that was ahead, gives way. */
async function store(sql: Sql, boxes: ReadonlyMap<string, Asked>, soon: Date): Promise<void> {
  // In order, so that two servers never wait for each other.
  const rows = [...boxes].sort(([one], [other]) => (one < other ? -1 : 1))
  const column = <Key extends keyof Asked>(key: Key) => rows.map(([, box]) => box[key])
  await sql`
    insert into unknown_box as kept (mac, first_asked, asked, times, address, stb_type, version)
    select t.mac, t.asked, t.asked, t.times, t.address, t.stb_type, t.version
    from unnest(${rows.map(([mac]) => mac)}::text[], ${column('asked')}::timestamptz[], ${column('times')}::bigint[],
      ${column('address')}::text[], ${column('stb_type')}::text[], ${column('version')}::text[])
      t (mac, asked, times, address, stb_type, version)
    on conflict (mac) do update set asked = excluded.asked, times = kept.times + excluded.times,
      address = excluded.address, stb_type = excluded.stb_type, version = excluded.version
    where kept.asked <= excluded.asked or kept.asked > ${soon}`
}

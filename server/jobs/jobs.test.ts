import { pino } from 'pino'
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { calls } from '../../contract/calls.ts'
import { DAY_MS } from '../../contract/time.ts'
import { holdOpen, somebodyWaits } from '../../test/support/hold.ts'
import { givePlaylist, playlistOf, servePlaylist } from '../../test/support/playlist.ts'
import { SECRET_KEY } from '../../test/support/server.ts'
import { Clock, openWorld, suiteWorld } from '../../test/support/world.ts'
import { createSeal } from '../access/seal.ts'
import { begin } from '../postgres/begin.ts'
import type { Sql } from '../postgres/pool.ts'
import { PLAYED } from '../verify/guards.ts'
import { verify } from '../verify/verify.ts'
import { isChangeUnderWay } from './clock-jobs.ts'
import { startJobs } from './jobs.ts'

const HOUR_MS = 3_600_000

let logged: { level: number; job?: string; rows?: number; removed?: object; forgotten?: object }[] = []
const log = pino({}, { write: (line: string) => logged.push(JSON.parse(line)) })

const world = await suiteWorld({ clock: new Clock('2026-05-10T10:00:00.000Z') })
await world.family()

beforeEach(() => {
  logged = []
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
})
afterEach(() => vi.useRealTimers())

/** Waits until nothing is thrown. */
function soon(attempt: () => unknown): Promise<unknown> {
  return vi.waitFor(attempt, { timeout: 20_000 })
}

function start(sql: Sql = world.server.sql, { clock } = world, { keepDays = 400, minutes = 60 } = {}) {
  return startJobs({
    sql,
    zone: 'UTC',
    keepDays,
    playlist: { minutes, isPrivateAllowed: true },
    seal: createSeal(SECRET_KEY),
    log,
    clock: () => clock.now,
  })
}

const ALL_JOBS = ['boxes', 'clean-up', 'counts', 'playlist', 'statistics']
const ON_FIRE = new Error('the database is on fire')

/** Returns the jobs of the logged failures, by name. */
function failed() {
  return logged.map(({ job }) => job).sort()
}

/** Returns the pool with another way to begin a transaction. */
function beginning(how: (begin: () => unknown) => unknown): Sql {
  return new Proxy(world.server.sql, {
    get: (target, key) =>
      key === 'begin'
        ? (...args: unknown[]) => how(() => Reflect.apply(target.begin, target, args))
        : Reflect.get(target, key),
  })
}

/** Advances the world's clock by `span`, and the timers of the jobs by one minute. */
async function minute(span = { minutes: 1 } as Parameters<Clock['pass']>[0]): Promise<void> {
  world.clock.pass(span)
  await vi.advanceTimersByTimeAsync(60_000)
}

async function days(): Promise<string[]> {
  const rows = await world.server.sql<{ day: string }[]>`select day from statistic order by day`
  return rows.map(({ day }) => day)
}

describe('the jobs', () => {
  test('write the statistics of a day a minute after it has ended, on one server of several', async () => {
    const startAll = () => [start(), start(), start()]
    const stop = (servers: ReturnType<typeof startAll>) => Promise.all(servers.map((server) => server.stop()))
    world.clock.set('2026-05-11T00:00:30.000Z')
    const early = startAll()
    await minute({})
    await stop(early)
    expect(await days()).toEqual([])
    const servers = startAll()
    world.clock.set('2026-05-11T00:01:00.000Z')
    await minute({})
    await soon(async () => expect(await days()).toEqual(['2026-05-10']))
    await stop(servers)
    expect(logged).toEqual([expect.objectContaining({ rows: 1 })])
  })

  test('write the statistics of missed days when they start', async () => {
    world.clock.set('2026-05-20T12:00:00.000Z')
    const jobs = start()
    await soon(async () => expect(await days()).toHaveLength(10))
    await jobs.stop()
  })

  test('write a day and a month again that a clock which was ahead took for finished', async () => {
    const other = await openWorld({ clock: new Clock('2026-05-31T20:00:00.000Z') })
    const { sql } = other.server
    const { dealer } = await other.family({ credits: 300 })
    const clients: string[] = []
    while (clients.length < 100) clients.push((await other.client(dealer, { months: 1 })).name)
    const kept = () => sql`
      select ended from statistic union all select ended from branch_day union all select ended from busy_day
      union all select ended from finished_month`
    const atNextMinute = async (now: string) => {
      other.clock.set(now)
      await vi.advanceTimersByTimeAsync(60_000)
    }
    const jobs = start(sql, other)
    await atNextMinute('2026-06-01T11:00:00.000Z')
    await soon(async () => expect(await sql`select from finished_month`).not.toHaveLength(0))
    expect((await kept()).length).toBeGreaterThan(5)
    await atNextMinute('2026-05-31T20:10:00.000Z')
    await soon(async () => expect(await kept()).toHaveLength(0))
    await dealer.call(calls.clients.multirenew, { clients, months: 2 })
    await atNextMinute('2026-06-01T00:02:00.000Z')
    await soon(async () => expect((await kept()).length).toBeGreaterThan(5))
    await jobs.stop()
    expect(await verify(sql, 'boxtree_server')).toMatchObject({ first: null, others: [PLAYED] })
    await other.close()
  })

  test('notice a change that is still under way, which the statistics of its day have to wait for', async () => {
    const [written, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const changing = begin(world.server.sql, async (sql) => {
      await sql`insert into login_try (name, address, tried) values ('nobody', 'unknown', now())`
      written.resolve()
      await released.promise
    })
    await written.promise
    expect(await isChangeUnderWay(world.server.sql, 0)).toBe(true)
    // It is younger than those that they wait for.
    expect(await isChangeUnderWay(world.server.sql, 60_000)).toBe(false)
    released.resolve()
    await changing
    await expect.poll(() => isChangeUnderWay(world.server.sql, 0)).toBe(false)
  })

  test('are logged when they fail, and tried again the next minute', async () => {
    world.clock.set('2026-05-21T12:00:00.000Z')
    let broken = true
    const jobs = start(beginning((begin) => (broken ? Promise.reject(ON_FIRE) : begin())))
    await soon(() => expect(failed()).toEqual(ALL_JOBS))
    expect(await days()).toHaveLength(10)
    broken = false
    await minute()
    await soon(async () => expect(await days()).toHaveLength(11))
    await jobs.stop()
  })

  test('run once for all the minutes that passed while they ran, though one failed', async () => {
    const burning = Promise.withResolvers<never>()
    const jobs = start(beginning(() => burning.promise))
    for (let minutes = 0; minutes < 10; minutes += 1) await minute()
    burning.reject(ON_FIRE)
    await soon(() => expect(failed()).toEqual(ALL_JOBS))
    await minute()
    await soon(() => expect(failed()).toEqual(ALL_JOBS.flatMap((name) => [name, name])))
    await jobs.stop()
  })

  test('run while the statistics take long', async () => {
    const { sql, ownerSql } = world.server
    await ownerSql`delete from box_count`
    const release = await holdOpen(ownerSql, (sql) => sql`lock table statistic`)
    const jobs = start()
    await somebodyWaits(sql)
    for (const many of [1, 2]) {
      await soon(async () => expect(await sql`select from box_count`).toHaveLength(many))
      await minute()
    }
    await release()
    await jobs.stop()
  })

  test('note nothing of statistics that wait for a change that is under way', async () => {
    const { sql, ownerSql } = world.server
    await ownerSql`delete from job`
    const busy = new Proxy(sql, {
      apply: (target, self, args: Parameters<Sql>) =>
        args[0].join().includes('pg_stat_activity')
          ? Promise.resolve([{}])
          : Reflect.apply(target, self, args),
    })
    const jobs = start(busy)
    const noted = async () => (await sql<{ name: string }[]>`select name from job`).map(({ name }) => name)
    await soon(async () => expect(await noted()).toContain('boxes'))
    await jobs.stop()
    expect(await noted()).not.toContain('statistics')
  })

  test.each([60, 10])(
    'read the playlist when that is due, every %i minutes, and stop while it is being read',
    async (minutes) => {
      const served = await servePlaylist(playlistOf(2))
      await world.admin.call(calls.channels.giveAddress, { address: served.address })
      const channels = async () => (await world.admin.call(calls.channels.all)).playlist?.channels
      served.serve(playlistOf(3))
      world.clock.pass({ minutes: minutes - 1 })
      const jobs = start(world.server.sql, world, { minutes })
      await minute()
      await soon(async () => expect(await channels()).toBe(3))
      const isAsked = Promise.withResolvers<void>()
      served.serve(() => isAsked.resolve())
      await minute({ minutes })
      await isAsked.promise
      await jobs.stop()
      expect(logged.filter(({ level }) => level > 30)).toEqual([])
      expect(await channels()).toBe(3)
    },
  )

  test('log why the playlist could not be read as a warning, with the error that was the cause', async () => {
    const served = await servePlaylist(playlistOf(2))
    await world.admin.call(calls.channels.giveAddress, { address: served.address })
    served.serve((_, response) => response.destroy())
    world.clock.pass({ minutes: 60 })
    const jobs = start()
    await soon(() =>
      expect(logged).toContainEqual(
        expect.objectContaining({
          level: 40,
          msg: 'the playlist could not be read',
          failure: 'The address cannot be reached.',
          err: expect.objectContaining({ code: 'ECONNRESET' }),
        }),
      ),
    )
    await jobs.stop()
    await givePlaylist(world, playlistOf(2))
  })

  test('have finished when stop() resolves, and start nothing more', async () => {
    world.clock.set('2026-05-23T12:00:00.000Z')
    await start().stop()
    expect(await days()).toHaveLength(13)
    expect(vi.getTimerCount()).toBe(0)
  })

  test('count the known and the online boxes once a minute, on one server of several', async () => {
    const { sql, ownerSql } = world.server
    const { dealer } = await world.family({ credits: 3 })
    const ago = (ms: number) => new Date(world.clock.now.getTime() - ms)
    for (const seconds of [299, 300, null]) {
      const { name } = await world.client(dealer, { months: 1 })
      const polled = seconds === null ? null : ago(seconds * 1_000)
      await sql`
        insert into presence (client, polled, answered)
        select id, ${polled}, ${world.clock.now} from client where name = ${name}`
    }
    await sql`insert into device (client, stb_type, version) select client, 'MAG250', '1' from presence`
    await ownerSql`delete from box_count`
    const counts = () => sql`select at, known, online from box_count order by at`
    world.clock.set('2026-05-25T12:04:30.000Z')
    await ownerSql`update presence set polled = ${ago(299_000)} where polled = (select max(polled) from presence)`
    const servers = [start(), start(), start()]
    const first = { at: '2026-05-25T12:04:00.000Z', known: 3, online: 1 }
    await soon(async () => expect(await counts()).toEqual([first]))
    await minute({ seconds: 29 })
    await minute({ seconds: 1 })
    const second = { at: '2026-05-25T12:05:00.000Z', known: 3, online: 0 }
    await soon(async () => expect(await counts()).toEqual([first, second]))
    expect(await sql`select boxes, online from box_model`).toEqual([{ boxes: 3, online: 0 }])
    await Promise.all(servers.map((server) => server.stop()))
    expect(await counts()).toEqual([first, second])
    expect(logged.filter(({ level }) => level > 30)).toEqual([])
  })
})

describe('the clean-up', () => {
  test.each([400, 10])('removes expired rows, and no others, with a KEEP_DAYS of %i', async (keepDays) => {
    const own = await openWorld({ clock: new Clock('2026-05-25T12:00:00.000Z') })
    onTestFinished(() => own.close())
    const { sql } = own.server
    const now = own.clock.now
    const at = (ms: number) => new Date(now.getTime() + ms)
    const { dealer } = await own.family()
    const { name: client } = await own.client(dealer)
    await own.server.ownerSql`delete from box_change`
    await sql`insert into channel (key, seen) values ('of the newest playlist', ${now})`
    const [old, young] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)]
    for (const [hash, late] of [
      [old, 0],
      [young, 1],
    ] as const) {
      await sql`insert into session (token_hash, account, created, expiry) values (${hash}, ${own.admin.id}, ${now}, ${at(late)})`
      await sql`insert into captcha_used values (${hash}, ${at(late)})`
      await sql`insert into export_ticket values (${hash}, ${hash}, 'clients', '{}', ${at(late)})`
      await sql`
        insert into idempotency_key (account, call, key, body_hmac, reply, created)
        values (${own.admin.id}, 'clients.x', ${String(late)}, ${hash}, '{}', ${at(late - DAY_MS)})`
      await sql`
        insert into sign_in (account, at, address, agent, outcome)
        values (${own.admin.id}, ${at(late - keepDays * DAY_MS)}, 'y', '', 'succeeded')`
      await sql`
        insert into device_history (client, at, event)
        select id, ${at(late - keepDays * DAY_MS)}, 'reset' from client where name = ${client}`
      await sql`insert into box_login (mac, tried) values (${String(late)}, ${at(late - HOUR_MS)})`
      await sql`
        insert into box_event (client, event, created, expiry)
        select id, 'reboot', ${now}, ${at(late - 30 * DAY_MS)} from client where name = ${client}`
      await sql`insert into box_count (at, online) values (${at(late - 7 * DAY_MS)}, 1)`
      await own.server.ownerSql`
        insert into server_process (id, host, pid, version, node, started, seen, stopping, clock_offset_ms)
        values (gen_random_uuid(), 'killed', 1, '0', '0', ${now}, ${at(late - DAY_MS)}, false, 0)`
      await own.server.ownerSql`insert into box_change (client, at) values (1, ${at(late - HOUR_MS)})`
      await sql`insert into channel (key, seen) values (${String(late)}, ${at(late - keepDays * DAY_MS)})`
      await own.server.ownerSql`
        insert into audit (at, event, address, detail) values (${at(late - keepDays * DAY_MS)}, 'kept', 'y', '{}')`
      await sql`insert into login_try (name, address, tried) values (${String(late)}, 'x', ${at(late - Math.min(31, keepDays) * DAY_MS)})`
      const { name: asked } = await own.client(dealer)
      await sql`
        insert into presence (client, address, answered)
        select id, 'y', ${at(late - keepDays * DAY_MS)} from client where name = ${asked}`
    }
    const jobs = start(sql, own, { keepDays })
    await soon(() => expect(logged.some(({ removed }) => removed)).toBe(true))
    await jobs.stop()
    expect(logged.find(({ removed }) => removed)?.removed).toEqual({
      session: 1,
      captcha_used: 1,
      export_ticket: 1,
      idempotency_key: 1,
      login_try: 1,
      sign_in: 1,
      device_history: 1,
      box_login: 1,
      box_count: 1,
      box_event: 1,
      box_change: 1,
      channel: 1,
      presence: 0,
      stream_use: 0,
      server_process: 1,
    })
    expect(logged.find(({ forgotten }) => forgotten)?.forgotten).toEqual({ audit: 1, presence: 1 })
    const asked =
      await sql`select address from presence where answered < ${at((1 - keepDays) * DAY_MS)} order by answered`
    expect(asked).toEqual([{ address: null }, { address: 'y' }])
    const kept = await sql`select address from audit where event = 'kept' order by at`
    expect(kept).toEqual([{ address: null }, { address: 'y' }])
    for (const table of ['session', 'captcha_used', 'export_ticket', 'idempotency_key', 'login_try']) {
      const rows = await sql<{ row: string }[]>`select t::text as row from ${sql(table)} t`
      expect(rows.length, table).toBeGreaterThan(0)
      expect(
        rows.some(({ row }) => row.includes('\\\\x0101') || row.includes(',0,x,')),
        table,
      ).toBe(false)
    }
  })

  test('forgets what was stored of a box while its client was being deleted', async () => {
    const { sql } = world.server
    const { dealer } = await world.family()
    const { name } = await world.client(dealer)
    await world.admin.call(calls.admin.remove, { name })
    const [client] = await sql<{ id: number }[]>`select id from client where name = ${name}`
    const id = client?.id ?? 0
    await sql`insert into presence (client, address, answered) values (${id}, '203.0.113.7', ${world.clock.now})`
    await sql`insert into stream_use (client, tokens) values (${id}, '{}')`
    const jobs = start()
    for (const table of ['presence', 'stream_use'])
      await soon(async () => expect(await sql`select from ${sql(table)} where client = ${id}`).toEqual([]))
    await jobs.stop()
  })

  test('keeps a row that became new while its removal waited for it', async () => {
    const { sql, ownerSql } = world.server
    const mac = '00:1A:79:00:00:01'
    await sql`
      insert into unknown_box (mac, first_asked, asked, stb_type, version)
      values (${mac}, '2026-01-01', '2026-01-01', '', '')`
    const commit = await holdOpen(
      ownerSql,
      (sql) => sql`update unknown_box set asked = ${world.clock.now} where mac = ${mac}`,
    )
    const removal = sql`select remove_outdated('unknown_box', '2026-02-01', 10) as removed`.execute()
    await somebodyWaits(sql)
    await commit()
    expect(await removal).toEqual([{ removed: 0 }])
  })

  test('keeps the newest 10,000 unknown boxes for 7 days, and looks each minute', async () => {
    const { sql, ownerSql } = world.server
    await ownerSql`delete from unknown_box`
    const kept = async () => (await sql`select count(*), max(mac::integer) as oldest from unknown_box`)[0]
    const ask = (first: number, last: number) => sql`
      insert into unknown_box (mac, first_asked, asked, stb_type, version)
      select n::text, at, at, '', '' from generate_series(${first}::integer, ${last}::integer) n,
        lateral (select ${world.clock.now}::timestamptz - n * interval '1 second') moment (at)`
    await ask(2, 10_000)
    await ask(7 * 86_400, 7 * 86_400)
    const jobs = start()
    await soon(async () => expect(await kept()).toEqual({ count: 9_999, oldest: 10_000 }))
    await ask(10_001, 20_000)
    await ask(1, 1)
    await minute({})
    await soon(async () => expect(await kept()).toEqual({ count: 10_000, oldest: 10_000 }))
    await jobs.stop()
  })

  test('runs once an hour', async () => {
    const { sql } = world.server
    // Once this row is gone, the first clean-up has run.
    await sql`insert into captcha_used values (${Buffer.alloc(32, 4)}, ${new Date(0)})`
    const jobs = start()
    await soon(async () => expect(await spent()).toBe(0))
    await minute({ minutes: 59 })
    await sql`insert into captcha_used values (${Buffer.alloc(32, 3)}, ${new Date(0)})`
    await minute({ seconds: 59 })
    // The boxes are counted after a clean-up of this minute.
    await soon(async () =>
      expect(await sql`select ended from job where name = 'boxes'`).toEqual([
        { ended: world.clock.now.toISOString() },
      ]),
    )
    expect(await spent()).toBe(1)
    await minute({ seconds: 1 })
    await soon(async () => expect(await spent()).toBe(0))
    await jobs.stop()

    async function spent(): Promise<number> {
      const [row] = await sql<
        { count: number }[]
      >`select count(*) from captcha_used where expiry = ${new Date(0)}`
      return row?.count ?? 0
    }
  })

  test('runs within a minute after the clock was set right, though it was a month ahead', async () => {
    const { sql } = world.server
    const spend = () => sql`insert into captcha_used values (${Buffer.alloc(32, 5)}, ${new Date(0)})`
    const isGone = () =>
      soon(async () =>
        expect(await sql`select from captcha_used where solution_hash = ${Buffer.alloc(32, 5)}`).toEqual([]),
      )
    await spend()
    world.clock.pass({ days: 30 })
    const jobs = start()
    await isGone()
    await spend()
    world.clock.pass({ days: -30 })
    await minute({ minutes: 1 })
    await isGone()
    await jobs.stop()
  })

  test('removes any number of rows', async () => {
    const { sql } = world.server
    await sql`
      insert into login_try (name, address, tried)
      select 'many', 'x', timestamptz '2020-01-01' from generate_series(1, 12000)`
    const jobs = start()
    await soon(async () => expect(await sql`select from login_try where name = 'many'`).toHaveLength(0))
    await jobs.stop()
  })
})

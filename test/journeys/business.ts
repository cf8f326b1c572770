import type { Page } from 'playwright-core'
import { test as base } from 'vitest'
import { calls } from '../../contract/calls.ts'
import { type Backups, JOBS } from '../../contract/system.ts'
import { DAY_MS } from '../../contract/time.ts'
import { openReport } from '../../server/jobs/report.ts'
import { noteRun } from '../../server/nouns/system/runs.ts'
import { tellServer } from '../../server/nouns/system/servers.ts'
import { sessionOf } from '../support/browser.ts'
import { launchForJourneys } from '../support/chromium.ts'
import { A_PLAYLIST, compressed, playlistOf } from '../support/playlist.ts'
import { type Look, Windows } from '../support/windows.ts'
import { Clock, openWorld, type Person, type World } from '../support/world.ts'

/** A small business whose data makes its screens show short, long, empty and expired values. */
export interface Business {
  world: World
  admin: Person
  superreseller: Person
  reseller: Person
  /** A dealer with few credits left. */
  dealer: Person
  /** A dealer without any clients or transactions. */
  beginner: Person
}

/** A description of the maximum length. */
const LONGEST =
  'The big flat above the bakery, second door on the left; rings twice, pays late, but pays always'.padEnd(
    100,
    '.',
  )

/** A title as playlists have them, of the maximum length of 200 characters. */
const LONG_TITLE = 'Ouro Negro: The Story of a Family in Five Parts, Part 3 (Director’s Cut) – '
  .repeat(3)
  .slice(0, 200)

/** Of the console's own address: elsewhere the window would end its process, and open its next screen more slowly. */
const EMPTY = '/icon.svg'

/**
 * Journeys through one business. Its file has one window for each person and device, because a screen costs a third of
 * the time in a window that has shown one before.
 */
export const test = base
  .extend('business', { scope: 'file' }, async ({}, { onCleanup }) => {
    const business = await openBusiness()
    onCleanup(() => business.world.close())
    return business
  })
  .extend('kept', { scope: 'file' }, async ({}, { onCleanup }) => {
    const browser = await launchForJourneys()
    const windows = new Windows(browser)
    onCleanup(() => browser.close())
    return { windows, pages: new Map<string, Promise<Page>>() }
  })
  .extend('windowOf', async ({ business, kept, task }, { onCleanup }) => {
    const used = new Set<Page>()
    onCleanup(async () => {
      if (task.result?.state === 'fail') await kept.windows.tell(task)
      // The next screen in this window reaches the server again.
      for (const page of used) await page.unrouteAll()
      kept.windows.expectNothingBroken()
    })
    /** Returns the window of a person; without one, of nobody who is signed in. */
    return async (as: Exclude<keyof Business, 'world'> | undefined, look: Look = {}) => {
      const key = `${as} ${JSON.stringify(look)}`
      const openWith = async (stored: Record<string, string>) => {
        const page = await kept.windows.open(business.world.server.url, look, stored)
        await page.addInitScript(waitForFont)
        return page
      }
      const opened = kept.pages.get(key) ?? openWith(as ? sessionOf(business[as]) : {})
      kept.pages.set(key, opened)
      const page = await opened
      used.add(page)
      // A window that is used again keeps its screen until then, since an empty page would end its process. In all
      // others the screen ends its work.
      for (const other of await Promise.all(kept.pages.values()))
        if (!used.has(other) && !other.url().endsWith(EMPTY)) await other.goto(EMPTY)
      return page
    }
  })

/** Lets a page, which waits a second for its font, wait for it longer: a slow machine may need the second for itself. */
function waitForFont(): void {
  const setTimeout = window.setTimeout
  const longer = (act: TimerHandler, ms?: number) => {
    if (ms !== 1_000) return setTimeout(act, ms)
    // It is the first of its timers that are so long.
    Object.assign(window, { setTimeout })
    return setTimeout(act, 30_000)
  }
  Object.assign(window, { setTimeout: longer })
}

/** Creates the business with several months of transactions. */
async function openBusiness(): Promise<Business> {
  const clock = new Clock('2026-03-02T09:00:00.000Z')
  const world = await openWorld({
    clock,
    backups: async () => backupsAt(clock.now),
    freeSpace: () => 52 * 2 ** 30,
    env: { CAPTCHA_PROVIDER: 'altcha' },
  })
  const { admin } = world
  const superreseller = await world.child(admin, 2_500, 'atlantic-media')
  await world.child(admin, 0, 'northstar')
  const reseller = await world.child(superreseller, 900, 'lisboa-norte')
  const late = await world.child(superreseller, 31, 'PORTOSTREAMSANDMOREFOREVERYHOUSE')
  await superreseller.call(calls.tree.suspend, {
    name: late.name,
    reason: 'Owes 40 credits since October.\nHas promised to pay in March.',
  })
  const dealer = await world.child(reseller, 0, 'casa-digital')
  const beginner = await world.child(reseller, 0, 'faro-media')
  await pass(world, reseller, dealer, 22, 'Opening credits')
  await takeOn(world, dealer)
  await pass(world, reseller, dealer, 7, LONGEST)
  await workOn(world, dealer)
  await askForCredits({ superreseller, reseller, dealer })
  const closed = await world.child(reseller, 0, 'setubal-box')
  await closed.call(calls.requests.ask, { credits: 12 })
  await reseller.call(calls.tree.close, { name: closed.name })
  await admin.call(calls.admin.setMessage, {
    message: 'The servers rest on Sunday from 03:00 to 04:00.\nBoxes come back by themselves.',
  })
  await giveChannels(admin)
  await letBoxesAsk(world)
  await runTwoServers(world)
  return { world, admin, superreseller, reseller, dealer, beginner }
}

/** A backup of this night that was proved sound. */
function backupsAt(now: Date): Backups {
  const at = (hours: number) => new Date(now.getTime() + hours * 3_600_000).toISOString()
  const test_restore = { outcome: 'sound', sentence: 'The ledger is sound.' } as const
  return {
    every_hours: 24,
    kept: 7,
    newest: at(-9),
    sound: at(-9),
    next: at(15),
    test_restore,
    failure: null,
  }
}

/** Lets another server tell of itself, and the jobs run. */
async function runTwoServers({ server: { sql, config }, clock }: World): Promise<void> {
  const report = openReport({
    config,
    freeSpace: null,
    leaving: new AbortController().signal,
    clock: { now: () => clock.now, offset: () => -1_240 },
    databaseHost: () => '10.0.0.5:5432',
    ports: { console: 8080, boxes: 8081 },
  })
  await tellServer(sql, { ...(await report()), host: 'console-2' })
  const { now } = clock
  for (const [at, name] of JOBS.entries()) {
    const next = name === 'sealing' ? null : new Date(now.getTime() + 60_000 * (at + 1))
    await noteRun(sql, { name, took_ms: 7 + 460 * at, failure: null, next })
  }
}

/** Gives a playlist, and another one that is held back. */
async function giveChannels(admin: Person): Promise<void> {
  const groups = ['News', 'Sports and everything that is played with a ball, in any country', 'Adults 18+']
  const playlist = groups.map((group, at) => playlistOf(12 - 3 * at, group)).join('')
  const { giveFile } = calls.channels
  await admin.call(giveFile, { name: 'channels-2026-05.m3u', file: compressed(A_PLAYLIST + playlist) })
  await admin.call(giveFile, { name: 'channels-2026-06.m3u', file: compressed(A_PLAYLIST) })
}

/** Leaves what the gateway keeps of a day on which boxes asked: some unknown, some refused. */
async function letBoxesAsk({ clock, server: { sql } }: World): Promise<void> {
  const { now } = clock
  await sql`
    insert into box_count (at, online)
    select at, 700 - (450 * cos(extract(epoch from at) / 86400 * 2 * pi()))::int
    from generate_series(date_trunc('hour', ${now}::timestamptz) - interval '1 day', ${now}, interval '5 minutes') at`
  await sql`
    insert into presence (client, refusal, answered)
    select id, case name when 'luis.moreira' then 'switched_off' else 'expired' end, ${now}
    from client where name in ('ana.ferreira', 'luis.moreira', 'vera.novak')`
  const asked = [
    ['00:1A:79:A0:00:02', 'MAG322', 'ImageDescription: 0.2.18-r23; PORTAL version: 5.6.1', '203.0.113.7', 40],
    ['00:1A:79:5F:3E:21', '', '', null, 1],
    ['00:1A:79:5F:3E:A7', 'MAG250', LONGEST, '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff', 12_345_678],
  ] as const
  for (const [at, [mac, stb_type, version, address, times]] of asked.entries()) {
    const [first_asked, last] = [DAY_MS, 60_000].map((ago) => new Date(now.getTime() - ago * (at + 1)))
    await sql`
      insert into unknown_box (mac, first_asked, asked, address, stb_type, version, times)
      values (${mac}, ${first_asked ?? now}, ${last ?? now}, ${address}, ${stb_type}, ${version}, ${times})`
  }
}

/** Leaves requests for credits in every state, and low balances. */
async function askForCredits({
  superreseller,
  reseller,
  dealer,
}: Pick<Business, 'superreseller' | 'reseller' | 'dealer'>): Promise<void> {
  const { ask, decline, grant } = calls.requests
  await dealer.call(calls.lowBalance.own, { below: 10 })
  const { id } = await dealer.call(ask, { credits: 3, note: LONGEST })
  await reseller.call(grant, { id, credits: 2 })
  await dealer.call(ask, { credits: 40 })
  const declined = await reseller.call(ask, { credits: 900, note: 'Too many?' })
  await superreseller.call(decline, { id: declined.id, note: 'Pay the last ones first.' })
  await reseller.call(ask, { credits: 150, note: 'Before the holidays' })
  await superreseller.call(ask, { credits: 2_000 })
}

async function pass(world: World, from: Person, to: Person, credits: number, desc: string): Promise<void> {
  world.clock.pass({ hours: 2 })
  await from.call(calls.level.dealer.save, { name: to.name, credits, desc, transaction: 0 })
}

/** Creates the dealer's clients, one a day. */
async function takeOn(world: World, dealer: Person): Promise<void> {
  for (const [login, months, desc, more] of CLIENTS) {
    world.clock.pass({ days: 1, minutes: 7, seconds: 13 })
    const mac = more?.ministra ? {} : { stb_mac: macOf(login) }
    await world.client(dealer, { login, months, desc, phone: '4165550123', ...mac, ...more })
  }
}

/** Returns the MAC of a client that is not one of a Ministra. */
export function macOf(login: string): string {
  const number = CLIENTS.findIndex(([name]) => name === login) + 1
  return `00:1A:79:10:00:${number.toString(16).toUpperCase().padStart(2, '0')}`
}

const CLIENTS: [login: string, months: number | '2d', desc: string, more?: { ministra: true }][] = [
  ['ana.ferreira', 1, 'Living room'],
  ['cafe.central', 3, 'Cafe Central, two screens'],
  ['joao.silva', 1, 'Bedroom box'],
  ['maria.costa-023', 6, LONGEST],
  ['pedro', 0, ''],
  ['sofia.rocha', 2, 'Holiday flat', { ministra: true }],
  ['tiago.lopes', 1, 'Second box'],
  ['vera.novak', '2d', 'Wants to see it first'],
  ['luis.moreira', 3, 'Office'],
  ['rita.singh', 1, 'Kitchen'],
  ['omar.haddad', 2, 'Sports bar'],
  ['emma.brown', 1, 'Parents'],
]

/** Advances the clock, with a renewal, a retrieval, a client switched off, and a box that has been seen. */
async function workOn(world: World, dealer: Person): Promise<void> {
  world.clock.pass({ days: 12 })
  await dealer.call(calls.clients.renew, { name: 'joao.silva', months: 2 })
  world.clock.pass({ days: 13, hours: 3 })
  await dealer.call(calls.clients.renew, { name: 'emma.brown', months: 5 })
  await dealer.call(calls.clients.retrieve, { login: 'emma.brown', credits: 2 })
  await dealer.call(calls.clients.save, { login: 'luis.moreira', status: false, locked: true })
  await dealer.call(calls.clients.remove, { name: 'pedro' })
  const { now } = world.clock
  await world.server.ownerSql`
    with seen as (
      insert into presence (client, watching, polled, answered)
      select id, 'RTP 1', ${now}, ${now} from client where name = 'cafe.central')
    insert into device (client, stb_sn, stb_type, version, time_last_play_tv, time_last_play_video,
      last_played_tv_content, last_played_vod_content, locked_to_ip)
    select id, '012010N0250438', 'MAG322', 'ImageDescription: 0.2.18-r23; PORTAL version: 5.6.1', ${now}, ${new Date(now.getTime() - 3 * DAY_MS)}, 'RTP 1', ${LONG_TITLE}, '203.0.113.42'
    from client where name = 'cafe.central'`
  await world.server.ownerSql`
    insert into device_history (client, at, event, detail, address)
    select id, ${now}, 'first seen', '012010N0250777', '203.0.113.44' from client where name = 'maria.costa-023'`
  const message = 'Please restart your box'
  await dealer.call(calls.clients.tell, { clients: ['maria.costa-023'], event: 'message', message })
  await world.server.ownerSql`
    insert into device (client, locked_to_ip) select id, '203.0.113.7' from client where name = 'luis.moreira'`
}

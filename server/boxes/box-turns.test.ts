import { once } from 'node:events'
import { type IncomingMessage, request, type ServerResponse } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { calls } from '../../contract/calls.ts'
import { Box } from '../../test/support/box.ts'
import { holdOpen, somebodyWaits, waitersOf } from '../../test/support/hold.ts'
import { openWorld, type Person, unique, type World } from '../../test/support/world.ts'

/** More than all changes of a server may have under way together. */
const MANY = 8
/** How many of them boxes may have. */
const FEW = 4
/** How many connections are read over at once for boxes that are nobody's. */
const FEW_READS = 2

let world: World
let dealer: Person
/** The clients' boxes, which are in. */
let boxes: Box[]
beforeAll(async () => {
  world = await openWorld({ env: { TRUSTED_PROXIES: '127.0.0.1' } })
  dealer = (await world.family({ credits: 100 })).dealer
  boxes = []
  for (let nr = 0; nr < MANY; nr += 1) {
    const { name, mac } = await world.client(dealer, { months: 1 })
    const box = new Box(world.server, { mac, address: `203.0.113.${nr}` })
    expect(await box.signIn()).toBe(0)
    await dealer.call(calls.clients.tell, { clients: [name], event: 'message', message: 'Hello' })
    boxes.push(box)
  }
  world.clock.pass({ seconds: 5 })
  for (const box of boxes) expect(await box.events()).toBe('Hello')
})
afterAll(() => world.close())

/** Returns boxes that are in no memory, each at another address, or all at one. */
async function strangers(isAtOne: boolean): Promise<Box[]> {
  const asking = Array.from(
    { length: MANY },
    (_, nr) => new Box(world.server, { address: `198.51.${isAtOne ? 100 : 101}.${isAtOne ? 1 : nr}` }),
  )
  for (const box of asking) await box.handshake()
  return asking
}

const login = () => ({ login: unique(), password: 'guessed' })

describe.each([
  ['logins', 'box_login', 'stb/do_auth', login, strangers],
  ['favourites', 'favourite', 'itv/set_fav', () => ({ fav_ch: '' }), ofClients],
  [
    'messages that were shown',
    'box_event',
    'watchdog/confirm_event',
    ({ lastEvent }: Box) => ({ event_active_id: lastEvent }),
    ofClients,
  ],
] as const)('the %s of boxes', (_what, table, call, fields, askers) => {
  test.each([
    ['many', FEW, false],
    ['one', 1, true],
  ])('asked for by %s take few turns, so that dealers need not wait', async (_who, most, isOne) => {
    const asking = await askers(isOne)
    await expectFewWait(
      most,
      (sql) => sql`lock table ${sql(table)} in share mode`,
      () => asking.map((box) => box.ask(call, fields(box))),
    )
  })
})

test.each([
  ['many', FEW, false],
  ['one', 1, true],
])(
  'sign-ins to clients that are being changed take few turns, so that dealers need not wait: of %s',
  async (_who, most, isOne) => {
    const asking = await ofClients(isOne)
    const macs = asking.map(({ mac }) => mac)
    await expectFewWait(
      most,
      (sql) => sql`select from client where mac = any (${macs}) order by id for no key update`,
      () => asking.map((box) => box.ask('stb/get_profile', box.told)),
    )
  },
)

describe.each([
  ['are asked for a login', 'stb/get_profile', ({ told }: Box) => told],
  ['log in', 'stb/do_auth', login],
] as const)("what is read for boxes that are nobody's and %s", (_what, call, fields) => {
  test.each([
    ['many networks', FEW_READS, false],
    ['one network', 1, true],
  ])('takes few turns, so that dealers need not wait: of %s', async (_who, most, isAtOne) => {
    const asking = await strangers(isAtOne)
    await expectFewWait(
      most,
      (sql) => sql`lock table box_login in access exclusive mode`,
      () => asking.map((box) => box.ask(call, fields(box))),
    )
  })
})

test('favourites are read over one connection, so that dealers need not wait, however many boxes ask', async () => {
  await expectFewWait(
    1,
    (sql) => sql`lock table favourite in access exclusive mode`,
    () => boxes.map((box) => box.ask('itv/get_fav_ids')),
  )
})

/** Expects that while something is locked, so many of the calls wait for it, and a dealer for none of them. */
async function expectFewWait(
  most: number,
  lock: Parameters<typeof holdOpen>[1],
  ask: () => Promise<{ status: number }>[],
): Promise<void> {
  const { ownerSql, sql } = world.server
  const release = await holdOpen(ownerSql, lock)
  const asked = ask()
  try {
    await somebodyWaits(sql, most)
    await pause(300)
    expect(await waitersOf(sql)).toHaveLength(most)
    const { name } = await world.client(dealer, { months: 1 })
    await dealer.call(calls.clients.save, { login: name, desc: 'changed meanwhile' })
  } finally {
    await release()
  }
  for (const { status } of await Promise.all(asked)) expect(status).toBe(200)
}

/** Returns the boxes of many clients, or that of one so many times. */
async function ofClients(isOne: boolean): Promise<Box[]> {
  return isOne ? boxes.map(() => boxes[0] as Box) : boxes
}

test('a box that waits too long for the turn of its change is told to try later', async () => {
  await expectOthersTold(
    FEW,
    (sql) => sql`lock table favourite in share mode`,
    () => boxes.map((box) => box.ask('itv/set_fav', { fav_ch: '' })),
  )
})

test("a box that is nobody's and waits too long for what is read for it is told to try later", async () => {
  const asking = await strangers(false)
  await expectOthersTold(
    FEW_READS,
    (sql) => sql`lock table box_login in access exclusive mode`,
    () => asking.map((box) => box.ask('stb/get_profile', box.told)),
  )
})

/** Expects that while something is locked, all calls but so many are told to try later before these are given up. */
async function expectOthersTold(
  few: number,
  lock: Parameters<typeof holdOpen>[1],
  ask: () => ReturnType<Box['ask']>[],
): Promise<void> {
  const release = await holdOpen(world.server.ownerSql, lock)
  const began = performance.now()
  const told: unknown[] = []
  const answers = ask().map(async (answer) => {
    const { status, text, headers } = await answer
    if (status !== 200) told.push([status, text, headers.get('retry-after')])
    return status
  })
  try {
    // All of them, because whoever still waits when the table is free gets a turn.
    await expect.poll(() => told.length).toBe(MANY - few)
    for (const one of told) expect(one).toEqual([503, 'Please try again soon.', '60'])
    // What has its turn is given up after ten seconds.
    expect(performance.now() - began).toBeLessThan(9_000)
  } finally {
    await release()
  }
  const statuses = await Promise.all(answers)
  expect(statuses.filter((status) => status === 200)).toHaveLength(few)
}

test('nothing is read for a box that has disconnected before its turn', async () => {
  const [first, gone, last] = (await strangers(true)) as [Box, Box, Box]
  const release = await holdOpen(
    world.server.ownerSql,
    (sql) => sql`lock table box_login in access exclusive mode`,
  )
  const asked = [first.ask('stb/get_profile')]
  try {
    await somebodyWaits(world.server.sql)
    const arrives = once(world.server.app.server, 'request') as Promise<[IncomingMessage, ServerResponse]>
    const asking = request(`${world.server.boxUrl}/portal.php?type=stb&action=get_profile`, {
      headers: {
        cookie: `mac=${gone.mac}`,
        authorization: `Bearer ${gone.token}`,
        'x-forwarded-for': gone.address ?? '',
      },
    })
    asking.on('error', () => {}).end()
    const [, answer] = await arrives
    asking.destroy()
    await once(answer, 'close')
    asked.push(last.ask('stb/get_profile'))
  } finally {
    await release()
  }
  for (const { status } of await Promise.all(asked)) expect(status).toBe(200)
  await world.server.gateway.write()
  const macs = [first, gone, last].map(({ mac }) => mac)
  const noted = await world.server.sql`select mac from unknown_box where mac = any (${macs}::text[])`
  expect(noted.map(({ mac }) => mac).toSorted()).toEqual([first.mac, last.mac].toSorted())
})

test('a login from an address that is closed is refused without a wait for those that are tried', async () => {
  const closed = '198.51.102.1'
  for (let wrong = 0; wrong < 20; wrong += 1) {
    const box = new Box(world.server, { address: closed })
    await box.handshake()
    expect(await box.call('stb/do_auth', login())).toBe(false)
  }
  const asking = await strangers(false)
  const late = new Box(world.server, { address: closed })
  await late.handshake()
  const release = await holdOpen(
    world.server.ownerSql,
    (sql) => sql`lock table box_login, login_try in share mode`,
  )
  const asked = asking.map((box) => box.ask('stb/do_auth', login()))
  try {
    await somebodyWaits(world.server.sql, FEW)
    expect(await late.call('stb/do_auth', login())).toBe(false)
  } finally {
    await release()
  }
  await Promise.all(asked)
})

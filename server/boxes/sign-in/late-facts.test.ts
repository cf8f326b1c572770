import { setTimeout as pause } from 'node:timers/promises'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { calls } from '../../../contract/calls.ts'
import { Box } from '../../../test/support/box.ts'
import { holdOpen, somebodyWaits, waitersOf } from '../../../test/support/hold.ts'
import { suiteWorld } from '../../../test/support/world.ts'
import type { Sql } from '../../postgres/pool.ts'
import type { SelfReport } from '../client.ts'
import { openLateFacts } from './late-facts.ts'

const world = await suiteWorld()
const { dealer } = await world.family({ credits: 20 })

/** Returns a client whose box is in, with what that notes late of itself. */
async function boxIsIn() {
  const { name, mac } = await world.client(dealer, { months: 1 })
  expect(await new Box(world.server, { mac }).signIn()).toBe(0)
  const [row] = await world.server.sql<{ id: number; nonce: string }[]>`
    select client as id, token_nonce as nonce from device join client on id = client where name = ${name}`
  const { id = 0, nonce = '' } = row ?? {}
  const said = (version: string, of = nonce) => ({ nonce: of, report: { ...NOTHING, version } })
  const detail = () => dealer.call(calls.clients.detail, { name })
  return { id, said, detail }
}

const NOTHING: SelfReport = {
  ...{ stb_sn: '', device_id: '', device_id2: '', stb_type: '', version: '', image: '', hardware: '' },
}

/** Opens late facts, with a list of what their log says and how often they run a statement that `fails` may refuse. */
function openLate(fails: () => boolean = () => false) {
  const logged: { level: number; msg: string }[] = []
  const log = pino({}, { write: (line: string) => logged.push(JSON.parse(line)) })
  let statements = 0
  const sql = new Proxy(world.server.sql, {
    apply(target, self, args: Parameters<Sql>) {
      if (String(args[0]).includes('update device')) {
        statements += 1
        if (fails()) return Promise.reject(new Error('the database is on fire'))
      }
      return Reflect.apply(target, self, args)
    },
  })
  return { ...openLateFacts(sql, log), logged, statements: () => statements }
}

test('what a box says while what it said before is stored is stored next', async () => {
  const { id, said, detail } = await boxIsIn()
  const late = openLate()
  const release = await holdOpen(
    world.server.ownerSql,
    (sql) => sql`select from device where client = ${id} for update`,
  )
  late.note(id, said('older'))
  const writing = late.write()
  await somebodyWaits(world.server.sql)
  late.note(id, said('newer'))
  await release()
  await writing
  expect(await detail()).toMatchObject({ version: 'older', stb_type: 'MAG250' })
  await late.write()
  expect(await detail()).toMatchObject({ version: 'newer', stb_type: 'MAG250' })
})

test('what could not be stored is said in the log and stored later, but for what is older than a note since', async () => {
  const [one, two] = [await boxIsIn(), await boxIsIn()]
  let isAway = true
  const late = openLate(() => {
    // Said while the statement runs.
    if (isAway) late.note(two.id, two.said('newer'))
    return isAway
  })
  for (const { id, said } of [one, two]) late.note(id, said('older'))
  await late.write()
  expect(late.logged).toEqual([
    expect.objectContaining({
      level: 40,
      msg: 'what boxes say of themselves could not be stored, and waits',
    }),
  ])
  isAway = false
  await late.write()
  expect(await one.detail()).toMatchObject({ version: 'older' })
  expect(await two.detail()).toMatchObject({ version: 'newer' })
})

test('what a box leaves out when it signs in again stays as it said before', async () => {
  const { id, said, detail } = await boxIsIn()
  let isAway = false
  const late = openLate(() => isAway)
  const { nonce, report } = said('')
  late.note(id, { nonce, report: { ...report, image: 'first', hardware: 'first' } })
  late.note(id, { nonce, report: { ...report, version: 'second', image: 'second' } })
  isAway = true
  const writing = late.write()
  late.note(id, { nonce, report: { ...report, image: 'third' } })
  await writing
  isAway = false
  await late.write()
  const [row] = await world.server.sql`select version, image, hardware from device where client = ${id}`
  expect(row).toEqual({ version: 'second', image: 'third', hardware: 'first' })
  expect(await detail()).toMatchObject({ version: 'second' })
})

test('what many boxes said is stored by one statement, but for a box that is not in any more', async () => {
  const boxes = await Promise.all(Array.from({ length: 5 }, boxIsIn))
  const late = openLate()
  for (const { id, said } of boxes.slice(1)) late.note(id, said('new'))
  const [out] = boxes
  if (out) late.note(out.id, out.said('new', 'of another box'))
  await late.write()
  expect(late.statements()).toBe(1)
  const versions = await Promise.all(boxes.map(async ({ detail }) => (await detail()).version))
  expect(versions).toEqual(['ImageDescription: 0.2.18-r23', 'new', 'new', 'new', 'new'])
})

test('the gateway stores what boxes said one time after the other', async () => {
  const { gateway, sql, ownerSql } = world.server
  const boxes = Array.from({ length: 3 }, () => new Box(world.server))
  const release = await holdOpen(ownerSql, (sql) => sql`lock table unknown_box in access exclusive mode`)
  const writing: Promise<void>[] = []
  for (const box of boxes) {
    await box.signIn()
    writing.push(gateway.write())
    await somebodyWaits(sql)
  }
  // Until more would wait, if more could.
  await pause(200)
  expect(await waitersOf(sql, 'unknown_box')).toHaveLength(1)
  await release()
  await Promise.all(writing)
  const macs = boxes.map(({ mac }) => mac)
  expect(await ownerSql`select from unknown_box where mac = any (${macs})`).toHaveLength(3)
})

test('what more boxes said than one statement stores is stored whole, and goes on where a statement failed', async () => {
  const [first, last] = [await boxIsIn(), await boxIsIn()]
  let turn = 0
  const late = openLate(() => {
    turn += 1
    return turn === 2
  })
  late.note(first.id, first.said('of many'))
  // Of boxes that are nobody's.
  for (let id = -1; id > -5_000; id -= 1) late.note(id, first.said('of many', 'x'))
  late.note(last.id, last.said('of many'))
  await late.write()
  expect(await first.detail()).toMatchObject({ version: 'of many' })
  expect(await last.detail()).not.toMatchObject({ version: 'of many' })
  await late.write()
  expect(await last.detail()).toMatchObject({ version: 'of many' })
  expect(late.statements()).toBe(3)
})

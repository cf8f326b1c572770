import { createHmac } from 'node:crypto'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { holdOpen, somebodyWaits } from '../../../test/support/hold.ts'
import { openWorld, type World } from '../../../test/support/world.ts'
import type { BoxClient } from '../client.ts'
import { Away } from '../refusals.ts'
import { readToken, streamAddress } from './stream-token.ts'
import { openUsedTokens } from './used-tokens.ts'

let world: World
let usedTokens: ReturnType<typeof openUsedTokens>
beforeAll(async () => {
  world = await openWorld()
  // What memory does not know is asked of nobody.
  const isAway = () => true
  usedTokens = openUsedTokens(world.server.sql, pino({ level: 'silent' }), isAway, () => world.clock.now)
})
afterAll(async () => {
  await usedTokens.stop()
  await world.close()
})

const seal = { hmac: (text: string) => createHmac('sha256', 'key').update(text).digest() }

/** Returns the address of 2 kB at which a client watches, as a stream server sends it. */
function addressOf(id: number): string {
  const client: BoxClient = {
    ...{ id, dealer: 1, name: 'client', mac: null, active: true, locked: false, alt_player: false },
    ...{ package_selection: 1, expiry: 0, device: null, waits_until: 0 },
  }
  const place = { address: null, network: null, counted: null }
  return streamAddress(`/{token}/index.m3u8?${'x'.repeat(2_000)}`, seal, {
    ...{ client, channel: 1, mac: '', place, now: world.clock.now },
  })
}

/** Returns what a stream server says: the address of the viewer is a slice of the request as well. */
function firstUseOf(id: number) {
  const address = `${addressOf(id)}&ip=203.100.100.${100 + (id % 100)}`
  const read = readToken(seal, address)
  if (!read) throw new Error('The token is not ours')
  return { ...read.said, network: address.slice(address.indexOf('ip=') + 3) }
}

function heapAfterCollecting(): number {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
  return process.memoryUsage().heapUsed
}

test('the token of each client that watches is kept in a few hundred bytes, however long its address is', () => {
  const many = 20_000
  const before = heapAfterCollecting()
  for (let id = 1; id <= many; id += 1) usedTokens.add(firstUseOf(id))
  expect((heapAfterCollecting() - before) / many).toBeLessThan(600)
})

test('a client is forgotten once its tokens are no longer valid, and not before', async () => {
  const use = (client: number, signature: string) => ({ client, signature, made: 0, network: null })
  const knows = (id: number, token: string) =>
    usedTokens.has(use(id, token)).catch((error) => {
      if (!(error instanceof Away)) throw error
      return false
    })
  usedTokens.add(use(1, 'first'))
  usedTokens.add(use(2, 'second'))
  world.clock.pass({ days: 1 })
  await usedTokens.write()
  // It is used once more.
  expect(await knows(1, 'first')).toBe(true)
  world.clock.pass({ ms: 1 })
  await usedTokens.write()
  expect([await knows(1, 'first'), await knows(2, 'second')]).toEqual([true, false])
})

test('of many uses that wait, those that were stored before an error wait no longer', async () => {
  const { ownerSql } = world.server
  const { uses, ids, stored } = await usesOf({ clients: 5, mostAtOnce: 2 })
  await ownerSql`alter table stream_use add constraint none_of_these check (client <> ${ownerSql.unsafe(String(ids[2]))})`
  await uses.write()
  expect(await stored()).toEqual(ids.slice(0, 2))
  await ownerSql`delete from stream_use`
  await ownerSql`alter table stream_use drop constraint none_of_these`
  await uses.stop()
  expect(await stored()).toEqual(ids.slice(2))
})

test('whoever stops waits for all parts of what is just being stored', async () => {
  const { sql, ownerSql } = world.server
  const { uses, ids, stored } = await usesOf({ clients: 3, mostAtOnce: 1 })
  const release = await holdOpen(ownerSql, (owner) => owner`lock table stream_use in exclusive mode`)
  const writing = uses.write()
  await somebodyWaits(sql)
  const stopping = uses.stop()
  await release()
  await stopping
  expect(await stored()).toEqual(ids)
  await writing
})

/** Makes clients, each of whom has used a token for the first time, which is not stored yet. */
async function usesOf({ clients, mostAtOnce }: { clients: number; mostAtOnce: number }) {
  const { sql } = world.server
  const { dealer } = await world.family({ credits: clients })
  for (let made = 0; made < clients; made += 1) await world.client(dealer, { months: 1 })
  const uses = openUsedTokens(
    ...([sql, pino({ level: 'silent' }), () => true, () => world.clock.now] as const),
    mostAtOnce,
  )
  const idsOf = (rows: { id: number }[]) => rows.map(({ id }) => id)
  const ids = idsOf(await sql`select id from client where dealer = ${dealer.id} order by id`)
  for (const id of ids) uses.add(firstUseOf(id))
  const stored = async () =>
    idsOf(
      await sql`select client as id from stream_use where client = any (${ids}::bigint[]) order by client`,
    )
  return { uses, ids, stored }
}

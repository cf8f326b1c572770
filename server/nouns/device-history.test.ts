import { expect, test } from 'vitest'
import { calls } from '../../contract/calls.ts'
import { Box } from '../../test/support/box.ts'
import { suiteWorld, uniqueMac } from '../../test/support/world.ts'

const { deviceHistory, reset, save } = calls.clients

const world = await suiteWorld({ env: { TRUSTED_PROXIES: '127.0.0.1' } })

test("a client's device history tells what its box became, when, from where, and who reset it", async () => {
  const { dealer } = await world.family({ credits: 1 })
  const { name, mac } = await world.client(dealer, { months: 1 })
  expect(await dealer.call(deviceHistory, { name })).toEqual([])
  const box = new Box(world.server, { mac, address: '203.0.113.7', told: { sn: 'SN-1' } })
  const first = world.clock.now.toISOString()
  await box.signIn()
  await world.server.gateway.write()
  world.clock.pass({ minutes: 2 })
  box.address = '203.0.113.8'
  expect(await box.poll()).toBe(true)
  await world.server.gateway.write()
  await dealer.call(reset, { name })
  const then = world.clock.now.toISOString()
  const id = expect.any(Number)
  expect(await dealer.call(deviceHistory, { name })).toEqual([
    { id, at: then, event: 'reset', detail: '', mac_before: null, address: '127.0.0.1', actor: dealer.name },
    {
      id,
      at: then,
      event: 'address',
      detail: '203.0.113.8',
      mac_before: null,
      address: '203.0.113.8',
      actor: null,
    },
    {
      id,
      at: first,
      event: 'first seen',
      detail: 'SN-1',
      mac_before: null,
      address: '203.0.113.7',
      actor: null,
    },
  ])
})

test('a MAC that was changed is in the history with the one before and who changed it, also where no box has asked', async () => {
  const { dealer } = await world.family({ credits: 1 })
  const { name, mac } = await world.client(dealer, { months: 1 })
  const [taken, another] = [uniqueMac(), uniqueMac()]
  await dealer.call(save, { login: name, stb_mac: taken, o_mac: mac })
  await dealer.call(save, { login: name, desc: 'Upstairs' })
  await dealer.call(save, { login: name, ministra: true })
  await dealer.call(save, { login: name, ministra: false, stb_mac: another, o_mac: '' })
  await dealer.call(reset, { name })
  const by = { event: 'new MAC', address: '127.0.0.1', actor: dealer.name }
  expect(await dealer.call(deviceHistory, { name })).toMatchObject([
    { ...by, detail: another, mac_before: null },
    { ...by, detail: '', mac_before: taken },
    { ...by, detail: taken, mac_before: mac },
  ])
})

test('the new dealer of a moved client learns neither the name nor the address of who reset its box before', async () => {
  const { reseller, dealer } = await world.family({ credits: 1 })
  const { name, mac } = await world.client(dealer, { months: 1 })
  await new Box(world.server, { mac }).signIn()
  await dealer.call(reset, { name })
  const to = await world.child(reseller)
  await reseller.call(calls.tree.moveClients, { from: dealer.name, to: to.name, clients: [name] })
  const [row] = await to.call(deviceHistory, { name })
  expect(row).toMatchObject({ event: 'reset', actor: '—', address: null })
  await dealer.refused('not_found', deviceHistory, { name })
})

test('the history has the newest 1,000 changes', async () => {
  const { dealer } = await world.family({ credits: 1 })
  const { name } = await world.client(dealer, { months: 1 })
  await world.server.sql`
    insert into device_history (client, at, event, detail)
    select id, ${world.clock.now}, 'serial number', n::text from client, generate_series(1, 1001) series (n)
    where name = ${name} order by series.n`
  const details = (await dealer.call(deviceHistory, { name })).map(({ detail }) => detail)
  expect([details.length, details[0], details.at(-1)]).toEqual([1000, '1001', '2'])
})

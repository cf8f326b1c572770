import { expect, onTestFinished, test } from 'vitest'
import { HOUR_MS } from '../../contract/time.ts'
import { freshDatabase } from '../../test/support/database.ts'
import { openLog } from '../log.ts'
import { type Networks, networkOf, watchNetworks, withoutPort } from './network.ts'

const COUNTED_AS: [address: string, network: string][] = [
  ['198.51.100.7', '198.51.100.7'],
  ['::ffff:198.51.100.7', '198.51.100.7'],
  ['::FFFF:c633:6407', '198.51.100.7'],
  ['0:0:0:0:0:ffff:198.51.100.7', '198.51.100.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:0DB8:0001:0002::1', '2001:db8:1:2::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['2001:db8::', '2001:db8:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['64:ff9b::198.51.100.7', '64:ff9b:0:0::/64'],
  ['203.0.113.7:51234', '203.0.113.7'],
  ['[2001:db8:1:2::1]:51234', '2001:db8:1:2::/64'],
  ['[2001:db8:1:2::1]', '2001:db8:1:2::/64'],
  ['not an address', 'not an address'],
]

test.each(COUNTED_AS)('%s counts as %s', (address, network) => {
  expect(networkOf(address)).toBe(network)
})

test('the database tells networks apart as the server does', async () => {
  const database = await freshDatabase()
  onTestFinished(() => database.drop())
  const addresses = COUNTED_AS.map(([address]) => withoutPort(address))
  const apart = await database.sql<{ one: string; other: string }[]>`
    select one, other from unnest(${addresses}::text[]) one, unnest(${addresses}::text[]) other
    where network_of(one) is distinct from network_of(other)`
  const expected = addresses.flatMap((one) =>
    addresses.filter((other) => networkOf(one) !== networkOf(other)).map((other) => ({ one, other })),
  )
  expect(apart).toHaveLength(expected.length)
  expect(apart).toEqual(expect.arrayContaining(expected))
})

const TRUSTED = ['192.0.2.1', '2001:db8:aa::/48']

function requestOf(peer: string, forwarded: boolean, logged: string[] = []) {
  return {
    ip: peer,
    log: openLog({ write: (line) => logged.push(line) }),
    headers: forwarded ? { 'x-forwarded-for': '203.0.113.5' } : {},
    socket: { remoteAddress: peer },
  } as unknown as Parameters<Networks['of']>[0]
}

/** Returns the networks by which a request from a peer is counted, for people and for boxes, and what was noted. */
function countedAs(peer: string, { forwarded = false, trusted = TRUSTED, times = 1 } = {}) {
  const logged: string[] = []
  const networks = watchNetworks(trusted, () => new Date())
  const request = requestOf(peer, forwarded, logged)
  for (let before = 1; before < times; before += 1) networks.of(request)
  const network = networks.of(request)
  return {
    network,
    box: networks.ofBox(request),
    warned: logged.length,
    untrusted: networks.seesUntrustedProxy(),
    silent: networks.seesSilentProxy(),
  }
}

/** The result for a request that is counted by the peer's own network; `told` replaces some of its fields. */
function own(peer: string, told = {}) {
  const network = networkOf(peer)
  return {
    ...{ network, box: { network, counted: network }, warned: 0, untrusted: false, silent: false },
    ...told,
  }
}

test.each([
  '127.0.0.1',
  '::ffff:10.1.2.3',
  '172.18.0.2',
  '192.168.1.1',
  '169.254.1.1',
  '100.64.0.1',
  '100.127.255.254',
  '::1',
  'fd12::1',
  'fe80::1%eth0',
])(
  'a request that %s forwards is counted by no address if no proxy is trusted; if others are, its logins are counted by its own address, and no box is locked to that',
  (peer) => {
    const told = { warned: 1, untrusted: true }
    const nowhere = { network: null, box: { network: null, counted: null } }
    expect(countedAs(peer, { forwarded: true, trusted: [] })).toEqual(own(peer, { ...nowhere, ...told }))
    const box = { network: null, counted: networkOf(peer) }
    expect(countedAs(peer, { forwarded: true })).toEqual(own(peer, { box, ...told }))
  },
)

test.each(['203.0.113.9', '172.32.0.1', '2001:db8::1'])(
  'a caller from %s, which is no local address, cannot get around its limit or its lock with a forwarding header',
  (peer) => {
    for (const trusted of [[], TRUSTED])
      expect(countedAs(peer, { forwarded: true, trusted })).toEqual(own(peer, { warned: 1, untrusted: true }))
  },
)

test('no warning is logged for a trusted proxy, or for another peer that forwards nothing', () => {
  for (const peer of ['192.0.2.1', '2001:db8:aa::9'])
    expect(countedAs(peer, { forwarded: true })).toEqual(own(peer))
  expect(countedAs('127.0.0.1')).toEqual(own('127.0.0.1'))
  expect(countedAs('127.0.0.1', { trusted: [] })).toEqual(own('127.0.0.1'))
})

test('a trusted proxy that does not say for whom it asks is reported, and its own address counts for nobody', () => {
  for (const peer of ['192.0.2.1', '2001:db8:aa::9']) {
    const nowhere = { network: null, box: { network: null, counted: null } }
    expect(countedAs(peer, { times: 20 })).toEqual(own(peer, { ...nowhere, warned: 1, silent: true }))
    // A script or a monitor asks a few times, after a restart or in a quiet night.
    expect(countedAs(peer, { times: 18 })).toEqual(own(peer, nowhere))
  }
})

test('a trusted proxy that said for whom it asks within an hour is not blamed for a program that asks without it', () => {
  let now = 0
  const networks = watchNetworks(TRUSTED, () => new Date(now))
  const ask = (forwarded: boolean) => networks.of(requestOf('192.0.2.1', forwarded))
  ask(true)
  now = HOUR_MS
  for (let times = 1; times < 20; times += 1) ask(false)
  expect([ask(false), networks.seesSilentProxy()]).toEqual([null, false])
  now += 1
  for (let times = 1; times < 20; times += 1) ask(false)
  expect([ask(false), networks.seesSilentProxy()]).toEqual([null, true])
})

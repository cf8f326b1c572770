import { expect, test } from 'vitest'
import { openLog } from '../log.ts'
import { networkOf, watchNetworks } from './network.ts'

test.each([
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
])('%s counts as %s', (address, network) => {
  expect(networkOf(address)).toBe(network)
})

const TRUSTED = ['192.0.2.1', '2001:db8:aa::/48']

/** Returns the network of a request from a peer. */
function countedAs(peer: string, { forwarded = false, trusted = TRUSTED } = {}) {
  const logged: string[] = []
  const log = openLog({ write: (line) => logged.push(line) })
  const networks = watchNetworks(trusted, () => new Date())
  const request = {
    ip: peer,
    log,
    headers: forwarded ? { 'x-forwarded-for': '203.0.113.5' } : {},
    socket: { remoteAddress: peer },
  }
  const network = networks.of(request as unknown as Parameters<typeof networks.of>[0])
  return { network, warned: logged.length > 0, seen: networks.seesUntrustedProxy() }
}

test.each(['127.0.0.1', '::ffff:10.1.2.3', '172.18.0.2', '192.168.1.1', '::1', 'fd12::1', 'fe80::1%eth0'])(
  'a request that %s forwards has no address that counts where no proxy is trusted, and its own where others are',
  (peer) => {
    const told = { warned: true, seen: true }
    expect(countedAs(peer, { forwarded: true, trusted: [] })).toEqual({ network: null, ...told })
    expect(countedAs(peer, { forwarded: true })).toEqual({ network: networkOf(peer), ...told })
  },
)

test.each(['203.0.113.9', '172.32.0.1', '2001:db8::1'])(
  'a caller from %s, which is no local address, cannot get around its limit with a forwarding header',
  (peer) => {
    const counted = { network: networkOf(peer), warned: true, seen: true }
    for (const trusted of [[], TRUSTED])
      expect(countedAs(peer, { forwarded: true, trusted })).toEqual(counted)
  },
)

test('no warning is logged for a trusted proxy, or for a peer that forwards nothing', () => {
  const nothing = { warned: false, seen: false }
  expect(countedAs('192.0.2.1', { forwarded: true })).toEqual({ network: '192.0.2.1', ...nothing })
  expect(countedAs('2001:db8:aa::9', { forwarded: true })).toMatchObject(nothing)
  expect(countedAs('127.0.0.1')).toEqual({ network: '127.0.0.1', ...nothing })
})

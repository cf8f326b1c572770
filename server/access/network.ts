import { BlockList, isIP } from 'node:net'
import { compile } from '@fastify/proxy-addr'
import type { FastifyRequest } from 'fastify'
import { HOUR_MS, MINUTE_MS } from '../../contract/time.ts'

/** The networks by which wrong logins are counted, and a watch for proxies that the configuration does not name. */
export interface Networks {
  /** Null behind a proxy on a private network where none is trusted: there all people have one address. */
  of(request: Pick<FastifyRequest, 'ip' | 'headers' | 'socket' | 'log'>): string | null
  /** Whether an untrusted proxy forwarded a request in the last 15 minutes. */
  seesUntrustedProxy(): boolean
}

export function watchNetworks(trustedProxies: readonly string[], clock: () => Date): Networks {
  const isTrusted = among(trustedProxies)
  const isNearby = among(NEARBY)
  let seen = Number.NEGATIVE_INFINITY
  let told = Number.NEGATIVE_INFINITY
  return {
    of({ ip, headers, socket, log }) {
      const peer = socket.remoteAddress ?? ''
      if (headers['x-forwarded-for'] === undefined || isTrusted(peer)) return networkOf(ip)
      seen = clock().getTime()
      if (seen - told >= TOLD_EVERY) {
        told = seen
        log.warn({ peer }, UNTRUSTED)
      }
      // Where the proxies are named, and from a public address, a stranger may have written it to escape the limit.
      return trustedProxies.length === 0 && isNearby(peer) ? null : networkOf(ip)
    },
    seesUntrustedProxy: () => clock().getTime() - seen < SEEN_FOR,
  }
}

/** Returns an IPv4 address itself and the /64 of an IPv6 address, all of which one customer of a provider has. */
export function networkOf(forwarded: string): string {
  const address = withoutPort(forwarded)
  if (isIP(address) === 4) return address
  const [plain = ''] = address.split('%')
  if (isIP(plain) !== 6) return plain
  const groups = groupsOf(plain)
  const [high = 0, low = 0] = groups.slice(6)
  const isIpv4 = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff
  if (isIpv4) return [high >> 8, high & 0xff, low >> 8, low & 0xff].join('.')
  const prefix = groups.slice(0, 4).map((group) => group.toString(16))
  return `${prefix.join(':')}::/64`
}

/** Returns an address alone. Some proxies forward its port as well, which is another one for each connection. */
export function withoutPort(forwarded: string): string {
  const [, six, four] = WITH_PORT.exec(forwarded) ?? []
  return six ?? four ?? forwarded
}

/** Returns whether an address, as it was forwarded, is of a proxy that is trusted. */
export function trusting(trustedProxies: readonly string[]): (forwarded: string) => boolean {
  const isTrusted = compile([...trustedProxies])
  return (forwarded) => isTrusted(withoutPort(forwarded), 0)
}

/** `203.0.113.7:51234`, `[2001:db8::1]:51234` or `[2001:db8::1]`. */
const WITH_PORT = /^(?:\[([^\]]+)\](?::\d+)?|([\d.]+):\d+)$/

function groupsOf(address: string): number[] {
  const [front = [], back] = address.split('::').map((half) => half.split(':').flatMap(numbersOf))
  if (!back) return front
  return [...front, ...Array<number>(8 - front.length - back.length).fill(0), ...back]
}

function numbersOf(group: string): number[] {
  if (group === '') return []
  if (!group.includes('.')) return [Number.parseInt(group, 16)]
  const [a = 0, b = 0, c = 0, d = 0] = group.split('.').map(Number)
  return [a * 256 + b, c * 256 + d]
}

/** This machine and the private networks, from which no stranger's request can come directly. */
const NEARBY = [
  '127.0.0.0/8',
  '10.0.0.0/8',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '169.254.0.0/16',
  '100.64.0.0/10',
  '::1',
  'fc00::/7',
  'fe80::/10',
]

const TOLD_EVERY = HOUR_MS
const SEEN_FOR = 15 * MINUTE_MS

const UNTRUSTED =
  'requests are forwarded by an address that TRUSTED_PROXIES does not have: wrong logins cannot be counted by who made them'

export function among(blocks: readonly string[]): (address: string) => boolean {
  if (blocks.length === 0) return () => false
  const list = new BlockList()
  for (const block of blocks) {
    const [address = '', bits] = block.split('/')
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4'
    if (bits === undefined) list.addAddress(address, family)
    else list.addSubnet(address, Number(bits), family)
  }
  return (address) => {
    const [plain = ''] = address.split('%')
    return isIP(plain) !== 0 && list.check(plain, isIP(plain) === 6 ? 'ipv6' : 'ipv4')
  }
}

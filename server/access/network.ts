import { BlockList, isIP } from 'node:net'
import { compile } from '@fastify/proxy-addr'
import type { FastifyBaseLogger, FastifyRequest } from 'fastify'
import { HOUR_MS, MINUTE_MS } from '../../contract/time.ts'

/** What the network of a request is read from. */
type Sent = Pick<FastifyRequest, 'ip' | 'headers' | 'socket' | 'log'>

/** From where requests come, and a watch for proxies that hide it. */
export interface Networks {
  /** The network by which wrong logins are counted; null where all people have that of a proxy. */
  of(request: Sent): string | null
  ofBox(request: Sent): BoxNetwork
  /** Whether requests were forwarded in the last 15 minutes by an address that is not named as a proxy. */
  seesUntrustedProxy(): boolean
  /** Whether a named proxy asked often in the last 15 minutes, and has not said for an hour for whom. */
  seesSilentProxy(): boolean
}

export type BoxNetwork = {
  /** To which the box may be locked; null where it is that of a proxy. */
  network: string | null
  /**
   * By which its wrong logins are counted, as `of` says. Where a neighbour that is not a trusted proxy may have written
   * the header, `network` is null and only this is known.
   */
  counted: string | null
}

type Hider = 'silent' | 'neighbour'

export function watchNetworks(trustedProxies: readonly string[], clock: () => Date): Networks {
  const isTrusted = among(trustedProxies)
  const isNearby = among(NEARBY)
  const untrusted = watchFor(UNTRUSTED, clock)
  const silent = watchFor(SILENT, clock)
  /** When each trusted peer has said last for whom it asks. */
  const said = new Map<string, number>()
  /** How often each of the others has asked since a moment. */
  const unsaid = new Map<string, { since: number; times: number }>()
  return {
    of: (request) => countedOf(request, hiderOf(request)),
    ofBox(request) {
      const hider = hiderOf(request)
      const counted = countedOf(request, hider)
      return { network: hider === null ? counted : null, counted }
    },
    seesUntrustedProxy: untrusted.sees,
    seesSilentProxy: silent.sees,
  }

  function countedOf({ ip }: Sent, hider: Hider | null): string | null {
    // Where the proxies are named, a neighbour may have written the header to escape the limit.
    const isProxy = hider === 'silent' || (hider === 'neighbour' && trustedProxies.length === 0)
    return isProxy ? null : networkOf(ip)
  }

  /**
   * Returns what hides from where a request comes: a proxy that does not say it, or a neighbour that forwards and is
   * not trusted. Null where its connection or a trusted proxy tells it.
   */
  function hiderOf({ headers, socket, log }: Sent): Hider | null {
    const peer = socket.remoteAddress ?? ''
    const trusted = isTrusted(peer)
    const forwards = headers['x-forwarded-for'] !== undefined
    if (trusted && forwards) said.set(peer, clock().getTime())
    if (trusted === forwards) return null
    if (trusted) {
      if (isSilent(peer)) silent.note(peer, log)
      return 'silent'
    }
    untrusted.note(peer, log)
    // From a public address a stranger or a box may have written it, or its provider, and the address is its own.
    return isNearby(peer) ? 'neighbour' : null
  }

  /** Whether a trusted peer is a proxy that never says for whom it asks, and not a program beside one that does. */
  function isSilent(peer: string): boolean {
    const now = clock().getTime()
    if (now - (said.get(peer) ?? Number.NEGATIVE_INFINITY) <= HOUR_MS) return false
    const before = unsaid.get(peer)
    const { since, times } = before && now - before.since < SEEN_FOR_MS ? before : { since: now, times: 0 }
    unsaid.set(peer, { since, times: times + 1 })
    return times + 1 >= OF_A_PROXY
  }
}

/** So many requests in 15 minutes come from a proxy, and not from a script or a monitor. */
const OF_A_PROXY = 20

/** Notes what is wrong with a proxy, and logs it once an hour. */
function watchFor(sentence: string, clock: () => Date) {
  let seen = Number.NEGATIVE_INFINITY
  let told = Number.NEGATIVE_INFINITY
  return {
    note(peer: string, log: FastifyBaseLogger): void {
      seen = clock().getTime()
      if (seen - told < TOLD_EVERY_MS) return
      told = seen
      log.warn({ peer }, sentence)
    },
    sees: () => clock().getTime() - seen < SEEN_FOR_MS,
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

const TOLD_EVERY_MS = HOUR_MS
const SEEN_FOR_MS = 15 * MINUTE_MS

const UNTRUSTED =
  'requests are forwarded by an address that TRUSTED_PROXIES does not have: if that is a proxy of yours, name it there; until then the callers behind it cannot be told apart'

const SILENT =
  'requests come from an address of TRUSTED_PROXIES without X-Forwarded-For: if that is a proxy, let it send this header; until then the callers behind it cannot be told apart'

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

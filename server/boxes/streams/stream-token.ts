import { timingSafeEqual } from 'node:crypto'
import { DAY_MS } from '../../../contract/time.ts'
import { networkOf } from '../../access/network.ts'
import type { Seal } from '../../access/seal.ts'
import type { BoxClient, Place } from '../client.ts'

/** How long a stream token is good, in milliseconds. */
export const GOOD_FOR_MS = DAY_MS

/** To whom a channel is linked, when and where. */
type StreamGrant = { client: BoxClient; channel: number; mac: string; place: Place; now: Date }

/** What a stream token says; it was signed by us. */
export type StreamTokenFields = {
  client: number
  channel: number
  /** In milliseconds since 1970. */
  made: number
  /** Tells one network from another of the same family; null where the box's was not known. */
  network: string | null
  /** Tells the box that was in from another. */
  box: string
  /** Tells one token from another. */
  signature: string
}

/** A token wherever it stands in an address. */
const TOKEN =
  /(?<![0-9a-z-])(?<said>(?<client>[0-9a-z]{1,11})-(?<channel>[0-9a-z]{1,7})-(?<made>[0-9a-z]{1,9})-(?<network>[46][0-9a-f]{8}|0)-(?<box>[0-9a-f]{8}))-(?<signature>[0-9a-f]{32})(?![0-9a-z-])/

/** Fills the client into the address of a channel, where that has a place for it. */
export function streamAddress(address: string, seal: Pick<Seal, 'hmac'>, link: StreamGrant): string {
  return fillAddress(address, link, () => streamToken(seal, link))
}

/** Fills a login, a MAC and a token into an address. */
export function fillAddress(
  address: string,
  { client, mac }: Pick<StreamGrant, 'client' | 'mac'>,
  token: () => string,
): string {
  const parts: Record<string, () => string> = {
    '{login}': () => encodeURIComponent(client.name),
    '{mac}': () => mac,
    '{token}': token,
  }
  return address.replaceAll(/\{(?:login|mac|token)\}/g, (hole) => parts[hole]?.() ?? hole)
}

/**
 * Returns a token that says which client may watch which channel, from which network, on which box and since when. With
 * it a stream server asks whether that still holds.
 */
function streamToken(seal: Pick<Seal, 'hmac'>, { client, channel, place, now }: StreamGrant): string {
  const seconds = Math.floor(now.getTime() / 1000)
  const numbers = [client.id, channel, seconds].map((part) => part.toString(36))
  const said = [...numbers, networkMark(seal, place.network) ?? '0', boxMark(seal, client)].join('-')
  return `${said}-${signature(seal, said)}`
}

/** Returns what the stream token in an address says, and the token itself; null where there is none of ours. */
export function readToken(
  seal: Pick<Seal, 'hmac'>,
  address: string,
): { token: string; said: StreamTokenFields } | null {
  const found = TOKEN.exec(address)
  if (!found) return null
  const { said = '', client = '', channel = '', made = '', network, box = '' } = found.groups ?? {}
  const signed = found.groups?.signature ?? ''
  const ours = signature(seal, said)
  if (!timingSafeEqual(Buffer.from(signed), Buffer.from(ours))) return null
  const [clientId, channelId, seconds] = [client, channel, made].map((part) => Number.parseInt(part, 36))
  return {
    token: found[0],
    said: {
      client: clientId ?? 0,
      channel: channelId ?? 0,
      made: (seconds ?? 0) * 1000,
      box,
      // Our own string, not its equal in the address: a slice would keep the whole address in memory for a day.
      signature: ours,
      network: network === undefined || network === '0' ? null : network,
    },
  }
}

/** Returns the family of a network and eight digits that stand for it; null where it is not known. */
function networkMark(seal: Pick<Seal, 'hmac'>, network: string | null): string | null {
  if (network === null) return null
  const digits = seal.hmac(`stream network ${network}`).toString('hex', 0, 4)
  return `${familyOf(network)}${digits}`
}

/** Whether a viewer is in the network of a token. Networks of different families cannot be compared. */
export function isInNetworkOf(
  seal: Pick<Seal, 'hmac'>,
  { network }: StreamTokenFields,
  viewer: string,
): boolean {
  const there = networkMark(seal, networkOf(viewer))
  return network === null || there === null || network[0] !== there[0] || network === there
}

export function familyOf(network: string): '4' | '6' {
  return network.includes(':') ? '6' : '4'
}

export function boxMark(seal: Pick<Seal, 'hmac'>, { device }: BoxClient): string {
  return seal.hmac(`stream box ${device?.token_nonce ?? ''}`).toString('hex', 0, 4)
}

function signature(seal: Pick<Seal, 'hmac'>, said: string): string {
  return seal.hmac(`stream token ${said}`).toString('hex', 0, 16)
}

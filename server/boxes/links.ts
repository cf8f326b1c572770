import type { Seal } from '../access/seal.ts'
import type { Client, Place } from './client.ts'

/** To whom a channel is linked, when and where. */
export type Link = { client: Client; channel: number; mac: string; place: Place; now: Date }

/** Fills the client into the address of a channel, where that has a place for it. */
export function linkTo(address: string, seal: Pick<Seal, 'hmac'>, link: Link): string {
  const fill: Record<string, () => string> = {
    '{login}': () => encodeURIComponent(link.client.name),
    '{mac}': () => link.mac,
    '{token}': () => streamToken(seal, link),
  }
  return address.replaceAll(/\{(?:login|mac|token)\}/g, (hole) => fill[hole]?.() ?? hole)
}

/**
 * Returns a token that says which client may watch which channel from which network since when. It is signed together
 * with the token of the client's box, so that it ends with that one.
 */
function streamToken(seal: Pick<Seal, 'hmac'>, { client, channel, place, now }: Link): string {
  const seconds = Math.floor(now.getTime() / 1000)
  const said = [client.id, channel, seconds].map((part) => part.toString(36)).join('-')
  const network =
    place.network === null ? '' : seal.hmac(`stream network ${place.network}`).toString('hex', 0, 4)
  const family = place.network?.includes(':') ? '6' : '4'
  const text = `${said}-${family}${network}`
  const signature = seal.hmac(`stream ${text} ${client.device?.token_nonce ?? ''}`).toString('hex', 0, 16)
  return `${text}-${signature}`
}

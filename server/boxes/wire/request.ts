import type { FastifyRequest } from 'fastify'
import { type Networks, withoutPort } from '../../access/network.ts'
import type { Place, SelfReport } from '../client.ts'

/** A call of a box: its fields from the query or the body, and who and where the box says it is. */
export type BoxRequest = {
  /** Its call, such as `stb/handshake`; NO_CALL where it has neither a type nor an action. */
  call: string
  /** Returns a field; empty where it was not sent. */
  field(name: string): string
  /** Returns a field that has several values with commas between them. */
  list(name: string): string[]
  /** In upper case; null where the cookie has none. */
  mac: string | null
  token: string
  place: Place
}

/** The call of a request that names none. */
export const NO_CALL = '/'

/** The longest field that is read. */
const MOST_CHARACTERS = 255
const MOST_OF_LIST = 8_192

/** What a call of a box is read from. */
type Sent = Pick<FastifyRequest, 'query' | 'body' | 'headers' | 'ip' | 'socket' | 'log'>

export function readRequest(request: Sent, networks: Networks): BoxRequest {
  const sentAs = (name: string) => ownOf(request.body, name) ?? ownOf(request.query, name)
  const field = (name: string) => textOf(sentAs(name), MOST_CHARACTERS)
  const { network, counted } = networks.ofBox(request)
  return {
    call: `${field('type')}/${field('action')}`,
    field,
    list: (name) => textOf(sentAs(name), MOST_OF_LIST).split(',').filter(Boolean),
    mac: macOf(request.headers.cookie ?? ''),
    token: /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1]?.toUpperCase() ?? '',
    place: { network, address: network === null ? null : withoutPort(request.ip), counted },
  }
}

/** Returns what a box says of itself at its sign-in. */
export function selfReportOf({ field }: BoxRequest): SelfReport {
  return {
    stb_sn: field('sn'),
    device_id: field('device_id'),
    device_id2: field('device_id2'),
    stb_type: field('stb_type'),
    version: field('ver'),
    image: field('image_version'),
    hardware: field('hw_version'),
  }
}

/**
 * Whether a box obeys `cut_off` and `cut_on`, and polls on meanwhile: the page that Boxtree serves says so. All other
 * boxes and apps learn that they are out by the sentence of `Unauthorized` alone.
 */
export function obeysCuts({ field }: BoxRequest): boolean {
  return field('cut') === '1'
}

/**
 * Whether a box has stopped, as it says itself with each poll: the answer that told it so may be lost. Null where it
 * says nothing, as one that does not obey.
 */
export function stoppedByItself({ field }: BoxRequest): boolean | null {
  const said = field('is_cut')
  return said === '1' ? true : said === '0' ? false : null
}

/** Returns the MAC of a cookie, which one box sends percent-encoded and another does not. */
function macOf(cookie: string): string | null {
  const [, sent = ''] = /(?:^|;) *mac=([^;]*)/.exec(cookie) ?? []
  const mac = (sent.includes('%') ? sent.replaceAll(/%3a/gi, ':') : sent).trim().toUpperCase()
  return /^[0-9A-F]{2}(:[0-9A-F]{2}){5}$/.test(mac) ? mac : null
}

function ownOf(sent: unknown, name: string): unknown {
  return typeof sent === 'object' && sent !== null && Object.hasOwn(sent, name)
    ? (sent as Record<string, unknown>)[name]
    : undefined
}

/** Returns the text of a field that was sent, the first where it was sent twice, without control characters. */
function textOf(value: unknown, most: number): string {
  const text = Array.isArray(value) ? value[0] : value
  if (typeof text !== 'string') return ''
  // Nearly all are plain, and a poll has several.
  if (text.length <= most && /^[ -~]*$/.test(text)) return text
  return text
    .slice(0, most)
    .toWellFormed()
    .replaceAll(/\p{Cc}/gu, ' ')
}

import type { FastifyRequest } from 'fastify'
import type { Networks } from '../network.ts'
import type { Place, Told } from './client.ts'

/** A call of a box: its fields from the query or the body, and who and where the box says it is. */
export type BoxRequest = {
  /** Its call, such as `stb/handshake`. */
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

/** The longest field that is read. */
const MOST_CHARACTERS = 255
const MOST_OF_LIST = 8_192

export function readRequest(request: FastifyRequest, networks: Networks): BoxRequest {
  const sent = { ...recordOf(request.query), ...recordOf(request.body) }
  const sentAs = (name: string) => (Object.hasOwn(sent, name) ? sent[name] : undefined)
  const field = (name: string) => textOf(sentAs(name), MOST_CHARACTERS)
  const network = networks.of(request)
  return {
    call: `${field('type')}/${field('action')}`,
    field,
    list: (name) => textOf(sentAs(name), MOST_OF_LIST).split(',').filter(Boolean),
    mac: macOf(request.headers.cookie ?? ''),
    token: /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1]?.toUpperCase() ?? '',
    place: { network, address: network === null ? null : request.ip },
  }
}

/** Returns what a box says of itself at its sign-in. */
export function toldBy({ field }: BoxRequest): Told {
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

/** Returns the MAC of a cookie, which one box sends percent-encoded and another does not. */
function macOf(cookie: string): string | null {
  const [, sent = ''] = /(?:^|;) *mac=([^;]*)/.exec(cookie) ?? []
  const mac = sent.trim().replaceAll(/%3a/gi, ':').toUpperCase()
  return /^[0-9A-F]{2}(:[0-9A-F]{2}){5}$/.test(mac) ? mac : null
}

function recordOf(sent: unknown): Record<string, unknown> {
  return typeof sent === 'object' && sent !== null ? (sent as Record<string, unknown>) : {}
}

/** Returns the text of a field that was sent, the first where it was sent twice, without control characters. */
function textOf(value: unknown, most: number): string {
  const text = Array.isArray(value) ? value[0] : value
  if (typeof text !== 'string') return ''
  return text
    .slice(0, most)
    .toWellFormed()
    .replaceAll(/\p{Cc}/gu, ' ')
}

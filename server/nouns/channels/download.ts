import { lookup } from 'node:dns/promises'
import { once } from 'node:events'
import http, { type IncomingMessage } from 'node:http'
import https from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import querystring from 'node:querystring'
import { createGunzip } from 'node:zlib'
import { PlaylistAddress } from '../../../contract/channels.ts'
import { MOST_PLAYLIST } from '../../../contract/playlist-limits.ts'
import { among } from '../../access/network.ts'
import type { PlaylistRules } from '../../context.ts'
import { codeOf } from '../../postgres/errors.ts'
import { fieldRefusal, type Refusal } from '../../refusal.ts'

type Options = {
  mayAsk: (address: string) => boolean
  signal: AbortSignal | null
}

/** How long a download may take, with all its redirects, in milliseconds. */
const MOST_MS = 60_000
const MOST_REDIRECTS = 5
/** How much is told of the name of a coding, which may be anything. */
const LONGEST_CODING = 20

/**
 * Downloads a playlist. Every address on the way is checked, also after a redirect, and the connection goes to the
 * address that was checked. The errors name neither a path nor a password.
 * @throws Refusal where it cannot be downloaded
 */
export async function downloadPlaylist(address: string, { mayAsk, signal }: Options): Promise<Buffer> {
  const limit = AbortSignal.timeout(MOST_MS)
  const ending = signal ? AbortSignal.any([limit, signal]) : limit
  try {
    let url = URL.parse(address)
    if (url === null) throw new Fault('This is not a valid address.')
    for (let redirects = 0; redirects <= MOST_REDIRECTS; redirects += 1) {
      const response = await get(url, mayAsk, ending)
      const { statusCode: status = 0 } = response
      if (status === 200) return await bodyOf(response, ending)
      response.destroy()
      const next = status >= 300 && status < 400 ? response.headers.location : undefined
      if (next === undefined) throw new Fault(`The address answered with the status ${status}.`)
      url = redirected(next, url)
    }
    throw new Fault('The address redirects too often.')
  } catch (error) {
    if (limit.aborted) throw refusal('The playlist did not arrive within 60 seconds.')
    if (error instanceof Fault) throw refusal(error.message)
    if (!ending.aborted && !isOfNetwork(error)) throw error
    throw refusal('The address cannot be reached.', error)
  }
}

class Fault extends Error {}

function refusal(sentence: string, cause?: unknown): Refusal {
  return fieldRefusal('invalid_input', 'address', sentence, cause)
}

/**
 * Whether an error is of the connection, or of what came through it: it has a code, and is no wrong argument of ours.
 */
function isOfNetwork(error: unknown): boolean {
  return codeOf(error) !== '' && !(error instanceof TypeError || error instanceof RangeError)
}

/** Returns where a redirect leads. A password goes no further than to the address that it was given for. */
function redirected(location: string, from: URL): URL {
  const next = URL.parse(location, from.href)
  if (next === null || !PlaylistAddress.safeParse(next.href).success)
    throw new Fault('The address redirects to one that is not valid for a playlist.')
  return next
}

async function get(url: URL, mayAsk: Options['mayAsk'], signal: AbortSignal): Promise<IncomingMessage> {
  // A name is looked up for as long as the system likes.
  const [checked, ...others] = await within(addressesOf(url, mayAsk), signal)
  const toChecked: LookupFunction = (_host, { all }, done) =>
    all ? done(null, [checked, ...others]) : done(null, checked.address, checked.family)
  // A % that begins no character stands for itself.
  const login = [url.username, url.password].map((part) => querystring.unescape(part)).join(':')
  const request = (url.protocol === 'https:' ? https : http).get(withoutLogin(url), {
    lookup: toChecked,
    agent: false,
    signal,
    headers: { accept: '*/*', 'accept-encoding': 'gzip', 'user-agent': 'Boxtree' },
    ...(login !== ':' && { auth: login }),
  })
  // It also fails after its answer has begun, or once nobody waits for it any more.
  request.on('error', () => {})
  // With the signal, because a request ends without an error where its answer leaves HTTP.
  const [response] = (await once(request, 'response', { signal })) as [IncomingMessage]
  return response
}

/** Returns an address without its login: Node fails at one with a % that stands for itself. */
function withoutLogin(url: URL): URL {
  return Object.assign(new URL(url), { username: '', password: '' })
}

/** Waits for work that cannot be ended, until the signal is aborted. */
async function within<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const stop = () => reject(signal.reason)
  signal.addEventListener('abort', stop)
  try {
    return await Promise.race([work, aborted])
  } finally {
    signal.removeEventListener('abort', stop)
  }
}

/** Every address of the host must be allowed. */
async function addressesOf(url: URL, mayAsk: Options['mayAsk']) {
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1')
  const found = isIP(host) ? [{ address: host, family: isIP(host) }] : await lookup(host, { all: true })
  const [first, ...others] = found
  if (!first) throw new Fault('The host of the address cannot be found.')
  if (!found.every(({ address }) => mayAsk(address)))
    throw new Fault(
      'The address is on a private network. Whoever runs Boxtree can allow that by PLAYLIST_PRIVATE=on.',
    )
  return [first, ...others] as const
}

export function allowedBy({ isPrivateAllowed }: PlaylistRules): Options['mayAsk'] {
  return isPrivateAllowed ? () => true : isPublic
}

/** Whether an address is one of the public internet, and none that stands for another. */
export function isPublic(address: string): boolean {
  return isIP(address) === 6 ? isGlobal(address) && !isSpecial(address) : !isSpecial(address)
}

const isGlobal = among(['2000::/3'])
const isSpecial = among([
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12'],
  ...['192.0.0.0/24', '192.0.2.0/24', '192.88.99.0/24', '192.168.0.0/16', '198.18.0.0/15', '198.51.100.0/24'],
  ...['203.0.113.0/24', '224.0.0.0/4', '240.0.0.0/4'],
  ...['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'],
])

/** Reads a body, which may be compressed, up to the size of the largest playlist. */
async function bodyOf(response: IncomingMessage, signal: AbortSignal): Promise<Buffer> {
  const source = isCompressed(response) ? response.compose(createGunzip(), { signal }) : response
  const pieces: Buffer[] = []
  let size = 0
  for await (const piece of source as AsyncIterable<Buffer>) {
    size += piece.length
    if (size > MOST_PLAYLIST) {
      response.destroy()
      throw new Fault('The playlist is larger than 64 MB.')
    }
    pieces.push(piece)
  }
  return Buffer.concat(pieces)
}

/**
 * Whether a body is compressed with gzip, whose name has any case. What names no compression, such as 'none' or 'utf-8',
 * is sent for a plain text.
 */
function isCompressed(response: IncomingMessage): boolean {
  const coding = response.headers['content-encoding'] ?? ''
  if (/^(?:x-)?gzip$/i.test(coding)) return true
  if (!/\b(?:br|compress|deflate|gzip|zstd)\b/i.test(coding)) return false
  response.destroy()
  const named = coding.slice(0, LONGEST_CODING)
  throw new Fault(`The playlist is compressed with '${named}'. Only gzip or no compression can be read.`)
}

import { isIP } from 'node:net'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { among, networkOf } from '../../access/network.ts'
import type { Seal } from '../../access/seal.ts'
import { isLost } from '../../postgres/errors.ts'
import type { Channels } from '../channels/channels.ts'
import { type BoxClient, macOf, refusalOf } from '../client.ts'
import type { Roster } from '../memory/roster.ts'
import { Away } from '../refusals.ts'
import { type ChannelAddress, isNamed, leadsTo, type SortedPaths } from './stream-paths.ts'
import {
  boxMark,
  familyOf,
  fillAddress,
  GOOD_FOR_MS,
  isInNetworkOf,
  readToken,
  type StreamTokenFields,
} from './stream-token.ts'
import type { openUsedTokens } from './used-tokens.ts'

export type StreamRules = {
  /** The addresses and networks of the stream servers. */
  servers: readonly string[]
  /** Whether a viewer must be in the network of the box that got the token. */
  comparesAddress: boolean
}

type StreamCheckDependencies = StreamRules & {
  roster: Roster
  channels: Channels
  usedTokens: ReturnType<typeof openUsedTokens>
  seal: Pick<Seal, 'hmac'>
  clock: () => Date
}

/** Where a stream server asks. */
const STREAM_CHECK = '/stream/check'

/** Within which time a token must be used first, in milliseconds. */
const FIRST_USE_WITHIN_MS = 120_000

/** What a stream server asks: who wants to watch what. */
type Asked = {
  /** The address that was asked for, without its host; or with a stream's name the token alone. */
  address: string
  /** The name of a stream, as Flussonic says it. */
  stream: string | null
  viewer: string
}

/**
 * Answers whether a stream may be watched, to nginx (`auth_request`) and Flussonic (`on_play`): 200 or 403. A 503 says
 * that this is not known while the database is away.
 */
export function serveStreamCheck(app: FastifyInstance, check: StreamCheckDependencies): void {
  const isServer = among(check.servers)
  app.get(STREAM_CHECK, async (request, reply) => {
    request.call = 'stream/check'
    reply.header('cache-control', 'no-store').type('text/plain; charset=utf-8')
    if (isForwarded(request) || !isServer(request.ip)) return reply.code(403).send('No')
    try {
      if (!(await mayWatch(check, askedBy(request)))) return reply.code(403).send('No')
      // Flussonic asks again after so many seconds. What is in memory may be as old, so that it is 10 s late at most.
      return reply.header('x-authduration', 5).send('Yes')
    } catch (error) {
      if (error instanceof Away || isLost(error)) return reply.code(503).send('Not known')
      throw error
    }
  })
}

/** Whether a proxy that is not trusted has forwarded the request: that could be anybody's. */
function isForwarded({ headers, ips = [] }: FastifyRequest): boolean {
  return headers['x-forwarded-for'] !== undefined && ips.length < 2
}

function askedBy({ headers, query }: FastifyRequest): Asked {
  const { name, token, ip } = query as Record<string, unknown>
  const uri = headers['x-original-uri']
  if (typeof uri === 'string')
    return { address: uri, stream: null, viewer: textOf(headers['x-viewer-address']) }
  return { address: textOf(token), stream: textOf(name), viewer: textOf(ip) }
}

async function mayWatch(check: StreamCheckDependencies, asked: Asked): Promise<boolean> {
  const { roster, channels, usedTokens, seal, clock } = check
  const read = readToken(seal, asked.address)
  if (read === null) return false
  const { token, said } = read
  await roster.catchUp()
  const known = await roster.findById(said.client)
  const client =
    known && (await isSurprising(check, known, said)) ? await clientNow(roster, known, said) : known
  if (client === null) return false
  if (!mayPlay(check, client, said, asked.viewer)) return false
  const channel = (await channels.offer(client.package_selection)).byId.get(said.channel)
  if (!channel) return false
  const filled = fillAddress(channel.address, { client, mac: macOf(client) ?? '' }, () => token)
  if (!asksFor(asked, { address: channel.address, filled }, await channels.paths())) return false
  const age = clock().getTime() - said.made
  const use = { ...said, network: check.comparesAddress ? networkOf(asked.viewer) : null }
  if (age > GOOD_FOR_MS || usedTokens.isSuperseded(use)) return false
  if (age > FIRST_USE_WITHIN_MS) return usedTokens.has(use)
  usedTokens.add(use)
  return true
}

/** Whether this server would have made no such token when it was made, by what it knows of the client. */
async function isSurprising(
  { roster, channels, seal }: StreamCheckDependencies,
  known: BoxClient,
  said: StreamTokenFields,
): Promise<boolean> {
  if (said.box !== boxMark(seal, known)) return true
  const ownPlace = { address: null, network: known.device?.locked_to_ip ?? null, counted: null }
  if (refusalOf(known, ownPlace, roster.unserved, new Date(said.made)) !== null) return true
  return !(await channels.offer(known.package_selection)).byId.has(said.channel)
}

/** A token says in which second it was made. */
const TOKEN_PRECISION_MS = 1_000

/**
 * Returns the client of a token that is surprising. If it was made after this server last read the changes, another
 * server may know of a sign-in, a renewal or another package, so the client is read anew.
 * @throws Away where it cannot be read
 */
async function clientNow(
  roster: Roster,
  known: BoxClient,
  { made }: StreamTokenFields,
): Promise<BoxClient | null> {
  if (made + TOKEN_PRECISION_MS <= roster.heardUntil) return known
  if (roster.isAway) throw new Away()
  return roster.findByIdNow(known.id)
}

function asksFor({ address, stream }: Asked, channel: ChannelAddress, paths: SortedPaths): boolean {
  return stream === null ? leadsTo(address, channel, paths) : isNamed(stream, channel, paths)
}

/** Whether the client may play now, and its box is the one that got the token, at the viewer's address. */
function mayPlay(
  { roster, seal, clock, comparesAddress }: StreamCheckDependencies,
  client: BoxClient,
  said: StreamTokenFields,
  viewer: string,
): boolean {
  if (client.device?.token_nonce == null || said.box !== boxMark(seal, client)) return false
  if (comparesAddress && (isIP(viewer) === 0 || !isInNetworkOf(seal, said, viewer))) return false
  const { locked_to_ip } = client.device
  const network = comparesAddress ? networkOf(viewer) : null
  const isComparable =
    network !== null && locked_to_ip !== null && familyOf(network) === familyOf(locked_to_ip)
  const place = { address: viewer, network: isComparable ? network : locked_to_ip, counted: null }
  return refusalOf(client, place, roster.unserved, clock()) === null
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

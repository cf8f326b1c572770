import type { IncomingMessage } from 'node:http'
import { type ParsedUrlQuery, parse } from 'node:querystring'
import type { FastifyBaseLogger, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Networks } from '../../access/network.ts'
import { isAccepted, LEAST_CHARACTERS } from '../../compression.ts'
import { goneOf } from '../../gone.ts'
import { isLost } from '../../postgres/errors.ts'
import { Refusal } from '../../refusal.ts'
import { Away, Unauthorized } from '../refusals.ts'
import { type Answer, type CallName, isCall } from './answers.ts'
import { servePage } from './page.ts'
import { checked, Prepared } from './prepared.ts'
import { type BoxRequest, NO_CALL, readRequest } from './request.ts'

/**
 * A request of a box that says its MAC. `gone` is aborted once the box has disconnected; null where it is answered at
 * once.
 */
export type BoxCall = BoxRequest & { mac: string; gone: AbortSignal | null }

/** What carries out each call. */
export type BoxHandlers = {
  readonly [Name in CallName]: (request: BoxCall) => Promise<Answer<Name> | Prepared>
}

/** Where boxes look for a portal: each app and each firmware has a path of its own. */
export const PATHS = [
  '/portal.php',
  '/server/load.php',
  '/stalker_portal/server/load.php',
  '/c/server/load.php',
  // Kodi, where the address of the portal was typed without its last slash.
  '/c',
  '/stalker_portal/c',
]

/** Where somebody arrives who has left the path of the page or its last slash out, and where the page is. */
const PAGES: Readonly<Record<string, string>> = {
  '/c': '/c/',
  '/stalker_portal/c': '/stalker_portal/c/',
  '/': '/c/',
}

const JSON_TYPE = 'application/json; charset=utf-8'

const HEADERS = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' }

/** The most bytes of a body: a box sends a few fields. */
const MOST_BODY = 8 * 1024

type BoxRouteDependencies = {
  handlers: BoxHandlers
  networks: Networks
  /** Whether nothing else is served here, so that `/` is the boxes' too. */
  alone: boolean
}

/** Registers the calls of the boxes. Nothing of a request is logged but its call: its query may hold a password. */
export async function serveBoxCalls(
  app: FastifyInstance,
  { handlers, networks, alone }: BoxRouteDependencies,
): Promise<void> {
  await app.register(async (boxes) => {
    boxes.removeAllContentTypeParsers()
    boxes.addContentTypeParser(
      'application/x-www-form-urlencoded',
      { parseAs: 'string' },
      async (_: FastifyRequest, body: string) => Object.fromEntries(new URLSearchParams(body)),
    )
    // Some apps send all fields in the query, and a body that repeats some as JSON.
    boxes.addContentTypeParser('*', { parseAs: 'buffer' }, async () => undefined)
    boxes.setErrorHandler(sendFault)
    servePage(boxes)
    for (const url of alone ? [...PATHS, '/'] : PATHS) {
      // No browser reads these answers, and boxes poll often.
      const config = { isForBoxes: true }
      boxes.route({ method: ['GET', 'POST'], url, bodyLimit: MOST_BODY, config, handler: answer })
    }
  })

  async function answer(request: FastifyRequest, reply: FastifyReply) {
    reply.headers(HEADERS)
    const asked = readRequest(request, networks)
    const { call, mac } = asked
    const page = PAGES[request.routeOptions.url ?? '']
    if (page && call === NO_CALL && request.method === 'GET') return reply.redirect(page)
    if (!isCall(call)) return sendText(reply, 404, 'There is no such call.')
    request.call = call
    if (mac === null) return sendText(reply, 200, 'Unauthorized request.')
    const made = await handlers[call]({ ...asked, mac, gone: goneOf(reply.raw) })
    reply.type(JSON_TYPE)
    if (!(made instanceof Prepared)) return reply.send(checked(call, made))
    if (made.json.length < LEAST_CHARACTERS) return reply.send(made.json)
    reply.header('vary', 'accept-encoding')
    if (!isAccepted(request.headers, 'gzip')) return reply.send(made.json)
    return reply.header('content-encoding', 'gzip').send(await made.gzipped())
  }

  function sendFault(error: unknown, request: FastifyRequest, reply: FastifyReply) {
    if (error instanceof Unauthorized) return sendText(reply, 200, error.message)
    if (error instanceof Away || error instanceof Refusal || isLost(error))
      return sendText(reply.header('retry-after', 60), 503, 'Please try again soon.')
    const { statusCode: status = 500 } = error as { statusCode?: number }
    if (status >= 400 && status < 500) return sendText(reply, status, 'This is no call of a box.')
    request.log.error({ err: error }, 'a call of a box failed')
    return sendText(reply, 503, 'Please try again soon.')
  }
}

/** An answer to a poll that Fastify has not seen: its headers are a name, its value, the next name, … */
export type PollAnswer = { call: CallName; headers: readonly string[]; body: string }

type PollReader = {
  networks: Networks
  log: FastifyBaseLogger
  answerAtOnce: (request: BoxCall) => Prepared | null
}

/** Returns a function that answers a poll at once; null where it is no poll or where memory does not know enough. */
export function pollReader({
  networks,
  log,
  answerAtOnce,
}: PollReader): (request: IncomingMessage, ip: string) => PollAnswer | null {
  const headers = Object.entries({ ...HEADERS, 'content-type': JSON_TYPE }).flat()
  return ({ method, url = '', headers: sent, socket }, ip) => {
    if (method !== 'GET' || !url.includes('action=get_events')) return null
    const end = url.indexOf('?')
    if (!PATHS.includes(url.slice(0, end))) return null
    const from = { headers: sent, socket, ip, log }
    const asked = readRequest({ ...from, query: parsed(url.slice(end + 1)), body: undefined }, networks)
    const { call, mac } = asked
    if (call !== 'watchdog/get_events' || mac === null) return null
    const made = answerAtOnce({ ...asked, mac, gone: null })
    return made && { call, headers, body: String(made.json) }
  }
}

/** Parses a query. Boxes of one kind send the same one, so that a few are kept. */
function parsed(query: string): ParsedUrlQuery {
  const known = parsedQueries.get(query)
  if (known) return known
  if (parsedQueries.size === MOST_QUERIES) parsedQueries.clear()
  const fields = parse(query)
  parsedQueries.set(query, fields)
  return fields
}

const MOST_QUERIES = 100
const parsedQueries = new Map<string, ParsedUrlQuery>()

function sendText(reply: FastifyReply, status: number, text: string) {
  return reply.code(status).type('text/plain; charset=utf-8').send(text)
}

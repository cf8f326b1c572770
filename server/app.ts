import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify'
import type * as z from 'zod/mini'
import { atPlaceOf, type Call, everyCall, pathParameters } from '../contract/call.ts'
import { calls } from '../contract/calls.ts'
import { checkKey } from './access/canary.ts'
import { openCaptcha } from './access/captcha.ts'
import { createSeal, hash } from './access/seal.ts'
import { holdSession, whoIs } from './access/session.ts'
import type { Config } from './config.ts'
import type { Account, Business, Context, File, OpenContext } from './context.ts'
import { audit } from './corridor/audit.ts'
import { compress } from './corridor/compress.ts'
import { limitConnections, REQUEST_TIMES } from './corridor/connections.ts'
import { serveConsole } from './corridor/console.ts'
import { type FreeSpace, watchDisk } from './corridor/disk.ts'
import { refusalOf } from './corridor/faults.ts'
import { checkHealth } from './corridor/health.ts'
import { answerOnce } from './corridor/idempotency.ts'
import { openPage } from './corridor/openapi/routes.ts'
import { handlers } from './handlers.ts'
import { watchNetworks } from './network.ts'
import { type Access, begin, seek } from './postgres/begin.ts'
import { whileAnswering } from './postgres/lines.ts'
import { CONNECTIONS, type Connect, type Sql } from './postgres/pool.ts'
import { notFound, Refusal } from './refusal.ts'
import { Turns } from './turns.ts'

export type AppDependencies = {
  config: Config
  /** Where the database of the pool is. */
  database: Connect
  sql: Sql
  secretKey: Uint8Array
  log: FastifyBaseLogger
  /** The free space under the database; null where it runs elsewhere. */
  freeSpace: FreeSpace | null
  /** "Now", so that tests can stand at midnight. */
  clock?: () => Date
}

/** A call as the corridor sees it, whatever its types are. */
type Walker =
  | ((context: Context, input: unknown) => Promise<unknown>)
  | { outside: (context: Context, input: unknown, begin: Begin) => Promise<unknown> }
type Begin = (act: (inside: Context) => Promise<unknown>) => Promise<unknown>
type Open = (context: OpenContext, input: unknown) => Promise<unknown>
type Caller = Pick<Context, 'account' | 'session'>

/** The most bytes of a body, and of one that names a thousand clients. */
const MOST_BODY = 32 * 1024
const MOST_LONG_BODY = 256 * 1024

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller | null
    /** Aborted once the caller has disconnected. Fastify's own `signal` is also aborted once a body has come whole. */
    gone: AbortSignal | null
  }
}

/**
 * The corridor: the one pipeline that every call walks, and beside it the console's own files.
 * @throws StartFault where the secret key is not this database's
 */
export async function openApp(dependencies: AppDependencies) {
  const { config, database, sql, secretKey, log, freeSpace, clock = () => new Date() } = dependencies
  const business: Business = {
    database,
    zone: config.timeZone,
    trialsPerDay: config.trialsPerDay,
    seal: createSeal(secretKey),
    captcha: openCaptcha(config.captcha, secretKey),
    dataDir: config.dataDir,
  }
  const disk = watchDisk(freeSpace, config.freeDiskMb, log)
  const networks = watchNetworks(config.trustedProxies, log, clock)
  const turns = new Turns<number>({
    each: MOST_OF_ACCOUNT,
    patience: { ms: 10_000, sorry: 'Too much is under way for your account. Please try again in a moment.' },
  })
  await checkKey(sql, business.seal)
  const app: FastifyInstance = Fastify({
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true }),
    trustProxy: config.trustedProxies.length > 0 ? config.trustedProxies : false,
    ...REQUEST_TIMES,
    // A HEAD would use up the ticket of a file, and read the whole of it for nothing.
    exposeHeadRoutes: false,
    forceCloseConnections: 'idle',
    // Whoever still has a connection when the server closes is answered on it, and then it ends.
    return503OnClosing: false,
    routerOptions: { maxParamLength: 300 },
    frameworkErrors: (error, request, reply) => fail(error, request, reply),
    clientErrorHandler: hangUp,
  })
  app.decorateRequest('caller', null)
  app.decorateRequest('gone', null)
  app.removeContentTypeParser('text/plain')
  app.setErrorHandler(fail)
  limitConnections(app, config.trustedProxies, log)
  stayOnHttps(app)
  logAnswers(app)
  closeAsTheyFallIdle(app)

  app.register(
    async (api) => {
      api.addHook('onSend', async (_request, reply) => {
        reply.header('cache-control', 'no-store')
      })
      api.addHook('onSend', compress)
      api.get('/health', () => checkHealth(sql, disk, networks))
      for (const call of everyCall(calls)) route(api, call, atPlaceOf(call, handlers) as Walker)
      openPage(api)
      // Routes, because the console's files answer every other address; the handler is for methods that have none.
      for (const path of ['/', '/*']) api.all(path, refuseUnknown)
      api.setNotFoundHandler(refuseUnknown)
    },
    { prefix: '/v1' },
  )
  await serveConsole(app, config.captcha.provider)
  return app

  function route(api: FastifyInstance, call: Call, act: Walker): void {
    api.route({
      method: call.method,
      url: call.path.replace(/\{(\w+)\}/g, ':$1'),
      bodyLimit: call.longBody ? MOST_LONG_BODY : MOST_BODY,
      // Before the body is read: a stranger's is never looked at.
      onRequest: async (request, reply) => {
        request.gone = goneOf(reply)
        request.caller = await admit(call, request)
      },
      handler: async (request, reply) => {
        disk.admit(call)
        const input = parse(call, request)
        const { caller } = request
        const result = caller
          ? await answerTo(caller, call, act, request, input)
          : await answerAnyone(call, act as Open, request, input)
        return answer(reply, call, result)
      },
    })
  }

  async function admit(call: Call, request: FastifyRequest): Promise<Caller | null> {
    if (call.roles === 'anyone') return null
    const session = hash(tokenOf(request))
    const account = await seek(sql, () => whoIs(sql, session, clock()))
    return { account: allowed(call, account), session }
  }

  async function answerAnyone(call: Call, act: Open, request: FastifyRequest, input: unknown) {
    const result = await whileAnswering(sql, () => act(contextOf(request), input))
    return call.answer ? result : call.output.parse(result)
  }

  /** Answers somebody with a session, in one of the few turns that an account has at once. */
  function answerTo(caller: Caller, call: Call, act: Walker, request: FastifyRequest, input: object) {
    const work = () => {
      const context = { ...contextOf(request), ...caller }
      const begin: Begin = (act) =>
        beginAgain(sql, call.changes ? 'read write' : 'read only', (sql) =>
          walk(call, { ...context, sql }, request, input, act),
        )
      return typeof act === 'function'
        ? begin((inside) => act(inside, input))
        : whileAnswering(sql, () => act.outside(context, input, begin))
    }
    return turns.run(caller.account.id, work, request.gone)
  }

  function contextOf(request: FastifyRequest): OpenContext {
    return {
      sql,
      now: clock(),
      business,
      address: request.ip,
      network: networks.of(request),
      gone: request.gone,
    }
  }
}

/** What a call's transaction does around its handler: judges the session as it is now, keeps the key and the audit. */
async function walk(
  call: Call,
  context: Context,
  request: FastifyRequest,
  input: object,
  act: (inside: Context) => Promise<unknown>,
): Promise<unknown> {
  const account = allowed(call, await whoIs(context.sql, context.session, context.now))
  const inside = { ...context, account }
  const carryOut = async () => call.output.parse(await act(inside))
  if (!call.changes) return carryOut()
  const reply = await answerOnce(inside, call, request, async () => {
    const output = await carryOut()
    await audit(inside, call, input)
    return output
  })
  // A logout has just ended it.
  if (call !== calls.session.logout) await holdSession(inside)
  return reply
}

function allowed(call: Call, account: Account): Account {
  if (call.roles.includes(account.role)) return account
  throw new Refusal('wrong_role', 'Your account cannot do this.')
}

/** Calls that an account may have under way, so that one alone never has all connections. Files are apart from this. */
const MOST_OF_ACCOUNT = CONNECTIONS - 2

/**
 * Of two calls that wait for each other, as two that swap their MACs do, the database ends one. It has done nothing
 * then, and begins again once the other is through.
 */
async function beginAgain<Result>(
  sql: Sql,
  access: Access,
  work: (sql: Sql) => Promise<Result>,
): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await begin(sql, work, access)
    } catch (error) {
      const isDeadlock = error instanceof Error && 'code' in error && error.code === '40P01'
      if (!isDeadlock || attempt === MOST_ATTEMPTS) throw error
    }
    await pause(PAUSE_MS * attempt)
  }
}

const MOST_ATTEMPTS = 5
const PAUSE_MS = 50

function goneOf(reply: FastifyReply): AbortSignal {
  const gone = new AbortController()
  reply.raw.once('close', () => gone.abort())
  return gone.signal
}

function refuseUnknown(): never {
  throw notFound()
}

/** Either header carries the token. */
function tokenOf(request: FastifyRequest): string {
  const own = request.headers['access-token']
  if (typeof own === 'string' && own !== '') return own
  return /^Bearer (.+)$/i.exec(request.headers.authorization ?? '')?.[1] ?? ''
}

function parse(call: Call, request: FastifyRequest): object {
  const sent = call.method === 'GET' ? request.query : request.body === undefined ? {} : request.body
  const parameters = request.params as Record<string, string>
  const named = pathParameters(call.path)
  const input = isRecord(sent)
    ? { ...sent, ...Object.fromEntries(named.map((key) => [key, parameters[key]])) }
    : sent
  const read = call.input.safeParse(input)
  if (read.success) return read.data as object
  throw new Refusal('invalid_input', firstOf(read.error), { errors: byField(read.error) })
}

function answer(reply: FastifyReply, call: Call, result: unknown) {
  if (call.answer !== 'file') return reply.send(result)
  const file = result as File
  reply.header('content-type', file.type)
  reply.header('content-disposition', `attachment; filename="${file.name}"`)
  // Fastify cuts the connection then, and logs nothing while its own log of requests is off.
  file.body.on('error', (err) => reply.log.warn({ err }, 'a file was cut'))
  return reply.send(file.body)
}

/** Every failure in the one shape: a refusal as it is, anything else logged and without its internals. */
function fail(error: unknown, request: FastifyRequest, reply: FastifyReply) {
  const refusal = isHungUp(error, request) ? NOT_WHOLE : refusalOf(error)
  // A refusal that we threw ourselves is a decision, such as that of a full disk, and no fault.
  if (refusal.httpStatus >= 500 && error !== refusal) request.log.error({ err: error }, 'a call failed')
  if (refusal.retryAfter !== undefined) reply.header('retry-after', Math.ceil(refusal.retryAfter))
  reply.header('cache-control', 'no-store')
  return reply.code(refusal.httpStatus).send(refusal.body)
}

/**
 * Whoever sent a request has gone in the middle of its body, or was cut for taking too long: a flood leaves one for
 * each connection. Node calls it 'aborted' with the code of a connection that was reset, as one of the database's is.
 */
function isHungUp(error: unknown, { raw }: FastifyRequest): boolean {
  return raw.errored !== null && raw.errored === error
}

const NOT_WHOLE = new Refusal('invalid_input', 'The body did not come whole.')

/** What is no HTTP, has headers without end or comes too slowly: answered where the line still stands, and cut. */
function hangUp(error: Error & { code?: string }, socket: Socket) {
  if (socket.writable && error.code !== 'ECONNRESET') {
    const { httpStatus, body } = new Refusal(
      error.code === 'HPE_HEADER_OVERFLOW' ? 'too_large' : 'invalid_input',
      NOT_UNDERSTOOD[error.code ?? ''] ?? 'This is no request that Boxtree understands.',
    )
    const text = JSON.stringify(body)
    socket.write(
      [
        `HTTP/1.1 ${httpStatus} ${STATUS_CODES[httpStatus]}`,
        'content-type: application/json; charset=utf-8',
        `content-length: ${Buffer.byteLength(text)}`,
        'cache-control: no-store',
        'connection: close',
        '',
        text,
      ].join('\r\n'),
    )
  }
  socket.destroySoon()
}

const NOT_UNDERSTOOD: Record<string, string> = {
  HPE_HEADER_OVERFLOW: 'The headers are too large.',
  ERR_HTTP_REQUEST_TIMEOUT: 'The request took too long to come.',
}

/** Closing ends the connections that are idle then; one with an answer under way would stay open after it. */
function closeAsTheyFallIdle(app: FastifyInstance) {
  app.addHook('preClose', async () => {
    const sweep = setInterval(() => app.server.closeIdleConnections(), 50)
    app.server.once('close', () => clearInterval(sweep))
  })
}

/**
 * Tells a browser that came by https to come by nothing else for a year. Whether it did is what a trusted proxy says;
 * the names beneath this one may be somebody else's, so nothing is said of them.
 */
function stayOnHttps(app: FastifyInstance) {
  app.addHook('onSend', async (request, reply) => {
    if (request.protocol === 'https') reply.header('strict-transport-security', 'max-age=31536000')
  })
}

function logAnswers(app: FastifyInstance) {
  app.addHook('onResponse', async (request, reply) => {
    if (!request.routeOptions.url?.startsWith('/v1/')) return
    request.log.info({
      call: `${request.method} ${request.routeOptions.url}`,
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime),
      account: request.caller?.account.id,
    })
  })
}

function byField(error: z.core.$ZodError): Record<string, string> {
  const errors: Record<string, string> = {}
  for (const issue of error.issues) {
    const field = issue.code === 'unrecognized_keys' ? (issue.keys[0] ?? '') : issue.path.join('.')
    errors[field] ??= issue.message
  }
  return errors
}

function firstOf(error: z.core.$ZodError): string {
  const issue = error.issues[0]
  if (!issue) return 'This is not allowed.'
  const field = issue.path.join('.')
  const about = field && issue.message.startsWith('This ') ? `${field}: ` : ''
  return `${about}${issue.message}.`
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

import type { IncomingMessage } from 'node:http'
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify'
import { atPlaceOf, type Call, everyCall } from '../contract/call.ts'
import { calls } from '../contract/calls.ts'
import { MOST_COMPRESSED } from '../contract/channels.ts'
import type { ServerReport } from '../contract/system.ts'
import { openCaptcha } from './access/captcha.ts'
import { storeOrCheckKey } from './access/key-check.ts'
import { type Networks, trusting } from './access/network.ts'
import type { Seal } from './access/seal.ts'
import type { Gateway } from './boxes/gateway.ts'
import { refuseBoxes } from './boxes/refuse-boxes.ts'
import type { Config } from './config.ts'
import type { Business } from './context.ts'
import { watchAnswers } from './corridor/answer-log.ts'
import { compress } from './corridor/compress.ts'
import {
  allowUpload,
  BOX_IDLE_MS,
  closeIdleConnections,
  limitConnections,
  REQUEST_TIMES,
} from './corridor/connections.ts'
import { protectBrowsers, serveConsole, shortenPolicy } from './corridor/console.ts'
import { type FreeSpace, watchDisk } from './corridor/disk.ts'
import { answerEarly } from './corridor/early-answer.ts'
import { unavailable } from './corridor/error-to-refusal.ts'
import { openHealth } from './corridor/health.ts'
import { stayOnHttps } from './corridor/hsts.ts'
import { serveReference } from './corridor/openapi/routes.ts'
import { type AnyHandler, openPipeline } from './corridor/pipeline.ts'
import { readBodies } from './corridor/request-body.ts'
import { ID_FIELD, idsOfRequests, sendIds } from './corridor/request-id.ts'
import { rejectConnections, sendRefusal } from './corridor/send-refusal.ts'
import { goneOf } from './gone.ts'
import { handlers } from './handlers.ts'
import { measureWrites } from './metrics.ts'
import { endSpares } from './nouns/exports/spare-processes.ts'
import type { Clock } from './postgres/clock.ts'
import type { Connect, Sql } from './postgres/pool.ts'
import { notFound } from './refusal.ts'

export type AppDependencies = {
  config: Config
  database: Connect
  sql: Sql
  secretKey: Uint8Array
  /** The seal of that key. */
  seal: Seal
  log: FastifyBaseLogger
  /** The free space under the database; null where it runs elsewhere. */
  freeSpace: FreeSpace | null
  /** The database's clock. */
  clock: Clock
  leaving: AbortSignal
  networks: Networks
  report: () => Promise<ServerReport>
  /** Null where this process does not serve boxes. */
  gateway: Gateway | null
}

/** The most bytes of a body: of one with a few fields, with a thousand names, and with a compressed file in base64. */
const MOST_BODY = { short: 32 * 1024, long: 256 * 1024, file: 2 * MOST_COMPRESSED }

/** Opens the server of PORT, with the boxes where they have no port of their own. @throws StartFault for a wrong key */
export async function openApp(dependencies: AppDependencies) {
  const { config, database, sql, secretKey, seal, log, freeSpace, clock } = dependencies
  const { leaving, networks, report, gateway } = dependencies
  const disk = watchDisk(freeSpace, config.freeDiskMb, log)
  const { ready, health, canWrite } = openHealth({ sql, disk, networks, clock, leaving })
  measureWrites(canWrite)
  const business: Business = {
    database,
    zone: config.timeZone,
    trialsPerDay: config.trialsPerDay,
    playlist: config.playlist,
    seal,
    captcha: openCaptcha(config.captcha, secretKey),
    dataDir: config.dataDir,
    self: {
      report,
      canWrite,
      clockBehind: clock.behind,
      seesSilentProxy: networks.seesSilentProxy,
    },
  }
  const pipeline = openPipeline({ sql, business, disk, networks, clock })
  await storeOrCheckKey(sql, seal)
  const app = openFastify(config, log)
  protectBrowsers(app, config.captcha.provider)
  const areBoxesServed = gateway !== null && config.boxPort === null
  if (areBoxesServed) await serveGateway(app, config, gateway, { alone: false })
  refuseBoxes(app, { areServed: areBoxesServed })
  app.register(async (api) => serveCalls(api, pipeline, { ready, health }), { prefix: '/v1' })
  app.addHook('onClose', async () => endSpares())
  await serveConsole(app)
  return app
}

type Pipeline = ReturnType<typeof openPipeline>

/** Serves every call of the contract, the reference, and what load balancers and operators ask. */
function serveCalls(
  api: FastifyInstance,
  pipeline: Pipeline,
  { ready, health }: Pick<ReturnType<typeof openHealth>, 'ready' | 'health'>,
): void {
  api.addHook('onSend', async (_request, reply) => {
    reply.header('cache-control', 'no-store')
  })
  api.addHook('onSend', shortenPolicy)
  api.addHook('onSend', compress)
  api.get('/live', UNLOGGED, async () => ({ status: 'OK' }))
  api.get('/ready', UNLOGGED, ready)
  api.get('/health', UNLOGGED, health)
  for (const call of everyCall(calls)) serveCall(api, pipeline, call)
  serveReference(api)
  // Unknown paths under /v1 have routes, because the console's route would take them; the not-found handler is for
  // methods that no route has. They are refused before the body is read, whose type may be unknown.
  for (const path of ['/', '/*']) api.all(path, { onRequest: refuseUnknown }, refuseUnknown)
  api.setNotFoundHandler(refuseUnknown)
}

function serveCall(api: FastifyInstance, pipeline: Pipeline, call: Call): void {
  const handler = atPlaceOf(call, handlers) as AnyHandler
  api.route({
    method: call.method,
    url: call.path.replace(/\{(\w+)\}/g, ':$1'),
    bodyLimit: MOST_BODY[call.body],
    // Before the body is read, so that a stranger's body never is.
    onRequest: async (request, reply) => {
      request.call = call.name
      request.gone = goneOf(reply.raw)
      request.caller = await pipeline.callerOf(call, handler, request)
      if (call.body === 'file') allowUpload(request)
    },
    handler: pipeline.runnerOf(call, handler),
  })
}

/**
 * It is ready as long as it can answer boxes, which it can from memory for a while. @throws StartFault for a wrong key
 */
export async function openBoxApp(
  { config, sql, seal, log, leaving }: AppDependencies,
  gateway: Gateway,
): Promise<FastifyInstance> {
  await storeOrCheckKey(sql, seal)
  const app = openFastify(config, log)
  app.server.keepAliveTimeout = BOX_IDLE_MS
  app.get('/v1/live', UNLOGGED, async () => ({ status: 'OK' }))
  app.get('/v1/ready', UNLOGGED, async () => {
    if (leaving.aborted || !(await gateway.canAnswer())) throw unavailable()
    return { status: 'OK' }
  })
  app.setNotFoundHandler(refuseUnknown)
  await serveGateway(app, config, gateway, { alone: true })
  return app
}

async function serveGateway(
  app: FastifyInstance,
  { trustedProxies }: Config,
  gateway: Gateway,
  options: { alone: boolean },
): Promise<void> {
  await gateway.serve(app, options)
  answerEarly(app, trustedProxies, gateway.answerAtOnce)
}

/** For health checks, which come every few seconds and would fill the log. */
const UNLOGGED = { logLevel: 'silent' } as const

function openFastify(config: Config, log: FastifyBaseLogger): FastifyInstance {
  const app: FastifyInstance = Fastify({
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: ID_FIELD }),
    genReqId: idsOfRequests(config.trustedProxies),
    trustProxy: config.trustedProxies.length > 0 ? trusting(config.trustedProxies) : false,
    bodyLimit: MOST_BODY.short,
    ...REQUEST_TIMES,
    // A HEAD would use up an export's ticket, and read the whole file for nothing.
    exposeHeadRoutes: false,
    forceCloseConnections: 'idle',
    // Requests on connections that are still open while the server closes are answered.
    return503OnClosing: false,
    routerOptions: { maxParamLength: 300 },
    rewriteUrl: readable,
    frameworkErrors: (error, request, reply) => sendRefusal(error, request, reply),
    clientErrorHandler: rejectConnections(log),
  })
  app.decorateRequest('caller', null)
  app.decorateRequest('gone', null)
  readBodies(app)
  app.addHook('onRequest', leaveGone)
  app.addHook('preParsing', refuseUnread)
  app.setErrorHandler(sendRefusal)
  sendIds(app)
  limitConnections(app, { trustedProxies: config.trustedProxies, streamServers: config.streams.servers }, log)
  if (config.trustedProxies.length > 0) stayOnHttps(app)
  watchAnswers(app)
  closeIdleConnections(app)
  return app
}

/**
 * Returns the address of a request as the router looks for it. One that cannot be decoded, as where a link was cut off,
 * is taken as it is written: outside of /v1 the console then says that there is nothing.
 */
function readable({ url = '/' }: IncomingMessage): string {
  if (!url.includes('%') || url.startsWith('/v1/')) return url
  const [path = ''] = url.split('?', 1)
  try {
    decodeURIComponent(path)
    return url
  } catch {
    return path.replaceAll('%', '%25') + url.slice(path.length)
  }
}

/** Leaves a request whose sender has reset the connection: it has no address any more, and nobody waits for an answer. */
async function leaveGone({ socket }: FastifyRequest, reply: FastifyReply): Promise<void> {
  if (socket.remoteAddress !== undefined) return
  reply.hijack()
  socket.destroy()
}

/** Refuses what no route takes before its body is read; the console's page answers any other address. */
async function refuseUnread({ is404, method }: FastifyRequest): Promise<void> {
  if (is404 && method !== 'GET' && method !== 'HEAD') throw notFound()
}

function refuseUnknown(): never {
  throw notFound()
}

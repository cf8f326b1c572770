import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Call } from '../../contract/call.ts'
import { type Networks, withoutPort } from '../access/network.ts'
import { hash } from '../access/seal.ts'
import { endedRefusal, hasEnded, lockSession, whoIsStill } from '../access/session.ts'
import { openSessionLookup } from '../access/session-lookup.ts'
import {
  type Account,
  type Business,
  type Caller,
  type Context,
  type File,
  type OpenContext,
  Unchanged,
} from '../context.ts'
import { exportsTotal, replays } from '../metrics.ts'
import { sendAhead } from '../postgres/begin.ts'
import type { Clock } from '../postgres/clock.ts'
import { closeWhenSilent } from '../postgres/host-connections.ts'
import type { Sql } from '../postgres/pool.ts'
import { Refusal } from '../refusal.ts'
import { openCallLimits } from './call-limits.ts'
import { closingStatement } from './closing-statement.ts'
import { retryDeadlocks } from './deadlock.ts'
import type { Disk } from './disk.ts'
import { clockIsBehind, unavailable } from './error-to-refusal.ts'
import { claimKey, hasKey, repeated } from './idempotency.ts'
import { parse, tokenOf } from './parse.ts'
import { type Arrived, openShared, type Together } from './shared-transaction.ts'

export type AnyHandler =
  | ((context: Context, input: unknown) => Promise<unknown>)
  | { outside: OutsideHandler }
  | { alone: (context: Context, input: unknown) => Promise<unknown>; together: Together }
type OutsideHandler = (context: OpenContext & Caller, input: unknown, begin: Begin) => Promise<unknown>
type Begin = (act: (inside: Context) => Promise<unknown>) => Promise<unknown>
type OpenHandler = (context: OpenContext, input: unknown) => Promise<unknown>

type PipelineDependencies = {
  sql: Sql
  business: Business
  disk: Disk
  networks: Networks
  clock: Clock
}

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller | null
    /** Aborted once the caller has disconnected. Fastify's own `signal` is also aborted once a body has come whole. */
    gone: AbortSignal | null
  }
}

/** The steps of every call: admit the caller, parse the input, run the handler in a transaction, send the answer. */
export function openPipeline({ sql, business, disk, networks, clock }: PipelineDependencies) {
  const { calls, changes } = openCallLimits()
  const sessions = openSessionLookup(sql, clock.now)
  return { callerOf, runnerOf }

  /** Returns the caller of a request; null for a call that needs no session. */
  async function callerOf(call: Call, handler: AnyHandler, request: FastifyRequest): Promise<Caller | null> {
    if (clock.isStale()) await readClock()
    if (call.roles === 'anyone') return null
    const session = hash(tokenOf(request))
    const find = 'together' in handler ? sessions.findOrRemember : sessions.find
    return { account: allowed(call, await find(session)), session }
  }

  /** A call that went by a stale time would renew from a day that is over, and take a session that has ended. */
  async function readClock(): Promise<void> {
    await clock.read()
    if (clock.isStale()) throw unavailable({ unchanged: true })
  }

  /** Returns what carries out a call for each request. */
  function runnerOf(call: Call, handler: AnyHandler) {
    const carryOut = carriesOut(call, handler)
    return async (request: FastifyRequest, reply: FastifyReply) => {
      disk.requireRoom(call)
      const newest = call.needsSpace === 'plenty' ? clock.behind() : null
      if (newest) throw clockIsBehind(newest)
      const input = parse(call, request)
      const { caller } = request
      if (!caller) return send(reply, call, await runOpen(call, handler as OpenHandler, request, input))
      const arrived = { context: { ...contextOf(request), ...caller }, request, input }
      // It waits for a turn: only a few calls of an account run at the same time.
      return send(reply, call, await calls.run(caller.account.id, () => carryOut(arrived), request.gone))
    }
  }

  async function runOpen(call: Call, handler: OpenHandler, request: FastifyRequest, input: unknown) {
    const result = await closeWhenSilent(sql, () => handler(contextOf(request), input))
    return call.returns ? result : call.output.parse(result)
  }

  function carriesOut(call: Call, handler: AnyHandler): (arrived: Arrived) => Promise<unknown> {
    if (typeof handler === 'function') return (arrived) => runAlone(call, arrived, handler)
    if ('together' in handler)
      return openShared(sql, call, handler.together, (arrived) => runAlone(call, arrived, handler.alone))
    return (arrived) => closeWhenSilent(sql, () => runOutside(call, arrived, handler.outside))
  }

  /**
   * Carries out a call whose handler begins the transaction itself, once it has done what takes long. If it refuses
   * before, a repeat still gets the reply that is kept under its key: what is outside may have changed since.
   */
  async function runOutside(call: Call, arrived: Arrived, handler: OutsideHandler): Promise<unknown> {
    let hasBegun = false
    const begin: Begin = (act) => {
      hasBegun = true
      return runAlone(call, arrived, act)
    }
    try {
      return await handler(arrived.context, arrived.input, begin)
    } catch (error) {
      if (hasBegun || !(error instanceof Refusal) || !hasKey(call, arrived.request)) throw error
      return begin(() => Promise.reject(error))
    }
  }

  /** Carries out a call in a transaction of its own. */
  async function runAlone(
    call: Call,
    arrived: Arrived,
    act: (inside: Context, input: unknown) => Promise<unknown>,
  ): Promise<unknown> {
    const { context, request } = arrived
    const { account } = context
    const transact = () =>
      retryDeadlocks(sql, call.changes ? 'read write' : 'read only', (sql) =>
        // It may have waited for its turn until after midnight.
        runInTransaction(call, { ...arrived, context: { ...context, sql, now: clock.now() } }, act),
      )
    try {
      return await (call.changes ? changes.run(account.id, transact, request.gone) : transact())
    } catch (error) {
      if (error instanceof Unchanged) return call.output.parse(error.output)
      throw hasEnded(error) ? await endedRefusal(sql, account) : error
    }
  }

  function contextOf(request: FastifyRequest): OpenContext {
    const { ip, gone } = request
    return {
      sql,
      now: clock.now(),
      clock: clock.now,
      business,
      address: withoutPort(ip),
      network: networks.of(request),
      agent: agentOf(request),
      gone,
    }
  }
}

/** Returns the caller's User-Agent, cut to a length that is worth keeping. */
function agentOf({ headers }: FastifyRequest): string {
  return (headers['user-agent'] ?? '').replace(/[^\x20-\x7e]/g, '').slice(0, 200)
}

/** Runs a handler in the call's transaction: checks the session as it is now, and writes the audit and the key. */
async function runInTransaction(
  call: Call,
  { context, request, input }: Arrived,
  act: (inside: Context, input: unknown) => Promise<unknown>,
): Promise<unknown> {
  const { sql } = context
  // Both are sent at once. The account of a session never changes, so the key can be claimed for it meanwhile.
  const [account, claim] = await Promise.all([whoIsStill(context), claimKey(context, call, request)])
  allowed(call, account)
  const known = repeated(call, claim)
  if (known !== undefined) {
    replays.inc({ call: call.name })
    await sendAhead(sql, lockSession(context))
    return known
  }
  const result = await act({ ...context, account }, input)
  // Thrown, because an error rolls the transaction back.
  if (result instanceof Unchanged) throw result
  const output = call.output.parse(result)
  if (call.changes) {
    const held = call.endsSession ? null : context
    await sendAhead(sql, closingStatement(sql, call, [{ context, input, claim, output }], held))
  }
  return output
}

function allowed<Owner extends Pick<Account, 'role'>>(call: Call, account: Owner): Owner {
  if (call.roles.includes(account.role)) return account
  throw new Refusal('wrong_role', 'Your account cannot do this.')
}

function send(reply: FastifyReply, call: Call, result: unknown) {
  if (call.returns !== 'file') return reply.send(result)
  const file = result as File
  reply.header('content-type', file.type)
  reply.header('content-disposition', `attachment; filename="${file.name}"`)
  // Fastify cuts the connection then, and logs nothing while its own log of requests is off.
  file.body.on('error', (err) => reply.log.warn({ err }, 'a file was cut off before its end'))
  let isWhole = false
  file.body.once('end', () => {
    isWhole = true
  })
  file.body.once('close', () => exportsTotal.inc({ outcome: isWhole ? 'whole' : 'cut' }))
  return reply.send(file.body)
}

import type { FastifyBaseLogger, FastifyInstance } from 'fastify'
import type { Counter, Histogram } from 'prom-client'
import { callSeconds, callsTotal } from '../metrics.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The name of the call, from the contract or the boxes' list, or of a stream check; empty for anything else. */
    call: string
  }
}

/** Logs and counts each answer by its call. */
export function watchAnswers(app: FastifyInstance) {
  app.decorateRequest('call', '')
  app.addHook('onResponse', (request, reply, done) => {
    const { url = '' } = request.routeOptions
    const gate = url.startsWith('/v1/') ? 'console' : 'boxes'
    const { call } = request
    const answered = { status: reply.statusCode, ms: reply.elapsedTime }
    // A path or an action that is not ours has no name, and would be a label that a stranger chooses.
    if (call) countAnswer({ gate, call, ...answered })
    const account = request.caller?.account.id
    logAnswer(request.log, { gate, call: call || `${request.method} ${url}`, ...answered, account })
    done()
  })
}

type Answered = { gate: 'console' | 'boxes'; call: string; status: number; ms: number }

/**
 * Calls of boxes, stream checks and the console's files are many and say little, so that only the level `debug` has them.
 */
export function logAnswer(
  log: FastifyBaseLogger,
  { gate, ms, ...said }: Answered & { account?: number | undefined; request_id?: string },
): void {
  log[gate === 'console' ? 'info' : 'debug']({ ...said, ms: Math.round(ms) }, 'answered')
}

export function countAnswer({ gate, call, status, ms }: Answered): void {
  const counted = `${gate} ${call} ${status}`
  let counters = known.get(counted)
  if (counters === undefined) {
    counters = {
      calls: callsTotal.labels(gate, call, String(status)),
      seconds: callSeconds.labels(gate, call),
    }
    known.set(counted, counters)
  }
  counters.calls.inc()
  counters.seconds.observe(ms / 1000)
}

/** The counters by their labels, which the library would put together anew for each answer. */
const known = new Map<string, { calls: Counter.Internal; seconds: Histogram.Internal<string> }>()

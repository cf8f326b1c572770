import type { FastifyInstance, FastifyReply } from 'fastify'
import type { Counter, Histogram } from 'prom-client'
import { callSeconds, callsTotal } from '../metrics.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The name of the call, from the contract or the boxes' list; empty for anything else. */
    call: string
  }
}

/** Polls of boxes and the console's files are many and say little, so that only the level `debug` has them. */
export function watchAnswers(app: FastifyInstance) {
  app.decorateRequest('call', '')
  app.addHook('onResponse', (request, reply, done) => {
    const { url = '' } = request.routeOptions
    const isOfPeople = url.startsWith('/v1/')
    // A path or an action that is not ours has no name, and would be a label that a stranger chooses.
    if (request.call) count(isOfPeople ? 'console' : 'boxes', request.call, reply)
    request.log[isOfPeople ? 'info' : 'debug'](
      {
        call: request.call || `${request.method} ${url}`,
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime),
        account: request.caller?.account.id,
      },
      'answered',
    )
    done()
  })
}

function count(gate: 'console' | 'boxes', call: string, reply: FastifyReply): void {
  const counted = `${gate} ${call} ${reply.statusCode}`
  let counters = known.get(counted)
  if (counters === undefined) {
    counters = {
      calls: callsTotal.labels(gate, call, String(reply.statusCode)),
      seconds: callSeconds.labels(gate, call),
    }
    known.set(counted, counters)
  }
  counters.calls.inc()
  counters.seconds.observe(reply.elapsedTime / 1000)
}

/** The counters by their labels, which the library would put together anew for each answer. */
const known = new Map<string, { calls: Counter.Internal; seconds: Histogram.Internal<string> }>()

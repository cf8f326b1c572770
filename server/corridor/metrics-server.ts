import Fastify, { type FastifyInstance } from 'fastify'
import { collectDefaultMetrics } from 'prom-client'
import { registry } from '../metrics.ts'
import { REQUEST_TIMES } from './connections.ts'

/** Opens the server of METRICS_PORT, which Prometheus asks for the metrics and which answers nothing else. */
export function openMetrics(): FastifyInstance {
  collectDefaultMetrics({ register: registry })
  // Their names end with `_total`, which Prometheus allows for counters only. Other metrics count the same by kind.
  for (const what of ['handles', 'requests', 'resources'])
    registry.removeSingleMetric(`nodejs_active_${what}_total`)
  const app = Fastify({ ...REQUEST_TIMES, exposeHeadRoutes: false, forceCloseConnections: true })
  app.get('/metrics', async (_request, reply) =>
    reply.type(registry.contentType).send(await registry.metrics()),
  )
  return app
}

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { notFound } from '../refusal.ts'
import { PATHS } from './wire/routes.ts'

/**
 * Refuses what boxes and stream servers ask where only the console is served; and where boxes are served beside it,
 * what is below their paths, as after a slash too many. The console's page, which answers any other address, would let
 * everybody watch: to nginx each 200 is a yes.
 */
export function refuseBoxes(app: FastifyInstance, { areServed }: { areServed: boolean }): void {
  let isTold = false
  for (const path of [...(areServed ? [] : PATHS), ...PATHS.map((path) => `${path}/*`)])
    app.all(path, { onRequest: refuse }, refuse)
  app.all('/stream/*', { onRequest: refuseCheck }, refuseCheck)

  async function refuseCheck({ ip: peer, log }: FastifyRequest, reply: FastifyReply) {
    if (!isTold) log.warn({ peer }, WRONG_ADDRESS)
    isTold = true
    return reply.code(403).type('text/plain; charset=utf-8').send('No')
  }
}

const WRONG_ADDRESS =
  'a stream server asks for stream checks where none are answered, and every check is refused: let it ask /stream/check at BOX_PORT, or at a server whose SERVE names boxes'

function refuse(): never {
  throw notFound()
}

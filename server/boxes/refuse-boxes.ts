import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { notFound } from '../refusal.ts'
import { STREAM_CHECK } from './streams/stream-check.ts'
import { PAGE_FOLDERS } from './wire/page.ts'
import { PATHS } from './wire/routes.ts'

/**
 * Refuses whatever boxes and stream servers ask where only the console is served. Its page, which answers any other
 * address, would let everybody watch: to nginx each 200 is a yes.
 */
export function refuseBoxes(app: FastifyInstance): void {
  let isTold = false
  for (const path of [...PATHS, ...PAGE_FOLDERS.map((folder) => `${folder}*`)])
    app.all(path, { onRequest: refuse }, refuse)
  app.all(STREAM_CHECK, { onRequest: refuseCheck }, refuseCheck)

  async function refuseCheck({ ip: peer, log }: FastifyRequest, reply: FastifyReply) {
    if (!isTold) log.warn({ peer }, WRONG_PORT)
    isTold = true
    return reply.code(403).type('text/plain; charset=utf-8').send('No')
  }
}

const WRONG_PORT =
  'a stream server asks for stream checks where no boxes are served, and every check is refused: let it ask BOX_PORT, or a server whose SERVE names boxes'

function refuse(): never {
  throw notFound()
}

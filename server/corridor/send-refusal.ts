import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyBaseLogger, FastifyReply, FastifyRequest } from 'fastify'
import { Refusal } from '../refusal.ts'
import { isUploading } from './connections.ts'
import { toRefusal } from './error-to-refusal.ts'
import { ID_FIELD, ID_HEADER, newId } from './request-id.ts'

/** Sends a failure: a refusal as it is, any other error without its internals, which are logged. */
export function sendRefusal(error: unknown, request: FastifyRequest, reply: FastifyReply) {
  const refusal = isAborted(error, request) ? NOT_WHOLE : toRefusal(error)
  // A refusal that the server itself threw, such as that of a full disk, is a decision and no fault.
  if (refusal.httpStatus >= 500 && error !== refusal) request.log.error({ err: error }, 'a call failed')
  if (refusal.cause !== undefined)
    request.log.warn({ err: refusal.cause }, 'a call was refused because of an error')
  if (refusal.retryAfter !== undefined) reply.header('retry-after', Math.ceil(refusal.retryAfter))
  reply.header('cache-control', 'no-store')
  // An address that the router cannot read gets here without passing a hook.
  reply.header(ID_HEADER, request.id)
  return reply.code(refusal.httpStatus).send(refusal.bodyOf(request.id))
}

/** The errors are compared, because the code ECONNRESET is also that of a lost connection to the database. */
function isAborted(error: unknown, { raw }: FastifyRequest): boolean {
  return raw.errored !== null && raw.errored === error
}

const NOT_WHOLE = new Refusal('invalid_input', 'The body did not come whole.')

/**
 * Answers a request that Node cannot parse, or that takes too long to arrive, and closes its connection. Where nothing
 * came there is no answer: browsers open some ahead, and would show it as the page that they ask for next.
 */
export function rejectConnections(log: FastifyBaseLogger) {
  return (error: Error & { code?: string }, socket: Socket) => {
    const { code = '' } = error
    if (code === TOO_LATE && isUploading(socket)) return
    if (socket.bytesRead > 0 && socket.writable && code !== 'ECONNRESET') {
      const id = newId()
      const refusal = new Refusal(
        code === 'HPE_HEADER_OVERFLOW' ? 'too_large' : 'invalid_input',
        REASONS[code] ?? 'This is no request that Boxtree understands.',
      )
      socket.write(answerOf(refusal, id))
      log.info({ [ID_FIELD]: id, status: refusal.httpStatus, code }, 'a request could not be read')
    }
    socket.destroySoon()
  }
}

/** For a connection that has none of Fastify's. */
function answerOf(refusal: Refusal, id: string): string {
  const text = JSON.stringify(refusal.bodyOf(id))
  return [
    `HTTP/1.1 ${refusal.httpStatus} ${STATUS_CODES[refusal.httpStatus]}`,
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(text)}`,
    'cache-control: no-store',
    `${ID_HEADER}: ${id}`,
    'connection: close',
    '',
    text,
  ].join('\r\n')
}

const TOO_LATE = 'ERR_HTTP_REQUEST_TIMEOUT'

const REASONS: Record<string, string> = {
  HPE_HEADER_OVERFLOW: 'The headers are too large.',
  [TOO_LATE]: 'The request took too long to come.',
}

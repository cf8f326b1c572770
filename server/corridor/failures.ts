import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Refusal } from '../refusal.ts'
import { refusalOf } from './faults.ts'

/** Sends a failure: a refusal as it is, any other error without its internals, which are logged. */
export function sendFailure(error: unknown, request: FastifyRequest, reply: FastifyReply) {
  const refusal = isAborted(error, request) ? NOT_WHOLE : refusalOf(error)
  // A refusal that the server itself threw, such as that of a full disk, is a decision and no fault.
  if (refusal.httpStatus >= 500 && error !== refusal) request.log.error({ err: error }, 'a call failed')
  if (refusal.retryAfter !== undefined) reply.header('retry-after', Math.ceil(refusal.retryAfter))
  reply.header('cache-control', 'no-store')
  return reply.code(refusal.httpStatus).send(refusal.body)
}

/**
 * Whether the connection of a request was closed or cut before its body was complete. Its code, ECONNRESET, is also
 * that of a lost connection to the database, so the errors themselves are compared.
 */
function isAborted(error: unknown, { raw }: FastifyRequest): boolean {
  return raw.errored !== null && raw.errored === error
}

const NOT_WHOLE = new Refusal('invalid_input', 'The body did not come whole.')

/**
 * Answers a request that Node cannot parse, or that takes too long to arrive, and closes its connection. A connection on
 * which nothing came is closed without an answer: browsers open some ahead of their needs, and would show that answer as
 * the page that they ask for next.
 */
export function rejectConnection(error: Error & { code?: string }, socket: Socket) {
  if (socket.bytesRead > 0 && socket.writable && error.code !== 'ECONNRESET') {
    const { httpStatus, body } = new Refusal(
      error.code === 'HPE_HEADER_OVERFLOW' ? 'too_large' : 'invalid_input',
      REASONS[error.code ?? ''] ?? 'This is no request that Boxtree understands.',
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

const REASONS: Record<string, string> = {
  HPE_HEADER_OVERFLOW: 'The headers are too large.',
  ERR_HTTP_REQUEST_TIMEOUT: 'The request took too long to come.',
}

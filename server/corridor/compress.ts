import type { FastifyReply, FastifyRequest } from 'fastify'
import { compressed, encodingFor, LEAST_CHARACTERS } from '../compression.ts'

/** Compresses an answer that is a string; files are streamed as they are. */
export async function compress(request: FastifyRequest, reply: FastifyReply, body: unknown) {
  if (typeof body !== 'string' || body.length < LEAST_CHARACTERS) return body
  reply.header('vary', 'accept-encoding')
  const encoding = encodingFor(request)
  if (!encoding) return body
  reply.header('content-encoding', encoding)
  reply.removeHeader('content-length')
  return compressed(body, encoding)
}

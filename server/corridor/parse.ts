import type { FastifyRequest } from 'fastify'
import type * as z from 'zod/mini'
import { type Call, pathParameters } from '../../contract/call.ts'
import { isFields } from '../../contract/merge.ts'
import { Refusal } from '../refusal.ts'

export function tokenOf(request: FastifyRequest): string {
  const own = request.headers['access-token']
  if (typeof own === 'string' && own !== '') return own
  return /^Bearer (.+)$/i.exec(request.headers.authorization ?? '')?.[1] ?? ''
}

/** Returns path parameters with query or body. @throws Refusal where they do not match the call's schema */
export function parse(call: Call, request: FastifyRequest): object {
  const sent = call.method === 'GET' ? request.query : request.body === undefined ? {} : request.body
  const parameters = request.params as Record<string, string>
  const named = pathParameters(call.path)
  const input = isFields(sent)
    ? { ...sent, ...Object.fromEntries(named.map((key) => [key, parameters[key]])) }
    : sent
  const read = call.input.safeParse(input)
  if (read.success) return read.data as object
  throw new Refusal('invalid_input', firstOf(read.error), { errors: byField(read.error) })
}

function byField(error: z.core.$ZodError): Record<string, string> {
  const errors: Record<string, string> = {}
  for (const issue of error.issues) {
    const field = issue.code === 'unrecognized_keys' ? (issue.keys[0] ?? '') : issue.path.join('.')
    if (field !== '') errors[field] ??= issue.message
  }
  return errors
}

function firstOf(error: z.core.$ZodError): string {
  const issue = error.issues[0]
  if (!issue) return 'This is not allowed.'
  const field = issue.path.join('.')
  const about = field && /^This (field|must|needs|takes) /.test(issue.message) ? `${field}: ` : ''
  return `${about}${issue.message}.`
}

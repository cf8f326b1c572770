import * as z from 'zod/mini'
import { type Call, everyCall, pathParameters } from '../../../contract/call.ts'
import { calls } from '../../../contract/calls.ts'
import { REFUSALS } from '../../../contract/refusals.ts'
import { OF_CALLS, OF_INPUTS, OF_OUTPUTS } from './descriptions.ts'

export type JsonSchema = z.core.JSONSchema.BaseSchema

type Parameter = {
  name: string
  in: 'path' | 'query' | 'header'
  required: boolean
  description?: string
  schema: JsonSchema
}

type Content = Record<string, { schema: JsonSchema }>
export type Response = {
  description: string
  headers?: Record<string, { schema: JsonSchema }>
  content?: Content
}

export type Operation = {
  operationId: string
  summary: string
  description: string
  tags: string[]
  security: Record<string, string[]>[]
  parameters: Parameter[]
  requestBody?: { required: boolean; content: Content }
  /** By status, or by a range of them such as `4XX`. */
  responses: Record<string, Response>
}

export type Document = {
  openapi: '3.1.1'
  info: { title: string; version: string; description: string }
  servers: { url: string }[]
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, JsonSchema>; securitySchemes: Record<string, object> }
}

/** Returns the OpenAPI document of all calls, made from the contract. */
export function documentOf(): Document {
  const paths: Document['paths'] = {
    '/live': { get: LIVE },
    '/ready': { get: READY },
    '/health': { get: HEALTH },
  }
  for (const call of everyCall(calls)) {
    paths[call.path] = { ...paths[call.path], [call.method.toLowerCase()]: operationOf(call) }
  }
  return {
    openapi: '3.1.1',
    info: { title: 'Boxtree', version: '1', description: ABOUT },
    servers: [{ url: '/v1' }],
    paths,
    components: {
      schemas: { Refusal: REFUSAL },
      securitySchemes: {
        accessToken: {
          type: 'apiKey',
          in: 'header',
          name: 'access-token',
          description: 'The token of a session',
        },
        bearer: { type: 'http', scheme: 'bearer', description: 'The same token' },
      },
    },
  }
}

const REFUSAL_REFERENCE = '#/components/schemas/Refusal'

/** The paragraphs of the introduction, each a list of sentences. */
const ABOUT = [
  [
    'Boxtree passes credits down a tree of accounts, to dealers who turn them into months of service for their clients.',
    'Moments are UTC, written 2026-01-31T23:59:59.000Z; days are written 2026-01-31 and belong to the zone that',
    '`/api/user` gives as `time_zone`. A body with a field that its call does not know is refused.',
  ],
  [
    'Send each change with an `idempotency-key` of its own. After a 5XX or without an answer the change may or may not',
    'have been made: repeat the same body under the same key until there is an answer, and it is made once. A 401, 403,',
    '409 `key_reused` or 429 to a repeat does not tell whether an earlier try was made: under another key it may be made',
    'twice.',
  ],
  [
    'A page is cut from its list as that is when the page is asked for. A program that changes what it walks, such as one',
    'that renews the clients that are due, would leave some out, and may meet one again that is still due after a short',
    'month: collect all pages first, and change each once. An export is of one moment.',
  ],
]
  .map((sentences) => sentences.join(' '))
  .join('\n\n')

const WRITES: JsonSchema = {
  type: 'boolean',
  description:
    'False while a change cannot be committed, the disk is nearly full or the clock of the database was set back: calls that change something answer 503',
}

const LIVE = probe('live', 'Whether the server runs', {})

const READY = probe('ready', 'Whether requests are to be sent to the server', { writes: WRITES })

const HEALTH = probe('health', 'Whether the server can serve, and what an operator should know', {
  writes: WRITES,
  untrusted_proxy: {
    type: 'boolean',
    description:
      'True while requests are forwarded by an address that TRUSTED_PROXIES does not have: the log names it',
  },
  silent_proxy: {
    type: 'boolean',
    description:
      'True while requests come from an address of TRUSTED_PROXIES without X-Forwarded-For: the log names it',
  },
  clock_offset_ms: {
    type: 'integer',
    description:
      "How far the clock of the server's machine is ahead of the database's, in milliseconds; only the database's counts",
  },
})

function probe(operationId: string, summary: string, more: Record<string, JsonSchema>): Operation {
  const properties = { status: { const: 'OK' }, ...more }
  return {
    operationId,
    summary,
    description: 'For anyone.',
    tags: ['health'],
    security: [],
    parameters: [],
    responses: {
      200: {
        description: 'It can.',
        content: json({
          type: 'object',
          properties,
          required: Object.keys(properties),
          additionalProperties: false,
        }),
      },
      '5XX': { description: 'It cannot at the moment.', content: json({ $ref: REFUSAL_REFERENCE }) },
    },
  }
}

const CODES = Object.entries(REFUSALS).map(([code, status]) => `\`${code}\` (${status})`)

const REFUSAL: JsonSchema = {
  type: 'object',
  description: 'Why a call has no result.',
  properties: {
    status: { const: 'ERROR' },
    code: {
      type: 'string',
      enum: Object.keys(REFUSALS),
      description: `Each with the status of its answer: ${CODES.join(', ')}`,
    },
    message: { type: 'string', description: 'A sentence for the person at the screen' },
    errors: {
      type: 'object',
      description: 'The fields that the reason concerns, each with a sentence',
      additionalProperties: { type: 'string' },
    },
    challenge: {
      type: 'object',
      description:
        'Of a 429 of `/authenticate`: an altcha challenge, good for that name alone. Its solution, sent as `g_recaptcha_response`, lets the next try through at once',
    },
    missing: {
      type: 'array',
      items: { type: 'string' },
      description:
        'Of a 409 of `/tree/move-clients`: the names in `clients` that the dealer no longer has. All others can be moved without them',
    },
    unchanged: {
      const: true,
      description:
        'Of a 503: this try left all as it was. An earlier one under the same `idempotency-key` may have been made',
    },
    request_id: {
      type: 'string',
      pattern: '^[A-Za-z0-9._-]{1,64}$',
      description:
        'The id of the request, which is also in the header `x-request-id` of the answer and in the log',
    },
  },
  required: ['status', 'code', 'message', 'request_id'],
  additionalProperties: false,
}

const RETRY_AFTER: NonNullable<Response['headers']> = {
  'retry-after': { schema: { type: 'integer', description: 'Seconds to wait, of a 429 or a 503' } },
}

const REFUSED: Operation['responses'] = {
  '4XX': {
    description:
      'The call was refused and changed nothing; `code` and `message` say why. An earlier try of it may have been made.',
    headers: RETRY_AFTER,
    content: json({ $ref: REFUSAL_REFERENCE }),
  },
  '5XX': {
    description:
      'A fault of the server or of its database. A change may or may not have been made: repeat it with the same body under the same `idempotency-key`.',
    headers: RETRY_AFTER,
    content: json({ $ref: REFUSAL_REFERENCE }),
  },
}

const IDEMPOTENCY: Parameter = {
  name: 'idempotency-key',
  in: 'header',
  required: false,
  description: [
    'For 24 hours the same call of the same account with the same key and body does nothing again, and gets the first',
    'reply, with the balance of then. The order of the fields counts: another order is another body, which is refused',
    'as `key_reused`. A refusal and a call that changes nothing keep no key',
  ].join(' '),
  schema: { type: 'string', pattern: '^[\\x21-\\x7e]{1,255}$' },
}

function operationOf(call: Call): Operation {
  const input = described(schemaOf(call.input, 'input'), call, OF_INPUTS)
  const inPath = pathParameters(call.path)
  const fields = Object.entries(input.properties ?? {}) as [string, JsonSchema][]
  const sent = fields.filter(([field]) => !inPath.includes(field))
  const required = (input.required ?? []).filter((field) => !inPath.includes(field))
  const parameters = fields
    .filter(([field]) => inPath.includes(field))
    .map(([field, schema]): Parameter => ({ name: field, in: 'path', required: true, schema }))
  if (call.method === 'GET') {
    parameters.push(
      ...sent.map(
        ([field, schema]): Parameter => ({
          name: field,
          in: 'query',
          required: required.includes(field),
          schema,
        }),
      ),
    )
  } else if (call.takesKey) {
    parameters.push(IDEMPOTENCY)
  }
  const body: JsonSchema = { ...input, properties: Object.fromEntries(sent), required }
  return {
    operationId: call.name,
    summary: call.summary,
    description: [`For ${[call.roles].flat().join(', ')}.`, OF_CALLS[call.name]].filter(Boolean).join(' '),
    tags: [call.name.split('.')[0] as string],
    security: call.roles === 'anyone' ? [] : [{ accessToken: [] }, { bearer: [] }],
    parameters,
    ...(call.method !== 'GET' &&
      sent.length > 0 && {
        requestBody: { required: required.length > 0, content: json(body) },
      }),
    responses: { 200: answerOf(call), ...REFUSED },
  }
}

function answerOf(call: Call): Response {
  if (call.returns === 'file') {
    const file = { schema: { type: 'string', format: 'binary' } } satisfies { schema: JsonSchema }
    return { description: 'The file.', content: { 'text/csv': file, 'application/pdf': file } }
  }
  return { description: 'Done.', content: json(described(schemaOf(call.output, 'output'), call, OF_OUTPUTS)) }
}

/** Adds the descriptions to the fields of an object, and to those of objects and lists in it, which lie at `within`. */
function described(
  schema: JsonSchema,
  call: Call,
  descriptions: Readonly<Record<string, string>>,
  within = '',
): JsonSchema {
  for (const [field, of] of Object.entries(schema.properties ?? {}) as [string, JsonSchema][]) {
    described(of, call, descriptions, `${within}${field}.`)
    const key = namesOf(call, within, field).find((name) => name in descriptions)
    if (key !== undefined) Object.assign(of, { description: descriptions[key] })
  }
  for (const part of [schema.items, schema.anyOf].flat()) {
    if (typeof part === 'object') described(part, call, descriptions, within)
  }
  return schema
}

/** Returns the names under which a field may be described, from those that mean the fewest fields. */
function namesOf({ name }: Call, within: string, field: string): string[] {
  const path = within + field
  const ofEveryRole = name.replace(/^(credits|desk|level)\.\w+/, '$1.*')
  const inParts = path.split('.').map((_, at, parts) => parts.slice(at).join('.'))
  return [`${name} ${path}`, `${ofEveryRole} ${path}`, ...inParts]
}

function json(schema: JsonSchema): Content {
  return { 'application/json': { schema } }
}

function schemaOf(type: z.core.$ZodType, io: 'input' | 'output'): JsonSchema {
  const { $schema, '~standard': _, ...schema } = z.toJSONSchema(type, { io, override: tidy })
  return schema
}

type Described = { zodSchema: z.core.$ZodTypes; jsonSchema: JsonSchema }

/**
 * Removes what no reader needs: the limits of every safe integer, and the second type of a number in a query. Adds the
 * defaults that zod leaves out because what is sent becomes something else.
 */
function tidy({ zodSchema, jsonSchema }: Described): void {
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
  const { def } = zodSchema._zod
  if (def.type === 'default') jsonSchema.default = def.defaultValue
  if (def.type === 'pipe' && def.out._zod.def.type === 'number') {
    delete jsonSchema.anyOf
    Object.assign(jsonSchema, schemaOf(def.out, 'input'))
  }
}

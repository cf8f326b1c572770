import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Call, everyCall, pathParameters } from '../../contract/call.ts'
import { calls } from '../../contract/calls.ts'
import { type Answer, holdToRefusal, type Person, suiteWorld } from '../support/world.ts'
import { FIXTURES, openStage } from './fixtures.ts'
import { runs, seedOf } from './runs.ts'
import { fieldsOf, hostileTexts, type Schema, wrongValues } from './schemas.ts'

const ALL = everyCall(calls)

const seed = seedOf('hostile requests')
// With a trusted proxy each login can come from another address, so that no limit ends the tries.
const world = await suiteWorld({ env: { TRIALS_PER_DAY: '100000', TRUSTED_PROXIES: '127.0.0.1' } })
const stage = await openStage(world)

/** A request as an attacker might write it. */
type Hostile = {
  /** Fields that replace those of a valid input; undefined omits one. */
  fields: Record<string, unknown>
  /** Replaces the whole body. */
  body: string | undefined
  /** Appended to the path without encoding. */
  tail: string
  headers: Record<string, string>
  address: string
}

describe('whatever request is sent', () => {
  test.each(ALL)(
    '$name answers without a 500, and accepts nothing that its schema refuses',
    { timeout: runs(60_000, 1_800_000) },
    async (call) => {
      const { name } = call
      const role = call.roles === 'anyone' ? 'dealer' : (call.roles[0] ?? 'dealer')
      const right = (await FIXTURES.get(name)?.input(stage, role)) ?? {}
      let person = stage.people[role]
      await fc.assert(
        fc.asyncProperty(hostile(call), async (request) => {
          if (name === 'session.logout') person = await world.again(stage.people[role])
          const answer = await send(person, call, right, request)
          if (answer.status >= 400) holdToRefusal(answer)
          else if (request.body === undefined && request.tail === '' && call.method !== 'DELETE') {
            const read = call.input.safeParse(asSent(call, { ...known(call, right), ...request.fields }))
            expect(read.success, `${JSON.stringify(request)} was answered ${answer.text.slice(0, 300)}`).toBe(
              true,
            )
          }
        }),
        { seed, numRuns: runs(20, 1_000) },
      )
      // The test keeps the log in memory, which must not count as the server's.
      world.server.logged.length = 0
      // To collect all garbage takes a tenth of a second.
      if (ALL.indexOf(call) % 10 === 0) heaps.push(heapAfterCollecting())
      // The session must still work.
      if (name !== 'session.logout') await person.call(calls.session.user)
    },
  )
})

test('hostile requests leave the memory within 32 MB of what it was', () => {
  // The first calls load code that stays.
  const [first = 0, ...later] = heaps.slice(1)
  expect(later.length).toBeGreaterThan(5)
  for (const heap of later) expect(heap - first).toBeLessThan(32 * 1024 * 1024)
})

const heaps: number[] = []

function heapAfterCollecting(): number {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
  return process.memoryUsage().heapUsed
}

function hostile(call: Call): fc.Arbitrary<Hostile> {
  const fields = fieldsOf(call)
  const isPost = call.method === 'POST'
  const changed = fields.map(({ field, schema }) =>
    fc.record({ field: fc.constant(field), value: valueFor(schema) }),
  )
  const stranger = fc.record({
    field: fc.oneof(fc.string(), fc.constantFrom('__proto__', 'constructor', 'toString', 'id')),
    value: fc.jsonValue(),
  })
  return fc.record({
    fields: fc
      .array(
        changed.length > 0
          ? fc.oneof({ weight: 6, arbitrary: fc.oneof(...changed) }, { weight: 1, arbitrary: stranger })
          : stranger,
        { maxLength: 3 },
      )
      .map((list) => Object.fromEntries(list.map(({ field, value }) => [field, value]))),
    body: isPost ? fc.option(anyBody, { freq: 6, nil: undefined }) : fc.constant(undefined),
    tail: fc.oneof({ weight: 12, arbitrary: fc.constant('') }, { weight: 1, arbitrary: anyTail }),
    headers: fc.dictionary(
      fc.constantFrom(...HEADERS),
      fc.string({ unit: fc.constantFrom(...VISIBLE), maxLength: 300 }),
      { maxKeys: 1, noNullPrototype: true },
    ),
    address: fc.noBias(fc.nat({ max: 249 })).map((last) => `198.51.100.${last}`),
  })
}

/** Generates values of a field: valid, nearly valid, forbidden and arbitrary ones. */
function valueFor(schema: Schema): fc.Arbitrary<unknown> {
  const ways = schema.anyOf ?? [schema]
  const listed = ways.flatMap((way) => way.enum ?? (way.const === undefined ? [] : [way.const]))
  return fc.oneof(
    fc.constantFrom(undefined, ...listed, ...wrongValues(schema)),
    fc.oneof(fc.integer({ min: -2, max: 14 }), fc.integer(), fc.double()),
    fc.constantFrom(...hostileTexts),
    fc.string({ unit: 'binary', maxLength: 200 }),
    fc.jsonValue({ maxDepth: 3 }),
    fc.array(fc.string({ maxLength: 20 }), { maxLength: 5 }),
  )
}

const anyBody: fc.Arbitrary<string> = fc.oneof(
  fc.jsonValue().map((value) => JSON.stringify(value)),
  fc.string(),
  fc.jsonValue().map((value) => JSON.stringify(value).slice(0, -1)),
  fc.constantFrom(
    '',
    '{"a":1}{"b":2}',
    '\ufeff{}',
    '{"__proto__":{"admin":true}}',
    '{"name":"a","name":"b"}',
  ),
  fc.integer({ min: 100, max: 20_000 }).map((depth) => '['.repeat(depth)),
  fc.integer({ min: 100, max: 20_000 }).map((depth) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`),
  fc.constant(`{"name":"${'x'.repeat(300_000)}"}`),
)

const anyTail = fc.oneof(
  fc.constantFrom(
    '/',
    '//',
    '/..',
    '/%2e%2e',
    '%00',
    '%',
    '?',
    '?a=1&a=2',
    '?name[]=1',
    '?name[x]=1',
    '?=&=',
    ';a=1',
    '#x',
  ),
  fc.webQueryParameters().map((query) => `?${query}`),
  fc.webSegment().map((segment) => `/${segment}`),
)

const HEADERS = [
  'idempotency-key',
  'content-type',
  'x-forwarded-for',
  'x-forwarded-host',
  'accept',
  'accept-encoding',
  'range',
  'cookie',
  'x-http-method-override',
  'user-agent',
]
const VISIBLE = Array.from({ length: 0x7f - 0x20 }, (_, index) => String.fromCharCode(0x20 + index))

async function send(
  person: Person,
  call: Call,
  right: object,
  { fields, body, tail, headers, address }: Hostile,
): Promise<Answer> {
  const input: Record<string, unknown> = { ...known(call, right), ...fields }
  let path = call.path
  for (const parameter of pathParameters(call.path)) {
    path = path.replace(`{${parameter}}`, () => encodeURIComponent(String(input[parameter]).toWellFormed()))
    delete input[parameter]
  }
  const query = call.method === 'GET' && tail === '' ? queryOf(asSent(call, input)) : ''
  return person.fetch(call.method, `/v1${path}${query}${tail}`, {
    headers: {
      'x-forwarded-for': address,
      ...(call.method === 'POST' && { 'content-type': 'application/json' }),
      ...trimmed(headers),
    },
    ...(call.method === 'POST' && { body: body ?? JSON.stringify(input) }),
  })
}

function queryOf(input: object): string {
  const query = new URLSearchParams(Object.entries(input))
  return query.size > 0 ? `?${query}` : ''
}

function known(call: Call, input: object): object {
  const names = fieldsOf(call).map(({ field }) => field)
  return Object.fromEntries(Object.entries(input).filter(([field]) => names.includes(field)))
}

/** Returns an input as the server receives it: a query is all text, and JSON has no undefined. */
function asSent(call: Call, input: Record<string, unknown>): object {
  if (call.method !== 'GET') return JSON.parse(JSON.stringify(input))
  return Object.fromEntries(
    Object.entries(input)
      .filter(([, value]) => value !== undefined)
      // In a query a lone surrogate arrives as U+FFFD.
      .map(([field, value]) => [field, asText(value).toWellFormed()]),
  )
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** fetch sends header values without spaces around them. */
function trimmed(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, value.trim()]))
}

import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import Fastify from 'fastify'
import { describe, expect, test, vi } from 'vitest'
import { type Call, everyCall } from '../../../contract/call.ts'
import { calls } from '../../../contract/calls.ts'
import { REFUSALS } from '../../../contract/refusals.ts'
import { checkAnswer } from '../../../test/support/openapi-check.ts'
import { compressed } from '../../compression.ts'
import { OF_CALLS, OF_INPUTS, OF_OUTPUTS } from './descriptions.ts'
import { documentOf, type JsonSchema } from './document.ts'
import { serveReference } from './routes.ts'

// The code itself, whose calls are counted.
vi.mock('../../compression.ts', { spy: true })

const { paths, info, components } = documentOf()

describe('the OpenAPI document', () => {
  test.each(everyCall(calls))('has $name', (call) => {
    const operation = paths[call.path]?.[call.method.toLowerCase()]
    expect(operation).toMatchObject({ operationId: call.name, summary: call.summary })
    expect(operation?.security).toHaveLength(call.roles === 'anyone' ? 0 : 2)
  })

  test('has no operation but the calls and the three that tell how the server is', () => {
    const operations = Object.values(paths).flatMap((methods) => Object.keys(methods))
    expect(operations).toHaveLength(everyCall(calls).length + 3)
  })

  test('has each field in the path, the query or the body as it is sent', () => {
    const named = paths['/api/client/{name}']?.get
    expect(named?.parameters).toEqual([expect.objectContaining({ name: 'name', in: 'path', required: true })])
    const list = paths['/api/clients']?.get
    expect(list?.parameters).toContainEqual({
      name: 'page',
      in: 'query',
      required: false,
      schema: { type: 'integer', minimum: 1, maximum: 1_000_000, default: 1 },
    })
    const rows = paths['/admin/boxes/unknown']?.get?.parameters.find(({ name }) => name === 'per_page')
    expect(rows?.schema).toMatchObject({ maximum: 50, default: 10 })
    const save = paths['/api/saveclient']?.post
    expect(save?.parameters).toEqual([expect.objectContaining({ name: 'idempotency-key', in: 'header' })])
    expect(save?.requestBody?.content['application/json']?.schema).toMatchObject({
      required: ['login'],
      additionalProperties: false,
    })
  })

  test.each(Object.keys(OF_INPUTS))('describes a field that calls take: %s', (name) => {
    const described = everyCall(calls).flatMap((call) => fieldsNamed(name, call, takenBy(call)))
    expect(described.map(({ description }) => description)).toContain(OF_INPUTS[name])
    for (const { description } of described) expect(description).toBeDefined()
  })

  test.each(Object.keys(OF_OUTPUTS))('describes a field that calls answer with: %s', (name) => {
    const described = everyCall(calls).flatMap((call) => fieldsNamed(name, call, answerOf(call)))
    expect(described.map(({ description }) => description)).toContain(OF_OUTPUTS[name])
  })

  test.each(everyCall(calls))('says what each number and each null in the answer of $name means', (call) => {
    const unclear = fieldsIn(answerOf(call)).filter(
      ([path, schema]) =>
        isNumberOrNull(schema) && !/(^|\.)(id|accountId)$/.test(path) && !schema.description,
    )
    expect(unclear.map(([path]) => path)).toEqual([])
  })

  test.each([
    ['level.reseller.save credits', "child's balance afterwards"],
    ['requests.grant credits', "child's balance afterwards"],
    ['tree.close credits', 'went to the parent'],
    ['clients.renew credits', "caller's balance afterwards"],
    ['transactions.list data.credits', 'no sign'],
    ['desk.dealer.transactions credits', 'no sign'],
    ['clients.spent this_month.packages.used', 'before'],
    ['tree.list data.used', 'less those taken back'],
    ['tree.growth used', 'less those taken back'],
    ['system.state servers.disk_free', 'bytes'],
    ['tree.account suspension.reason', 'may not lift'],
  ])('says what is meant by a field wherever it stands: %s', (name, words) => {
    const [field] = everyCall(calls).flatMap((call) => fieldsNamed(name, call, answerOf(call)))
    expect(field?.description).toContain(words)
  })

  test('says how a program signs in, and for how long', () => {
    expect(paths['/captcha']?.get?.description).toMatch(/^For anyone\. .*hosted/)
    expect(paths['/authenticate']?.post?.description).toMatch(/after an hour.*altcha-lib/)
    expect(fieldsOf(calls.session.login).g_recaptcha_response).toMatchObject({
      description: expect.stringMatching(/JSON in base64.*once, within 5 minutes/),
    })
  })

  test.each(Object.keys(OF_CALLS))('describes a call that is there: %s', (name) => {
    expect(everyCall(calls).map((call) => call.name)).toContain(name)
  })

  test.each([
    [calls.clients.quote, /none of `clients` .*\(404\)/],
    [calls.clients.multiquote, /none of `clients` .*\(404\)/],
    [calls.clients.export, /none of `clients` .*\(404\)/],
    [calls.admin.exportClients, /none of `clients` .*\(404\)/],
    [calls.clients.multisave, /`status` or `package_selection`/],
    [calls.channels.savePlayers, /`player` or `alt_player`/],
  ])('says of $name what no single field tells', ({ path }, words) => {
    expect(paths[path]?.post?.description).toMatch(words)
  })

  test('says that a request which ended by itself was declined or withdrawn', () => {
    const [state] = fieldsNamed('ended.state', calls.requests.list, answerOf(calls.requests.list))
    expect(state?.enum).toEqual(['declined', 'withdrawn'])
  })

  test('says where the pages of a list end, and how a list is walked that changes', () => {
    expect(info.description).toMatch(/collect all pages first, and change each once/)
    expect(JSON.stringify(paths['/transactions']?.get)).toContain('the newest 10,000 are sorted')
    const schema = paths['/transactions']?.get?.responses[200]?.content?.['application/json']?.schema
    expect(schema?.properties).toMatchObject({
      count_capped: { description: expect.stringContaining('10,000') },
      total_pages: { description: expect.stringContaining('`count`') },
    })
  })

  test('accepts a MAC in lower case, as the calls do', () => {
    const { pattern = '' } = fieldsOf(calls.clients.macLastSeen).mac ?? {}
    expect('00:1a:79:ab:cd:ef').toMatch(new RegExp(pattern))
  })

  test('limits lengths and numbers to whole numbers', () => {
    const limits = [...JSON.stringify(documentOf()).matchAll(/"(?:max|min)(?:imum|Length|Items)":([^,}]+)/g)]
    expect(limits.length).toBeGreaterThan(100)
    expect(limits.filter(([, limit]) => !Number.isInteger(Number(limit)))).toEqual([])
  })

  test('has no Idempotency-Key for calls that take none', () => {
    expect(paths['/authenticate']?.post?.parameters).toEqual([])
    expect(paths['/logout']?.post?.parameters).toEqual([])
  })

  test('promises of no fault that nothing was changed, and says how to repeat the call', () => {
    const renew = paths['/api/renew']?.post
    expect(JSON.stringify([components.schemas.Refusal, renew?.responses['5XX']])).not.toMatch(/nothing/i)
    for (const text of [info.description, renew?.responses['5XX']?.description])
      expect(text).toMatch(/may or may not\s+have been made: repeat .*the same body under the same/)
    const [key] = renew?.parameters ?? []
    for (const rule of ['same account', 'order of the fields', 'balance', 'refusal'])
      expect(key?.description).toContain(rule)
  })
})

/** Returns the fields that a call takes, wherever they are sent. */
function fieldsOf({ path, method }: Call): Record<string, JsonSchema> {
  const operation = paths[path]?.[method.toLowerCase()]
  const inAddress = operation?.parameters.map(({ name, schema }) => [name, schema])
  return {
    ...Object.fromEntries(inAddress ?? []),
    ...operation?.requestBody?.content['application/json']?.schema.properties,
  }
}

function takenBy(call: Call): JsonSchema {
  return { properties: fieldsOf(call) }
}

function answerOf({ path, method }: Call): JsonSchema {
  return paths[path]?.[method.toLowerCase()]?.responses[200]?.content?.['application/json']?.schema ?? {}
}

/** Returns every field of a schema with its path, such as `data.credits` of the rows in `data`. */
function fieldsIn(schema: JsonSchema, within = ''): [path: string, schema: JsonSchema][] {
  const own = Object.entries(schema.properties ?? {}) as [string, JsonSchema][]
  const parts = [schema.items, schema.anyOf].flat().filter((part) => typeof part === 'object')
  return [
    ...own.flatMap(([field, of]) => [
      [within + field, of] as [string, JsonSchema],
      ...fieldsIn(of, `${within}${field}.`),
    ]),
    ...parts.flatMap((part) => fieldsIn(part, within)),
  ]
}

/** Returns the fields of a call that a description is of: a field of any call, or one of a call that is named too. */
function fieldsNamed(name: string, call: Call, schema: JsonSchema): JsonSchema[] {
  const [field, of] = name.split(' ').reverse() as [string, string?]
  if (of !== undefined && !new RegExp(`^${of.replace('*', '\\w+')}$`).test(call.name)) return []
  return fieldsIn(schema).flatMap(([path, schema]) =>
    path === field || (of === undefined && path.endsWith(`.${field}`)) ? [schema] : [],
  )
}

function isNumberOrNull({ type, items, anyOf = [] }: JsonSchema): boolean {
  const parts = [items, ...anyOf].flat().filter((part) => typeof part === 'object')
  const types = [type, ...parts.map((part) => part.type)].flat()
  return types.some((type) => type === 'integer' || type === 'null')
}

describe('a refusal', () => {
  test.each(Object.entries(REFUSALS))('has its status in the description of its code: %s', (code, status) => {
    expect(components.schemas.Refusal?.properties?.code).toMatchObject({
      description: expect.stringContaining(`\`${code}\` (${status})`),
    })
  })

  test.each(['4XX', '5XX'])('may say when to try again: %s', (status) => {
    expect(paths['/api/renew']?.post?.responses[status]?.headers).toHaveProperty('retry-after')
  })
})

describe('the reference', () => {
  const app = Fastify()
  app.register(async (api) => serveReference(api), { prefix: '/v1' })

  test('is served as JSON', async () => {
    const answer = await app.inject('/v1/openapi.json')
    expect(answer.headers['content-type']).toContain('application/json')
    expect(answer.json()).toEqual(JSON.parse(JSON.stringify(documentOf())))
  })

  test.each(['openapi.json', 'docs'])('is compressed once, however often it is fetched: %s', async (name) => {
    vi.mocked(compressed).mockClear()
    const plain = await app.inject(`/v1/${name}`)
    expect(plain.headers['content-encoding']).toBeUndefined()
    for (const [encoding, read] of [
      ['br', brotliDecompressSync],
      ['gzip', gunzipSync],
    ] as const) {
      const ask = { url: `/v1/${name}`, headers: { 'accept-encoding': encoding } }
      const [first, second] = [await app.inject(ask), await app.inject(ask)]
      expect(first.headers).toMatchObject({ 'content-encoding': encoding, vary: 'accept-encoding' })
      expect(read(first.rawPayload).toString()).toBe(plain.body)
      expect(second.rawPayload).toEqual(first.rawPayload)
    }
    expect(vi.mocked(compressed).mock.calls.map(([, encoding]) => encoding)).toEqual(['br', 'gzip'])
  })

  test('is served as a page that names every call and needs no script', async () => {
    const { body, headers } = await app.inject('/v1/docs')
    expect(headers['content-type']).toContain('text/html')
    for (const { name } of everyCall(calls)) expect(body).toContain(`id="${name}"`)
    expect(body).toContain('&#34;asc&#34; | &#34;desc&#34;, &#34;asc&#34; if not given')
    expect(body).toContain('whole number (1 to 500), 10 if not given')
    expect(body).toContain('text of the form ^[\\x21-\\x7e]{1,255}$')
    expect(body).toContain('<code>key_reused</code> (409)')
    expect(body).toContain('count_capped: true | false. True where more than 10,000 match')
    expect(body).toMatch(/columns\?: object of true \| false\n/)
    expect(body).toMatch(/<code>challenge<\/code><td>body<td>no<td>object\. /)
    expect(body).not.toMatch(/<script|\son\w+=|undefined|\[object/)
  })
})

describe('an answer', () => {
  const answer = {
    method: 'POST',
    url: '/v1/api/renew',
    status: 200,
    type: 'application/json; charset=utf-8',
  }
  const body = { status: 'OK', name: 'Anna', expiry: '2026-01-31T23:59:59.000Z', credits: 3 }
  const refusal = {
    ...{ status: 'ERROR', code: 'not_found', message: 'There is nothing of this name here.' },
    request_id: '3f9a0c1b2d4e',
  }

  test('passes the check of the tests if it matches the document', () => {
    checkAnswer({ ...answer, body })
    checkAnswer({ ...answer, status: 404, body: refusal })
    checkAnswer({ ...answer, url: 'http://localhost:8080/v1/nowhere?a=b', status: 404, body: refusal })
    checkAnswer({
      method: 'GET',
      url: '/v1/exports/x',
      status: 200,
      type: 'text/csv; charset=utf-8',
      body: null,
    })
  })

  test.each([
    ['lacks a field', { ...body, credits: undefined }, 200],
    ['has an additional field', { ...body, password: 'secret' }, 200],
    ['has a field of another type', { ...body, credits: '3' }, 200],
    ['has a moment in another format', { ...body, expiry: '2026-01-31 23:59:59' }, 200],
    ['has an unknown code', { ...refusal, code: 'whatever' }, 404],
    ['is a refusal that says OK', { ...refusal, status: 'OK' }, 404],
    ['has an unknown status', body, 201],
  ])('fails the check of the tests if it %s', (_what, body, status) => {
    expect(() => checkAnswer({ ...answer, status, body: JSON.parse(JSON.stringify(body)) })).toThrow(
      'answered',
    )
  })

  test('fails the check of the tests if it is no JSON', () => {
    expect(() => checkAnswer({ ...answer, type: 'text/html', body: null })).toThrow("as 'text/html'")
  })
})

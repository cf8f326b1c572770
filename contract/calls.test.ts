import { describe, expect, test } from 'vitest'
import * as z from 'zod/mini'
import { atPlaceOf, type Call, everyCall, pathParameters } from './call.ts'
import { calls } from './calls.ts'
import { LEVEL_NAMES, LEVELS } from './levels.ts'
import { REFUSALS } from './refusals.ts'
import { DESK, ROLES } from './roles.ts'

const ALL = everyCall(calls)

/** The calls of the specification's section 7, with the fields that they take. */
const SPECIFIED: Record<string, string[]> = {
  'POST /authenticate': ['login_username', 'login_password', 'g_recaptcha_response'],
  'GET /superreseller/credits': [],
  'GET /reseller/credits': [],
  'GET /api/credits': [],
  'GET /api/user': [],
  'GET /users': [],
  'GET /api/clients': [],
  'GET /api/transactions': [],
  'GET /api/history/{name}': ['name'],
  'GET /api/client/{name}': ['name'],
  'POST /api/client': [
    'login',
    'password',
    'stb_mac',
    'ministra',
    'months',
    'desc',
    'phone',
    'package_selection',
  ],
  'POST /api/saveclient': [
    ...[
      'login',
      'password',
      'o_mac',
      'stb_mac',
      'alt_player',
      'ministra',
      'months',
      'desc',
      'phone',
      'status',
    ],
    ...['package_selection', 'locked'],
  ],
  'POST /api/renew': ['name', 'months'],
  'POST /api/multirenew': ['clients', 'months'],
  'POST /api/remove': ['name'],
  'POST /api/retrieve': ['login', 'credits'],
  'POST /api/resetclient': ['name'],
  'GET /admin/transactions': [],
  'GET /admin/list': [],
  'GET /admin/statstotals': [],
  'POST /admin/superreseller': ['login', 'password'],
  'GET /admin/superreseller/{name}': ['name'],
  'GET /admin/history/{name}': ['name'],
  'GET /admin/statistics/{name}': ['name'],
  'GET /admin/statschart/{name}': ['name'],
  'POST /admin/save': ['name', 'credits', 'desc', 'transaction'],
  'POST /admin/changepassword': ['name', 'password'],
  'GET /admin/message': [],
  'POST /admin/message': ['message'],
  'GET /admin/searchmac/{mac}': ['mac'],
  'POST /admin/remove': ['name'],
  'POST /admin/savesettings': ['mode', 'layout', 'preset'],
  ...Object.fromEntries(
    (['reseller', 'dealer'] as const).flatMap((level) => {
      const at = `/${LEVELS[level].owner}`
      return Object.entries({
        [`GET ${at}/list`]: [],
        [`GET ${at}/transactions`]: [],
        [`POST ${at}/${level}`]: ['login', 'password'],
        [`GET ${at}/${level}/{name}`]: ['name'],
        [`GET ${at}/history/{name}`]: ['name'],
        [`POST ${at}/save`]: ['name', 'credits', 'desc', 'transaction'],
        [`POST ${at}/changepassword`]: ['name', 'password'],
        [`GET ${at}/message`]: [],
        [`POST ${at}/savesettings`]: ['mode', 'layout', 'preset'],
      })
    }),
  ),
  'GET /api/message': [],
  'POST /api/savesettings': ['mode', 'layout', 'preset'],
}

describe('the contract', () => {
  test.each(Object.entries(SPECIFIED))('has %s with its fields', (address, fields) => {
    const found = ALL.filter((call) => `${call.method} ${call.path}` === address)
    expect(found).toHaveLength(1)
    const properties = found.flatMap((call) => Object.keys(fieldsOf(call)))
    for (const field of fields) expect(properties).toContain(field)
  })

  test('has one call for each method and path', () => {
    const addresses = ALL.map((call) => `${call.method} ${call.path}`)
    expect(addresses).toEqual([...new Set(addresses)])
  })

  test.each(ALL)('takes one strict object that has the parameters of its path: $name', (call) => {
    const schema = z.toJSONSchema(call.input, { io: 'input', unrepresentable: 'any' })
    expect(schema).toMatchObject({ type: 'object', additionalProperties: false })
    for (const parameter of pathParameters(call.path)) expect(schema.required).toContain(parameter)
  })

  test.each(ALL)('has each call at the path that is its name: $name', (call) => {
    expect(atPlaceOf(call, calls)).toBe(call)
  })

  test.each(ALL)('marks every field as secret whose name sounds so: $name', (call) => {
    const sounding = Object.keys(fieldsOf(call)).filter((field) =>
      /pass|secret|token|ticket|captcha/.test(field),
    )
    expect(call.secrets).toEqual(expect.arrayContaining(sounding))
  })

  test('declares what it sets, unless nothing can set it otherwise again or it moves credits', () => {
    const other = ALL.filter((call) => call.takesKey && call.sets === '').map(({ name }) => name)
    expect(other).toEqual([
      'session.end',
      ...LEVEL_NAMES.map((level) => `level.${level}.create`),
      'tree.close',
      'requests.grant',
      'requests.decline',
      ...['create', 'renew', 'multirenew', 'retrieve', 'remove', 'multiremove', 'reset', 'tell'].map(
        (name) => `clients.${name}`,
      ),
      'admin.remove',
    ])
  })

  test('declares which POSTs change nothing, take no key, may run on a full disk, end their session, are slow and have long bodies', () => {
    const named = (is: (call: Call) => boolean) => ALL.filter(is).map(({ name }) => name)
    const posts = (call: Call) => call.method !== 'GET'
    expect(named((call) => posts(call) && !call.changes)).toEqual(['clients.quote', 'clients.multiquote'])
    const exports = [
      ...ROLES.map((role) => `desk.${role}.exportTransactions`),
      'clients.export',
      'admin.exportClients',
    ]
    const keyless = ['session.login', 'session.logout', ...exports]
    expect(named((call) => call.changes && !call.takesKey)).toEqual(keyless)
    expect(named((call) => call.changes && call.needsSpace === 'none')).toEqual([
      'session.login',
      'session.logout',
    ])
    expect(named((call) => call.needsSpace === 'little')).toEqual(['session.end', ...exports])
    expect(named((call) => call.endsSession)).toEqual(['session.logout'])
    expect(named((call) => call.slow)).toEqual(['channels.giveAddress', 'channels.fetch'])
    expect(named((call) => call.body === 'file')).toEqual(['channels.giveFile'])
    expect(named((call) => call.body === 'long')).toEqual([
      'tree.moveClients',
      ...['quote', 'multirenew', 'multiquote', 'multisave', 'multiremove', 'export', 'tell'].map(
        (name) => `clients.${name}`,
      ),
      'admin.exportClients',
      'channels.assign',
    ])
    expect(named((call) => !posts(call) && call.changes)).toEqual([])
  })

  test.each(ALL)("lets only a role itself make the calls under that role's path: $name", (call) => {
    const desk = ROLES.filter((role) => call.path.startsWith(`${DESK[role]}/`))
    const shared = call.path === '/api/user'
    if (desk.length === 1 && !shared) expect(call.roles).toEqual(desk)
    // Those above the dealers share calls, and so do those beneath the admin. A reseller is the parent of everything
    // beneath it, so that it has nowhere to move it to.
    else if (call.name === 'tree.move') expect(call.roles).toEqual(['superreseller', 'admin'])
    else expect(call.roles === 'anyone' || call.roles.length >= ROLES.length - 1).toBe(true)
  })
})

const EDGES: [what: string, most: number, call: Call, input: (size: number) => object][] = [
  [
    'the note of a request for credits',
    200,
    calls.requests.ask,
    (size) => ({ credits: 1, note: long(size) }),
  ],
  ['the note of a declined request', 200, calls.requests.decline, (size) => ({ id: 1, note: long(size) })],
  ['the reason of a suspension', 200, calls.tree.suspend, (size) => ({ name: 'casa', reason: long(size) })],
  ['a low balance', 1_000_000, calls.lowBalance.own, (below) => ({ below })],
  ['the name of a filter', 40, calls.session.savePreferences, (size) => ({ filters: { [long(size)]: {} } })],
  [
    'the password of a login',
    200,
    calls.session.login,
    (size) => ({ login_username: 'casa', login_password: long(size) }),
  ],
  [
    'the present password',
    200,
    calls.session.password,
    (size) => ({ old_password: long(size), password: 'another-password' }),
  ],
]

test.each(EDGES)('the limit of %s is %s', (_what, most, call, input) => {
  const accepts = (size: number) => call.input.safeParse(input(size)).success
  expect([accepts(most), accepts(most + 1)]).toEqual([true, false])
})

function long(size: number): string {
  return 'x'.repeat(size)
}

describe('the levels', () => {
  test('are owned by the role one above each, the first by the admin', () => {
    expect(LEVEL_NAMES.map((level) => LEVELS[level].owner)).toEqual(ROLES.slice(0, 3))
    for (const level of LEVEL_NAMES) expect(LEVELS[level].role).toBe(level)
  })
})

test('every refusal has one of the statuses that the rules allow', () => {
  for (const status of Object.values(REFUSALS))
    expect([400, 401, 403, 404, 409, 413, 415, 429, 500, 503]).toContain(status)
})

function fieldsOf(call: Call): object {
  return z.toJSONSchema(call.input, { io: 'input', unrepresentable: 'any' }).properties ?? {}
}

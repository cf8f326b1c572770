import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type Call, everyCall } from '../../contract/call.ts'
import { calls } from '../../contract/calls.ts'
import { LEVEL_NAMES } from '../../contract/levels.ts'
import { ROLES, type Role } from '../../contract/roles.ts'
import { type Answer, type Person, suiteWorld, unique } from '../support/world.ts'
import { FIXTURES, type Fixture, NAMED_ELSEWHERE, openStage } from './fixtures.ts'
import { type Field, fieldsOf, hostileTexts, wrongValues } from './schemas.ts'

const ROOT = join(import.meta.dirname, '../..')
/** The names of fields that name a client, an account, or something of them. */
const NAMES = ['name', 'of', 'from', 'to', 'login', 'client', 'clients', 'account', 'id']
const NONE: Fixture = { input: () => ({}) }
const CALLS = everyCall(calls).map((call) => {
  const roles: readonly Role[] = call.roles === 'anyone' ? [] : call.roles
  // `role` is one of the roles that may make the call.
  const { name } = call
  return { name, call, roles, role: roles[0] ?? 'dealer', fixture: FIXTURES.get(name) ?? NONE }
})
const CALLS_WITH_SESSION = CALLS.filter(({ roles }) => roles.length > 0)
const CALLS_WITH_NAMES = CALLS.flatMap(({ fixture, ...rest }) =>
  (fixture.names ?? []).map((named) => ({ ...rest, ...fixture, ...named })),
)
const POST_CALLS = CALLS.filter(({ call }) => call.method === 'POST')
const CALLS_WITH_SECRETS = CALLS.filter(({ call }) => call.secrets.length > 0)
const CALLS_WITH_FIELDS = CALLS.filter(({ call }) => fieldsOf(call).length > 0)

const world = await suiteWorld({ env: { TRIALS_PER_DAY: '100000' } })
const stage = await openStage(world)

test('every call has a fixture, and every fixture a call', () => {
  expect([...FIXTURES.keys()].sort()).toEqual(
    everyCall(calls)
      .map(({ name }) => name)
      .sort(),
  )
})

test('for every field that names something of the caller it is declared which test tries the names of others', () => {
  for (const { name, call, fixture } of CALLS_WITH_SESSION) {
    const { fields = [], by = '' } = NAMED_ELSEWHERE[name] ?? {}
    const tried = [...(fixture.names ?? []).map(({ field }) => field), ...fields]
    expect(tried.sort(), name).toEqual(fieldsOf(call).filter(isName).map(nameOf).sort())
    if (by === 'the admin') expect(call.roles, name).toEqual(['admin'])
    else expect(existsSync(join(ROOT, by)), by).toBe(true)
  }

  /** A new login and a day have a pattern; what names something that there is takes any text. */
  function isName({ field, schema }: Field): boolean {
    return NAMES.includes(field) && (schema.items ?? schema).pattern === undefined
  }

  function nameOf({ field }: Field): string {
    return field
  }
})

describe('every call', () => {
  test.each(CALLS)(
    'succeeds for each of its roles, and is audited if it changes something: $name',
    async ({ name, call, fixture, roles }) => {
      for (const role of roles.length > 0 ? roles : ROLES) {
        const caller = await callerOf(role, fixture)
        const before = await auditRowsOf(name)
        const answer = await caller.send(call, await fixture.input(stage, role))
        expect(answer.status, `${role}: ${answer.text}`).toBe(200)
        expect((await auditRowsOf(name)) - before, role).toBe(call.changes ? 1 : 0)
      }
    },
  )

  test.each(CALLS_WITH_SESSION)(
    'is refused to everybody else with the same answer, and changes nothing: $name',
    async ({ call, fixture, roles, role }) => {
      const input = await fixture.input(stage, role)
      const strangers = [
        world.nobody(),
        world.nobody('x'.repeat(43)),
        await ended(role),
        await world.again(stage.people[role], world.clock.now),
      ]
      const before = await state()
      for (const other of ROLES.filter((one) => !roles.includes(one))) {
        const answer = await stage.people[other].send(call, input)
        expect(answer, other).toMatchObject({ status: 403, body: { code: 'wrong_role' } })
      }
      const refusals = []
      for (const stranger of strangers) refusals.push(await stranger.send(call, input))
      expect(refusals[0]).toMatchObject({ status: 401, body: { code: 'no_session' } })
      expect(new Set(refusals.map(bytesOf)).size).toBe(1)
      expect(await state()).toEqual(before)
    },
  )

  test.each(CALLS_WITH_NAMES)(
    "answers for another person's client or account byte for byte as for an absent one: $name, $field",
    async ({ call, role, input, field, kind, list }) => {
      const foreign = await stage.foreignNames(kind)
      const right = only(await input(stage, role), call)
      const naming = (name: string) => ({ ...right, [field]: list ? [name] : name })
      const before = await state()
      const person = stage.people[role]
      const absent = await person.send(call, naming(unique()))
      expect(absent).toMatchObject({ status: 404, body: { code: 'not_found' } })
      for (const [why, name] of foreign) {
        expect(bytesOf(await person.send(call, naming(name))), why).toBe(bytesOf(absent))
      }
      expect(await state()).toEqual(before)
    },
  )

  test.each(POST_CALLS)(
    'refuses an unknown field, and a wrong value of each field, and changes nothing: $name',
    async ({ call, fixture, role }) => {
      const right = only(await fixture.input(stage, role), call)
      const before = await state()
      const wrong = [
        { field: 'unknown_field', value: 1 },
        ...fieldsOf(call).flatMap(({ field, schema, required }) => [
          ...(required ? [{ field, value: undefined }] : []),
          ...wrongValues(schema).map((value) => ({ field, value })),
        ]),
      ]
      for (const { field, value } of wrong) {
        const answer = await stage.people[role].send(call, { ...right, [field]: value })
        const what = `${field}: ${JSON.stringify(value)?.slice(0, 60)} was answered ${answer.text}`
        const { code, errors = {} } = answer.body as { code: string; errors?: Record<string, string> }
        expect([answer.status, code], what).toEqual([400, 'invalid_input'])
        const named = Object.keys(errors).filter((one) => one === field || one.startsWith(`${field}.`))
        expect(named.length, what).toBeGreaterThan(0)
      }
      expect(await state()).toEqual(before)
    },
  )

  test.each(CALLS_WITH_SECRETS)(
    'leaves its secrets in no log and no table: $name',
    async ({ call, fixture, role }) => {
      const person = await callerOf(role, fixture)
      const secrets = Object.fromEntries(call.secrets.map((field) => [field, 'planted-text']))
      await person.send(call, { ...(await fixture.input(stage, role)), ...secrets }, { key: unique() })
      const kept = [...world.server.logged, ...(await world.stored()).values()].join('\n')
      expect(kept).not.toContain('planted-text')
    },
  )

  test.each(CALLS_WITH_FIELDS)(
    'answers no hostile text with a 500: $name',
    async ({ call, fixture, role }) => {
      const person = await callerOf(role, fixture)
      const right = only(await fixture.input(stage, role), call)
      for (const { field } of fieldsOf(call)) {
        const isList = Array.isArray((right as Record<string, unknown>)[field])
        for (const text of hostileTexts) {
          // Person checks every answer against the contract as well.
          const { status } = await person.send(call, { ...right, [field]: isList ? [text] : text })
          expect(status).toBeLessThan(500)
        }
      }
    },
  )
})

test('a second call with the same body, where it changes nothing, leaves neither an audit row nor a kept reply', async () => {
  const unchanged = []
  // Wrong passwords of other tests count for an hour.
  world.clock.pass({ hours: 2 })
  for (const { name, call, fixture, role } of CALLS_WITH_SESSION.filter(({ call }) => call.changes)) {
    const caller = await callerOf(role, fixture)
    const input = only(await fixture.input(stage, role), call)
    const first = await caller.send(call, input, { key: unique() })
    expect(first.status, name).toBe(200)
    const before = await world.stored()
    const second = await caller.send(call, input, { key: unique() })
    const after = await world.stored()
    if (second.status !== 200 || isSameBut(['audit', 'idempotency_key'], before, after)) {
      expect(after, name).toEqual(before)
      if (second.status === 200) unchanged.push(name)
    }
  }
  expect(unchanged).toEqual(
    expect.arrayContaining([
      ...ROLES.map((role) => `desk.${role}.saveSettings`),
      ...LEVEL_NAMES.map((level) => `level.${level}.save`),
      'lowBalance.own',
      'lowBalance.ofChild',
      'tree.suspend',
      'clients.save',
      'clients.reset',
      'admin.setMessage',
      'admin.removeMessage',
    ]),
  )
})

function isSameBut(tables: string[], before: Map<string, string>, after: Map<string, string>): boolean {
  return [...before].every(([table, rows]) => tables.includes(table) || after.get(table) === rows)
}

/** Reads every table that a refused call must not change. */
function state(): Promise<Map<string, string>> {
  return world.stored(['session', 'audit', 'login_try'])
}

async function auditRowsOf(event: string): Promise<number> {
  const [row] = await world.server.sql<{ count: number }[]>`select count(*) from audit where event = ${event}`
  return row?.count ?? 0
}

function callerOf(role: Role, { endsSession }: Fixture): Person | Promise<Person> {
  return endsSession ? world.again(stage.people[role]) : stage.people[role]
}

async function ended(role: Role): Promise<Person> {
  const person = await world.again(stage.people[role])
  await person.call(calls.session.logout)
  return person
}

function only(input: object, call: Call): object {
  const fields = fieldsOf(call).map(({ field }) => field)
  return Object.fromEntries(Object.entries(input).filter(([field]) => fields.includes(field)))
}

/** Returns a whole answer but for its moment and the id of its request. */
function bytesOf({ status, headers, text }: Answer): string {
  const names = [...headers]
    .filter(([name]) => name !== 'date' && name !== 'x-request-id')
    .map(([name, value]) => `${name}: ${value}`)
  return [status, ...names, text].join('\n')
}

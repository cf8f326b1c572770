import { randomBytes } from 'node:crypto'
import { afterAll, expect } from 'vitest'
import * as z from 'zod/mini'
import { DEFAULT_SETTINGS } from '../../contract/appearance.ts'
import { type Call, pathParameters } from '../../contract/call.ts'
import { calls, type InputOf, type OutputOf } from '../../contract/calls.ts'
import { MAC_PREFIX } from '../../contract/clients.ts'
import { LEVEL_NAMES, LEVELS, type LevelName } from '../../contract/levels.ts'
import { REFUSALS, type RefusalBody, type RefusalCode } from '../../contract/refusals.ts'
import type { Role } from '../../contract/roles.ts'
import { hashPassword } from '../../server/access/password.ts'
import { hash } from '../../server/access/seal.ts'
import { dayOf, endOf } from '../../server/ledger/calendar.ts'
import { checkAnswer } from './openapi-check.ts'
import { ADMIN, SECRET_KEY, startServer, type TestServer, type TestServerOptions } from './server.ts'
import { sealUnbound } from './unbound-password.ts'

/** The time at which a world begins: a morning in spring, far from the end of a day, month or year. */
const BEGINNING = '2026-05-15T10:00:00.000Z'
/** The password of every account that a world inserts. */
export const PASSWORD = 'plain-password'

export type WorldOptions = Omit<TestServerOptions, 'clock' | 'admin'> & {
  /** A clock to share with other servers. */
  clock?: Clock
}

/** Opens the real server on its own database, with a clock that the test moves and an admin who is signed in. */
export async function openWorld({ clock = new Clock(), ...options }: WorldOptions = {}): Promise<World> {
  const server = await startServer({ ...options, clock: () => clock.now })
  return new World(server, clock, await firstAdmin(server))
}

/** Opens the world of a suite, which closes with it. */
export async function suiteWorld(options?: WorldOptions): Promise<World> {
  const world = await openWorld(options)
  afterAll(() => world.close())
  return world
}

/** The server's clock. It stands still until the test moves it. */
export class Clock {
  #now: number

  constructor(now = BEGINNING) {
    this.#now = Date.parse(now)
  }

  get now(): Date {
    return new Date(this.#now)
  }

  set(moment: string | Date): void {
    this.#now = new Date(moment).getTime()
  }

  pass({ days = 0, hours = 0, minutes = 0, seconds = 0, ms = 0 }: Span): void {
    this.#now += (((days * 24 + hours) * 60 + minutes) * 60 + seconds) * 1000 + ms
  }
}

type Span = { days?: number; hours?: number; minutes?: number; seconds?: number; ms?: number }

/** A server and the people who use it. Every name is unique, so that the tests of a file can share one world. */
export class World {
  readonly server: TestServer
  readonly clock: Clock
  readonly admin: Person

  constructor(server: TestServer, clock: Clock, admin: Person) {
    this.server = server
    this.clock = clock
    this.admin = admin
  }

  /** Creates a superreseller, its reseller and its dealer, and passes credits down to the level `to`. */
  async family({ credits = 0, to = 'dealer' }: { credits?: number; to?: LevelName } = {}): Promise<Family> {
    const superreseller = await this.child(this.admin, credits)
    const reseller = await this.child(superreseller, to === 'superreseller' ? 0 : credits)
    const dealer = await this.child(reseller, to === 'dealer' ? credits : 0)
    return { superreseller, reseller, dealer }
  }

  /**
   * Creates an account one level below, with a session. Both are inserted into their tables, because the calls would
   * each cost a password hash. The credits come from its parent, through the call.
   */
  async child(parent: Person, credits = 0, name = unique(12)): Promise<Person> {
    const role = LEVEL_NAMES.find((level) => LEVELS[level].owner === parent.role)
    if (!role) throw new Error(`a ${parent.role} has no accounts below it`)
    const [row] = await this.server.sql<{ id: number }[]>`
      insert into account (name, role, parent, superreseller, reseller, password, settings, created)
      select ${name}, ${role}, id, case when role = 'superreseller' then id else superreseller end,
        case when role = 'reseller' then id end, ${await PLANTED}, ${this.server.sql.json(DEFAULT_SETTINGS)},
        ${this.clock.now}
      from account where id = ${parent.id} returning id`
    if (!row) throw new Error(`${parent.name} is not there`)
    const person = new Person(this.server, {
      id: row.id,
      name,
      role,
      token: await plantSession(this.server, row.id),
    })
    if (credits > 0) await this.give(parent, person, credits)
    return person
  }

  /** Gives credits to a child, in portions of at most 10,000, the limit of one call. */
  async give(parent: Person, child: Person, credits: number): Promise<void> {
    const { save } = calls.level[child.role as LevelName]
    for (let left = credits; left > 0; left -= 10_000) {
      await parent.call(save, { name: child.name, credits: Math.min(left, 10_000), transaction: 0 })
    }
  }

  /** Creates a client through the call, by default on a trial until the end of today. */
  async client(dealer: Person, more: Partial<NewClient> = {}): Promise<ClientMade> {
    const input = newClient(more)
    const { expiry } = await dealer.call(calls.clients.create, input)
    return { name: input.login, mac: input.stb_mac ?? '', expiry }
  }

  /**
   * Inserts many clients that have paid nothing and expire with today. Their names are `prefix` and a number from
   * `first` to `last`, padded to `digits`.
   */
  async plantClients(
    dealer: Person,
    { prefix = 'many-', first = 1, last, digits = 1, description = '' }: Planted,
  ): Promise<void> {
    const { now } = this.clock
    const { timeZone } = this.server.config
    // While the tables look empty to the planner, each check of a foreign key scans one; so a small portion comes
    // first.
    for (let from = first, some = 1_000; from <= last; from += some, some = 10_000) {
      if (some > 1_000) await this.server.ownerSql`analyze client, service`
      await this.server.sql`
        with made as (
          insert into client (dealer, name, password, ministra, phone, description, package_selection, created)
          select ${dealer.id}, ${prefix}::text || lpad(n::text, greatest(length(n::text), ${digits}), '0'),
            ${sealUnbound('planted', SECRET_KEY)}, true, '',
            ${description}::text, 1, ${now}
          from generate_series(${from}::int, ${Math.min(last, from + some - 1)}::int) n
          returning id, dealer, name
        )
        insert into service (client, dealer, name, expiry) select id, dealer, name, ${endOf(dayOf(now, timeZone), timeZone)} from made`
    }
  }

  /** Returns the same person with another session, which expires at `until`. */
  async again(person: Person, until: string | Date = FOR_EVER): Promise<Person> {
    return new Person(this.server, {
      ...whoIs(person),
      token: await plantSession(this.server, person.id, until),
    })
  }

  /** Returns the same person with their session, calling another server of this database. */
  at(server: TestServer, person: Person): Person {
    return new Person(server, person)
  }

  async signIn(name: string, password = PASSWORD): Promise<Person> {
    const nobody = this.nobody()
    const { token, login_username, role } = await nobody.call(calls.session.login, {
      login_username: name,
      login_password: password,
    })
    const [row] = await this.server.sql<
      { id: number }[]
    >`select id from account where name = ${login_username}`
    return new Person(this.server, { id: row?.id ?? 0, name: login_username, role, token })
  }

  /** Returns somebody without a session, or with this token. */
  nobody(token = ''): Person {
    return new Person(this.server, { id: 0, name: '', role: 'dealer', token })
  }

  /** Sets a client's expiry in the table, without a purchase. */
  async setExpiry(name: string, expiry: string): Promise<void> {
    await this.server.sql`update service set expiry = ${expiry} where lower(name) = lower(${name})`
  }

  stored(leftOut: readonly string[] = []): Promise<Map<string, string>> {
    return storedIn(this.server, leftOut)
  }

  /** Starts another server on the same database, with the same clock. Who asks for it closes it, before the world. */
  another(options: Omit<WorldOptions, 'clock'> = {}): Promise<TestServer> {
    return startServer({ ...options, database: this.server.database, clock: () => this.clock.now })
  }

  close(): Promise<void> {
    return this.server.close()
  }
}

function whoIs({ id, name, role }: Person) {
  return { id, name, role }
}

/**
 * Reads every table but those that are left out as sorted lines of text, to compare two states or to search for
 * secrets. A bytea column is added in letters, because its hex would hide a text.
 */
export async function storedIn(
  { ownerSql }: Pick<TestServer, 'ownerSql'>,
  leftOut: readonly string[] = [],
): Promise<Map<string, string>> {
  const tables = await ownerSql<{ name: string }[]>`
    select relname as name from pg_class
    where relnamespace = 'public'::regnamespace and relkind = 'r' and relname <> all (${leftOut}::text[]) order by 1`
  const rows = await ownerSql<{ name: string; row: string }[]>`${tables
    .map(({ name }) => ownerSql`select ${name}::text as name, t::text as row from ${ownerSql(name)} t`)
    .reduce((all, one) => ownerSql`${all} union all ${one}`)}`
  const lines = new Map<string, string[]>(tables.map(({ name }) => [name, []]))
  for (const { name, row } of rows) lines.get(name)?.push(row + lettersOf(row))
  return new Map([...lines].map(([name, of]) => [name, of.sort().join('\n')]))
}

function lettersOf(row: string): string {
  return [...row.matchAll(/\\x((?:[0-9a-f]{2})+)/g)]
    .map(([, hex]) => Buffer.from(hex as string, 'hex').toString('latin1'))
    .join()
}

export type Family = { superreseller: Person; reseller: Person; dealer: Person }
export type NewClient = InputOf<typeof calls.clients.create>
type Planted = { prefix?: string; first?: number; last: number; digits?: number; description?: string }
type ClientMade = { name: string; mac: string; expiry: string }

/** Returns a valid input of `POST /api/client`: by default a trial of today, with a unique name and MAC. */
export function newClient(more: Partial<NewClient> = {}): NewClient {
  return {
    login: unique(),
    password: 'secret-tv',
    months: 0,
    package_selection: 1,
    ...(more.ministra ? {} : { stb_mac: uniqueMac() }),
    ...more,
  }
}

/** An answer that has been checked against the contract. */
export type Answer = {
  status: number
  headers: Headers
  /** The body byte for byte; of a refusal, without the id of its request. */
  text: string
  body: unknown
}

export type SendOptions = { headers?: Record<string, string>; key?: string }

/**
 * Makes calls over HTTP as one account. Every answer is checked against the contract and the OpenAPI document.
 */
export class Person {
  readonly id: number
  readonly name: string
  readonly role: Role
  readonly token: string
  readonly url: string

  constructor(server: Pick<TestServer, 'url'>, who: { id: number; name: string; role: Role; token: string }) {
    this.id = who.id
    this.name = who.name
    this.role = who.role
    this.token = who.token
    this.url = server.url
  }

  /** Makes a call that must succeed. Returns its output. */
  async call<C extends Call>(call: C, ...[input, options]: Arguments<C>): Promise<OutputOf<C>> {
    const answer = await this.send(call, input ?? {}, options)
    if (answer.status !== 200) throw new Error(`${call.method} ${call.path} answered ${answer.text}`)
    return answer.body as OutputOf<C>
  }

  /** Makes a call that must be refused with this code. Returns the refusal. */
  async refused<C extends Call>(
    code: RefusalCode,
    call: C,
    ...[input, options]: Arguments<C>
  ): Promise<RefusalBody> {
    const answer = await this.send(call, input ?? {}, options)
    expect(answer.body, `${call.method} ${call.path}`).toMatchObject({ code })
    return answer.body as RefusalBody
  }

  async send(call: Call, input: object = {}, options: SendOptions = {}): Promise<Answer> {
    const answer = await this.#exchange(call, input, options)
    holdToContract(call, answer)
    return answer
  }

  /**
   * Makes a call while something is broken. It may be refused as unavailable; null means that no answer came, 'cut'
   * that half of one did. A call that hangs for a minute throws.
   */
  async attempt(call: Call, input: object = {}, options: SendOptions = {}): Promise<Answer | null | 'cut'> {
    const answer = await this.#exchange(call, input, options, AbortSignal.timeout(CALL_TIMEOUT_MS)).catch(
      (error) => {
        // fetch throws a TypeError: 'fetch failed' before the answer begins, another message in the middle of it.
        if (error instanceof TypeError) return error.message === 'fetch failed' ? null : 'cut'
        throw error
      },
    )
    if (answer === null || answer === 'cut') return answer
    if (answer.status === 503) expect(answer.body).toMatchObject({ status: 'ERROR', code: 'unavailable' })
    else holdToContract(call, answer)
    return answer
  }

  #exchange(
    call: Call,
    input: object,
    { headers = {}, key }: SendOptions,
    signal?: AbortSignal,
  ): Promise<Answer> {
    const { path, query, body } = requestOf(call, input)
    return this.fetch(call.method, `/v1${path}${query}`, {
      headers: {
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(key !== undefined && { 'idempotency-key': key }),
        ...headers,
      },
      ...(body !== undefined && { body }),
      ...(signal && { signal }),
    })
  }

  async fetch(
    method: string,
    path: string,
    {
      headers = {},
      body,
      signal,
    }: {
      headers?: Record<string, string>
      body?: string | Uint8Array<ArrayBuffer>
      signal?: AbortSignal
    } = {},
  ): Promise<Answer> {
    const response = await fetch(this.url + path, {
      method,
      headers: { ...(this.token && { 'access-token': this.token }), ...headers },
      ...(body !== undefined && { body }),
      ...(signal && { signal }),
    })
    const text = await response.text()
    const type = response.headers.get('content-type')
    const isJson = type?.startsWith('application/json') && method !== 'HEAD'
    const { status, headers: got } = response
    const answer = { status, headers: got, text, body: isJson ? JSON.parse(text) : text }
    if (method !== 'HEAD') checkAnswer({ method, url: path, type, status, body: answer.body })
    return isJson && status >= 400 && path.startsWith('/v1') ? withoutId(answer) : answer
  }
}

type Arguments<C extends Call> =
  Record<string, never> extends InputOf<C>
    ? [input?: InputOf<C>, options?: SendOptions]
    : [input: InputOf<C>, options?: SendOptions]

/** Distributes the fields of an input over the path, the query of a GET and the body. */
function requestOf(call: Call, input: object): { path: string; query: string; body: string | undefined } {
  const fields: Record<string, unknown> = { ...input }
  let path = call.path
  for (const name of pathParameters(call.path)) {
    path = path.replace(`{${name}}`, encodeURIComponent(String(fields[name]).toWellFormed()))
    delete fields[name]
  }
  if (call.method !== 'GET') {
    const hasBody = call.method === 'POST' || Object.keys(fields).length > 0
    return { path, query: '', body: hasBody ? JSON.stringify(fields) : undefined }
  }
  const query = new URLSearchParams(Object.entries(fields).map(([name, value]) => [name, String(value)]))
  return { path, query: query.size > 0 ? `?${query}` : '', body: undefined }
}

/** Returns a refusal without the id of its request, by which alone two answers may differ. */
function withoutId(answer: Answer): Answer {
  const { request_id: id, ...body } = answer.body as { request_id?: string }
  expect(answer.headers.get('x-request-id'), answer.text).toBe(id)
  expect(id).toMatch(/^[A-Za-z0-9._-]{1,64}$/)
  return { ...answer, body, text: answer.text.replace(`,"request_id":"${id}"`, '') }
}

/** A success has exactly the fields of the contract. Any other answer is a refusal, and never a 500. */
function holdToContract(call: Call, answer: Answer): void {
  const where = `${call.method} ${call.path} answered ${answer.status} ${answer.text.slice(0, 500)}`
  expect(answer.headers.get('cache-control'), where).toBe('no-store')
  if (answer.status !== 200) holdToRefusal(answer, where)
  else if (call.returns !== 'file') holdToOutput(call, answer, where)
}

function holdToOutput(call: Call, answer: Answer, where: string): void {
  const read = call.output.safeParse(answer.body)
  if (!read.success)
    throw new Error(`${where}, which the contract does not allow:\n${z.prettifyError(read.error)}`)
  expect(answer.body, where).toEqual(read.data)
}

export function holdToRefusal({ status, headers, body }: Answer, where = ''): void {
  const refusal = Refusal.safeParse(body)
  if (!refusal.success) throw new Error(`${where}, which is no refusal:\n${z.prettifyError(refusal.error)}`)
  expect(REFUSALS[refusal.data.code], where).toBe(status)
  expect(status, where).toBeLessThan(500)
  if (status === 429) expect(headers.get('retry-after'), where).toMatch(/^[1-9]\d*$/)
}

const Refusal = z.strictObject({
  status: z.literal('ERROR'),
  code: z.enum(Object.keys(REFUSALS) as [RefusalCode, ...RefusalCode[]]),
  message: z.string().check(z.regex(/^\S.*[.?]$/s)),
  errors: z.optional(z.record(z.string(), z.string().check(z.minLength(1)))),
  challenge: z.optional(z.object({ parameters: z.looseObject({}), signature: z.string() })),
  missing: z.optional(z.array(z.string()).check(z.minLength(1))),
})

let made = 0
const RUN = randomBytes(3).toString('hex')

/** Returns an unused name of 5 to 15 characters. */
export function unique(length = 10): string {
  made += 1
  // Of three digits, so that lists have later ones behind.
  const number = made.toString(36).padStart(3, '0')
  return `t${RUN}${number}`.padEnd(length, '-').slice(0, 15)
}

let macs = 0

/** Returns a MAC that no client of this file's database has. */
export function uniqueMac(): string {
  macs += 1
  return MAC_PREFIX + [16, 8, 0].map((bits) => pair((macs >> bits) & 0xff)).join(':')
}

function pair(byte: number): string {
  return byte.toString(16).toUpperCase().padStart(2, '0')
}

/** Longer than any of the server's own time limits. */
const CALL_TIMEOUT_MS = 90_000

const PLANTED = hashPassword(PASSWORD, null)
/** An inserted session outlasts every time that a test sets; one from a sign-in lasts its hour. */
const FOR_EVER = '2999-12-31T00:00:00.000Z'
/** Before the clock of any test. */
const LONG_AGO = new Date(0)

async function firstAdmin(server: TestServer): Promise<Person> {
  const [row] = await server.sql<{ id: number }[]>`select id from account where role = 'admin'`
  if (!row) throw new Error('there is no admin')
  return new Person(server, {
    id: row.id,
    name: ADMIN.login,
    role: 'admin',
    token: await plantSession(server, row.id),
  })
}

async function plantSession(
  { sql }: TestServer,
  account: number,
  expiry: string | Date = FOR_EVER,
): Promise<string> {
  const token = randomBytes(32).toString('base64url')
  await sql`
    insert into session (token_hash, account, created, expiry)
    values (${hash(token)}, ${account}, ${LONG_AGO}, ${expiry})`
  return token
}

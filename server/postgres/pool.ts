import type postgres from 'postgres'
import { Turns } from '../turns.ts'
import { driver } from './driver.ts'
import { isLost } from './errors.ts'
import { closeSockets, failingSocket, type Host, openLocalSocket, openSocket } from './host-connections.ts'
import { oneAtATime } from './one-at-a-time.ts'

/** Where a database is: a connection string, or a unix socket of the embedded server. */
export type Connect = string | { socket: string; database: string; user: string }

/** Runs statements: a pool of connections, or the transaction that `begin` passes to its work. */
export type Sql = postgres.Sql

/** A part of a statement, or a whole one that has not been sent. */
export type Fragment = postgres.PendingQuery<postgres.Row[]>

/** The number of connections of the console's pool. */
export const CONNECTIONS = 10
/** The most of them that changes may have at once, so that those who look find one while every commit waits. */
export const MOST_CHANGES = CONNECTIONS - 3

interface PoolOptions {
  /** The most connections at once. */
  max: number
  /** The most connections that changes have at once; all of them if left out. */
  changes?: number
  /**
   * True for work that takes long, as migrations and backups: no time limit, also none of the role, and no new
   * connection meanwhile. Its sessions are prepared by `withPool`, or else by `prepareForLongWork`.
   */
  isLong?: boolean
  /** Whether to connect to a standby where there is one, for work that only reads and takes long. */
  standby?: boolean
  /** Aborted: its connections are closed at once, whatever is waited for on them. */
  interrupted?: AbortSignal | undefined
  /** Called whenever a connection was made. */
  onOpen?: () => void
  /** Called whenever a connection is lost or closed. */
  onClose?: () => void
}

/**
 * Opens a pool; a connection is made when the first statement needs it.
 * It reads int8 and whole numerics as numbers, moments as `YYYY-MM-DDTHH:mm:ss.sssZ` and days as `YYYY-MM-DD`.
 */
export function openPool(to: Connect, options: PoolOptions): Sql {
  const unreplicated = { count: 0 }
  const settings = {
    max: options.max,
    // In seconds. A call must be answered within 5 s even without the database.
    connect_timeout: 2,
    onnotice: (notice: postgres.Notice) => {
      if (notice.routine === SYNCHRONOUS_WAIT) unreplicated.count += 1
    },
    // By default the driver waits up to 20 s before it connects again after a failure.
    backoff: () => 0,
    connection: sessionSettings(options.isLong ?? false),
    types,
    // The driver's query of types at the start of a connection would end the process if the connection were lost.
    fetch_types: false,
    ...(options.isLong && { max_lifetime: null, idle_timeout: 0 }),
    ...(options.onClose && { onclose: options.onClose }),
  }
  const { onOpen, interrupted } = options
  const hooks = {
    ...(onOpen && {
      // PostgreSQL reports its version once on each new connection.
      onparameter(name: string) {
        if (name !== 'server_version') return
        // The driver tells of a parameter only where it differs from what another connection of the pool reported
        // before.
        delete sql.parameters[name]
        onOpen()
      },
    }),
    ...(interrupted && { socket: openLocalSocket }),
  }
  const sql: Sql =
    typeof to === 'string'
      ? openOver(to, settings, { wanted: options.standby ? 'standby' : 'primary', hooks })
      : driver({ ...settings, ...hooks, path: to.socket, database: to.database, user: to.user })
  unreplicatedOf.set(sql, unreplicated)
  interrupted?.addEventListener('abort', () => closeSockets(sql, 'the work was interrupted'))
  if (options.changes) changesOf.set(sql, new Turns({ atOnce: options.changes }))
  return sql
}

/** Runs work on a pool of its own, which is closed afterwards. */
export async function withPool<Result>(
  to: Connect,
  options: PoolOptions,
  work: (sql: Sql) => Promise<Result>,
): Promise<Result> {
  const sql = openPool(to, options)
  try {
    if (options.isLong) await prepareForLongWork(sql)
    return await work(sql)
  } finally {
    await sql.end({ timeout: 1 })
    // A commit that waits for a standby keeps its connection, and so its process, until the standby is there again.
    closeSockets(sql, 'the work is over')
  }
}

/**
 * What sessions of long work have. It is not sent with the other settings: PostgreSQL before 17 does not know the first
 * one, and PgBouncer refuses what it does not know. The locks of a machine that lost its power end after a minute by
 * the others, and not after two hours; over a unix socket they do nothing. How long what was sent may go unanswered is
 * left as it is: that would also end a backup whose disk stands still.
 */
const OF_LONG_WORK = {
  transaction_timeout: '0',
  tcp_keepalives_idle: '30',
  tcp_keepalives_interval: '10',
  tcp_keepalives_count: '3',
}

/** Makes all connections of a new pool for long work, and prepares them for it. */
export async function prepareForLongWork(sql: Sql): Promise<void> {
  const prepare = () => sql`
    select set_config(name, value, false)
    from unnest(${Object.keys(OF_LONG_WORK)}::text[], ${Object.values(OF_LONG_WORK)}::text[]) as wanted (name, value)
    where current_setting(name, true) is not null`
  await Promise.all(Array.from({ length: sql.options.max }, prepare))
}

/** The turns of the changes of each pool that limits them. */
const changesOf = new WeakMap<Sql, Turns<'anybody'>>()

/**
 * Runs a change once it has a turn. The turn is over when PostgreSQL is done with the change, not when its caller gives
 * up: a commit that waits for a standby that is gone keeps its connection.
 * @param gone aborted once the caller gives up, who then waits for no turn
 */
export function inTurn<T>(sql: Sql, gone: AbortSignal, change: () => Promise<T>): Promise<T> {
  return changesOf.get(sql)?.run('anybody', change, gone) ?? change()
}

/** The number of commits of each pool of which PostgreSQL warned that they did not wait for the standby. */
const unreplicatedOf = new WeakMap<Sql, { count: number }>()

/** PostgreSQL's function that warns so. Its name stands in the warning in every language. */
const SYNCHRONOUS_WAIT = 'SyncRepWaitForLSN'

/** Returns how often a commit of this pool was stored by one machine only, although it was to wait for another. */
export function countUnreplicated(sql: Sql): number {
  return unreplicatedOf.get(sql)?.count ?? 0
}

/** Returns the session's settings. The time limits are in milliseconds; 0 is none. */
export function sessionSettings(noTimeouts: boolean): Record<string, string> {
  return {
    application_name: 'boxtree',
    TimeZone: 'UTC',
    DateStyle: 'ISO, YMD',
    // By itself PostgreSQL looks into a schema that is named like the role first, and makes tables there.
    search_path: 'public',
    default_transaction_isolation: 'read committed',
    // As where a provider sets it because a disk fills up: a sign-in would take each such refusal for a lost primary.
    default_transaction_read_only: 'off',
    // The driver reads no other.
    bytea_output: 'hex',
    // Sent also where there are none, because the role or the database's server may have limits of its own.
    statement_timeout: noTimeouts ? '0' : '30000',
    lock_timeout: noTimeouts ? '0' : '10000',
    idle_in_transaction_session_timeout: noTimeouts ? '0' : '30000',
    // Calls find rows by keys: one plan serves all values. By itself PostgreSQL would plan a statement with an array
    // anew each time, since it expects ten entries where it does not look.
    ...(!noTimeouts && { plan_cache_mode: 'force_generic_plan' }),
  }
}

const types = {
  whole: { to: 20, from: [20, 1700], serialize: String, parse: toWhole },
  moment: { to: 1184, from: [1184], serialize: fromMoment, parse: toMoment },
  day: { to: 1082, from: [1082], serialize: fromDay, parse: asItIs },
  texts: listOf(1009, quoted, asItIs),
  wholes: listOf(1016, String, toWhole),
  integers: listOf(1007, String, toWhole),
  moments: listOf(1185, fromMoment, toMoment),
  days: listOf(1182, fromDay, asItIs),
}

/** Returns the codec of a one-dimensional array whose type has this OID. `write` quotes an item that needs it. */
function listOf<Item>(type: number, write: (item: Item) => string, read: (text: string) => unknown) {
  return {
    to: type,
    from: [type],
    serialize: (items: Item[]) => `{${items.map((item) => (item === null ? 'NULL' : write(item))).join()}}`,
    parse: (text: string) =>
      [...text.matchAll(/"((?:[^"\\]|\\.)*)"|[^{},]+/g)].map(([item, quoted]) => {
        if (item === 'NULL') return null
        return read(quoted === undefined ? item : quoted.replaceAll(/\\(.)/g, '$1'))
      }),
  }
}

/** Looks first, because arrays of 100,000 texts are sent, and hardly any has what must be escaped. */
function quoted(text: string): string {
  return `"${/["\\]/.test(text) ? text.replaceAll(/["\\]/g, '\\$&') : text}"`
}

function asItIs(text: string): string {
  return text
}

/** Parses a whole number. A fraction, or a number that is not exact in JavaScript, is a bug of ours. */
function toWhole(text: string): number {
  const number = Number(text)
  if (!Number.isSafeInteger(number)) throw new RangeError(`${text} is not a whole number within 2^53`)
  return number
}

/** Converts `2026-11-21 09:30:00.5+00` to `2026-11-21T09:30:00.500Z`; fractions of a millisecond are cut off. */
function toMoment(text: string): string {
  if (!/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)?\+00$/.test(text)) {
    throw new RangeError(`${text} is not a moment in UTC`)
  }
  const milliseconds = text.slice(20, -3).slice(0, 3).padEnd(3, '0')
  return `${text.slice(0, 10)}T${text.slice(11, 19)}.${milliseconds}Z`
}

function fromMoment(moment: Date | string): string {
  return moment instanceof Date ? moment.toISOString() : moment
}

function fromDay(day: Date | string): string {
  return day instanceof Date ? day.toISOString().slice(0, 10) : day
}

type Settings = postgres.Options<typeof types>

/**
 * Opens a pool over the network. Every new connection must go to a host of the wanted role: a connection to a standby
 * would refuse each change for as long as the pool keeps it. The driver is given one host only, because with several
 * it retries an unreachable one for ever and reports nothing.
 */
function openOver(
  url: string,
  settings: Settings,
  { wanted, hooks }: { wanted: Role; hooks: Settings },
): Sql {
  // The role is chosen here: the driver would end each connection to a standby that the URL does not allow.
  const to = url.replace(/(?<=[?&])target_session_attrs=[^&]*/g, '')
  const hosts = hostsOf(to)
  const [first = { host: 'localhost', port: 5432 }, ...others] = hosts
  if (first.host.startsWith('/')) {
    const path = `${first.host}/.s.PGSQL.${first.port}`
    return driver(to, { ...settings, ...hooks, path, ...{ socket: openLocalSocket } })
  }
  const search = oneAtATime(() => findHost(to, settings, hosts, wanted))
  const socket = async (options: object) => {
    if (others.length === 0) return openSocket(options, first)
    return search().then((found) => openSocket(options, found), failingSocket)
  }
  const attributes = wanted === 'primary' && { target_session_attrs: wanted }
  // Spread, because the driver's types leave `socket` out.
  return driver(to, { ...settings, ...hooks, ...listed(first), ...attributes, ...{ socket } })
}

/**
 * Returns the hosts that a connection string names, an IPv6 address without its brackets: the driver would split it at
 * its first colon. One without a port has the first one's.
 */
export function hostsOf(to: string): Host[] {
  const authority = /^\w+:\/\/([^/?]*)/.exec(to)?.[1] ?? ''
  const named = decodeURIComponent(authority.slice(authority.lastIndexOf('@') + 1)) || 'localhost'
  const parts = named.split(',').map((one) => /^(?:\[(.+)\]|([^:]+))(?::(\d+))?$/.exec(one) ?? [])
  const otherwise = parts[0]?.[3] ?? '5432'
  return parts.map(([, address, name = '', port = otherwise]) => {
    return { host: address ?? name, port: Number(port) }
  })
}

/**
 * Typed as `object`, because the driver's types do not say that it takes lists. It would split a host that is in none.
 */
function listed({ host, port }: Host): object {
  return { host: [host], port: [port] }
}

/** Which of several hosts a pool connects to: the primary, or a standby where there is one. */
type Role = 'primary' | 'standby'

/**
 * Returns the first host of the wanted role; where no standby answers, the primary.
 * @throws what a host answered that let nobody in, as to a wrong password; else that there is no primary
 */
async function findHost(to: string, settings: Settings, hosts: readonly Host[], wanted: Role): Promise<Host> {
  try {
    return await Promise.any(hosts.map((host) => answerOf(to, settings, host, wanted)))
  } catch (error) {
    if (wanted === 'standby') return findHost(to, settings, hosts, 'primary')
    throw (error as AggregateError).errors.find((one) => !isLost(one)) ?? noPrimary()
  }
}

function noPrimary(): Error {
  return Object.assign(new Error('none of the hosts is the primary'), { code: 'ECONNREFUSED' })
}

async function answerOf(to: string, settings: Settings, host: Host, wanted: Role): Promise<Host> {
  const sql = driver(to, { ...settings, ...listed(host), max: 1, target_session_attrs: wanted })
  try {
    await sql`select 1`
    return host
  } finally {
    void sql.end({ timeout: 0 })
  }
}

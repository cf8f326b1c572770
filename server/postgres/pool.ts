import { connect } from 'node:net'
import postgres from 'postgres'

/** Where a database is: a connection string, or a unix socket of the embedded server. */
export type Connect = string | { socket: string; database: string; user: string }

/** What statements run on: a pool of connections, or the transaction that `begin` hands out. */
export type Sql = postgres.Sql

export interface PoolOptions {
  /** The most connections at once. */
  max: number
  /** Migrations and backups may run for as long as they need. */
  patient?: boolean
  /** A connection stays the same one for as long as the server lets it. */
  lasting?: boolean
  /** Called whenever a connection is lost or closed. */
  onClose?: () => void
}

/**
 * Opens a pool; a connection is made when the first statement needs it.
 * int8 and whole numerics come as numbers, moments as `YYYY-MM-DDTHH:mm:ss.sssZ`, days as `YYYY-MM-DD`.
 */
export function openPool(to: Connect, options: PoolOptions): Sql {
  const settings = {
    max: options.max,
    // Under the 5 s in which a request that needs the database must be answered.
    connect_timeout: 4,
    onnotice: () => {},
    connection: sessionSettings(options.patient ?? false),
    types,
    ...(options.lasting && { max_lifetime: null, idle_timeout: 0 }),
    ...(options.onClose && { onclose: options.onClose }),
  }
  if (typeof to !== 'string') {
    return postgres({ ...settings, path: to.socket, database: to.database, user: to.user })
  }
  const sql: Sql = postgres(to, { ...settings, ...(severalHosts(to) && { socket: dialer() }) })
  if (severalHosts(to)) hideFurtherHosts(sql)
  return sql
}

/** Milliseconds, as the server takes them. A patient session may hold a statement or wait for a lock without end. */
function sessionSettings(patient: boolean): Record<string, string> {
  return {
    application_name: 'boxtree',
    TimeZone: 'UTC',
    DateStyle: 'ISO, YMD',
    ...(!patient && {
      statement_timeout: '30000',
      lock_timeout: '10000',
      idle_in_transaction_session_timeout: '30000',
    }),
  }
}

const types = {
  whole: { to: 20, from: [20, 1700], serialize: String, parse: toWhole },
  moment: { to: 1184, from: [1184], serialize: fromMoment, parse: toMoment },
  day: { to: 1082, from: [1082], serialize: fromDay, parse: (text: string) => text },
}

/** Credits are whole numbers: a fraction, or more than a number can hold exactly, is a fault of ours. */
function toWhole(text: string): number {
  const number = Number(text)
  if (!Number.isSafeInteger(number)) throw new RangeError(`${text} is not a whole number within 2^53`)
  return number
}

/** `2026-11-21 09:30:00.5+00` becomes `2026-11-21T09:30:00.500Z`; what is finer than a millisecond is cut off. */
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

function severalHosts(url: string): boolean {
  return /^[a-z]+:\/\/[^/?]*,/.test(url.replace(/\/\/[^@/]*@/, '//'))
}

interface Hosts {
  hosts: string[]
  ports: number[]
}

const hostsOf = new WeakMap<object, Hosts>()

/**
 * With several hosts the driver retries an unreachable one for ever, without a pause and without an answer. It is
 * shown one host, so that it reports a failure, and `dialer` walks the true list; `begin` then tries the next.
 */
function hideFurtherHosts(sql: Sql): void {
  hostsOf.set(sql.options, { hosts: [...sql.options.host], ports: [...sql.options.port] })
  sql.options.host.length = 1
}

/** Makes the driver's sockets: to the host that serves, and to the next one once a connection has closed. */
function dialer() {
  let current = 0
  return (options: object) => {
    const { hosts, ports } = hostsOf.get(options) ?? { hosts: [], ports: [] }
    const dialled = current
    const [host, port] = [hosts[dialled % hosts.length] ?? 'localhost', ports[dialled % ports.length] ?? 5432]
    const socket = connect({ host, port })
    socket.once('close', () => {
      if (current === dialled) current += 1
    })
    // The driver reads the name that a certificate must carry from here.
    return Object.assign(socket, { host, port })
  }
}

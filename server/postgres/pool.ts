import { Socket } from 'node:net'
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
    // In seconds. A request that needs the database must be answered in 5.
    connect_timeout: 2,
    onnotice: () => {},
    // The driver waits up to 20 s before it calls a server again that did not answer; the next request calls at once.
    backoff: () => 0,
    connection: sessionSettings(options.patient ?? false),
    types,
    // Asked at the beginning of each connection, and a connection lost over it would end the process.
    fetch_types: false,
    ...(options.lasting && { max_lifetime: null, idle_timeout: 0 }),
    ...(options.onClose && { onclose: options.onClose }),
  }
  if (typeof to !== 'string') {
    return postgres({ ...settings, path: to.socket, database: to.database, user: to.user })
  }
  const several = severalHosts(to) && { target_session_attrs: 'primary' as const, socket: dial }
  const sql: Sql = postgres(to, { ...settings, ...several })
  if (several) hideFurtherHosts(sql)
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
  day: { to: 1082, from: [1082], serialize: fromDay, parse: asItIs },
  texts: listOf(1009, String, asItIs),
  wholes: listOf(1016, String, toWhole),
  moments: listOf(1185, fromMoment, toMoment),
  days: listOf(1182, fromDay, asItIs),
}

/** A list of one dimension, of the type that PostgreSQL numbers so. */
function listOf<Item>(type: number, write: (item: Item) => string, read: (text: string) => unknown) {
  return {
    to: type,
    from: [type],
    serialize: (items: Item[]) =>
      `{${items.map((item) => (item === null ? 'NULL' : `"${write(item).replaceAll(/["\\]/g, '\\$&')}"`)).join()}}`,
    parse: (text: string) =>
      [...text.matchAll(/"((?:[^"\\]|\\.)*)"|[^{},]+/g)].map(([item, quoted]) => {
        if (item === 'NULL') return null
        return read(quoted === undefined ? item : quoted.replaceAll(/\\(.)/g, '$1'))
      }),
  }
}

function asItIs(text: string): string {
  return text
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

/** Where a database may be, and which of the hosts served last; all pools of one list go there first. */
interface Hosts {
  hosts: string[]
  ports: number[]
  current: number
}

const hostsOf = new WeakMap<object, Hosts>()
const known = new Map<string, Hosts>()

/**
 * With several hosts the driver retries an unreachable one for ever, without a pause and without an answer. It is
 * shown one host, so that it reports a failure, and `dial` walks the true list; who seeks then tries the next.
 */
function hideFurtherHosts(sql: Sql): void {
  const [hosts, ports] = [[...sql.options.host], [...sql.options.port]]
  const list = JSON.stringify([hosts, ports])
  const entry = known.get(list) ?? { hosts, ports, current: 0 }
  known.set(list, entry)
  hostsOf.set(sql.options, entry)
  sql.options.host.length = 1
}

/** Makes the driver's sockets: to the host that served last, and to the next one once that has failed. */
function dial(options: object): Line {
  const hosts = hostsOf.get(options)
  if (!hosts) throw new Error('the hosts of this pool are not known')
  const at = hosts.current % hosts.hosts.length
  return new Line(hosts, { host: hosts.hosts[at] ?? '', port: hosts.ports[at] ?? 5432 })
}

/** A connection ends by itself after half an hour at the earliest; one that ends sooner was refused, or has failed. */
const LASTING_MS = 60_000

class Line extends Socket {
  // The driver reads the name that a certificate must carry from here.
  readonly host: string
  readonly port: number
  private hosts: Hosts
  private dialled: number
  private opened = Date.now()

  constructor(hosts: Hosts, { host, port }: { host: string; port: number }) {
    super()
    this.hosts = hosts
    this.dialled = hosts.current
    this.host = host
    this.port = port
    this.connect({ host, port })
  }

  /** Here, because the driver takes all listeners away where it turns to TLS. */
  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    const lasted = !error && Date.now() - this.opened > LASTING_MS
    if (!lasted && this.hosts.current === this.dialled) this.hosts.current += 1
    super._destroy(error, callback)
  }
}

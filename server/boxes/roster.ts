import type { FastifyBaseLogger } from 'fastify'
import { isLost } from '../postgres/errors.ts'
import type { Sql } from '../postgres/pool.ts'
import { withTimeout } from '../postgres/timeout.ts'
import { type Client, type ClientRow, clientOf, columnsOf, macOf } from './client.ts'
import { KnownClients } from './known.ts'
import { Away } from './refusals.ts'

/** How long the log of changes may go unread before a box is answered, and before it is read anew, in milliseconds. */
const CURRENT_FOR = 5_000
const READ_EVERY = 2_000
/** How long clients are served from memory while the log cannot be read. `db/boxes.sql` keeps it for twice as long. */
const AWAY_FOR = 30 * 60_000
/** How long a box waits for a database that does not answer, before it is answered from memory. */
const PATIENCE_MS = 2_000
/** The most clients in memory. */
const MOST_CLIENTS = 2_000_000

export type Roster = ReturnType<typeof openRoster>

/**
 * The clients whose boxes have asked, in memory, so that a poll costs no query. Every change of a client is a row of
 * `box_change`. The log is read before a box is answered, unless that was done within the last seconds.
 */
export function openRoster(sql: Sql, log: FastifyBaseLogger, clock: () => Date) {
  const clients = new KnownClients(MOST_CLIENTS)
  /** The changes that were read while a lookup was under way, for each such lookup. */
  const changedMeanwhile = new Set<Set<number>>()
  const findLater = openLookup(lookUp)
  let unserved: ReadonlySet<number> = new Set()
  /** The oldest transaction whose changes may not have been read. */
  let since: string | null = null
  /** Counted up by each promotion of a standby. */
  let timeline: string | null = null
  let readAt = Number.NEGATIVE_INFINITY
  let triedAt = Number.NEGATIVE_INFINITY
  let reading: Promise<void> | null = null
  let isAway = false

  return {
    /** The dealers who are suspended with service. */
    unserved: () => unserved,
    /** Whether the log could not be read last, so that no query is worth a box's wait. */
    isAway: () => isAway,
    catchUp,
    has: (mac: string) => clients.hasMac(mac),
    hasChecked: (mac: string, token: string) => clients.hasChecked(mac, token),
    noteChecked: (mac: string, token: string) => clients.noteChecked(mac, token),

    /** Finds the client of a MAC in memory, else in the database; null where no living client has it. @throws Away */
    async find(mac: string): Promise<Client | null> {
      const known = clients.ofMac(mac)
      if (known) return known
      try {
        return await findLater(mac)
      } catch (error) {
        throw away(error)
      }
    },

    /** Finds a client in memory, else in the database; null where it is deleted. @throws Away */
    async findById(id: number): Promise<Client | null> {
      const known = clients.get(id)
      if (known) return known
      try {
        const [client] = await keepAll(() => clientsBy(sql, [id]))
        return client ?? null
      } catch (error) {
        throw away(error)
      }
    },

    /** Finds the client of a MAC as the database has it now; where that is away, in memory. @throws Away */
    async findAnew(mac: string): Promise<Client | null> {
      try {
        return await findLater(mac)
      } catch (error) {
        const known = clients.ofMac(mac)
        if (known) return known
        throw away(error)
      }
    },

    /** Runs a transaction that changes a client, and keeps the client as it leaves it. @throws Away */
    async change<T extends { client: Client }>(transaction: () => Promise<T>): Promise<T> {
      try {
        return await watching(async (changed) => {
          const began = timeline
          const result = await transaction()
          if (changed.has(result.client.id) || timeline !== began) await reload([result.client.id])
          else clients.keep(result.client)
          return result
        })
      } catch (error) {
        throw away(error)
      }
    },
  }

  /**
   * Reads the log of changes, unless it was read just now.
   * @throws Away where it could not be read for so long that memory counts no more
   */
  async function catchUp(): Promise<void> {
    const now = clock().getTime()
    // The clock of a database that took over may be behind the one before: what was read is too old to answer from.
    if (readAt > now) readAt = now - CURRENT_FOR
    const age = now - readAt
    if (age < READ_EVERY) return
    if (!reading && performance.now() - triedAt >= (isAway ? READ_EVERY : 0)) {
      triedAt = performance.now()
      reading = read().finally(() => {
        reading = null
      })
    }
    if (age < CURRENT_FOR) return
    // What is too old to answer from is worth a longer wait.
    if (reading) await (age > AWAY_FOR ? reading : Promise.race([reading, pause(PATIENCE_MS)]))
    if (clock().getTime() - readAt > AWAY_FOR) throw new Away()
  }

  async function read(): Promise<void> {
    const began = clock().getTime()
    try {
      const [row] = await withTimeout(
        sql,
        () => sql<{ next: string; timeline: string; changed: number[]; unserved: number[] }[]>`
          select pg_snapshot_xmin(pg_current_snapshot())::text as next,
            substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) as timeline,
            array(select distinct client from box_change where written >= ${since}::text::xid8) as changed,
            array(select dealer from dealer_out_of_service) as unserved`,
      )
      if (!row) throw new Error('the log of changes gave no row')
      // The log may have been cleaned in the meantime. Or a standby was promoted: it may lack transactions that the old
      // primary had numbered, and gives these numbers again, to changes that would count as read.
      if (began - readAt > AWAY_FOR || (timeline !== null && timeline !== row.timeline)) clients.clear()
      timeline = row.timeline
      for (const other of changedMeanwhile) for (const client of row.changed) other.add(client)
      await reload(row.changed.filter((id) => clients.has(id)))
      unserved = new Set(row.unserved)
      since = row.next
      readAt = began
      if (isAway) log.info('the gateway reads the changes of clients again')
      isAway = false
    } catch (error) {
      if (!isAway)
        log.warn({ err: error }, 'the gateway answers from memory: it cannot read the changes of clients')
      isAway = true
    }
  }

  async function reload(ids: readonly number[]): Promise<void> {
    if (ids.length === 0) return
    const found = await keepAll(() => clientsBy(sql, ids))
    const living = new Set(found.map(({ id }) => id))
    for (const id of ids) if (!living.has(id)) clients.forget(id)
  }

  async function lookUp(macs: readonly string[]): Promise<Map<string, Client>> {
    const found = await keepAll(() => clientsByMac(sql, macs))
    const current = new Map(found.map((client) => [macOf(client) ?? '', client]))
    for (const mac of macs) if (!current.has(mac)) clients.forgetMac(mac)
    return current
  }

  /** Keeps the clients that a query finds. Those of whose change the log tells meanwhile are read again. */
  async function keepAll(query: () => PromiseLike<Client[]>): Promise<Client[]> {
    return watching(async (changed) => {
      const began = timeline
      let found = await withTimeout(sql, async () => query())
      for (;;) {
        // It may have been found on a primary that was replaced meanwhile.
        if (timeline !== began) return keepAll(query)
        const outdated = found.filter(({ id }) => changed.has(id)).map(({ id }) => id)
        const current = found.filter(({ id }) => !changed.has(id))
        for (const client of current) clients.keep(client)
        if (outdated.length === 0) return found
        changed.clear()
        found = [...current, ...(await withTimeout(sql, () => clientsBy(sql, outdated)))]
      }
    })
  }

  async function watching<T>(work: (changed: Set<number>) => Promise<T>): Promise<T> {
    const changed = new Set<number>()
    changedMeanwhile.add(changed)
    try {
      return await work(changed)
    } finally {
      changedMeanwhile.delete(changed)
    }
  }
}

/** Returns what to throw for an error of a lookup: Away where the database cannot be reached. */
function away(error: unknown): unknown {
  return isLost(error) ? new Away() : error
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref())
}

/** Looks up MACs by one query at a time, for all that were asked for since the last one began. */
function openLookup(lookUp: (macs: readonly string[]) => Promise<Map<string, Client>>) {
  let asked = new Set<string>()
  let running: Promise<unknown> | null = null
  let next: Promise<Map<string, Client>> | null = null

  return async (mac: string): Promise<Client | null> => {
    asked.add(mac)
    next ??= findNext()
    return (await next).get(mac) ?? null
  }

  async function findNext(): Promise<Map<string, Client>> {
    let macs: string[] = []
    try {
      // If that query cannot reach the database, this one fails with it.
      await running
    } finally {
      macs = [...asked]
      asked = new Set()
      next = null
    }
    const found = lookUp(macs)
    running = found
    const end = () => {
      if (running === found) running = null
    }
    found.then(end, end)
    return found
  }
}

async function clientsBy(sql: Sql, ids: readonly number[]): Promise<Client[]> {
  const rows = await sql<ClientRow[]>`
    select ${columnsOf(sql)} from client c join service s on s.client = c.id left join device d on d.client = c.id
    where c.id = any (${ids}::bigint[]) and c.deleted is null`
  return rows.map(clientOf)
}

/** A MAC that a client has itself comes before one with which a box signed in by login. */
async function clientsByMac(sql: Sql, macs: readonly string[]): Promise<Client[]> {
  const rows = await sql<ClientRow[]>`
    select ${columnsOf(sql)} from unnest(${macs}::text[]) asked (mac)
    cross join lateral (
      select id, 1 as rank from client where mac = asked.mac and deleted is null
      union all
      select client, 2 from device where mac = asked.mac
      order by rank limit 1
    ) found
    join client c on c.id = found.id join service s on s.client = c.id left join device d on d.client = c.id
    where c.deleted is null`
  return rows.map(clientOf)
}

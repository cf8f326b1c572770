import type { FastifyBaseLogger } from 'fastify'
import { isLost, isOutage } from '../../postgres/errors.ts'
import { openLookup } from '../../postgres/lookup.ts'
import type { Sql } from '../../postgres/pool.ts'
import { withTimeout } from '../../postgres/timeout.ts'
import { type BoxClient, type BoxClientRow, boxClientOf, clientRows, columnsOf, macOf } from '../client.ts'
import { Away } from '../refusals.ts'
import { ChangeLog, type Changes } from './change-log.ts'
import { KnownClients } from './known-clients.ts'

/** The least time between two warnings, in milliseconds: after an outage every box may meet the same error. */
const WARNED_EVERY_MS = 60_000
/** The most clients in memory. */
const MOST_CLIENTS = 2_000_000

/**
 * The clients whose boxes have asked, in memory, so that a poll costs no query. The log of changes keeps them current.
 */
export class Roster {
  readonly #sql: Sql
  readonly #changes: ChangeLog
  readonly #warn: FastifyBaseLogger['warn']
  readonly #clients = new KnownClients(MOST_CLIENTS)
  readonly #findLater = openLookup((macs) => this.#lookUp(macs))
  /** The changes that were read while a lookup was under way, for each such lookup. */
  readonly #changedMeanwhile = new Set<Set<number>>()

  #onCleared = () => {}
  #warnedAt = Number.NEGATIVE_INFINITY

  constructor(sql: Sql, log: FastifyBaseLogger, clock: () => Date) {
    this.#sql = sql
    this.#warn = log.warn.bind(log)
    this.#changes = new ChangeLog(sql, log, clock, (changes) => this.#hear(changes))
  }

  /** The dealers who are suspended with service. */
  get unserved(): ReadonlySet<number> {
    return this.#changes.unserved
  }

  /** Whether the log could not be read last, so that no query is worth a box's wait. */
  get isAway(): boolean {
    return this.#changes.isAway
  }

  /** Up to when it has heard of the changes, in milliseconds since 1970. */
  get heardUntil(): number {
    return this.#changes.readAt
  }

  /** Whether it heard of the changes just now. */
  get isCurrent(): boolean {
    return this.#changes.isCurrent
  }

  /** Hears of the changes, unless it did just now. @throws Away where memory counts no more */
  catchUp(): Promise<void> {
    return this.#changes.catchUp()
  }

  /** Has `act` called whenever no client is in memory any more. */
  whenCleared(act: () => void): void {
    this.#onCleared = act
  }

  has(mac: string): boolean {
    return this.#clients.hasMac(mac)
  }

  /** Returns the client of a MAC that is in memory. */
  known(mac: string): BoxClient | undefined {
    return this.#clients.ofMac(mac)
  }

  hasChecked(mac: string, token: string): boolean {
    return this.#clients.hasChecked(mac, token)
  }

  /** Returns the client of a MAC that is in memory, where this token was checked for it. */
  knownChecked(mac: string, token: string): BoxClient | undefined {
    return this.#clients.ofChecked(mac, token)
  }

  noteChecked(mac: string, token: string): void {
    this.#clients.noteChecked(mac, token)
  }

  /** Finds a client in memory, else in the database; null where it is deleted. @throws Away */
  async findById(id: number): Promise<BoxClient | null> {
    return this.#clients.get(id) ?? this.findByIdNow(id)
  }

  /** Finds a client as the database has it now; null where it is deleted. @throws Away */
  async findByIdNow(id: number): Promise<BoxClient | null> {
    const [client] = await this.#orAway(this.#keepAll(() => clientsOf(this.#sql, [id])))
    return client ?? null
  }

  /** Finds the client of a MAC as the database has it now. @throws Away */
  findNow(mac: string): Promise<BoxClient | null> {
    return this.#orAway(this.#findLater(mac))
  }

  /** Finds the client of a MAC as the database has it now; where that is away, in memory. @throws Away */
  async findAnew(mac: string): Promise<BoxClient | null> {
    try {
      return await this.#findLater(mac)
    } catch (error) {
      return this.known(mac) ?? this.#orAway(Promise.reject(error))
    }
  }

  /** Runs a transaction that changes a client, and keeps the client as it leaves it. @throws Away */
  change<T extends { client: BoxClient }>(transaction: () => Promise<T>): Promise<T> {
    const changing = this.#watching(async (changed) => {
      const began = this.#changes.timeline
      const result = await transaction()
      if (changed.has(result.client.id) || this.#changes.timeline !== began)
        await this.#reload([result.client.id])
      else this.#clients.keep(result.client)
      return result
    })
    return this.#orAway(changing)
  }

  async #hear({ clients, isIncomplete }: Changes): Promise<void> {
    if (isIncomplete) {
      this.#clients.clear()
      this.#onCleared()
    }
    for (const changed of this.#changedMeanwhile) for (const client of clients) changed.add(client)
    await this.#reload(clients.filter((id) => this.#clients.has(id)))
  }

  async #reload(ids: readonly number[]): Promise<void> {
    if (ids.length === 0) return
    const found = await this.#keepAll(() => clientsOf(this.#sql, ids))
    const living = new Set(found.map(({ id }) => id))
    for (const id of ids) if (!living.has(id)) this.#clients.forget(id)
  }

  async #lookUp(macs: readonly string[]): Promise<Map<string, BoxClient>> {
    const found = await this.#keepAll(() => clientsOfMacs(this.#sql, macs))
    const current = new Map(found.map((client) => [macOf(client) ?? '', client]))
    for (const mac of macs) if (!current.has(mac)) this.#clients.forgetMac(mac)
    return current
  }

  /** Keeps the clients that a query finds. Clients whose change the log reports meanwhile are read again. */
  #keepAll(query: () => Promise<BoxClient[]>): Promise<BoxClient[]> {
    return this.#watching(async (changed) => {
      const began = this.#changes.timeline
      let found = await withTimeout(this.#sql, query)
      for (;;) {
        // It may have been found on a primary that was replaced meanwhile.
        if (this.#changes.timeline !== began) return this.#keepAll(query)
        const outdated = found.filter(({ id }) => changed.has(id)).map(({ id }) => id)
        const current = found.filter(({ id }) => !changed.has(id))
        for (const client of current) this.#clients.keep(client)
        if (outdated.length === 0) return found
        changed.clear()
        found = [...current, ...(await withTimeout(this.#sql, () => clientsOf(this.#sql, outdated)))]
      }
    })
  }

  /** @throws Away where the database cannot be reached, or can be but failed for now, which is logged */
  async #orAway<T>(work: Promise<T>): Promise<T> {
    try {
      return await work
    } catch (error) {
      if (!isOutage(error)) throw error
      if (!isLost(error) && performance.now() - this.#warnedAt > WARNED_EVERY_MS) {
        this.#warnedAt = performance.now()
        this.#warn({ err: error }, 'the database can be reached, but failed to do what a box needs')
      }
      throw new Away()
    }
  }

  async #watching<T>(work: (changed: Set<number>) => Promise<T>): Promise<T> {
    const changed = new Set<number>()
    this.#changedMeanwhile.add(changed)
    try {
      return await work(changed)
    } finally {
      this.#changedMeanwhile.delete(changed)
    }
  }
}

async function clientsOf(sql: Sql, ids: readonly number[]): Promise<BoxClient[]> {
  return (await clientRows(sql, ids)).map(boxClientOf)
}

/** A MAC that a client has itself comes before one with which a box signed in by login. */
async function clientsOfMacs(sql: Sql, macs: readonly string[]): Promise<BoxClient[]> {
  const rows = await sql<BoxClientRow[]>`
    select ${columnsOf(sql)} from unnest(${macs}::text[]) asked (mac)
    cross join lateral (
      select id, 1 as rank from client where mac = asked.mac and deleted is null
      union all
      select client, 2 from device where mac = asked.mac
      order by rank limit 1
    ) found
    join client c on c.id = found.id join service s on s.client = c.id left join device d on d.client = c.id
    where c.deleted is null`
  return rows.map(boxClientOf)
}

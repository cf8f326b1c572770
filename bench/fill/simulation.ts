import { PACKAGES } from '../../contract/packages.ts'
import { chance, dice, pick, seed, whole } from '../../server/commands/demo/dice.ts'
import { BOXES, SHOWS } from '../../server/commands/demo/invented.ts'
import type { Day } from '../../server/ledger/calendar.ts'
import { Agenda, Calendar, clock } from './agenda.ts'
import { Clients, DELETED, factsOf, hasMac, isDoomed, mixed, NEVER, passwordOf } from './people.ts'
import type { Dealer } from './tree.ts'

/** Over this time a client gets ten rows in the ledger. */
export const DAYS = 670
/** Days after the last one, into which the longest purchases reach. */
const AHEAD = 800
/** The tables are produced in pieces of about this many characters. */
const PIECE = 1 << 18

/**
 * Simulates nearly two years of a business, day by day: clients are created, renew, pay too much by mistake, expire,
 * return and are deleted, and credits are passed down the tree when they are needed. Every row is one that the server's
 * own calls could have written. The tables are produced as text for COPY, the ledger in the order of its ids.
 */
export class Simulation {
  /** The balance of each holding, by its id. */
  readonly balances = new Map<number, number>()
  /** The number of rows of the ledger so far. */
  transfers = 0
  readonly #dealers: readonly Dealer[]
  readonly #calendar: Calendar
  readonly #count: number
  readonly #clients: Clients

  /** @param first the first of DAYS days; the last one should be yesterday */
  constructor(dealers: readonly Dealer[], standing: number, first: Day) {
    seed(2026)
    this.#dealers = dealers
    this.#calendar = new Calendar(first, DAYS + AHEAD)
    this.#count = Math.floor((standing * DELETED) / (DELETED - 1))
    this.#clients = new Clients(this.#count, dealers.length)
  }

  /** Produces the rows of TRANSFER_COLUMNS. */
  *ledger(): Generator<string> {
    const clients = this.#clients
    const due = new Agenda(DAYS)
    let born = 0
    for (let day = 0; day < DAYS; day += 1) {
      const until = this.#count * ((day + 1) / DAYS) ** (1 / 1.5)
      for (; born < until && born < this.#count; born += 1) due.put(born, day)
      const visits = due.take(day)
      let piece = ''
      for (const [at, client] of visits.entries()) {
        const time = clock(7 * 3600 + Math.floor((at / visits.length) * 15 * 3600))
        const visit: Visit = { client, day, created: `${this.#calendar.days[day]} ${time}+00` }
        piece +=
          clients.expiry[client] === NEVER ? this.#firstVisit(visit, due) : this.#laterVisit(visit, due)
        if (piece.length > PIECE) {
          yield piece
          piece = ''
        }
      }
      yield piece
    }
    yield this.#deleteDoomed()
  }

  /** Produces the rows of CLIENT_COLUMNS. @param seal encrypts a password */
  *clients(seal: (password: string, client: number) => Buffer): Generator<string> {
    for (let client = 0; client < this.#count; client += 1) {
      const { name, mac, description } = factsOf(client)
      const deleted = this.#clients.deleted[client]
      const password = isDoomed(client)
        ? '\\N'
        : `\\\\x${seal(passwordOf(client), client + 1).toString('hex')}`
      const phone = mixed(client, 5) % 10 < 7 ? `${2_000_000_000 + (mixed(client, 6) % 7_000_000_000)}` : ''
      const packed = PACKAGES[mixed(client, 7) % PACKAGES.length]?.value
      const born = this.#calendar.days[this.#clients.born[client] as number]
      const isActive = mixed(client, 8) % 16 !== 0
      yield `${client + 1}\t${this.#dealer(client).id}\t${name}\t${password}\t${mac ?? '\\N'}\t${mac === null}\t${isActive}\t${phone}\t${description}\t${packed}\t${born} 07:00:00+00\t${
        deleted === NEVER ? '\\N' : `${this.#calendar.days[deleted as number]} 23:00:00+00`
      }\n`
    }
  }

  /** Produces the rows of SERVICE_COLUMNS. */
  *services(): Generator<string> {
    for (let client = 0; client < this.#count; client += 1) {
      if (isDoomed(client)) continue
      const expiry = this.#calendar.ends[this.#clients.expiry[client] as number]
      yield `${client + 1}\t${this.#dealer(client).id}\t${factsOf(client).name}\t${expiry}\n`
    }
  }

  /** Produces the rows of DEVICE_COLUMNS. Most boxes have connected, more of them in the last days. */
  *devices(): Generator<string> {
    const today = this.#calendar.days[DAYS]
    for (let client = 0; client < this.#count; client += 1) {
      if (isDoomed(client) || !hasMac(client) || mixed(client, 9) % 5 === 0) continue
      const seen = `${this.#calendar.days[DAYS - 1 - Math.floor(dice() ** 3 * 20)]} ${clock(whole(86_400))}+00`
      const number = String(mixed(client, 10) % 1_000_000_000).padStart(9, '0')
      yield `${client + 1}\t0${number}B\t${pick(BOXES)}\tImageDescription: 0.2.18-r23\t${seen}\t${pick(SHOWS)}\t${
        chance(0.2) ? `${today} 00:00:00+00` : seen
      }\n`
    }
  }

  get clientsMade(): number {
    return this.#count
  }

  #firstVisit(visit: Visit, due: Agenda): string {
    const { client, day } = visit
    this.#clients.born[client] = day
    if (chance(0.06)) {
      this.#clients.expiry[client] = day
      due.put(client, day + 1 + whole(3))
      return this.#row(visit, 'TRIAL', 0, null, '')
    }
    const months = pick(MONTHS)
    const rows = this.#purchase(visit, months, day, day) + this.#mistake(visit, months, day)
    this.#plan(visit, due)
    return rows
  }

  #laterVisit(visit: Visit, due: Agenda): string {
    const { client, day } = visit
    const before = this.#clients.expiry[client] as number
    if (isDoomed(client) && before < day && chance(0.8)) return this.#delete(visit, this.#dealer(client).id)
    const months = pick(MONTHS)
    const from = Math.max(day, before)
    const rows = this.#purchase(visit, months, from, before) + this.#mistake(visit, months, from)
    this.#plan(visit, due)
    return rows
  }

  /** Chooses the client's next day: it renews a few days before its expiry, late, after months, or never again. */
  #plan({ client, day }: Visit, due: Agenda): void {
    const end = this.#clients.expiry[client] as number
    if (isDoomed(client)) {
      due.put(client, chance(0.3) ? end + 1 + whole(20) : end - whole(4))
    } else if (chance(0.96)) {
      due.put(client, Math.max(day + 1, chance(0.1) ? end + 1 + whole(6) : end - whole(4)))
    } else if (chance(0.3)) {
      due.put(client, end + 15 + whole(120))
    }
  }

  #purchase(visit: Visit, months: number, from: number, before: number): string {
    const dealer = this.#dealer(visit.client)
    const bought = this.#giveCredits(visit, dealer, months)
    const [at, after] = this.#move(dealer.balance, dealer.consumed, months)
    this.#clients.expiry[visit.client] = this.#calendar.monthsAfter(from, months)
    const movement = `${dealer.balance}\t${dealer.consumed}\t${at}\t${after}`
    const { ends, days } = this.#calendar
    return bought + this.#row(visit, 'USED', months, movement, `${ends[before]}\t${days[from]}`)
  }

  /** Sometimes the dealer has bought too many months and retrieves a part of them at once. */
  #mistake(visit: Visit, months: number, from: number): string {
    if (months < 3 || !chance(0.2)) return ''
    const dealer = this.#dealer(visit.client)
    const taken = 1 + whole(months - 1)
    const [at, after] = this.#move(dealer.consumed, dealer.balance, taken)
    this.#clients.expiry[visit.client] = this.#calendar.monthsAfter(from, months - taken)
    return this.#row(visit, 'RETRIEVED', taken, `${dealer.consumed}\t${dealer.balance}\t${at}\t${after}`, '')
  }

  #delete(visit: Visit, actor: number): string {
    this.#clients.deleted[visit.client] = visit.day
    return this.#row(visit, 'DELETE', 0, null, '', actor)
  }

  /** Deletes the remaining doomed clients on the last evening, so that the number of the others is exact. */
  #deleteDoomed(): string {
    let rows = ''
    const day = DAYS - 1
    const created = `${this.#calendar.days[day]} 23:00:00+00`
    for (let client = DELETED - 1; client < this.#count; client += DELETED) {
      if (this.#clients.deleted[client] !== NEVER) continue
      rows += this.#delete({ client, day, created }, this.#dealer(client).above.admin)
    }
    return rows
  }

  /** Gives a dealer without enough credits some for several weeks, from as far up the tree as necessary. */
  #giveCredits(visit: Visit, dealer: Dealer, needed: number): string {
    const { names, above, id, reseller, superreseller } = dealer
    if (this.#has(dealer.balance) >= needed) return ''
    const credits = dealer === this.#dealers[0] ? 5_000 : 60
    let rows = ''
    if (this.#has(above.reseller) < credits) {
      const more = 10_000
      if (this.#has(above.superreseller) < more) {
        rows += this.#add(
          visit,
          above.issue,
          above.superreseller,
          100_000,
          above.admin,
          names.superreseller,
          [superreseller],
        )
      }
      rows += this.#add(visit, above.superreseller, above.reseller, more, superreseller, names.reseller, [
        superreseller,
        reseller,
      ])
    }
    const path = [superreseller, reseller, id]
    return rows + this.#add(visit, above.reseller, dealer.balance, credits, reseller, names.dealer, path)
  }

  #add(
    { created }: Visit,
    source: number,
    destination: number,
    credits: number,
    actor: number,
    login: string,
    path: number[],
  ): string {
    const [at, after] = this.#move(source, destination, credits)
    const [superreseller, reseller = '\\N', dealer = '\\N'] = path
    this.transfers += 1
    return `${this.transfers}\t${created}\tADD\t${credits}\t${source}\t${destination}\t${at}\t${after}\t${superreseller}\t${reseller}\t${dealer}\t\\N\t${actor}\t${login}\t\\N\t${pick(PAID)}\t\\N\t\\N\t\\N\n`
  }

  /** @param movement source, destination and their balances @param counted expiry_before and counted_from */
  #row(
    { client, created }: Visit,
    type: string,
    credits: number,
    movement: string | null,
    counted: string,
    actor?: number,
  ): string {
    const { id, reseller, superreseller } = this.#dealer(client)
    const { name, mac, description } = factsOf(client)
    const expiry = this.#calendar.ends[this.#clients.expiry[client] as number]
    this.transfers += 1
    return `${this.transfers}\t${created}\t${type}\t${credits}\t${movement ?? NOTHING_MOVED}\t${superreseller}\t${reseller}\t${id}\t${client + 1}\t${actor ?? id}\t${name}\t${mac ?? '\\N'}\t${description}\t${expiry}\t${counted || '\\N\t\\N'}\n`
  }

  #move(source: number, destination: number, credits: number): [number, number] {
    const [at, after] = [this.#has(source) - credits, this.#has(destination) + credits]
    this.balances.set(source, at)
    this.balances.set(destination, after)
    return [at, after]
  }

  #has(holding: number): number {
    return this.balances.get(holding) ?? 0
  }

  #dealer(client: number): Dealer {
    return this.#dealers[this.#clients.dealer[client] as number] as Dealer
  }
}

export const TRANSFER_COLUMNS =
  'id, created, type, credits, source, destination, source_balance, destination_balance, superreseller, reseller, dealer, client, actor, login, mac, description, expiry, expiry_before, counted_from'
export const CLIENT_COLUMNS =
  'id, dealer, name, password, mac, ministra, active, phone, description, package_selection, created, deleted'
export const SERVICE_COLUMNS = 'client, dealer, name, expiry'
export const DEVICE_COLUMNS =
  'client, stb_sn, stb_type, version, first_seen, last_played_tv_content, time_last_play_tv'

interface Visit {
  client: number
  day: number
  created: string
}

const NOTHING_MOVED = '\\N\t\\N\t\\N\t\\N'
const PAID = ['Paid by transfer', 'Paid in cash', 'Invoice', '']
const MONTHS = [...Array<number>(94).fill(1), 3, 3, 3, 3, 6, 12]

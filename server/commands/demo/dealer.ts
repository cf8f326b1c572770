import { ONLINE_FOR_MS } from '../../../contract/clients.ts'
import { PACKAGES } from '../../../contract/packages.ts'
import { DAY_MS } from '../../../contract/time.ts'
import { addDays, addMonths, dayOf } from '../../ledger/calendar.ts'
import { chance, dice, pick, whole } from './dice.ts'
import { BOXES, FILMS, FIRST, LAST, mac, PLACES, SHOWS } from './invented.ts'
import type { Stage } from './stage.ts'

type Client = { name: string; ends: string; loyal: boolean; paid: number }

/** A dealer of the demonstration: creates clients, renews the loyal ones, loses others and corrects a mistake. */
export class Dealer {
  static standing = 0
  static made = 0
  readonly name: string
  readonly above: { admin: string; superreseller: string; reseller: string }
  readonly #clients: Client[] = []

  constructor(name: string, above: Dealer['above']) {
    this.name = name
    this.above = above
  }

  /** Whether this is the dealer who buys only what the day needs, so that a nearly empty balance can be seen. */
  get thrifty(): boolean {
    return this.name === 'queen-street'
  }

  async takeOn(stage: Stage): Promise<void> {
    const number = Dealer.made + 1
    const name = `${pick(FIRST)}.${pick(LAST)}`.slice(0, 11) + String(number).padStart(4, '0')
    const ministra = chance(0.15)
    const months = chance(0.25) ? pick([0, '2d'] as const) : pick([1, 1, 1, 3, 3, 6, 12])
    const cost = typeof months === 'number' ? months : 0
    if (cost > (await stage.balance(this.name))) {
      return this.#borrow(stage, cost)
    }
    Dealer.made = number
    Dealer.standing += 1
    await stage.act(this.name, 'clients.create', {
      login: name,
      password: `tv${String(whole(1e6)).padStart(6, '0')}`,
      ministra,
      ...(!ministra && { stb_mac: mac(number) }),
      months: cost === 0 && !(await this.#mayTry(stage)) ? 1 : months,
      desc: pick(PLACES),
      phone: chance(0.7) ? `${2 + whole(8)}${String(whole(1e9)).padStart(9, '0')}` : '',
      package_selection: pick(PACKAGES).value,
    })
    if (chance(0.06)) await stage.act(this.name, 'clients.save', { login: name, status: false })
    if (!ministra && chance(0.8)) await this.#plugIn(stage, name)
    const today = dayOf(stage.now, 'UTC')
    const ends = months === '2d' ? addDays(today, 1) : addMonths(today, cost)
    this.#clients.push({ name, ends, loyal: chance(0.72), paid: cost })
  }

  async work(stage: Stage): Promise<void> {
    const today = dayOf(stage.now, 'UTC')
    const soon = addDays(today, 3)
    for (const client of [...this.#clients]) {
      if (client.ends > soon) continue
      if (client.loyal && chance(0.35)) await this.#renew(stage, client, today)
      else if (client.ends < addDays(today, -60) && chance(0.04)) await this.#remove(stage, client)
      else if (client.ends < today && !client.loyal) client.paid = 0
    }
    const mistaken = this.#clients.find(({ paid, ends }) => paid >= 6 && ends > addMonths(today, 4))
    if (mistaken && chance(0.02)) await this.#takeBack(stage, mistaken)
  }

  async #renew(stage: Stage, client: Client, today: string): Promise<void> {
    const months = pick([1, 1, 3, 6, 12])
    if (months > (await stage.balance(this.name))) return
    await stage.act(this.name, 'clients.renew', { name: client.name, months })
    client.ends = addMonths(client.ends > today ? client.ends : today, months)
    client.paid = months
    client.loyal = chance(0.92)
  }

  async #takeBack(stage: Stage, client: Client): Promise<void> {
    await stage.act(this.name, 'clients.retrieve', { login: client.name, credits: 2 })
    client.ends = addMonths(client.ends, -2)
    client.paid -= 2
  }

  async #remove(stage: Stage, client: Client): Promise<void> {
    await stage.act(this.name, 'clients.remove', { name: client.name })
    this.#clients.splice(this.#clients.indexOf(client), 1)
    Dealer.standing -= 1
  }

  async #borrow(stage: Stage, credits: number): Promise<void> {
    if ((await stage.balance(this.above.reseller)) < credits) return
    await stage.pass(this.above.reseller, 'dealer', this.name, credits, 'On account')
  }

  /** Whether the dealer gives another trial today: two a day are enough here. */
  async #mayTry(stage: Stage): Promise<boolean> {
    const [trials] = await stage.sql<{ given: number }[]>`
      select count(*) as given from transfer t join account a on a.id = t.dealer
      where a.name = ${this.name} and t.type = 'TRIAL' and t.created > ${new Date(stage.now.getTime() - DAY_MS)}`
    return (trials?.given ?? 0) < 2
  }

  /** Writes what the client's box would have told: no call of the console does, because a box tells the gateway. */
  async #plugIn(stage: Stage, name: string): Promise<void> {
    // Long enough ago to be offline: those that are online live (`boxes.ts`).
    const seen = new Date(Date.now() - 2 * ONLINE_FOR_MS - Math.floor(dice() ** 3 * 20 * DAY_MS))
    const serial = `0${String(whole(1e9)).padStart(9, '0')}B${whole(1000)}`
    const address = `203.0.113.${whole(250) + 1}`
    await stage.sql`
      with seen as (
        insert into presence (client, polled, address, answered, watching)
        select id, ${seen}, ${address}, ${seen}, ${chance(0.3) ? pick(SHOWS) : null} from client
        where name = ${name} and deleted is null),
      first as (
        insert into device_history (client, at, event, detail, address)
        select id, ${seen}, 'first seen', ${serial}, ${address} from client where name = ${name} and deleted is null)
      insert into device (
        client, first_seen, stb_sn, stb_type, version, time_last_play_tv, time_last_play_video,
        last_played_tv_content, last_played_vod_content)
      select id, ${seen}, ${serial}, ${pick(BOXES)},
        ${'ImageDescription: 0.2.18-r23; PORTAL version: 5.6.1'}, ${seen},
        ${chance(0.5) ? new Date(seen.getTime() - 9_000_000) : null}, ${pick(SHOWS)},
        ${chance(0.5) ? pick(FILMS) : null}
      from client where name = ${name} and deleted is null`
    if (!chance(0.2)) return
    await stage.act(this.name, 'clients.save', { login: name, locked: true })
    await stage.sql`
      update device d set locked_to_ip = ${address} from client c
      where d.client = c.id and c.name = ${name} and c.deleted is null`
  }
}

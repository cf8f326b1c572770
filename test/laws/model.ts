// A model of what Boxtree should do, as simple as possible: it has no database, no HTTP, no concurrency and none of
// the server's code. The law of the ledger is that the server does the same.

import { DAY_MS } from '../../contract/time.ts'
import { dayAfter, dayOn, lastSecond, later, monthsLater } from './oracle.ts'

type Level = 'superreseller' | 'reseller' | 'dealer'

export type Account = {
  name: string
  level: Level
  /** null is the admin, who issues without limit. */
  parent: Account | null
  balance: number
  description: string
  /** Who suspended it; null is the admin. */
  suspendedBy?: Account | null | undefined
  /** Whether its suspension stops the service of clients too. */
  servesNobody?: boolean
  closed?: boolean
}

/** Whether an account, or one above it, is suspended. */
export function isSuspended(account: Account | null): boolean {
  return account !== null && (account.suspendedBy !== undefined || isSuspended(account.parent))
}

/** An account and those above it, without the admin. */
export function pathOf(account: Account): Account[] {
  return [account, ...(account.parent ? pathOf(account.parent) : [])]
}

type Purchase = { credits: number; from: string; before: number }

export type Client = {
  name: string
  dealer: Account
  mac: string | null
  description: string
  expiry: number
  /** Purchases that were not retrieved, oldest first. */
  purchases: Purchase[]
  /** Whether its present service is a trial. */
  onTrial: boolean
  /** The dealers that it was moved away from, and when. */
  left: { dealer: Account; at: number }[]
}

/** A row of the ledger as the console shows it, with its account and client. */
export type Row = {
  type: string
  credits: number
  login: string
  mac: string | null
  description: string
  expiry: number | null
  actor: string
  account: Account
  client: Client | null
  /** The account and those above it when the row was written. All of them may see it, and nobody else may. */
  readers: Account[]
}

/** What a command must lead to: an answer, or a refusal with one of these codes. */
export type Outcome = { answer: Record<string, unknown> } | { refused: string[] }

export type NewClient = {
  login: string
  stb_mac: string | null
  ministra: boolean
  months: number | '2d'
  desc: string
}

export type SavedClient = {
  login: string
  stb_mac?: string
  o_mac?: string | null
  ministra?: boolean
  months?: number
  desc?: string
  /** The expiry that the editor saw. */
  expiry?: number
}

/** The retrievals that a client's page offers: the expiry after 1, 2, 3 … credits, and which of them is a new trial. */
export type Offers = { expiries: number[]; trial: number | null }

/** The client after a retrieval that is allowed. */
type Retrieval = { expiry: number; purchases: Purchase[]; onTrial: boolean; isNewTrial: boolean }

export class Model {
  readonly accounts: Account[] = []
  clients: Client[] = []
  readonly rows: Row[] = []
  readonly #trials: Trial[] = []
  readonly #zone: string
  readonly #trialsPerDay: number
  now: number
  /** How often a MAC was recorded for a trial that had begun before. */
  shared = 0

  constructor(zone: string, trialsPerDay: number, now: number) {
    this.#zone = zone
    this.#trialsPerDay = trialsPerDay
    this.now = now
  }

  /** Everything that calls can change, as text. */
  state(): string {
    const { accounts, clients, rows } = this
    const isLink = (key: string) => ['parent', 'dealer', 'account', 'client'].includes(key)
    return JSON.stringify({ accounts, clients, rows: rows.length }, (key, value) =>
      isLink(key) ? undefined : value,
    )
  }

  save(child: Account, credits: number, desc: string | undefined, transaction: 0 | 1): Outcome {
    const from = transaction === 0 ? child.parent : child
    const refused = [
      ...(from && from.balance < credits ? ['insufficient_credits'] : []),
      ...(transaction === 0 && credits > 0 && isSuspended(child) ? ['account_suspended'] : []),
    ]
    if (refused.length > 0) return { refused }
    child.description = desc ?? child.description
    if (credits > 0) this.#pass(child, credits, transaction, child.parent?.name ?? 'admin')
    return { answer: { status: 'OK', credits: child.balance } }
  }

  /** Moves credits between an account and its parent. */
  #pass(child: Account, credits: number, transaction: 0 | 1, actor: string): void {
    const sign = transaction === 0 ? 1 : -1
    child.balance += sign * credits
    if (child.parent) child.parent.balance -= sign * credits
    this.#write({
      type: transaction === 0 ? 'ADD' : 'REMOVE',
      credits,
      login: child.name,
      mac: null,
      description: child.description,
      expiry: null,
      actor,
      account: child,
      client: null,
    })
  }

  /** `by` is the account's parent or the admin. */
  suspend(account: Account, by: Account | null, serviceToo: boolean): Outcome {
    if (!this.#mayLift(account, by)) return { refused: ['account_suspended'] }
    account.suspendedBy = by
    account.servesNobody = serviceToo
    return { answer: { status: 'OK' } }
  }

  /** `by` is anybody above the account. */
  lift(account: Account, by: Account | null): Outcome {
    if (account.suspendedBy === undefined) return { refused: ['changed_since'] }
    if (!this.#mayLift(account, by)) return { refused: ['account_suspended'] }
    account.suspendedBy = undefined
    account.servesNobody = false
    return { answer: { status: 'OK' } }
  }

  /** A suspension is lifted by who set it, or by anybody above that account as the tree stands now. */
  #mayLift({ suspendedBy }: Account, by: Account | null): boolean {
    if (suspendedBy === undefined || by === null) return true
    return suspendedBy !== null && pathOf(suspendedBy).includes(by)
  }

  /** `by` is anybody above the account, or the admin. */
  move(account: Account, to: Account, by: Account | null): Outcome {
    const isAbove = (one: Account) => by === null || pathOf(one).slice(1).includes(by)
    if (!isAbove(account) || !isAbove(to)) return { refused: ['not_found'] }
    if (account.parent === null || to.level !== account.parent.level) return { refused: ['invalid_input'] }
    const left = pathOf(account.parent).filter((one) => !pathOf(to).includes(one))
    if (!left.every((one) => this.#mayLift(one, by))) return { refused: ['account_suspended'] }
    account.parent = to
    return { answer: { status: 'OK' } }
  }

  /** `by` is anybody above the dealer who has the client. */
  moveClient(name: string, from: Account, to: Account, by: Account | null): Outcome {
    const client = this.#ownClient(from, name)
    if (by !== null && !pathOf(to).slice(1).includes(by)) return { refused: ['not_found'] }
    if (from === to) return { refused: ['invalid_input'] }
    if (!client) return { refused: ['changed_since'] }
    const before = pathOf(from)
    const left = before.filter((one) => !pathOf(to).includes(one) && (one !== from || one.servesNobody))
    if (!left.every((one) => this.#mayLift(one, by))) return { refused: ['account_suspended'] }
    client.dealer = to
    client.left.push({ dealer: from, at: this.now })
    const credits = client.purchases.reduce((sum, purchase) => sum + purchase.credits, 0)
    this.#write({ ...this.#rowOf(client), type: 'MOVE', credits, actor: by?.name ?? 'admin' }, before)
    const others = this.clients.filter(({ dealer }) => dealer === from).length
    return { answer: { status: 'OK', moved: 1, left: others } }
  }

  /** `by` is the account's parent or the admin. */
  close(account: Account, by: Account | null): Outcome {
    const hasAccounts = this.accounts.some(({ parent }) => parent === account)
    const hasClients = this.clients.some(({ dealer }) => dealer === account)
    if (hasAccounts || hasClients) return { refused: ['not_empty'] }
    const credits = account.balance
    if (credits > 0) this.#pass(account, credits, 1, by?.name ?? 'admin')
    account.closed = true
    this.accounts.splice(this.accounts.indexOf(account), 1)
    return { answer: { status: 'OK', credits } }
  }

  create(dealer: Account, { login, stb_mac, ministra, months, desc }: NewClient): Outcome {
    const mac = ministra ? null : stb_mac
    const isTrial = months === 0 || months === '2d'
    const today = dayOn(this.now, this.#zone)
    const firstDay = this.#end(months === '2d' ? dayAfter(today) : today)
    const refused = [
      ...(this.clients.some(({ name }) => name === login) ? ['name_taken'] : []),
      ...this.#takenMac(mac),
      ...(isTrial ? this.#noTrial(dealer, mac, firstDay) : shortage(dealer, months)),
    ]
    if (refused.length > 0) return { refused }
    const client: Client = {
      name: login,
      dealer,
      mac,
      description: desc,
      expiry: firstDay,
      purchases: [],
      onTrial: isTrial,
      left: [],
    }
    this.clients.push(client)
    if (isTrial) this.#giveTrial(client)
    else this.#buy(client, months)
    return this.#done(client)
  }

  saveClient(dealer: Account, saved: SavedClient): Outcome {
    const { login, stb_mac, o_mac, ministra, months = 0, desc, expiry } = saved
    const client = this.#ownClient(dealer, login)
    if (!client) return { refused: ['not_found'] }
    if (expiry !== undefined && expiry !== client.expiry) return { refused: ['changed_since'] }
    if (client.expiry < this.now) {
      if (months === 0) return { refused: ['client_expired'] }
      return this.renew(dealer, login, months)
    }
    const toMinistra = ministra ?? client.mac === null
    const changesMac = !toMinistra && (stb_mac !== undefined || client.mac === null)
    const mac = toMinistra ? null : (stb_mac ?? client.mac)
    // A MAC that a client on a trial takes counts as having had that trial.
    const joins = client.onTrial && months === 0 && mac !== client.mac
    const refused = [
      ...(changesMac && (stb_mac === undefined || o_mac === undefined) ? ['invalid_input'] : []),
      ...(o_mac !== undefined && o_mac !== client.mac ? ['changed_since'] : []),
      ...(changesMac && mac !== client.mac ? this.#takenMac(mac) : []),
      ...(joins ? this.#noSharedTrial(client, mac) : []),
      ...shortage(dealer, months),
    ]
    if (refused.length > 0) return { refused }
    client.mac = mac
    client.description = desc ?? client.description
    if (months > 0) this.#buy(client, months)
    else if (joins) this.#shareTrial(client)
    return this.#done(client)
  }

  renew(dealer: Account, name: string, months: number, seen?: number): Outcome {
    const client = this.#ownClient(dealer, name)
    if (!client) return { refused: ['not_found'] }
    const refused = [
      ...(seen !== undefined && seen !== client.expiry ? ['changed_since'] : []),
      ...shortage(dealer, months),
    ]
    if (refused.length > 0) return { refused }
    this.#buy(client, months)
    return this.#done(client)
  }

  renewMany(dealer: Account, names: string[], months: number[]): Outcome {
    if (new Set(names).size < names.length) return { refused: ['invalid_input'] }
    const clients = names.map((name) => this.#ownClient(dealer, name))
    if (clients.includes(undefined)) return { refused: ['not_found'] }
    const refused = shortage(
      dealer,
      months.reduce((sum, each) => sum + each, 0),
    )
    if (refused.length > 0) return { refused }
    for (const [at, client] of clients.entries()) if (client) this.#buy(client, months[at] as number)
    return { answer: { status: 'OK', count: names.length, credits: dealer.balance } }
  }

  retrieve(dealer: Account, name: string, credits: number): Outcome {
    const client = this.#ownClient(dealer, name)
    if (!client) return { refused: ['not_found'] }
    if (client.expiry < this.now) return { refused: ['client_expired'] }
    const { refused, after } = this.#retrieval(client, credits)
    if (!after) return { refused }
    const { isNewTrial, ...left } = after
    Object.assign(client, left)
    dealer.balance += credits
    this.#write({ ...this.#rowOf(client), type: 'RETRIEVED', credits })
    if (isNewTrial) this.#giveTrial(client)
    else if (client.onTrial) this.#shareTrial(client)
    return this.#done(client)
  }

  /** Returns the retrievals that are possible now. */
  offers(client: Client): Offers {
    const offers: Offers = { expiries: [], trial: null }
    if (client.expiry < this.now) return offers
    for (let credits = 1; credits <= 12; credits += 1) {
      const { after } = this.#retrieval(client, credits)
      if (!after) break
      offers.expiries.push(after.expiry)
      if (after.isNewTrial) offers.trial = credits
    }
    return offers
  }

  remove(dealer: Account, name: string, mac?: string): Outcome {
    const client = this.#ownClient(dealer, name)
    if (!client) return { refused: ['not_found'] }
    const refused = [
      ...(mac !== undefined && mac !== client.mac ? ['changed_since'] : []),
      ...(client.expiry >= this.now ? ['client_not_expired'] : []),
    ]
    if (refused.length > 0) return { refused }
    return this.#delete(client, dealer.name)
  }

  removeByAdmin(name: string, mac?: string): Outcome {
    const client = this.clients.find((one) => one.name === name)
    if (!client) return { refused: ['not_found'] }
    if (mac !== undefined && mac !== client.mac) return { refused: ['changed_since'] }
    return this.#delete(client, 'admin')
  }

  #ownClient(dealer: Account, name: string): Client | undefined {
    return this.clients.find((client) => client.name === name && client.dealer === dealer)
  }

  #takenMac(mac: string | null): string[] {
    return mac !== null && this.clients.some((client) => client.mac === mac) ? ['mac_taken'] : []
  }

  #retrieval(
    client: Client,
    credits: number,
  ): { refused: string[]; after?: undefined } | { refused?: undefined; after: Retrieval } {
    const after = this.#withoutCredits(client, credits)
    const today = this.#end(dayOn(this.now, this.#zone))
    if (!after || after.expiry < today) return { refused: ['not_retrievable'] }
    const isTodayOnly = after.expiry === today
    const onTrial = isTodayOnly || after.purchases.length === 0
    const isNewTrial = isTodayOnly && !this.#hadTrialToday(client)
    const refused = isNewTrial
      ? this.#noTrial(client.dealer, client.mac, after.expiry)
      : onTrial
        ? this.#noSharedTrial(client, client.mac)
        : []
    return refused.length > 0 ? { refused } : { after: { ...after, onTrial, isNewTrial } }
  }

  #noTrial(dealer: Account, mac: string | null, expiry: number): string[] {
    const today = dayOn(this.now, this.#zone)
    const given = this.#trials.filter(
      (trial) => trial.isGiven && trial.dealer === dealer && dayOn(trial.at, this.#zone) === today,
    )
    const recently = this.#trials.some(
      (trial) => mac !== null && trial.mac === mac && trial.at > this.now - 30 * DAY_MS,
    )
    return [
      ...(expiry < this.now ? ['invalid_input'] : []),
      ...(given.length >= this.#trialsPerDay ? ['trials_used_up'] : []),
      ...(recently ? ['mac_had_trial'] : []),
    ]
  }

  /**
   * A MAC that had a trial with another client in the last 30 days cannot share this client's, and a dealer's clients
   * get as many other MACs in a day as trials. The first MAC of a client whose trial was given without one is its own.
   */
  #noSharedTrial(client: Client, mac: string | null): string[] {
    const elsewhere = this.#trials.some(
      (trial) =>
        mac !== null && trial.mac === mac && trial.client !== client && trial.at > this.now - 30 * DAY_MS,
    )
    const here = this.#trials.some((trial) => trial.mac === mac && trial.client === client)
    const isFirst = this.#isGivenWithout(client) && this.#sharedOf(client).length === 0
    const isUsedUp = mac !== null && !here && !isFirst && this.#sharedToday(client, mac) >= this.#trialsPerDay
    return [...(elsewhere ? ['mac_had_trial'] : []), ...(isUsedUp ? ['trials_used_up'] : [])]
  }

  /**
   * How many other MACs clients on a trial have got today that are the dealer's, or were until they were moved away
   * since, without this one.
   */
  #sharedToday(client: Client, mac: string | null): number {
    const today = dayOn(this.now, this.#zone)
    const { dealer } = client
    const isOfDealer = ({ client, at }: Trial) =>
      client.dealer === dealer || client.left.some((left) => left.dealer === dealer && left.at >= at)
    const isGiven = (one: Trial) =>
      this.#trials.some(({ isGiven, client, mac }) => isGiven && client === one.client && mac === one.mac) ||
      (this.#isGivenWithout(one.client) && this.#sharedOf(one.client)[0]?.mac === one.mac)
    const shared = this.#trials.filter(
      (one) =>
        one.mac !== null &&
        isOfDealer(one) &&
        dayOn(one.at, this.#zone) === today &&
        !(one.client === client && one.mac === mac) &&
        !isGiven(one),
    )
    const clients = [...new Set(shared.map(({ client }) => client))]
    return new Set(shared.map(({ client, mac }) => `${clients.indexOf(client)} ${mac}`)).size
  }

  #isGivenWithout(client: Client): boolean {
    return this.#trials.some((trial) => trial.isGiven && trial.client === client && trial.mac === null)
  }

  /** Returns the MACs that have come to a client on a trial, the first one first; of one moment, by the MAC. */
  #sharedOf(client: Client): Trial[] {
    return this.#trials
      .filter((trial) => !trial.isGiven && trial.client === client && trial.mac !== null)
      .sort((one, other) => one.at - other.at || ((one.mac ?? '') < (other.mac ?? '') ? -1 : 1))
  }

  #hadTrialToday(client: Client): boolean {
    const today = dayOn(this.now, this.#zone)
    return this.#trials.some(
      (trial) => trial.isGiven && trial.client === client && dayOn(trial.at, this.#zone) === today,
    )
  }

  #giveTrial(client: Client): void {
    this.#trials.push({ dealer: client.dealer, client, mac: client.mac, at: this.now, isGiven: true })
    this.#write({ ...this.#rowOf(client), type: 'TRIAL', credits: 0 })
  }

  #shareTrial(client: Client): void {
    this.#trials.push({ dealer: client.dealer, client, mac: client.mac, at: this.now, isGiven: false })
    if (client.mac !== null) this.shared += 1
  }

  #buy(client: Client, credits: number): void {
    const before = client.expiry
    const from = later(dayOn(this.now, this.#zone), dayOn(before, this.#zone))
    client.expiry = this.#end(monthsLater(from, credits))
    client.purchases.push({ credits, from, before })
    client.onTrial = false
    client.dealer.balance -= credits
    this.#write({ ...this.#rowOf(client), type: 'USED', credits })
  }

  /** Returns the client without its newest credits, or undefined if it has fewer. */
  #withoutCredits(client: Client, credits: number): { expiry: number; purchases: Purchase[] } | undefined {
    const purchases = client.purchases.map((purchase) => ({ ...purchase }))
    let { expiry } = client
    for (let left = credits; left > 0; left -= 1) {
      const newest = purchases.at(-1)
      if (!newest) return undefined
      newest.credits -= 1
      expiry = newest.credits > 0 ? this.#end(monthsLater(newest.from, newest.credits)) : newest.before
      if (newest.credits === 0) purchases.pop()
    }
    return { expiry, purchases }
  }

  #delete(client: Client, actor: string): Outcome {
    this.clients = this.clients.filter((one) => one !== client)
    this.#write({ ...this.#rowOf(client), type: 'DELETE', credits: 0, actor })
    return { answer: { status: 'OK' } }
  }

  #rowOf(client: Client): Omit<Row, 'type' | 'credits' | 'readers'> {
    const { name: login, mac, description, expiry, dealer } = client
    return { login, mac, description, expiry, actor: dealer.name, account: dealer, client }
  }

  #write(row: Omit<Row, 'readers'>, also: Account[] = []): void {
    this.rows.push({ ...row, readers: [...pathOf(row.account), ...also] })
  }

  #done({ name, expiry, dealer }: Client): Outcome {
    return { answer: { status: 'OK', name, expiry: new Date(expiry).toISOString(), credits: dealer.balance } }
  }

  #end(day: string): number {
    return lastSecond(day, this.#zone)
  }
}

/** A trial that was given, or one that a MAC shares because the client took it. */
type Trial = { dealer: Account; client: Client; mac: string | null; at: number; isGiven: boolean }

function shortage(account: Account, credits: number): string[] {
  return account.balance < credits ? ['insufficient_credits'] : []
}

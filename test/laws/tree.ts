import { expect } from 'vitest'
import { calls } from '../../contract/calls.ts'
import { proveTheBooks } from '../support/books.ts'
import { startServer, type TestServer } from '../support/server.ts'
import { openWorld, type Person, unique, uniqueMac, type World } from '../support/world.ts'
import { type Command, SLOTS, ZONES } from './commands.ts'
import {
  type Account,
  type Client,
  isSuspended,
  Model,
  type Outcome,
  pathOf,
  type Row,
  type SavedClient,
} from './model.ts'

/**
 * How many trials a dealer may begin in a day, by the zone's index. With one it is refused often enough to be tried.
 */
const TRIALS_PER_DAY = [1, 2, 1]
const HOUR = 3_600_000

export type Setting = { world: World; servers: TestServer[]; close(): Promise<void> }

/** Opens one server per zone, all with one database and one clock. */
export async function openSetting(): Promise<Setting> {
  const [first, ...rest] = ZONES.map((zone, at) => ({
    TIME_ZONE: zone,
    TRIALS_PER_DAY: String(TRIALS_PER_DAY[at]),
  }))
  const world = await openWorld({ ...(first && { env: first }) })
  const { database } = world.server
  const clock = () => world.clock.now
  const others = await Promise.all(rest.map((env) => startServer({ env, database, clock })))
  return {
    world,
    servers: [world.server, ...others],
    async close() {
      for (const server of others) await server.close()
      await world.close()
    },
  }
}

type Target = Pick<Client, 'name' | 'dealer' | 'mac' | 'expiry'>

/** Performs the same commands on the server and on the model, for one tree of accounts. */
export class Tree {
  readonly model: Model
  /** What the commands led to: rows by their type, refusals by their code. */
  readonly outcomes: string[] = []
  readonly #world: World
  readonly #people = new Map<Account, Person>()
  readonly #server: TestServer
  readonly #logins = Array.from({ length: SLOTS }, () => unique())
  readonly #macs = Array.from({ length: SLOTS }, () => uniqueMac())
  /** The last successful call and its answer. */
  #last: {
    caller: Account | null
    again: () => Promise<{ status: number; body: unknown }>
    text: unknown
    at: number
  } | null = null

  constructor({ world, servers }: Setting, zone: number, now: number) {
    this.#world = world
    this.#server = servers[zone] as TestServer
    this.model = new Model(ZONES[zone] as string, TRIALS_PER_DAY[zone] as number, now)
    world.clock.set(new Date(now))
  }

  async build(shape: number[][]): Promise<void> {
    for (const resellers of shape) {
      const top = await this.#add(null, 'superreseller')
      for (const dealers of resellers) {
        const middle = await this.#add(top, 'reseller')
        for (let made = 0; made < dealers; made += 1) await this.#add(middle, 'dealer')
      }
    }
  }

  async #add(parent: Account | null, level: Account['level']): Promise<Account> {
    const person = await this.#world.child(parent ? this.who(parent) : this.#world.admin)
    const account: Account = { name: person.name, level, parent, balance: 0, description: '' }
    this.model.accounts.push(account)
    this.#people.set(account, this.#world.at(this.#server, person))
    const credits = { superreseller: 200, reseller: 120, dealer: 50 }[level]
    await this.#save(account, credits, undefined, 0)
    return account
  }

  /** Returns the person of an account; null is the admin. */
  who(account: Account | null): Person {
    const person = account ? this.#people.get(account) : this.#world.at(this.#server, this.#world.admin)
    if (!person) throw new Error('this account has no person')
    return person
  }

  async perform(command: Command): Promise<void> {
    const { model } = this
    switch (command.do) {
      case 'pass':
        model.now += command.hours * HOUR
        this.#world.clock.set(new Date(model.now))
        return
      case 'again': {
        // A key is kept for 24 hours.
        if (!this.#last || model.now - this.#last.at >= 24 * HOUR) return
        if (isSuspended(this.#last.caller) || this.#last.caller?.closed) return
        const { status, body } = await this.#last.again()
        expect([status, body]).toEqual(this.#last.text)
        return
      }
      case 'save': {
        const child = pick(model.accounts, command.child)
        return this.#save(child, command.credits, command.desc ?? undefined, command.remove ? 1 : 0)
      }
      case 'create': {
        const dealer = pick(this.#dealers(), command.dealer)
        const mac = command.mac === null ? null : (this.#macs[command.mac] ?? null)
        const { months, desc } = command
        const input = {
          login: this.#newLogin(command.slot),
          stb_mac: mac,
          ministra: mac === null,
          months,
          desc,
        }
        const sent = { ...input, password: 'secret-tv', package_selection: 1 }
        return this.#send(dealer, calls.clients.create, sent, () => model.create(dealer, input))
      }
      case 'saveClient': {
        const { name, dealer, mac, expiry } = this.#target(command)
        const seen = { right: { o_mac: mac }, wrong: { o_mac: uniqueMac() }, none: {} }[command.seen] ?? {}
        const input = {
          login: name,
          ...withoutEmpty({ months: command.months, desc: command.desc, ministra: command.ministra }),
          ...(command.mac !== null && { stb_mac: this.#macs[command.mac] as string, ...seen }),
        }
        return this.#saveClient(dealer, { ...input, ...seenExpiry(command.seenExpiry, expiry) })
      }
      case 'changeMac': {
        const { name, dealer, mac } = this.#target(command)
        return this.#saveClient(dealer, {
          login: name,
          ministra: false,
          o_mac: mac,
          stb_mac: this.#macOf(command.mac),
        })
      }
      case 'throughMinistra': {
        const { name, dealer, mac } = this.#target(command)
        await this.#saveClient(dealer, { login: name, ministra: true })
        const back = command.mac === null && mac !== null ? mac : this.#macOf(command.mac)
        return this.#saveClient(dealer, { login: name, ministra: false, o_mac: null, stb_mac: back })
      }
      case 'takeAnOffer': {
        const client = model.clients.length > 0 ? pick(model.clients, command.client) : null
        return client ? this.#takeAnOffer(client, command.which) : undefined
      }
      case 'renew': {
        const { name, dealer, expiry: before } = this.#target(command)
        const { months } = command
        const { expiry } = seenExpiry(command.seen, before)
        const input = { name, months, ...inWireForm({ expiry }) }
        return this.#send(dealer, calls.clients.renew, input, () => model.renew(dealer, name, months, expiry))
      }
      case 'renewMany': {
        const targets = command.clients.map((client) => this.#target({ ...command, client }))
        const { dealer } = targets[0] as Target
        const clients = targets.map(({ name }) => name)
        const ofEach = typeof command.months === 'number' ? clients.map(() => command.months) : command.months
        const each = ofEach.slice(0, clients.length) as number[]
        const input = { clients, months: typeof command.months === 'number' ? command.months : each }
        return this.#send(dealer, calls.clients.multirenew, input, () =>
          model.renewMany(dealer, clients, each),
        )
      }
      case 'retrieve': {
        const { name, dealer } = this.#target(command)
        const input = { login: name, credits: command.credits }
        return this.#send(dealer, calls.clients.retrieve, input, () =>
          model.retrieve(dealer, name, input.credits),
        )
      }
      case 'remove': {
        const { name, dealer, mac: present } = this.#target(command)
        const mac = seenMac(command.seen, present)
        return this.#send(dealer, calls.clients.remove, { name, ...withoutEmpty({ mac }) }, () =>
          model.remove(dealer, name, mac),
        )
      }
      case 'removeByAdmin': {
        const target = this.#target({ ...command, dealer: 0 })
        const { name } = target
        const mac = seenMac(command.seen, target.mac)
        return this.#send(null, calls.admin.remove, { name, ...withoutEmpty({ mac }) }, () =>
          model.removeByAdmin(name, mac),
        )
      }
      case 'suspend': {
        const account = pick(model.accounts, command.account)
        const by = command.byAdmin ? null : account.parent
        const { serviceToo } = command
        const input = { name: account.name, service_too: serviceToo }
        return this.#send(by, calls.tree.suspend, input, () => model.suspend(account, by, serviceToo))
      }
      case 'lift': {
        const suspended = model.accounts.filter(({ suspendedBy }) => suspendedBy !== undefined)
        const account = pick(suspended.length > 0 ? suspended : model.accounts, command.account)
        return this.#lift(account, pick([...ancestorsOf(account)], command.by))
      }
      case 'move': {
        const account = pick(model.accounts, command.account)
        const others = model.accounts.filter(
          (one) => one.level === account.parent?.level && one !== account.parent,
        )
        const to = pick(others.length > 0 ? others : model.accounts, command.to)
        const by = command.byAdmin ? null : (pathOf(account).at(-1) ?? null)
        return this.#move(account, to, by)
      }
      case 'moveClient': {
        const { name, dealer } = this.#target(command)
        const to = pick(this.#dealers(), command.to)
        const by = pick([...ancestorsOf(dealer)], command.by)
        const input = { from: dealer.name, to: to.name, clients: [name] }
        return this.#send(by, calls.tree.moveClients, input, () => model.moveClient(name, dealer, to, by))
      }
      case 'close': {
        const account = pick(model.accounts, command.account)
        const by = command.byAdmin ? null : account.parent
        // A tree keeps a dealer, for whom the other commands are.
        if (account.level === 'dealer' && this.#dealers().length === 1) return
        const { length } = model.accounts
        await this.#send(by, calls.tree.close, { name: account.name }, () => model.close(account, by))
        if (model.accounts.length < length) this.outcomes.push('closed')
        return
      }
    }
  }

  #save(child: Account, credits: number, desc: string | undefined, transaction: 0 | 1): Promise<void> {
    const change = { name: child.name, credits, transaction, ...withoutEmpty({ desc }) }
    return this.#send(child.parent, calls.level[child.level].save, change, () =>
      this.model.save(child, credits, desc, transaction),
    )
  }

  /** Moves an account. Those who are stopped by a suspension above the new place lose their sessions. */
  async #move(account: Account, to: Account, by: Account | null): Promise<void> {
    const { model } = this
    const before = account.parent
    const stopped = model.accounts.filter(isSuspended)
    const input = { name: account.name, to: to.name }
    await this.#send(by, calls.tree.move, input, () => model.move(account, to, by))
    if (account.parent !== before) this.outcomes.push('moved')
    await this.#signInAgain(stopped)
  }

  /** Lifts a suspension. Those who can act again sign in again. */
  async #lift(account: Account, by: Account | null): Promise<void> {
    const { model } = this
    const stopped = model.accounts.filter(isSuspended)
    await this.#send(by, calls.tree.lift, { name: account.name }, () => model.lift(account, by))
    await this.#signInAgain(stopped)
  }

  async #signInAgain(stopped: Account[]): Promise<void> {
    for (const freed of stopped.filter((one) => !isSuspended(one))) {
      this.#people.set(freed, this.#world.at(this.#server, await this.#world.again(this.who(freed))))
    }
  }

  #saveClient(dealer: Account, input: SavedClient): Promise<void> {
    const sent = { ...input, ...inWireForm(input) }
    return this.#send(dealer, calls.clients.save, sent, () => this.model.saveClient(dealer, input))
  }

  /**
   * Expects that every retrieval which a client's page offers succeeds as announced, and that one credit more fails.
   */
  async #takeAnOffer({ name, dealer }: Client, which: number): Promise<void> {
    if (isSuspended(dealer)) return
    const person = this.who(dealer)
    const { retrievable, retrievals, trial_retrieval } = await person.call(calls.clients.detail, { name })
    const { status } = await person.send(calls.clients.retrieve, { login: name, credits: retrievable + 1 })
    expect(status, `${name}: ${retrievable + 1} where ${retrievable} are offered`).toBe(400)
    if (retrievable === 0) return
    const credits = 1 + (which % retrievable)
    const taken = this.model.retrieve(dealer, name, credits)
    expect(taken).toMatchObject({ answer: { expiry: retrievals[credits - 1] } })
    expect(this.model.rows.at(-1)?.type).toBe(credits === trial_retrieval ? 'TRIAL' : 'RETRIEVED')
    await this.#send(dealer, calls.clients.retrieve, { login: name, credits }, () => taken)
  }

  /**
   * Makes a call, and expects the outcome that it has in the model. A suspended caller has no session, and a renewal
   * may say why.
   */
  async #send(
    caller: Account | null,
    call: Parameters<Person['send']>[0],
    input: object,
    act: () => Outcome,
  ): Promise<void> {
    const person = this.who(caller)
    const before = this.model.state()
    const ended = call === calls.clients.renew ? ['no_session', 'suspended'] : ['no_session']
    const expected = isSuspended(caller) ? { refused: ended } : act()
    const key = unique()
    const { status, body } = await person.send(call, input, { key })
    const what = `${person.name}: ${call.path} ${JSON.stringify(input)} at ${new Date(this.model.now).toISOString()}`
    if ('answer' in expected) {
      expect(body, what).toEqual(expected.answer)
      // A call that changed nothing keeps no answer: a repeat of it is judged anew.
      const again = () => this.who(caller).send(call, input, { key })
      const isChanged = this.model.state() !== before
      this.#last = isChanged ? { caller, again, text: [status, body], at: this.model.now } : null
    } else {
      expect(body, what).toMatchObject({ status: 'ERROR', code: expect.toBeOneOf(expected.refused) })
      this.outcomes.push(...expected.refused.slice(0, 1))
    }
  }

  #dealers(): Account[] {
    return this.model.accounts.filter(({ level }) => level === 'dealer')
  }

  /** Picks a client and its dealer; sometimes another dealer, or a login that may not exist. */
  #target({ dealer, client }: { dealer: number; client: number }): Target {
    const { clients } = this.model
    const name =
      client % 8 === 0
        ? this.#login(client)
        : clients.length > 0
          ? pick(clients, client).name
          : this.#login(0)
    const found = clients.find((one) => one.name === name)
    const someone = pick(this.#dealers(), dealer)
    if (!found) return { name, dealer: someone, mac: null, expiry: 0 }
    return { ...found, dealer: dealer % 8 === 0 ? someone : found.dealer }
  }

  /** Returns a login, mostly an unused one. */
  #newLogin(slot: number): string {
    const free = this.#logins.filter((login) => this.model.clients.every(({ name }) => name !== login))
    return slot > 0 && free.length > 0 ? pick(free, slot) : this.#login(slot)
  }

  /** Returns one of the tree's shared MACs, or an unused one. */
  #macOf(slot: number | null): string {
    return slot === null ? uniqueMac() : pick(this.#macs, slot)
  }

  #login(slot: number): string {
    return pick(this.#logins, slot)
  }

  /** Expects that every account and every client looks to its people as in the model. */
  async compare(): Promise<void> {
    const { model } = this
    for (const account of model.accounts) {
      if (account.suspendedBy !== undefined) await this.#lift(account, null)
    }
    for (const account of model.accounts) {
      const { name } = account
      const owner = this.who(account.parent)
      const { credits, description } = await owner.call(calls.level[account.level].detail, { name })
      expect({ credits, description }).toEqual({ credits: account.balance, description: account.description })
      const rows = await this.who(account).call(calls.desk[account.level].transactions)
      expect(rows.map(shown)).toEqual(
        model.rows
          .filter((row) => row.readers.includes(account))
          .map((row) => this.#asShown(row, account))
          .reverse(),
      )
    }
    for (const dealer of this.#dealers()) await this.#compareClients(dealer)
    // Closed ones too: what was once beneath them has rows on their path.
    const tops = [...this.#people.keys()].filter(({ parent }) => parent === null)
    this.outcomes.push(...model.rows.map(({ type }) => type))
    this.outcomes.push(...Array<string>(model.shared).fill('a shared trial'))
    await proveTheBooks(
      this.#world.server.sql,
      tops.map((top) => this.who(top).id),
    )
  }

  async #compareClients(dealer: Account): Promise<void> {
    const person = this.who(dealer)
    const clients = this.model.clients.filter((client) => client.dealer === dealer)
    const { data } = await person.call(calls.clients.list)
    expect(data.map(({ name }) => name).sort()).toEqual(clients.map(({ name }) => name).sort())
    const [client] = clients
    if (client) {
      const history = await person.call(calls.clients.history, { name: client.name })
      expect(history.map(shown)).toEqual(
        this.model.rows
          .filter((row) => row.client === client)
          .map((row) => this.#asShown(row, dealer))
          .reverse(),
      )
    }
    for (const client of clients) {
      const offers = this.model.offers(client)
      const detail = await person.call(calls.clients.detail, { name: client.name })
      expect(detail).toMatchObject({
        mac: client.mac,
        ministra: client.mac === null,
        description: client.description,
        expiry: new Date(client.expiry).toISOString(),
        retrievable: offers.expiries.length,
        retrievals: offers.expiries.map((expiry) => new Date(expiry).toISOString()),
        trial_retrieval: offers.trial,
      })
    }
  }

  /** Returns a row as a reader sees it: an actor has a name if it is the reader, its parent or an account below it. */
  #asShown(row: Row, reader: Account): Shown {
    const actor = [...this.#people.keys()].find(({ name }) => name === row.actor) ?? null
    const isKnown = actor === reader.parent || (actor !== null && isInBranch(actor, reader))
    const expiry = row.expiry === null ? null : new Date(row.expiry).toISOString()
    return shown({ ...row, expiry, actor: isKnown ? row.actor : '—' })
  }
}

/** Picks an element of a list that is not empty. */
function pick<Item>(list: readonly Item[], index: number): Item {
  return list[index % list.length] as Item
}

/** Returns the expiry that the caller claims to have seen: the present one, another, or none. */
function seenExpiry(seen: 'right' | 'wrong' | 'none', expiry: number): { expiry?: number } {
  return { right: { expiry }, wrong: { expiry: expiry - 1000 }, none: {} }[seen]
}

/** Returns the MAC that the caller claims to have seen. */
function seenMac(seen: 'right' | 'wrong' | 'none', mac: string | null): string | undefined {
  return { right: mac ?? undefined, wrong: uniqueMac(), none: undefined }[seen]
}

function inWireForm({ expiry }: { expiry?: number | undefined }): { expiry?: string } {
  return expiry === undefined ? {} : { expiry: new Date(expiry).toISOString() }
}

/** Drops the fields without a value. */
function withoutEmpty<Fields extends object>(
  fields: Fields,
): { [Key in keyof Fields]?: NonNullable<Fields[Key]> } {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== null && value !== undefined),
  ) as never
}

/** The accounts above one, from its parent up; null is the admin. */
function* ancestorsOf({ parent }: Account): Generator<Account | null> {
  yield parent
  if (parent) yield* ancestorsOf(parent)
}

function isInBranch(account: Account, path: Account): boolean {
  return account === path || (account.parent !== null && isInBranch(account.parent, path))
}

type Shown = Pick<Row, 'type' | 'credits' | 'login' | 'mac' | 'description' | 'actor'> & {
  expiry: string | null
}

function shown({ type, credits, login, mac, description, actor, expiry }: Shown): Shown {
  return { type, credits, login, mac, description, actor, expiry }
}

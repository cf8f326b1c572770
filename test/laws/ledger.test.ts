import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { calls } from '../../contract/calls.ts'
import { verify } from '../../server/verify/verify.ts'
import { proveTheBooks } from '../support/books.ts'
import { startServer, type TestServer } from '../support/server.ts'
import { openWorld, type Person, unique, uniqueMac, type World } from '../support/world.ts'
import { type Account, type Client, Model, type Outcome, type Row } from './model.ts'
import { runs, seedOf } from './runs.ts'

const ZONES = ['UTC', 'Europe/Lisbon', 'America/Sao_Paulo'] as const
const TRIALS_PER_DAY = 2
/** Logins and MACs that the dealers of one tree share, few enough that they get into each other's way. */
const SLOTS = 7
const HOUR = 3_600_000

type Setting = { world: World; servers: TestServer[]; close(): Promise<void> }

/** One server a zone, on one database and by one clock. */
async function open(): Promise<Setting> {
  const env = (zone: string) => ({ TIME_ZONE: zone, TRIALS_PER_DAY: String(TRIALS_PER_DAY) })
  const world = await openWorld({ env: env(ZONES[0]) })
  const { database } = world.server
  const clock = () => world.clock.now
  const others = await Promise.all(
    ZONES.slice(1).map((zone) => startServer({ env: env(zone), database, clock })),
  )
  return {
    world,
    servers: [world.server, ...others],
    async close() {
      for (const server of others) await server.close()
      await world.close()
    },
  }
}

const slot = fc.nat({ max: SLOTS - 1 })
/** A client: mostly one that is there. */
const client = fc.nat({ max: 1_000 })
const months = fc.integer({ min: 1, max: 12 })
const someone = fc.nat({ max: 100 })
const desc = fc.constantFrom('', 'Hall', 'Kitchen')
/** Mostly few credits, so that they run out. */
const credits = fc.oneof(
  { weight: 4, arbitrary: fc.nat({ max: 15 }) },
  { weight: 1, arbitrary: fc.nat({ max: 10_000 }) },
)

/** Random numbers that a tree gives meaning to: 'someone' is one of those who are there. */
const command = fc.oneof(
  // What fails shrinks to a tree in which time passes, and the few commands that matter.
  { withCrossShrink: true },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('pass'),
      hours: fc.oneof(fc.nat({ max: 30 }), fc.nat({ max: 24 * 70 })),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('save'),
      child: someone,
      credits,
      remove: fc.boolean(),
      desc: fc.option(desc),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('create'),
      dealer: someone,
      slot,
      mac: fc.option(slot),
      months: fc.oneof(fc.constantFrom(0, '2d' as const), fc.integer({ min: 1, max: 4 })),
      desc,
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('saveClient'),
      dealer: someone,
      client,
      months: fc.option(fc.nat({ max: 12 })),
      desc: fc.option(desc),
      ministra: fc.option(fc.boolean(), { freq: 2 }),
      mac: fc.option(slot),
      seen: fc.constantFrom('right', 'right', 'right', 'wrong', 'none'),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('renew'),
      dealer: someone,
      client,
      months,
      seen: fc.constantFrom('right', 'wrong', 'none'),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('renewMany'),
      dealer: someone,
      clients: fc.array(client, { minLength: 1, maxLength: 3 }),
      months: fc.integer({ min: 1, max: 3 }),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('retrieve'),
      dealer: someone,
      client,
      credits: fc.oneof(fc.integer({ min: 1, max: 3 }), months),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('remove'), dealer: someone, client }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('removeByAdmin'),
      client,
      seen: fc.constantFrom('right', 'wrong', 'none'),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('again') }) },
)
type Command = typeof command extends fc.Arbitrary<infer One> ? One : never

const tree = fc.array(fc.array(fc.integer({ min: 1, max: 2 }), { minLength: 1, maxLength: 2 }), {
  minLength: 1,
  maxLength: 2,
})
const beginning = fc.integer({ min: Date.parse('2017-01-01'), max: Date.parse('2029-01-01') })

type Target = Pick<Client, 'name' | 'dealer' | 'mac' | 'expiry'>

/** A tree of accounts on the server and in the model, to which the same is done. */
class Stage {
  readonly model: Model
  /** How often each thing came of a command: a row by its type, a refusal by its code. */
  readonly outcomes: string[] = []
  readonly #world: World
  readonly #people = new Map<Account, Person>()
  readonly #server: TestServer
  readonly #logins = Array.from({ length: SLOTS }, () => unique())
  readonly #macs = Array.from({ length: SLOTS }, () => uniqueMac())
  /** The last thing done, and what came of it. */
  #last: { again: () => Promise<{ status: number; body: unknown }>; text: unknown; at: number } | null = null

  constructor({ world, servers }: Setting, zone: number, now: number) {
    this.#world = world
    this.#server = servers[zone] as TestServer
    this.model = new Model(ZONES[zone] as string, TRIALS_PER_DAY, now)
    world.clock.set(new Date(now))
  }

  async plant(shape: number[][]): Promise<void> {
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

  /** Who acts for an account; nobody's account is the admin's. */
  who(account: Account | null): Person {
    const person = account ? this.#people.get(account) : this.#world.at(this.#server, this.#world.admin)
    if (!person) throw new Error('nobody acts for this account')
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
        const { status, body } = await this.#last.again()
        expect([status, body]).toEqual(this.#last.text)
        return
      }
      case 'save': {
        const child = one(model.accounts, command.child)
        return this.#save(child, command.credits, command.desc ?? undefined, command.remove ? 1 : 0)
      }
      case 'create': {
        const dealer = one(this.#dealers(), command.dealer)
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
        return this.#send(this.who(dealer), calls.clients.create, sent, model.create(dealer, input))
      }
      case 'saveClient': {
        const { name, dealer, mac } = this.#target(command)
        const seen = { right: { o_mac: mac }, wrong: { o_mac: uniqueMac() }, none: {} }[command.seen] ?? {}
        const input = {
          login: name,
          ...given({ months: command.months, desc: command.desc, ministra: command.ministra }),
          ...(command.mac !== null && { stb_mac: this.#macs[command.mac] as string, ...seen }),
        }
        return this.#send(this.who(dealer), calls.clients.save, input, model.saveClient(dealer, input))
      }
      case 'renew': {
        const { name, dealer, expiry } = this.#target(command)
        const seen = { right: expiry, wrong: expiry - 1000, none: undefined }[command.seen]
        const input = {
          name,
          months: command.months,
          ...(seen !== undefined && { expiry: new Date(seen).toISOString() }),
        }
        return this.#send(
          this.who(dealer),
          calls.clients.renew,
          input,
          model.renew(dealer, name, input.months, seen),
        )
      }
      case 'renewMany': {
        const targets = command.clients.map((client) => this.#target({ ...command, client }))
        const { dealer } = targets[0] as Target
        const input = { clients: targets.map(({ name }) => name), months: command.months }
        const expected = model.renewMany(dealer, input.clients, command.months)
        return this.#send(this.who(dealer), calls.clients.multirenew, input, expected)
      }
      case 'retrieve': {
        const { name, dealer } = this.#target(command)
        const input = { login: name, credits: command.credits }
        return this.#send(
          this.who(dealer),
          calls.clients.retrieve,
          input,
          model.retrieve(dealer, name, input.credits),
        )
      }
      case 'remove': {
        const { name, dealer } = this.#target(command)
        return this.#send(this.who(dealer), calls.clients.remove, { name }, model.remove(dealer, name))
      }
      case 'removeByAdmin': {
        const target = this.#target({ ...command, dealer: 0 })
        const { name } = target
        const mac = { right: target.mac ?? undefined, wrong: uniqueMac(), none: undefined }[command.seen]
        const expected = model.removeByAdmin(name, mac)
        return this.#send(this.who(null), calls.admin.remove, { name, ...given({ mac }) }, expected)
      }
    }
  }

  #save(child: Account, credits: number, desc: string | undefined, transaction: 0 | 1): Promise<void> {
    const change = { name: child.name, credits, transaction, ...given({ desc }) }
    const expected = this.model.save(child, credits, desc, transaction)
    return this.#send(this.who(child.parent), calls.level[child.level].save, change, expected)
  }

  /** Sends what the model has done, and holds the answer to the model's. */
  async #send(
    person: Person,
    call: Parameters<Person['send']>[0],
    input: object,
    expected: Outcome,
  ): Promise<void> {
    const key = unique()
    const send = () => person.send(call, input, { key })
    const { status, body } = await send()
    const what = `${person.name}: ${call.path} ${JSON.stringify(input)} at ${new Date(this.model.now).toISOString()}`
    if ('answer' in expected) {
      expect(body, what).toEqual(expected.answer)
      this.#last = { again: send, text: [status, body], at: this.model.now }
    } else {
      expect(body, what).toMatchObject({ status: 'ERROR', code: expect.toBeOneOf(expected.refused) })
      this.outcomes.push(...expected.refused.slice(0, 1))
    }
  }

  #dealers(): Account[] {
    return this.model.accounts.filter(({ level }) => level === 'dealer')
  }

  /** Mostly a client that is there and its own dealer; now and then another's, or a login that nobody may have. */
  #target({ dealer, client }: { dealer: number; client: number }): Target {
    const { clients } = this.model
    const name =
      client % 8 === 0 ? this.#login(client) : clients.length > 0 ? one(clients, client).name : this.#login(0)
    const found = clients.find((one) => one.name === name)
    const someone = one(this.#dealers(), dealer)
    if (!found) return { name, dealer: someone, mac: null, expiry: 0 }
    return { ...found, dealer: dealer % 8 === 0 ? someone : found.dealer }
  }

  /** Mostly a login that is free. */
  #newLogin(slot: number): string {
    const free = this.#logins.filter((login) => this.model.clients.every(({ name }) => name !== login))
    return slot > 0 && free.length > 0 ? one(free, slot) : this.#login(slot)
  }

  #login(slot: number): string {
    return one(this.#logins, slot)
  }

  /** Everything that anybody sees is what the model has. */
  async compare(): Promise<void> {
    const { model } = this
    for (const account of model.accounts) {
      const { name } = account
      const owner = this.who(account.parent)
      const { credits, description } = await owner.call(calls.level[account.level].detail, { name })
      expect({ credits, description }).toEqual({ credits: account.balance, description: account.description })
      const rows = await this.who(account).call(calls.desk[account.level].transactions)
      expect(rows.map(shown)).toEqual(
        model.rows
          .filter((row) => isOn(row.account, account))
          .map(asShown)
          .reverse(),
      )
    }
    for (const dealer of this.#dealers()) await this.#compareClients(dealer)
    const tops = model.accounts.filter(({ parent }) => parent === null)
    this.outcomes.push(...model.rows.map(({ type }) => type))
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
    for (const client of clients) {
      const detail = await person.call(calls.clients.detail, { name: client.name })
      expect(detail).toMatchObject({
        mac: client.mac,
        ministra: client.mac === null,
        description: client.description,
        expiry: new Date(client.expiry).toISOString(),
        retrievable: this.model.retrievable(client),
      })
      const history = await person.call(calls.clients.history, { name: client.name })
      expect(history.map(shown)).toEqual(
        this.model.rows
          .filter((row) => row.client === client)
          .map(asShown)
          .reverse(),
      )
    }
  }
}

const run = fc.tuple(
  fc.nat({ max: ZONES.length - 1 }),
  beginning,
  tree,
  fc.array(command, { minLength: 60, maxLength: 60 }),
)

describe('whatever is done to a tree', () => {
  let setting: Setting
  beforeAll(async () => {
    setting = await open()
  })
  afterAll(() => setting.close())

  test('the server does what the model does, and the books are right', {
    timeout: runs(240_000, 3_600_000),
  }, async () => {
    const outcomes = new Map<string, number>()
    await holds(runs(200, 2_000), async ([zone, now, shape, commands]) => {
      const stage = new Stage(setting, zone, now)
      await stage.plant(shape)
      for (const command of commands) await stage.perform(command)
      await stage.compare()
      for (const one of stage.outcomes) outcomes.set(one, (outcomes.get(one) ?? 0) + 1)
    })
    await proveTheBooks(setting.world.server.ownerSql)
    // A law that is never put to the test holds nothing.
    const seldom = EXPECTED.filter((one) => (outcomes.get(one) ?? 0) < 10)
    expect(seldom, JSON.stringify([...outcomes])).toEqual([])
  })
})

test('a proof of books that are right finds nothing wrong', {
  timeout: runs(120_000, 1_200_000),
}, async () => {
  const setting = await open()
  const { world } = setting
  try {
    await holds(runs(20, 200), async ([zone, gap, shape, commands]) => {
      // In a true ledger time goes forward.
      const stage = new Stage(setting, zone, world.clock.now.getTime() + (gap % (30 * 24 * HOUR)))
      await stage.plant(shape)
      for (const command of commands) await stage.perform(command)
    })
    expect(await verify(world.server.sql, 'boxtree_server')).toMatchObject({ first: null, others: [] })
  } finally {
    await setting.close()
  }
})

/** Every type of row, and every refusal that a command can meet. */
const EXPECTED = [
  ...['ADD', 'REMOVE', 'USED', 'RETRIEVED', 'TRIAL', 'DELETE'],
  ...['insufficient_credits', 'name_taken', 'mac_taken', 'trials_used_up', 'mac_had_trial', 'client_expired'],
  ...['client_not_expired', 'not_retrievable', 'not_found', 'changed_since', 'invalid_input'],
]

type Run = typeof run extends fc.Arbitrary<infer One> ? One : never

function holds(numRuns: number, law: (one: Run) => Promise<void>): Promise<void> {
  return fc.assert(fc.asyncProperty(run, law), { seed: seedOf('the law of the ledger'), numRuns })
}

/** Some element of a list that is never empty. */
function one<Item>(list: readonly Item[], index: number): Item {
  return list[index % list.length] as Item
}

/** The fields that have a value. */
function given<Fields extends object>(fields: Fields): { [Key in keyof Fields]?: NonNullable<Fields[Key]> } {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== null && value !== undefined),
  ) as never
}

function isOn(account: Account, path: Account): boolean {
  return account === path || (account.parent !== null && isOn(account.parent, path))
}

type Shown = Pick<Row, 'type' | 'credits' | 'login' | 'mac' | 'description' | 'actor'> & {
  expiry: string | null
}

function shown({ type, credits, login, mac, description, actor, expiry }: Shown): Shown {
  return { type, credits, login, mac, description, actor, expiry }
}

function asShown(row: Row): Shown {
  return shown({ ...row, expiry: row.expiry === null ? null : new Date(row.expiry).toISOString() })
}

import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { calls } from '../../contract/calls.ts'
import { Box, freshAddress } from '../support/box.ts'
import type { TestServer } from '../support/server.ts'
import { openWorld, type Person, uniqueMac, type World } from '../support/world.ts'
import { runs, seedOf } from './runs.ts'

// Two gateways with one database: the boxes of several clients ask now this one and now that one, while clients are
// renewed, expire, are switched, moved, suspended, deleted and made anew, and get each other's MACs. A gateway may not
// know of what was changed within the last five seconds; of everything before, each answer is the model's.

let world: World
let servers: [TestServer, TestServer]
beforeAll(async () => {
  const env = { TRUSTED_PROXIES: '127.0.0.1' }
  world = await openWorld({ env })
  servers = [world.server, await world.another({ env })]
})
afterAll(async () => {
  await servers[1].close()
  await world.close()
})

/** The MACs of a run, each with two boxes, and its dealers. Each MAC begins as a client's of the first dealer. */
const MACS = 3
const BOXES = 2 * MACS

const mac = fc.nat(MACS - 1)
const command = fc.oneof(
  { arbitrary: fc.record({ does: fc.constant('poll'), of: fc.nat(BOXES - 1), at: fc.nat(1) }), weight: 12 },
  { arbitrary: fc.record({ does: fc.constant('sign in'), of: fc.nat(BOXES - 1), at: fc.nat(1) }), weight: 5 },
  {
    arbitrary: fc.record({
      does: fc.constantFrom('switch', 'renew', 'end', 'move', 'delete', 'swap'),
      of: mac,
    }),
    weight: 6,
  },
  { arbitrary: fc.record({ does: fc.constant('look'), of: mac }), weight: 2 },
  { arbitrary: fc.record({ does: fc.constant('suspend'), of: fc.nat(1) }), weight: 1 },
  {
    arbitrary: fc.record({ does: fc.constant('wait'), of: fc.constantFrom(60, 290, 320, 3_600) }),
    weight: 1,
  },
)
type Command = { does: string; of: number; at?: number }
/** How many seconds pass before each command. */
const pause = fc.constantFrom(0, 0, 1, 3, 4, 6)
const sequence = fc.array(fc.tuple(pause, command), { minLength: 10, maxLength: 40 })

test('boxes that ask two gateways in turn are let in or refused as the model says', async () => {
  const counts: Record<string, number> = {}
  await fc.assert(
    fc.asyncProperty(sequence, async (steps) => {
      const run = await Run.begin()
      for (const [seconds, one] of steps) {
        world.clock.pass({ seconds })
        const outcome = await run.perform(one)
        counts[outcome] = (counts[outcome] ?? 0) + 1
      }
      await run.end()
    }),
    { numRuns: runs(30, 300), seed: seedOf('boxes of two gateways') },
  )
  process.stdout.write(`two gateways: ${JSON.stringify(counts)}\n`)
  for (const outcome of [
    'poll: in',
    'poll: out',
    'poll: either',
    'sign in: 0',
    'sign in: 1',
    'look: online',
  ]) {
    expect(counts[outcome], outcome).toBeGreaterThan(0)
  }
})

/** For how long a gateway may answer from what it has read, in milliseconds. */
const KNOWN_MS = 5_000
/** For how long a box counts as online after it was let in, in milliseconds. */
const ONLINE_MS = 300_000

/** A value that changes, and what it was before: a gateway may still go by that for a few seconds. */
class Past<T> {
  #values: { value: T; since: number }[]

  constructor(value: T) {
    this.#values = [{ value, since: Number.NEGATIVE_INFINITY }]
  }

  get now(): T {
    return this.#values.at(-1)?.value as T
  }

  set(value: T): void {
    this.#values.push({ value, since: world.clock.now.getTime() })
  }

  /** Returns each value that a gateway may go by. */
  known(): T[] {
    const oldest = world.clock.now.getTime() - KNOWN_MS
    return this.#values
      .filter((_, at) => (this.#values[at + 1]?.since ?? oldest + 1) > oldest)
      .map(({ value }) => value)
  }
}

/** A client as its boxes must find it; `in` is the box whose token counts. */
type Client = { name: string; dealer: 0 | 1; active: boolean; expiry: number; in: number | null }

class Run {
  readonly #reseller: Person
  readonly #dealers: [Person, Person]
  readonly #suspended = [new Past(false), new Past(false)] as const
  readonly #macs = Array.from({ length: MACS }, () => uniqueMac())
  /** The client of each MAC; null where it was deleted. A client that changes is a new object. */
  readonly #clients: Past<Client | null>[] = []
  readonly #boxes: Box[]
  /** When a box of each client was let in last, where that is certain. */
  readonly #letIn = new Map<string, number>()

  static async begin(): Promise<Run> {
    const { reseller, dealer } = await world.family({ credits: 600, to: 'reseller' })
    await world.give(reseller, dealer, 300)
    const run = new Run(reseller, [dealer, await world.child(reseller, 300)])
    for (let at = 0; at < MACS; at += 1) run.#clients.push(new Past<Client | null>(await run.#create(at)))
    for (let at = 0; at < MACS; at += 1) await run.#signIn(2 * at, servers[0])
    world.clock.pass({ seconds: 6 })
    return run
  }

  private constructor(reseller: Person, dealers: [Person, Person]) {
    this.#reseller = reseller
    this.#dealers = dealers
    const address = freshAddress()
    this.#boxes = Array.from({ length: BOXES }, (_, of) => {
      return new Box(world.server, { mac: this.#macs[of >> 1] ?? '', address, told: { sn: 'SN-1' } })
    })
  }

  async perform({ does, of, at = 0 }: Command): Promise<string> {
    const server = servers[at as 0 | 1]
    if (does === 'poll') return this.#poll(of, server)
    if (does === 'sign in') return this.#signIn(of, server)
    if (does === 'suspend') return this.#suspend(of as 0 | 1)
    if (does === 'look') return this.#look(of)
    if (does !== 'wait') return this.#change(does, of)
    world.clock.pass({ seconds: of })
    return does
  }

  async #poll(of: number, server: TestServer): Promise<string> {
    const box = this.#boxes[of] as Box
    const known = this.#clientsOf(of >> 1).known()
    const allowed = known.flatMap((client) => (client?.in === of ? this.#plays(client) : [false]))
    const isIn = await box.at(server).poll()
    expect(allowed, `a poll of box ${of}`).toContain(isIn)
    if (allowed.includes(!isIn)) for (const client of known) this.#letIn.delete(client?.name ?? '')
    else if (isIn) this.#noteLetIn(of >> 1)
    return `poll: ${allowed.includes(!isIn) ? 'either' : isIn ? 'in' : 'out'}`
  }

  /** A sign-in reads the client anew, but of its dealer only what the gateway knows. */
  async #signIn(of: number, server: TestServer): Promise<string> {
    const box = this.#boxes[of] as Box
    const clients = this.#clientsOf(of >> 1)
    const client = clients.now
    const allowed = client === null ? [2] : this.#plays(client).map((plays) => (plays ? 0 : 1))
    const there = box.at(server)
    const status = await there.signIn()
    expect(allowed, `a sign-in of box ${of}`).toContain(status)
    // It has a new token, and has lost the one before.
    box.token = there.token
    if (client !== null && (status === 0 || client.in === of)) {
      clients.set({ ...client, in: status === 0 ? of : null })
    }
    if (status === 0) this.#noteLetIn(of >> 1)
    return `sign in: ${status}`
  }

  #noteLetIn(at: number): void {
    const client = this.#clientsOf(at).now
    if (client) this.#letIn.set(client.name, world.clock.now.getTime())
  }

  /** Whether a client's box may play, by all that a gateway may know of its dealer. */
  #plays({ active, expiry, dealer }: Client): boolean[] {
    const isServed = active && expiry >= world.clock.now.getTime()
    return this.#suspended[dealer].known().map((suspended) => isServed && !suspended)
  }

  #clientsOf(at: number): Past<Client | null> {
    return this.#clients[at] as Past<Client | null>
  }

  /** Once both gateways have written, the dealer sees when a client's box was let in, whichever it had asked. */
  async #look(at: number): Promise<string> {
    for (const { gateway } of servers) await gateway.write()
    const client = this.#clientsOf(at).now
    const polled = this.#letIn.get(client?.name ?? '')
    if (client === null || polled === undefined || this.#suspended[client.dealer].now) return 'nothing'
    const seen = await this.#dealers[client.dealer].call(calls.clients.detail, { name: client.name })
    const online = world.clock.now.getTime() - polled < ONLINE_MS
    expect(seen).toMatchObject({ online, last_active: new Date(polled).toISOString() })
    return `look: ${online ? 'online' : 'offline'}`
  }

  async #suspend(which: 0 | 1): Promise<string> {
    const { name } = this.#dealers[which]
    const { suspend, lift } = calls.tree
    const isLifted = this.#suspended[which].now
    if (isLifted) await this.#reseller.call(lift, { name })
    else await this.#reseller.call(suspend, { name, reason: '', service_too: true })
    this.#suspended[which].set(!isLifted)
    this.#dealers[which] = await world.again(this.#dealers[which])
    return isLifted ? 'lift' : 'suspend'
  }

  async #change(does: string, at: number): Promise<string> {
    const clients = this.#clientsOf(at)
    const client = clients.now
    if (this.#suspended.some(({ now }) => now)) return 'nothing'
    if (client === null) {
      clients.set(await this.#create(at))
      return 'create'
    }
    const { name } = client
    const dealer = this.#dealers[client.dealer]
    const { save, renew, remove } = calls.clients
    const mac = this.#macs[at] ?? ''
    const now = world.clock.now.getTime()
    if (does === 'renew') {
      const renewed = await dealer.call(renew, { name, months: 1 })
      clients.set({ ...client, expiry: Date.parse(renewed.expiry) })
    } else if (does === 'end') {
      clients.set({ ...client, expiry: await this.#setExpiry(name, now + 10_000) })
    } else if (does === 'delete') {
      await this.#setExpiry(name, now - 1_000)
      await dealer.call(remove, { name, mac })
      clients.set(null)
    } else if (client.expiry < now) {
      return 'nothing'
    } else if (does === 'switch') {
      await dealer.call(save, { login: name, status: !client.active })
      clients.set({ ...client, active: !client.active })
    } else if (does === 'move') {
      const to = client.dealer === 0 ? 1 : 0
      const between = { from: dealer.name, to: this.#dealers[to].name }
      await this.#reseller.call(calls.tree.moveClients, { ...between, clients: [name] })
      clients.set({ ...client, dealer: to })
    } else if (does === 'swap') {
      return this.#swap(at, (at + 1) % MACS)
    }
    return does
  }

  /** Two clients get each other's MAC, and so each a box that it has not seen. */
  async #swap(at: number, with_: number): Promise<string> {
    const [one, other] = [this.#clientsOf(at).now, this.#clientsOf(with_).now]
    if (one === null || other === null || other.expiry < world.clock.now.getTime()) return 'nothing'
    const [mine, theirs, between] = [this.#macs[at], this.#macs[with_], uniqueMac()] as [
      string,
      string,
      string,
    ]
    const give = ({ name, dealer }: Client, stb_mac: string, o_mac: string) =>
      this.#dealers[dealer].call(calls.clients.save, { login: name, stb_mac, o_mac })
    await give(one, between, mine)
    await give(other, mine, theirs)
    await give(one, theirs, between)
    this.#clientsOf(at).set({ ...other, in: null })
    this.#clientsOf(with_).set({ ...one, in: null })
    for (const { name } of [one, other]) this.#letIn.delete(name)
    return 'swap'
  }

  async #setExpiry(name: string, expiry: number): Promise<number> {
    await world.setExpiry(name, new Date(expiry).toISOString())
    return expiry
  }

  async #create(at: number): Promise<Client> {
    const made = await world.client(this.#dealers[0], { stb_mac: this.#macs[at] ?? '', months: 1 })
    return { name: made.name, dealer: 0, active: true, expiry: Date.parse(made.expiry), in: null }
  }

  async end(): Promise<void> {
    for (let at = 0; at < MACS; at += 1) await this.#look(at)
    for (const which of [0, 1] as const) if (this.#suspended[which].now) await this.#suspend(which)
  }
}

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { calls } from '../../contract/calls.ts'
import { ON_SCREEN } from '../../server/boxes/refusals.ts'
import { PLAYED } from '../../server/verify/guards.ts'
import { verify } from '../../server/verify/verify.ts'
import { Box } from '../support/box.ts'
import { type Person, suiteWorld, uniqueMac } from '../support/world.ts'
import { runs, seedOf } from './runs.ts'

const world = await suiteWorld({
  env: { TRUSTED_PROXIES: '127.0.0.1', BOX_PORT: '0', TRIALS_PER_DAY: '1000' },
})

const PASSWORD = 'pass word'
const HOUR = 3_600_000
const THIRTY_DAYS = 30 * 24 * HOUR

const some = fc.nat({ max: 11 })
const step = fc.oneof(
  {
    arbitrary: fc.record({
      does: fc.constant('make'),
      months: fc.constantFrom<(string | number)[]>(0, '2d', 1),
      box: some,
    }),
    weight: 4,
  },
  { arbitrary: fc.record({ does: fc.constant('another trial'), box: some }), weight: 4 },
  { arbitrary: fc.record({ does: fc.constant('sign in'), box: some, client: some }), weight: 8 },
  { arbitrary: fc.record({ does: fc.constant('take back'), client: some }), weight: 5 },
  { arbitrary: fc.record({ does: fc.constant('renew'), client: some }), weight: 1 },
  { arbitrary: fc.record({ does: fc.constant('reset'), client: some }), weight: 2 },
  { arbitrary: fc.record({ does: fc.constant('type a MAC'), box: some, client: some }), weight: 2 },
  { arbitrary: fc.record({ does: fc.constant('wait'), hours: fc.constantFrom(1, 12, 24, 240) }), weight: 2 },
)
type Step = typeof step extends fc.Arbitrary<infer One> ? One : never

type Client = { name: string; dealer: Person; paid: number }
/** A box, and the client that it has signed in to. */
type Television = { box: Box; client: Client | null }

/** Two dealers who want as much service without credits as they can get. */
class Schemers {
  readonly done: Record<string, number> = {}
  readonly #dealers: readonly Person[]
  readonly #clients: Client[] = []
  readonly #televisions: readonly Television[]
  /**
   * The trials that each MAC has had, with which client, since when, and when that was seen last: whenever a box comes
   * back to its trial, its 30 days begin again.
   */
  readonly #trials: { mac: string; client: Client; since: number; last: number }[] = []

  constructor(dealers: readonly Person[]) {
    this.#dealers = dealers
    // The third box has a MAC of another maker: no client may be given that MAC, but its box can sign in by a login.
    this.#televisions = [1, 2, 3].map((nr) => ({
      box: new Box(world.server, {
        address: `198.51.100.${nr}`,
        mac: nr < 3 ? uniqueMac() : uniqueMac().replace('00:1A:79', '02:1A:79'),
      }),
      client: null,
    }))
  }

  async take(one: Step): Promise<void> {
    const did = await this.#do(one)
    if (did) this.done[did] = (this.done[did] ?? 0) + 1
    // After which a gateway has heard of every change.
    world.clock.pass({ seconds: 5 })
    await this.#watch()
    world.clock.pass({ minutes: 5 })
  }

  async #do(one: Step): Promise<string | null> {
    switch (one.does) {
      case 'wait':
        world.clock.pass({ hours: one.hours })
        return null
      case 'make': {
        // Half of them for a box, as a client with its MAC.
        const mac = one.box % 2 ? at(this.#televisions, one.box).box.mac : null
        const made = await this.#make(at(this.#dealers, one.box), one.months, mac)
        return made && `make ${mac === null ? 'for a login' : 'for a MAC'}`
      }
      case 'another trial': {
        // By when the one before it has ended.
        world.clock.pass({ days: 1 })
        const made = await this.#make(at(this.#dealers, one.box), 0, null)
        return made && this.#signIn(at(this.#televisions, one.box), made)
      }
      case 'sign in':
        return this.#signIn(at(this.#televisions, one.box), this.#clientAt(one.client))
      case 'take back':
        return this.#takeBack(this.#clientAt(one.client))
      case 'renew':
        return this.#act(this.#clientAt(one.client), one.does, 1, (name, dealer) =>
          dealer.send(calls.clients.renew, { name, months: 1 }),
        )
      case 'reset':
        return this.#act(this.#clientAt(one.client), one.does, 0, (name, dealer) =>
          dealer.send(calls.clients.reset, { name }),
        )
      case 'type a MAC': {
        const { mac } = at(this.#televisions, one.box).box
        return this.#act(this.#clientAt(one.client), one.does, 0, async (login, dealer) => {
          const found = await dealer.call(calls.clients.detail, { name: login })
          // Back to Ministra, where it has one.
          const to = found.mac === null ? { ministra: false, stb_mac: mac, o_mac: null } : { ministra: true }
          const answer = await dealer.send(calls.clients.save, { login, ...to })
          const client = this.#clients.find(({ name }) => name === login) as Client
          if (answer.status === 200 && found.mac === null && client.paid === 0) this.#note(mac, client)
          return answer
        })
      }
    }
  }

  async #make(dealer: Person, months: string | number, mac: string | null): Promise<Client | null> {
    const name = `is-${world.clock.now.getTime().toString(36)}`
    const form = { login: name, password: PASSWORD, desc: '', phone: '', package_selection: 1 }
    const input = { ...form, months: months as 0, stb_mac: mac, ministra: mac === null }
    const { status } = await dealer.send(calls.clients.create, input)
    if (status !== 200) return null
    const made = { name, dealer, paid: months === 1 ? 1 : 0 }
    this.#clients.push(made)
    if (mac && made.paid === 0) this.#note(mac, made)
    return made
  }

  async #takeBack(client: Client | undefined): Promise<string | null> {
    if (!client) return null
    // A trial that is left counts for this MAC, whether the box asks or not.
    const [has] = await world.server.sql<{ mac: string | null }[]>`
      select coalesce(c.mac, d.mac) as mac from client c left join device d on d.client = c.id
      where c.name = ${client.name}`
    const did = await this.#act(client, 'take back', -1, (name, dealer) =>
      dealer.send(calls.clients.retrieve, { login: name, credits: 1 }),
    )
    if (did && has?.mac && client.paid === 0) this.#note(has.mac, client)
    return did
  }

  #clientAt(nr: number): Client | undefined {
    return this.#clients[nr % Math.max(1, this.#clients.length)]
  }

  async #act(
    client: Client | undefined,
    does: string,
    paid: number,
    send: (name: string, dealer: Person) => Promise<{ status: number }>,
  ): Promise<string | null> {
    if (!client) return null
    const { status } = await send(client.name, client.dealer)
    if (status !== 200) return null
    client.paid += paid
    return does
  }

  async #signIn(television: Television, client: Client | undefined): Promise<string | null> {
    const { box } = television
    if (!client) return null
    television.client = null
    const status = await box.logIn(client.name, PASSWORD)
    if (status === 2) return null
    const profile = await box.getProfile()
    if (status === 1) {
      if (profile.block_msg !== ON_SCREEN.no_trial) return null
      const hadAnother = this.#hadElsewhere('last', box.mac, client)
      expect(hadAnother, 'a box that is refused a trial had another').toBe(true)
      return 'sign in, refused a trial'
    }
    // A box whose MAC a client has is let in to that one without a login.
    television.client = this.#clients.find(({ name }) => 'name' in profile && name === profile.name) ?? null
    if (television.client) this.#isServed(box.mac, television.client)
    return 'sign in'
  }

  /** Asks each box whether it is served, and on whose trial. */
  async #watch(): Promise<void> {
    for (const { box, client } of this.#televisions)
      if (client && (await box.poll())) this.#isServed(box.mac, client)
  }

  #isServed(mac: string, client: Client): void {
    if (client.paid > 0) return
    expect(this.#hadElsewhere('since', mac, client), `${mac} on the trial of ${client.name}`).toBe(false)
    if (this.#note(mac, client)) this.done['served on a trial'] = (this.done['served on a trial'] ?? 0) + 1
  }

  /** Returns whether this trial of the MAC was not known. */
  #note(mac: string, client: Client): boolean {
    const now = world.clock.now.getTime()
    const had = this.#trials.find((one) => one.mac === mac && one.client === client)
    if (had) had.last = now
    else this.#trials.push({ mac, client, since: now, last: now })
    return !had
  }

  #hadElsewhere(when: 'since' | 'last', mac: string, client: Client): boolean {
    const lately = world.clock.now.getTime() - THIRTY_DAYS
    return this.#trials.some((one) => one.mac === mac && one.client !== client && one[when] > lately)
  }
}

function at<T>(all: readonly T[], nr: number): T {
  return all[nr % all.length] as T
}

test('no box is served on the trials of two clients within 30 days', {
  timeout: runs(600_000, 3_600_000),
}, async () => {
  const done: Record<string, number> = {}
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 24, maxLength: 24 }), async (steps) => {
      const { reseller, dealer } = await world.family({ credits: 60, to: 'reseller' })
      await world.give(reseller, dealer, 30)
      const other = await world.child(reseller)
      await world.give(reseller, other, 30)
      const schemers = new Schemers([dealer, other])
      for (const one of steps) await schemers.take(one)
      for (const [did, times] of Object.entries(schemers.done)) done[did] = (done[did] ?? 0) + times
    }),
    { seed: seedOf('the law of trials'), numRuns: runs(30, 300) },
  )
  expect(await verify(world.server.sql, 'boxtree_server')).toMatchObject({ first: null, others: [PLAYED] })
  // A law whose cases never occur tests nothing.
  for (const did of [
    'make for a MAC',
    'served on a trial',
    'sign in, refused a trial',
    'take back',
    'type a MAC',
  ])
    expect(done[did] ?? 0, did).toBeGreaterThan(0)
})

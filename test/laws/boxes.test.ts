import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { calls } from '../../contract/calls.ts'
import { ANSWERS, type CallName, isCall } from '../../server/boxes/wire/answers.ts'
import { Box, freshAddress } from '../support/box.ts'
import { givePlaylist, letHold } from '../support/playlist.ts'
import type { TestServer } from '../support/server.ts'
import { openWorld, type Person, uniqueMac, type World } from '../support/world.ts'
import { BoxModel, CHANNELS_OF, type Kind, type ModelBox } from './box-model.ts'
import { runs, seedOf } from './runs.ts'

// Who may play what is never wrong, in either direction, and never later than one poll, what is sent to a box is told
// once and in order, and every declared call is answered by its type: two boxes of one client, its dealer and the clock
// do what they like, on two servers, and every answer is the model's. The second box obeys `cut_off` and `cut_on`.

let world: World
let servers: [TestServer, TestServer]
beforeAll(async () => {
  const env = { TRUSTED_PROXIES: '127.0.0.1' }
  world = await openWorld({ env })
  await giveChannels()
  servers = [world.server, await world.another({ env })]
})
afterAll(async () => {
  await servers[1].close()
  await world.close()
})

/** Gives a playlist whose groups are in one package, in both, and in the other. */
async function giveChannels(): Promise<void> {
  const titles = ['One', 'Two', 'Three']
  const playlist = titles.map(
    (title) => `#EXTINF:-1 group-title="${title}",${title}\nhttp://s.example/{login}/${title}`,
  )
  await givePlaylist(world, playlist.join('\n'))
  for (const holder of [1, 3] as const) await letHold(world, holder, CHANNELS_OF[holder])
}

/** The calls but those by which a box signs in and polls. */
const OTHER_CALLS = Object.keys(ANSWERS)
  .filter(isCall)
  .filter((name) => !/handshake|get_profile|do_auth|get_events/.test(name))

/** Those of them that tell nothing of a client, which any box may make. */
const OPEN_CALLS: readonly CallName[] = ['stb/get_localization', 'stb/get_modules']

const box = fc.record({ box: fc.nat(1), server: fc.nat(1) })
const command = fc.oneof(
  { arbitrary: fc.record({ does: fc.constant('sign in'), at: box }), weight: 5 },
  {
    arbitrary: fc.record({ does: fc.constant('poll'), at: box, call: fc.constantFrom(...OTHER_CALLS) }),
    weight: 10,
  },
  { arbitrary: fc.record({ does: fc.constantFrom('guess', 'leave'), at: box }), weight: 2 },
  { arbitrary: fc.record({ does: fc.constant('move'), at: box, address: fc.nat(1) }), weight: 1 },
  {
    arbitrary: fc.record({
      does: fc.constantFrom(
        ...['switch', 'lock', 'suspend', 'reset', 'renew', 'end', 'password', 'MAC'],
        ...['message', 'reboot', 'package'],
      ),
    }),
    weight: 4,
  },
  {
    arbitrary: fc.record({ does: fc.constant('wait'), minutes: fc.constantFrom(1, 4, 16, 60, 1_500) }),
    weight: 3,
  },
)
const sequence = fc.array(command, { minLength: 5, maxLength: 30 })
const TOLD: Command[] = [
  { does: 'sign in', at: { box: 0, server: 0 } },
  { does: 'message' },
  { does: 'poll', at: { box: 0, server: 1 }, call: 'stb/get_modules' },
]
/** A box that obeys, and logs in from elsewhere to the client that is locked to where it was. */
const MOVED: Command[] = [
  { does: 'lock' },
  { does: 'sign in', at: { box: 1, server: 0 } },
  { does: 'move', at: { box: 1, server: 0 }, address: 0 },
  { does: 'sign in', at: { box: 1, server: 0 } },
  { does: 'poll', at: { box: 1, server: 0 }, call: 'stb/get_modules' },
]
/** A box that was refused by a lock asks again once that is off. */
const UNLOCKED: Command[] = [
  { does: 'lock' },
  { does: 'sign in', at: { box: 0, server: 0 } },
  { does: 'sign in', at: { box: 1, server: 0 } },
  { does: 'lock' },
  { does: 'poll', at: { box: 1, server: 0 }, call: 'stb/get_modules' },
]
type Command = {
  does: string
  at?: { box: number; server: number }
  call?: CallName
  address?: number
  minutes?: number
}

test.each<Kind>(['with a MAC', 'of Ministra'])('a client %s', { timeout: 3_600_000 }, async (kind) => {
  const counts: Record<string, number> = {}
  const seed = seedOf(`boxes of a client ${kind}`)
  await fc.assert(
    fc.asyncProperty(fc.constantFrom('', '000', 'SN-B'), sequence, async (serial, commands) => {
      const run = await Run.begin(kind, serial)
      for (const one of commands) {
        const outcome = await run.perform(one)
        counts[outcome] = (counts[outcome] ?? 0) + 1
      }
      await run.end()
    }),
    // What by chance may not come: that a box is told something, moves away from where its client is locked, and is
    // refused by a lock that is over then.
    {
      numRuns: runs(36, 300),
      seed,
      examples: [
        ['', TOLD],
        ['', MOVED],
        ['', UNLOCKED],
      ],
    },
  )
  process.stdout.write(`${kind}: ${JSON.stringify(counts)}\n`)
  const outcomes = ['sign in: let in', 'sign in: refused', 'poll: let in', 'poll: refused', 'poll: told']
  for (const outcome of outcomes) {
    expect(counts[outcome], outcome).toBeGreaterThan(0)
  }
})

/** One client with a dealer of its own, two boxes, and the model of what they must be told. */
class Run {
  readonly model: BoxModel
  readonly #boxes: readonly [Box, Box]
  readonly #reseller: Person
  #dealer: Person
  readonly #name: string
  readonly #addresses: readonly [string, string]

  /** @param serial what the second box says of itself */
  static async begin(kind: Kind, serial: string): Promise<Run> {
    const { reseller, dealer } = await world.family({ credits: 400 })
    const ministra = kind === 'of Ministra'
    const { name, mac, expiry } = await world.client(dealer, { months: 1, ministra, password: 'password-0' })
    const addresses = [freshAddress(), freshAddress()] as const
    const macs = ministra ? ([uniqueMac(), uniqueMac()] as const) : ([mac, mac] as const)
    const boxes = [
      new Box(world.server, { mac: macs[0], address: addresses[0], told: { sn: 'SN-A' } }),
      new Box(world.server, { mac: macs[1], address: addresses[1], told: { sn: serial }, obeys: true }),
    ] as const
    const model = new BoxModel(
      kind,
      expiry,
      boxes.map(({ mac, told, obeys }) => ({ mac, obeys, serial: (told.sn ?? '').replace('000', '') })),
    )
    return new Run(model, boxes, { reseller, dealer, name, addresses })
  }

  private constructor(
    model: BoxModel,
    boxes: readonly [Box, Box],
    rest: { reseller: Person; dealer: Person; name: string; addresses: readonly [string, string] },
  ) {
    this.model = model
    this.#boxes = boxes
    this.#reseller = rest.reseller
    this.#dealer = rest.dealer
    this.#name = rest.name
    this.#addresses = rest.addresses
  }

  async perform({ does, at, call, address = 0, minutes = 0 }: Command): Promise<string> {
    // Every change is heard of within this time, on every server.
    world.clock.pass({ seconds: 5 })
    if (at) {
      const which = at.box
      const one = this.#boxes[which as 0 | 1]
      const server = servers[at.server as 0 | 1]
      if (does === 'move') {
        one.address = this.#addresses[address as 0 | 1]
        return 'move'
      }
      const model = this.model.boxes[which] as ModelBox
      if (does === 'leave') return this.#leave(one, server, model)
      return does === 'poll'
        ? this.#poll(one, server, model, call)
        : this.#signIn(one, server, model, does === 'guess')
    }
    if (does === 'wait') {
      world.clock.pass({ minutes })
      return 'wait'
    }
    return this.#act(does)
  }

  async #poll(box: Box, server: TestServer, model: ModelBox, call?: CallName): Promise<string> {
    const expected = this.model.poll(model, box.address ?? '', world.clock.now)
    const there = box.at(server)
    expect(await there.events(), 'a poll').toBe(expected)
    await this.#expectChannels(there, this.model.channels(model))
    if (call) await this.#expectAnswer(there, call, this.model.channels(model) !== null)
    await this.#expectSeen(server)
    return `poll: ${expected === null ? 'refused' : expected === '' ? 'let in' : 'told'}`
  }

  /** Expects the declared answer to any other call where the box may play, and else that of one that is out. */
  async #expectAnswer(there: Box, call: CallName, mayPlay: boolean): Promise<void> {
    if (mayPlay || OPEN_CALLS.includes(call)) await there.call(call)
    else expect((await there.ask(call)).text, call).toBe('Authorization failed.')
  }

  /**
   * Expects that a box that is in gets the channels of its package and their addresses, and one that is out nothing.
   */
  async #expectChannels(there: Box, expected: readonly string[] | null): Promise<void> {
    if (expected === null) {
      for (const call of ['itv/get_all_channels', 'itv/create_link'])
        expect((await there.ask(call, { cmd: 'http://localhost/ch/1_' })).text).toBe('Authorization failed.')
      return
    }
    const { data } = await there.call('itv/get_all_channels')
    expect(data.map(({ name }) => name)).toEqual(expected)
    const channels = await world.server.sql<{ id: number; key: string }[]>`select id, key from channel`
    for (const { id, key } of channels) {
      const { cmd } = await there.call('itv/create_link', { cmd: `ffmpeg http://localhost/ch/${id}_` })
      const title = expected.find((name) => key.startsWith(`name ${name}\n`))
      expect(cmd, key).toBe(title === undefined ? '' : `ffmpeg http://s.example/${this.#name}/${title}`)
    }
  }

  async #signIn(box: Box, server: TestServer, model: ModelBox, guesses: boolean): Promise<string> {
    const login = {
      login: guesses ? `not-${this.#name}`.slice(0, 15) : this.#name,
      password: this.model.password,
    }
    const expected = this.model.signIn(model, box.address ?? '', world.clock.now, guesses)
    const there = box.at(server)
    expect(await there.logIn(login.login, login.password), 'a sign-in').toBe(expected)
    box.token = there.token
    await this.#expectSeen(server)
    return `sign in: ${expected === 0 ? 'let in' : 'refused'}`
  }

  /** Signs a box in to another client, from which it comes back by another sign-in alone. */
  async #leave(box: Box, server: TestServer, model: ModelBox): Promise<string> {
    if (this.model.kind === 'with a MAC' || this.model.suspended) return 'nothing'
    const password = 'elsewhere'
    const { name } = await world.client(this.#dealer, { months: 1, ministra: true, password })
    const expected = this.model.leave(model, world.clock.now)
    expect(await box.at(server).logIn(name, password), 'a sign-in to another client').toBe(expected)
    // So that it may come back.
    await this.#dealer.call(calls.clients.save, { login: name, status: false })
    return `leave: ${expected === 0 ? 'let in' : 'refused'}`
  }

  /** What the dealer sees of the client's box, after an answer of this server. */
  async #expectSeen(server: TestServer): Promise<void> {
    await server.gateway.write()
    if (this.model.suspended) return
    const { stb_sn, locked_to_ip, box_refusal } = await this.#dealer.call(calls.clients.detail, {
      name: this.#name,
    })
    expect({ stb_sn, locked_to_ip, box_refusal }).toEqual(this.model.seen())
  }

  async #act(does: string): Promise<string> {
    const { model } = this
    const name = this.#name
    const { save, reset, renew, tell } = calls.clients
    if (does === 'suspend') {
      if (model.suspended) await this.#reseller.call(calls.tree.lift, { name: this.#dealer.name })
      else
        await this.#reseller.call(calls.tree.suspend, {
          name: this.#dealer.name,
          reason: '',
          service_too: true,
        })
      model.suspended = !model.suspended
      this.#dealer = await world.again(this.#dealer)
      return does
    }
    if (model.suspended) return 'nothing'
    const isExpired = model.isExpired(world.clock.now)
    if (does === 'renew') {
      const { clients } = { clients: await this.#dealer.call(renew, { name, months: 1 }) }
      model.expiry = clients.expiry
    } else if (does === 'end') {
      model.expiry = new Date(world.clock.now.getTime() + 120_000).toISOString()
      await world.setExpiry(name, model.expiry)
    } else if (isExpired) {
      if (does === 'reset') await this.#dealer.refused('client_expired', reset, { name })
      return 'nothing'
    } else if (does === 'reset') {
      await this.#dealer.call(reset, { name })
      model.reset()
    } else if (does === 'switch') {
      model.active = !model.active
      await this.#dealer.call(save, { login: name, status: model.active })
    } else if (does === 'lock') {
      model.switchLock()
      await this.#dealer.call(save, { login: name, locked: model.locked })
    } else if (does === 'message' || does === 'reboot') {
      const message = does === 'message' ? 'Hello' : ''
      await this.#dealer.call(tell, { clients: [name], event: does, message })
      model.send(message || does, does === 'message' ? 7 * 24 * 60 : 4, world.clock.now)
    } else if (does === 'password') {
      await this.#dealer.call(save, { login: name, password: model.newPassword() })
    } else if (does === 'package') {
      model.package = model.package === 1 ? 3 : 1
      await this.#dealer.call(save, { login: name, package_selection: model.package })
      model.changeChannels(world.clock.now)
    } else if (does === 'MAC') {
      const { mac, ministra } = await this.#dealer.call(calls.clients.detail, { name })
      if (ministra) return 'nothing'
      // To another one and back, which forgets the box as well.
      const other = uniqueMac()
      await this.#dealer.call(save, { login: name, stb_mac: other, o_mac: mac })
      await this.#dealer.call(save, { login: name, stb_mac: mac, o_mac: other })
      model.reset()
    }
    return does
  }

  async end(): Promise<void> {
    if (this.model.suspended) await this.#act('suspend')
  }
}

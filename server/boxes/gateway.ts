import type { FastifyBaseLogger, FastifyInstance } from 'fastify'
import { packageLabel } from '../../contract/packages.ts'
import type { Seal } from '../access/seal.ts'
import type { Networks } from '../network.ts'
import { isLost, retryRead, withTimeout } from '../postgres/begin.ts'
import type { Sql } from '../postgres/pool.ts'
import { type Answer, POLL_SECONDS } from './answers.ts'
import { channelCalls } from './channel-calls.ts'
import { openChannels } from './channels.ts'
import { type Client, refusalOf, type Told } from './client.ts'
import { confirm, takeEvent, told, waits } from './events.ts'
import { clientOfLogin, mayLogIn } from './logins.ts'
import { checked, Prepared } from './prepared.ts'
import { openPresence } from './presence.ts'
import { Away, ON_SCREEN, Unauthorized } from './refusals.ts'
import { toldBy } from './request.ts'
import { openRoster } from './roster.ts'
import { type BoxCall, type BoxHandlers, serveBoxes } from './routes.ts'
import { bind, lockTo, type Outcome, signIn, storeFacts } from './sign-in.ts'
import { openStrangers } from './strangers.ts'
import { type StreamRules, serveStreamCheck } from './stream-check.ts'
import { NONCE_DIGITS, openTokens } from './token.ts'
import { openUnknown } from './unknown.ts'
import { openUses } from './uses.ts'

export type GatewayDependencies = {
  sql: Sql
  seal: Seal
  networks: Networks
  log: FastifyBaseLogger
  clock: () => Date
  /** The zone in which a box is told the last day of its service. */
  zone: string
  streams: StreamRules
}

export type Gateway = {
  /** Registers the calls of the boxes. `alone` where nothing else is served there, so that `/` is theirs too. */
  serve(app: FastifyInstance, options: { alone: boolean }): Promise<void>
  /** Whether boxes can be answered, from the database or from memory. */
  canAnswer(): Promise<boolean>
  /** Stores the polls that were answered since the last time, and what boxes said while the database was away. */
  writePresence(): Promise<void>
  /** Stores them for the last time. */
  stop(): Promise<void>
}

/** How often the polls are stored, in milliseconds. */
const WRITE_EVERY = 10_000

/**
 * Opens the gateway, by which boxes ask whether they may play. Polls are answered from memory; a sign-in is a transaction.
 */
export function openGateway({
  sql,
  seal,
  networks,
  log,
  clock,
  zone,
  streams,
}: GatewayDependencies): Gateway {
  const tokens = openTokens(seal)
  const roster = openRoster(sql, log, clock)
  const presence = openPresence(sql, log)
  const strangers = openStrangers(clock)
  const unknown = openUnknown(sql, log)
  const channels = openChannels(sql, seal, log, clock)
  const uses = openUses(sql, log, roster.isAway)
  /** What the boxes of these clients said while the database was away. */
  const unwritten = new Map<number, { nonce: string; told: Told }>()
  const writing = setInterval(() => void write(), WRITE_EVERY)
  writing.unref()

  const handlers: BoxHandlers = {
    'stb/handshake': async ({ field, mac }) => {
      const saved = field('token').toUpperCase()
      return { token: tokens.nonceOf(saved, mac) === null ? tokens.make(mac) : saved }
    },
    'stb/get_profile': getProfile,
    'stb/do_auth': doAuth,
    'stb/get_localization': async () => ({}),
    'stb/get_modules': async () => MODULES,
    'watchdog/get_events': getEvents,
    'watchdog/confirm_event': async (request) => {
      const { client } = await letInOrCut(request)
      if (roster.isAway()) throw new Away()
      await withTimeout(sql, () => confirm(sql, client.id, request.field('event_active_id'), clock()))
      return { data: 'ok' }
    },
    ...channelCalls({ sql, seal, clock, channels, presence, isAway: roster.isAway, letIn }),
    'account_info/get_main_info': async (request) => {
      const client = await letIn(request)
      return {
        // A MAC is a claim and no proof, so that a box is told neither phone nor description.
        ...{ fname: client.name, phone: '', ls: client.name, mac: request.mac },
        ...{ tariff_plan: packageLabel(client.package_selection) ?? '', end_date: lastDay(client) },
        ...{ account_balance: '', last_change_status: '' },
      }
    },
  }

  return {
    async serve(app, { alone }) {
      await serveBoxes(app, { handlers, networks, alone })
      serveStreamCheck(app, { ...streams, roster, channels, uses, seal, clock })
    },
    canAnswer: () =>
      roster.catchUp().then(
        () => true,
        () => false,
      ),
    writePresence: write,
    async stop() {
      clearInterval(writing)
      await write()
      await uses.stop()
    },
  }

  async function write(): Promise<void> {
    await presence.write()
    await unknown.write()
    try {
      for (const [client, { nonce, told }] of unwritten) {
        await withTimeout(sql, () => storeFacts(sql, client, nonce, told))
        unwritten.delete(client)
      }
    } catch {
      // They wait for the next time, as the polls do.
    }
  }

  /** Judges a box that signs in with the token of its handshake, and makes that token the client's. */
  async function getProfile(request: BoxCall): Promise<Answer<'stb/get_profile'>> {
    const { mac, place } = request
    const nonce = nonceOf(request)
    try {
      await roster.catchUp()
      if (!roster.has(mac) && !strangers.mayAsk(place.network, mac)) return refused(TOO_MANY)
      const client = await roster.findAnew(mac)
      // A Ministra client is known by its login alone: the MAC could be anybody's.
      if (!client || (client.mac === null && client.device?.token_nonce !== nonce))
        return await askLogin(request, client)
      const { client: present, refusal } = await enter(client, request, nonce)
      const now = clock()
      if (refusal) {
        presence.refused(present, refusal, now)
        return refused(ON_SCREEN[refusal])
      }
      presence.letIn(present, place, now)
      // It loads its channels after a sign-in.
      channels.isKnownTo(present)
      return welcome(present, request)
    } catch (error) {
      if (error instanceof Away || isLost(error)) return refused(SOON)
      throw error
    }
  }

  /** Signs a box in. While the database is away, only a box that is in already is let in again. @throws Away */
  async function enter(client: Client, request: BoxCall, nonce: string): Promise<Outcome> {
    const { mac, place } = request
    const now = clock()
    const told = toldBy(request)
    const context = { sql, unserved: roster.unserved(), now }
    try {
      return await roster.change(async () => {
        const outcome = await signIn(context, client.id, { mac, nonce, place }, told)
        if (!outcome) throw new Unauthorized()
        return outcome
      })
    } catch (error) {
      if (!(error instanceof Away) || client.device?.token_nonce !== nonce) throw error
      const refusal = refusalOf(client, place, context.unserved, now, told)
      if (!refusal) unwritten.set(client.id, { nonce, told })
      return { client, refusal }
    }
  }

  /** Asks a box for a login, if it may try one. */
  async function askLogin(request: BoxCall, client: Client | null): Promise<Answer<'stb/get_profile'>> {
    const { mac, place } = request
    if (!client) {
      strangers.count(place.network, mac)
      unknown.note(request, clock())
    }
    const mayTry = await retryRead(sql, () => mayLogIn(sql, mac, clock()))
    if (!mayTry) return refused(ON_SCREEN.unknown)
    return { status: 2, msg: '', block_msg: '', ...POLLING }
  }

  /** Signs a box in by login and password. */
  async function doAuth(request: BoxCall): Promise<boolean> {
    const { field, mac, place } = request
    const nonce = nonceOf(request)
    const now = clock()
    await roster.catchUp()
    if (!roster.has(mac) && !strangers.mayAsk(place.network, mac)) return false
    // The box of a client with a MAC is never asked for a login.
    if ((await roster.findAnew(mac))?.mac != null) return false
    const login = { mac, network: place.network, login: field('login'), password: field('password') }
    const id = await clientOfLogin({ sql, seal, now }, login)
    if (id === null) return false
    const context = { sql, unserved: roster.unserved(), now }
    const outcome = await roster.change(async () => {
      const bound = await bind(context, id, { mac, nonce, place })
      if (!bound) throw new Unauthorized()
      return bound
    })
    if (outcome.refusal) presence.refused(outcome.client, outcome.refusal, now)
    return outcome.refusal === null
  }

  /** Answers a poll by what the box has to be told next. While the database is away, that waits. */
  async function getEvents(request: BoxCall): Promise<Answer<'watchdog/get_events'> | Prepared> {
    const { client, refusal } = await letInOrCut(request)
    const now = clock()
    const hasStopped = refusal === null && request.field('cur_play_type') === '0'
    if (hasStopped) presence.plays(client, request.place, '', now)
    if (!waits(client, refusal !== null, now)) return refusal === null ? newsFor(client, now) : QUIET
    const poll = { sql, nonce: nonceOf(request), place: request.place, obeys: obeysCuts(request), now }
    try {
      if (roster.isAway()) throw new Away()
      const { event } = await roster.change(async () => {
        const taken = await takeEvent({ ...poll, unserved: roster.unserved() }, client.id)
        if (!taken) throw new Unauthorized()
        return taken
      })
      return event === null ? QUIET : told(event, now)
    } catch (error) {
      if (!(error instanceof Away)) throw error
      // A box that cannot be told to stop is refused.
      if (refusal !== null && client.device?.cut === false) throw new Unauthorized()
      return QUIET
    }
  }

  /** Tells a box once that its channels are others. A million of them are told so without a query. */
  async function newsFor(client: Client, now: Date): Promise<Answer<'watchdog/get_events'> | Prepared> {
    if (roster.isAway()) return QUIET
    // Where the channels cannot be read, a poll is answered all the same.
    if (!(await channels.hasNewsFor(client).catch(() => false))) return QUIET
    channels.isKnownTo(client)
    return told({ id: '', event: 'update_channels', message: '' }, now)
  }

  /** Returns the client of a box that is in, and why it may not play where it obeys that. @throws Unauthorized, Away */
  async function letInOrCut(request: BoxCall): Promise<Outcome> {
    const outcome = await judge(request)
    if (outcome.refusal !== null && !obeysCuts(request)) throw new Unauthorized()
    return outcome
  }

  /** Returns the client of a box that is in and may play now. @throws Unauthorized, Away */
  async function letIn(request: BoxCall): Promise<Client> {
    const { client, refusal } = await judge(request)
    if (refusal !== null) throw new Unauthorized()
    return client
  }

  /** Returns the client of a box that is in, and why it may not play now. @throws Unauthorized, Away */
  async function judge(request: BoxCall): Promise<Outcome> {
    const { mac, place } = request
    const nonce = nonceOf(request)
    await roster.catchUp()
    if (!roster.has(mac) && !strangers.mayAsk(place.network, mac)) throw new Unauthorized()
    const client = await clientWith(mac, nonce)
    const now = clock()
    if (!client) {
      if (!roster.has(mac)) strangers.count(place.network, mac)
      throw new Unauthorized()
    }
    const refusal = refusalOf(client, place, roster.unserved(), now)
    if (refusal) {
      presence.refused(client, refusal, now)
      return { client, refusal }
    }
    const locked = await lock(client, place.network)
    presence.letIn(locked, place, now)
    return { client: locked, refusal: null }
  }

  /** Finds the client whose box has this token. Another server may have signed it in just now, so that it is read anew. */
  async function clientWith(mac: string, nonce: string): Promise<Client | null> {
    const known = await roster.find(mac)
    if (known?.device?.token_nonce === nonce) return known
    if (!known) return null
    const anew = await roster.findAnew(mac)
    return anew?.device?.token_nonce === nonce ? anew : null
  }

  /** Pins the address of a client that was locked while its box was in. While the database is away, that waits. */
  async function lock(client: Client, network: string | null): Promise<Client> {
    if (!client.locked || client.device?.locked_to_ip !== null || network === null) return client
    try {
      const { client: locked } = await roster.change(
        async () => (await lockTo(sql, client.id, network)) ?? { client },
      )
      if (locked.device?.locked_to_ip !== network) throw new Unauthorized()
      return locked
    } catch (error) {
      if (error instanceof Away) return client
      throw error
    }
  }

  /** Returns the nonce of the token that a box sends. @throws Unauthorized where it is none of ours for its MAC */
  function nonceOf({ token, mac }: BoxCall): string {
    // A signature takes a sixth of the time of a poll, so that each is computed once.
    if (roster.hasChecked(mac, token)) return token.slice(0, NONCE_DIGITS)
    const nonce = tokens.nonceOf(token, mac)
    if (nonce === null) throw new Unauthorized()
    roster.noteChecked(mac, token)
    return nonce
  }

  function lastDay({ expiry }: Client): string {
    return new Intl.DateTimeFormat('en-CA', { timeZone: zone }).format(expiry)
  }
}

const POLLING = { watchdog_timeout: POLL_SECONDS, timeslot: POLL_SECONDS } as const

/**
 * Whether a box obeys `cut_off` and `cut_on`, and polls on meanwhile: the page that Boxtree serves says so. All other
 * clients learn that they are out by the sentence of `Unauthorized` alone.
 */
function obeysCuts({ field }: BoxCall): boolean {
  return field('cut') === '1'
}

/** The answer to nearly every poll. */
const QUIET = new Prepared(checked('watchdog/get_events', { data: { msgs: 0, additional_services_on: '1' } }))

const SOON = 'The service is being worked on. Please try again in a minute.'
const TOO_MANY = 'Too many unknown boxes ask from your address. Please try again in 15 minutes.'

const MODULES: Answer<'stb/get_modules'> = {
  all_modules: ['tv'],
  switchable_modules: [],
  disabled_modules: [],
  restricted_modules: [],
  template: 'default',
}

function refused(sentence: string): Answer<'stb/get_profile'> {
  return { status: 1, msg: sentence, block_msg: sentence, ...POLLING }
}

function welcome(client: Client, { field, mac }: BoxCall): Answer<'stb/get_profile'> {
  return {
    ...{ status: 0, msg: '', block_msg: '', ...POLLING },
    ...{ id: client.name, name: client.name, login: client.name, mac },
    ...{ stb_type: field('stb_type'), hd: 1, locale: 'en_GB.utf8', stb_lang: 'en' },
    ...{ store_auth_data_on_stb: false, allowed_stb_types: [], updated: {}, storages: {} },
  }
}

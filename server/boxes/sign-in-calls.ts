import type { Seal } from '../access/seal.ts'
import { isLost } from '../postgres/errors.ts'
import type { Sql } from '../postgres/pool.ts'
import { retryRead } from '../postgres/timeout.ts'
import type { Admission } from './admission.ts'
import { type Answer, POLL_SECONDS } from './answers.ts'
import { openTokens } from './box-token.ts'
import { type BoxTurns, openStrangerTurns } from './box-turns.ts'
import type { Channels } from './channels.ts'
import { type BoxClient, refusalOf } from './client.ts'
import type { LateFacts } from './late-facts.ts'
import { clientOfLogin, mayTry, noteRefusal, refusalOfLogin } from './logins.ts'
import type { Presence } from './presence.ts'
import { Away, ON_SCREEN, Unauthorized } from './refusals.ts'
import { selfReportOf } from './request.ts'
import type { Roster } from './roster.ts'
import type { BoxCall, BoxHandlers } from './routes.ts'
import { bind, type SignInOutcome } from './sign-in.ts'
import { openSignInBatches } from './sign-in-batches.ts'
import type { UnknownBoxes } from './unknown-boxes.ts'

type SignInCalls = {
  sql: Sql
  seal: Seal
  clock: () => Date
  roster: Roster
  presence: Presence
  channels: Channels
  unknown: UnknownBoxes
  admission: Admission
  lateFacts: LateFacts
  turns: BoxTurns
}

/** The calls by which a box signs in: it gets a token, is judged, and where it has to, sends a login. */
export function signInCalls({
  sql,
  seal,
  clock,
  roster,
  presence,
  channels,
  unknown,
  admission: { nonceOf, lookUp, isOut },
  lateFacts,
  turns,
}: SignInCalls) {
  const tokens = openTokens(seal)
  const signIn = openSignInBatches(sql, turns)
  const strangerTurns = openStrangerTurns()
  return {
    'stb/handshake': handshake,
    'stb/get_profile': getProfile,
    'stb/do_auth': doAuth,
  } satisfies Partial<BoxHandlers>

  /** Gives a box the token that it saved, while it is in with that, and else a new one. */
  async function handshake(request: BoxCall): Promise<Answer<'stb/handshake'>> {
    const { field, mac } = request
    const saved = field('token').toUpperCase()
    const nonce = tokens.nonceOf(saved, mac)
    // Copies of a token that a reset or a new password ended would be good again by the next sign-in with it.
    const isKept = nonce !== null && !(await isOut(request, nonce))
    return { token: isKept ? saved : tokens.make(mac, clock()) }
  }

  /** Judges a box that signs in with the token of its handshake, and makes that token the client's. */
  async function getProfile(request: BoxCall): Promise<Answer<'stb/get_profile'>> {
    const { place } = request
    const nonce = nonceOf(request)
    try {
      await roster.catchUp()
      const client = await lookUp(request)
      if (client === 'too many') return refused(TOO_MANY)
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
      roster.noteChecked(request.mac, request.token)
      // It loads its channels after a sign-in.
      channels.noteTold(present)
      return welcome(present, request)
    } catch (error) {
      if (error instanceof Away || isLost(error)) return refused(SOON)
      throw error
    }
  }

  /** Signs a box in. While the database is away, only a box that is in already is let in again. @throws Away */
  async function enter(client: BoxClient, request: BoxCall, nonce: string): Promise<SignInOutcome> {
    const { mac, place } = request
    const now = clock()
    const report = selfReportOf(request)
    const unserved = roster.unserved
    try {
      return await roster.change(async () => {
        const box = { mac, nonce, place }
        const outcome = await signIn({ id: client.id, box, report, unserved, now })
        if (!outcome) throw new Unauthorized()
        return outcome
      })
    } catch (error) {
      if (!(error instanceof Away) || client.device?.token_nonce !== nonce) throw error
      const refusal = refusalOf(client, place, unserved, now, report)
      if (!refusal) lateFacts.note(client.id, { nonce, report })
      return { client, refusal }
    }
  }

  /** Asks a box for a login, if it may try one, or says why its right login was refused. */
  async function askLogin(request: BoxCall, client: BoxClient | null): Promise<Answer<'stb/get_profile'>> {
    const { mac, place } = request
    const now = clock()
    const nonce = nonceOf(request)
    const [refusal, isOpen] = await readInTurn(request, async () => [
      await refusalOfLogin(sql, mac, nonce, now),
      await mayTry({ sql, now }, { mac, network: place.counted }),
    ])
    if (refusal) return refused(ON_SCREEN[refusal])
    if (!client) unknown.note(request, now)
    if (!isOpen) return refused(TOO_MANY_LOGINS)
    return { status: 2, msg: '', block_msg: '', ...POLLING }
  }

  /** Signs a box in by login and password, and tells it whether they are right. Whether it may play is told next. */
  async function doAuth(request: BoxCall): Promise<boolean> {
    const { field, mac, place } = request
    const nonce = nonceOf(request)
    const now = clock()
    await roster.catchUp()
    const present = await lookUp(request)
    // The box of a client with a MAC is never asked for a login.
    if (present === 'too many' || (present !== null && present.mac !== null)) return false
    const login = { mac, network: place.counted, login: field('login'), password: field('password') }
    // A form that was sent too early is no try.
    if (login.login === '' || login.password === '') return false
    if (!(await readInTurn(request, () => mayTry({ sql, now }, login)))) return false
    const outcome = await turns.run(place.counted ?? mac, async () => {
      const right = await clientOfLogin({ sql, seal, now }, login)
      if (right === null) return null
      const context = { sql, unserved: roster.unserved, now }
      const bound = await roster.change(async () => {
        const done = await bind(context, right, { mac, nonce, place })
        if (!done) throw new Unauthorized()
        return done
      })
      if (bound.refusal) await noteRefusal(sql, right.attempt, nonce, bound.refusal)
      return bound
    })
    if (outcome === null) return false
    const { client, refusal } = outcome
    if (refusal) presence.refused(client, refusal, now)
    return true
  }

  /** Reads over one connection for a box that is nobody's yet, unless it has disconnected before its turn. */
  function readInTurn<T>({ mac, place, gone }: BoxCall, read: () => Promise<T>): Promise<T> {
    return retryRead(sql, () => strangerTurns.run(place.counted ?? mac, read, gone))
  }
}

const POLLING = { watchdog_timeout: POLL_SECONDS, timeslot: POLL_SECONDS } as const

const SOON = 'The service is being worked on. Please try again in a minute.'
const TOO_MANY_LOGINS = 'There were too many tries to log in. Please try again in 15 minutes.'
const TOO_MANY = 'Too many unknown boxes ask from your address. Please try again in 15 minutes.'

function refused(sentence: string): Answer<'stb/get_profile'> {
  return { status: 1, msg: sentence, block_msg: sentence, ...POLLING }
}

function welcome(client: BoxClient, { field, mac }: BoxCall): Answer<'stb/get_profile'> {
  return {
    ...{ status: 0, msg: '', block_msg: '', ...POLLING },
    ...{ id: client.name, name: client.name, login: client.name, mac },
    ...{ stb_type: field('stb_type'), hd: 1, locale: 'en_GB.utf8', stb_lang: 'en' },
    ...{ store_auth_data_on_stb: false, allowed_stb_types: [], updated: {}, storages: {} },
  }
}

import type { ToldRefusal } from '../../../contract/box-refusals.ts'
import type { Seal } from '../../access/seal.ts'
import { isLost } from '../../postgres/errors.ts'
import type { Sql } from '../../postgres/pool.ts'
import { retryRead } from '../../postgres/timeout.ts'
import { Refusal } from '../../refusal.ts'
import type { Admission } from '../admission.ts'
import { type BoxTurns, openStrangerTurns } from '../box-turns.ts'
import type { BoxClient } from '../client.ts'
import type { Presence } from '../memory/presence.ts'
import type { Roster } from '../memory/roster.ts'
import { ON_SCREEN, Unauthorized } from '../refusals.ts'
import { bind, type MayShareTrial } from '../sign-in/login-sign-in.ts'
import { clientOfLogin, mayTry, noteRefusal, REFUSED_FOR_MS, refusalOfLogin } from '../sign-in/logins.ts'
import type { UnknownBoxes } from '../sign-in/unknown-boxes.ts'
import { type Answer, POLLING, refusedProfile } from '../wire/answers.ts'
import type { BoxCall } from '../wire/routes.ts'

type LoginDependencies = {
  sql: Sql
  seal: Seal
  clock: () => Date
  mayShareTrial: MayShareTrial
  roster: Roster
  presence: Presence
  unknown: UnknownBoxes
  admission: Admission
  turns: BoxTurns
}

export type LoginCalls = ReturnType<typeof openLoginCalls>

/** Opens what asks a box for a login, and the call by which it sends one. */
export function openLoginCalls({
  sql,
  seal,
  clock,
  mayShareTrial,
  roster,
  presence,
  unknown,
  admission: { nonceOf, lookUp },
  turns,
}: LoginDependencies) {
  const strangerTurns = openStrangerTurns()
  /** When a login was not checked because there were too many, by the MAC and the nonce of who tried. */
  const closed = new Map<string, number>()
  return { askLogin, doAuth, whyRefused, wasRefused }

  /** Asks a box for a login, if it may try one, or says why its right login was refused. */
  async function askLogin(request: BoxCall, client: BoxClient | null): Promise<Answer<'stb/get_profile'>> {
    const { mac, place } = request
    const now = clock()
    const nonce = nonceOf(request)
    const [refusal, isOpen] = await readInTurn(request, async () => [
      await refusalOfLogin(sql, mac, nonce, now),
      await mayTry({ sql, now }, { mac, network: place.counted }),
    ])
    if (refusal) return refusedProfile(ON_SCREEN[refusal])
    if (!client) unknown.note(request, now)
    if (!isOpen || wasClosed(mac, nonce, now)) return refusedProfile(TOO_MANY_LOGINS)
    return { status: 2, msg: notSignedIn(mac), block_msg: '', ...POLLING }
  }

  /** Returns why the right login that a box has just sent was refused; null where it has sent none. */
  async function whyRefused(request: BoxCall): Promise<ToldRefusal | null> {
    if (request.field('auth_second_step') !== '1') return null
    const nonce = nonceOf(request)
    return readInTurn(request, () => refusalOfLogin(sql, request.mac, nonce, clock()))
  }

  /** Whether a right login that a box made with a token just now was refused; false where that cannot be told. */
  async function wasRefused(request: BoxCall, nonce: string): Promise<boolean> {
    const read = () => refusalOfLogin(sql, request.mac, nonce, clock(), JUST_NOW_MS)
    try {
      return (await readInTurn(request, read)) !== null
    } catch (error) {
      if (error instanceof Refusal || isLost(error)) return false
      throw error
    }
  }

  function noteClosed(mac: string, nonce: string, now: Date): void {
    forgetOld(now)
    // The oldest comes first.
    closed.delete(`${mac} ${nonce}`)
    closed.set(`${mac} ${nonce}`, now.getTime())
  }

  /** Whether the login itself was closed a moment ago, which neither the MAC nor the address of the box shows. */
  function wasClosed(mac: string, nonce: string, now: Date): boolean {
    forgetOld(now)
    return closed.has(`${mac} ${nonce}`)
  }

  function forgetOld(now: Date): void {
    for (const [who, at] of closed) {
      if (now.getTime() - at < REFUSED_FOR_MS) break
      closed.delete(who)
    }
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
    const login = { mac, network: place.counted, login: field('login').trim(), password: field('password') }
    // A form that was sent too early is no try.
    if (login.login === '' || login.password === '') return false
    if (!(await readInTurn(request, () => mayTry({ sql, now }, login)))) return false
    const outcome = await turns.run(place.counted ?? mac, async () => {
      const right = await clientOfLogin({ sql, seal, now }, login)
      if (right === 'too many') noteClosed(mac, nonce, now)
      if (right === null || right === 'too many') return null
      const context = { sql, unserved: roster.unserved, now, mayShareTrial }
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

/** An app tries several times within seconds. Who restarts a box later hears whether the reason still holds. */
const JUST_NOW_MS = 20_000

/** What the screen says beside the form. It is the same where a Ministra client's box is known by the MAC. */
function notSignedIn(mac: string): string {
  return `This box is not signed in (${mac}). Sign in, or tell your provider this number.`
}

const TOO_MANY_LOGINS = 'There were too many tries to log in. Please try again in 15 minutes.'

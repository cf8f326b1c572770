import { NONCE_DIGITS } from '../access/box-nonce.ts'
import type { Seal } from '../access/seal.ts'
import type { Sql } from '../postgres/pool.ts'
import { openTokens } from './box-token.ts'
import type { BoxTurns } from './box-turns.ts'
import { type BoxClient, refusalOf } from './client.ts'
import type { Presence } from './memory/presence.ts'
import type { Roster } from './memory/roster.ts'
import { Away, Unauthorized } from './refusals.ts'
import { lockTo } from './sign-in/locked-client.ts'
import type { SignInOutcome } from './sign-in/sign-in.ts'
import { openStrangers } from './sign-in/strangers.ts'
import { obeysCuts } from './wire/request.ts'
import type { BoxCall } from './wire/routes.ts'

type AdmissionDependencies = {
  sql: Sql
  seal: Pick<Seal, 'hmac'>
  clock: () => Date
  roster: Roster
  presence: Presence
  turns: BoxTurns
}

export type Admission = ReturnType<typeof openAdmission>

/** Finds out whose a box is that asks, and whether it may play now, from memory wherever that is enough. */
export function openAdmission({ sql, seal, clock, roster, presence, turns }: AdmissionDependencies) {
  const tokens = openTokens(seal)
  const strangers = openStrangers(clock)
  roster.whenCleared(() => strangers.forget())
  return { nonceOf, lookUp, isOut, letIn, letInOrCut, letInAtOnce }

  /** Lets a box in by memory alone; null where that is not enough, or something speaks against the box. */
  function letInAtOnce({ mac, token, place }: BoxCall, now: Date): BoxClient | null {
    if (!roster.isCurrent) return null
    const client = roster.knownChecked(mac, token)
    if (!client || refusalOf(client, place, roster.unserved, now) !== null) return null
    if (isYetToBeLocked(client, place.network)) return null
    presence.letIn(client, place, now)
    return client
  }

  /** Returns the client of a box that is in and may play now. @throws Unauthorized, Away */
  async function letIn(request: BoxCall): Promise<BoxClient> {
    const { client, refusal } = await judge(request)
    if (refusal !== null) throw new Unauthorized()
    return client
  }

  /** Returns the client of a box that is in, and why it may not play where it obeys that. @throws Unauthorized, Away */
  async function letInOrCut(request: BoxCall): Promise<SignInOutcome> {
    const outcome = await judge(request)
    if (outcome.refusal !== null && !obeysCuts(request)) throw new Unauthorized()
    return outcome
  }

  /** Returns the client of a box that is in, and why it may not play now. @throws Unauthorized, Away */
  async function judge(request: BoxCall): Promise<SignInOutcome> {
    const { place } = request
    const nonce = nonceOf(request)
    await roster.catchUp()
    const client = await clientWith(request, nonce)
    // Its signature takes longer than all the rest of a poll in memory, so that it is computed once.
    roster.noteChecked(request.mac, request.token)
    const now = clock()
    const refusal = refusalOf(client, place, roster.unserved, now)
    if (refusal) {
      presence.refused(client, refusal, now)
      return { client, refusal }
    }
    const locked = await lock(client, place.network)
    presence.letIn(locked, place, now)
    return { client: locked, refusal: null }
  }

  /** Finds the client whose box has this token. @throws Unauthorized, Away */
  async function clientWith(request: BoxCall, nonce: string): Promise<BoxClient> {
    const { mac } = request
    const known = roster.known(mac) ?? (await lookUp(request))
    if (known === null || known === 'too many') throw new Unauthorized()
    if (known.device?.token_nonce === nonce) return known
    // Another server may have signed it in, and may have a database while this one has none.
    const anew = await roster.findNow(mac)
    if (anew?.device?.token_nonce !== nonce) throw new Unauthorized()
    return anew
  }

  /**
   * Finds the client of a MAC as the database has it now; where that is away, in memory. A network may ask for few MACs
   * that are in no memory and nobody's. @throws Away
   */
  function lookUp(
    { mac, place }: BoxCall,
    find = () => roster.findAnew(mac),
  ): Promise<BoxClient | null | 'too many'> {
    return roster.has(mac) ? find() : strangers.lookUp(place.network, mac, find)
  }

  /**
   * Whether a box is known not to be signed in with this nonce. While the database is away, the answer is no, so that
   * no box loses its token by an outage, or by strangers at its address: another server may have signed it in
   * meanwhile.
   */
  async function isOut(request: BoxCall, nonce: string): Promise<boolean> {
    try {
      await roster.catchUp()
      if (roster.isAway) return false
      const client = await lookUp(request, () => roster.findNow(request.mac))
      return client !== 'too many' && client?.device?.token_nonce !== nonce
    } catch (error) {
      if (error instanceof Away) return false
      throw error
    }
  }

  /** Pins the address of a client that was locked while its box was in. While the database is away, that waits. */
  async function lock(client: BoxClient, network: string | null): Promise<BoxClient> {
    if (!isYetToBeLocked(client, network)) return client
    try {
      const { client: locked } = await roster.change(
        async () => (await turns.run(client.id, () => lockTo(sql, client.id, network))) ?? { client },
      )
      // Where the lock was switched off meanwhile, there is nothing to be locked to.
      const isElsewhere = locked.locked && locked.device?.locked_to_ip !== network
      if (!locked.device || isElsewhere) throw new Unauthorized()
      return locked
    } catch (error) {
      if (error instanceof Away) return client
      throw error
    }
  }

  /** Returns the nonce of the token that a box sends. @throws Unauthorized where it is none of ours for its MAC */
  function nonceOf({ token, mac }: BoxCall): string {
    if (roster.hasChecked(mac, token)) return token.slice(0, NONCE_DIGITS)
    const nonce = tokens.nonceOf(token, mac)
    if (nonce === null) throw new Unauthorized()
    return nonce
  }
}

/** Whether a client is locked, but not yet to a network, and its box asks from a known one. */
function isYetToBeLocked({ locked, device }: BoxClient, network: string | null): network is string {
  return locked && device?.locked_to_ip === null && network !== null
}

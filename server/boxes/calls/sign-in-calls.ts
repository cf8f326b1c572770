import type { Seal } from '../../access/seal.ts'
import { isLost } from '../../postgres/errors.ts'
import type { Sql } from '../../postgres/pool.ts'
import type { Admission } from '../admission.ts'
import { openTokens } from '../box-token.ts'
import type { BoxTurns } from '../box-turns.ts'
import type { Channels } from '../channels/channels.ts'
import { type BoxClient, refusalOf } from '../client.ts'
import type { Presence } from '../memory/presence.ts'
import type { Roster } from '../memory/roster.ts'
import { Away, ON_SCREEN, Unauthorized } from '../refusals.ts'
import type { LateFacts } from '../sign-in/late-facts.ts'
import type { SignInOutcome } from '../sign-in/sign-in.ts'
import { openSignInBatches } from '../sign-in/sign-in-batches.ts'
import { type Answer, POLLING, refusedProfile } from '../wire/answers.ts'
import { obeysCuts, selfReportOf } from '../wire/request.ts'
import type { BoxCall, BoxHandlers } from '../wire/routes.ts'
import type { LoginCalls } from './login-calls.ts'

type SignInDependencies = {
  sql: Sql
  seal: Seal
  clock: () => Date
  roster: Roster
  presence: Presence
  channels: Channels
  admission: Admission
  lateFacts: LateFacts
  turns: BoxTurns
  logins: LoginCalls
}

/** The calls by which a box signs in: it gets a token, and is judged. */
export function signInCalls({
  sql,
  seal,
  clock,
  roster,
  presence,
  channels,
  admission: { nonceOf, lookUp, isOut },
  lateFacts,
  turns,
  logins: { askLogin, whyRefused, wasRefused },
}: SignInDependencies) {
  const tokens = openTokens(seal)
  const signIn = openSignInBatches(sql, turns)
  return {
    'stb/handshake': handshake,
    'stb/get_profile': getProfile,
  } satisfies Partial<BoxHandlers>

  /** Gives a box the token that it saved, while it is in with that, and else a new one. */
  async function handshake(request: BoxCall): Promise<Answer<'stb/handshake'>> {
    const { field, mac } = request
    const saved = field('token').toUpperCase()
    const nonce = tokens.nonceOf(saved, mac)
    // A token that a reset or a new password has ended is not given back: a sign-in with it would make all its copies
    // valid again. The token of a right login that was refused is: by it the box hears why, and does not log in anew.
    const isKept = nonce !== null && (!(await isOut(request, nonce)) || (await wasRefused(request, nonce)))
    return { token: isKept ? saved : tokens.make(mac, clock()) }
  }

  /** Judges a box that signs in with the token of its handshake, and makes that token the client's. */
  async function getProfile(request: BoxCall): Promise<Answer<'stb/get_profile'>> {
    const { place } = request
    const nonce = nonceOf(request)
    try {
      await roster.catchUp()
      const client = await lookUp(request)
      if (client === 'too many') return refusedProfile(TOO_MANY)
      // A Ministra client is known by its login alone: the MAC could be anybody's.
      if (!client || (client.mac === null && client.device?.token_nonce !== nonce))
        return await askLogin(request, client)
      const { client: present, refusal } = await enter(client, request, nonce)
      const now = clock()
      if (refusal) {
        presence.refused(present, refusal, now)
        const obeys = obeysCuts(request)
        const isMinistra = present.mac === null
        // It stays with its client, and reads why it is not another one's.
        const ofLogin = isMinistra ? await whyRefused(request) : null
        // By its polls it hears what is sent to it. What tells one box from another is not in them.
        const pollsOn = obeys && present.device?.token_nonce === nonce && refusal !== 'other_box'
        return refusedProfile(ON_SCREEN[ofLogin ?? refusal], { byLogin: obeys && isMinistra, pollsOn })
      }
      presence.letIn(present, place, now)
      roster.noteChecked(request.mac, request.token)
      // It loads its channels after a sign-in.
      channels.noteTold(present)
      return welcome(present, request)
    } catch (error) {
      if (error instanceof Away || isLost(error)) return refusedProfile(SOON)
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
}

const SOON = 'The service is being worked on. Please try again in a minute.'
const TOO_MANY = 'Too many unknown boxes ask from your address. Please try again in a minute.'

function welcome(client: BoxClient, { field, mac }: BoxCall): Answer<'stb/get_profile'> {
  const type = field('stb_type')
  return {
    ...{ status: 0, msg: '', block_msg: '', ...POLLING },
    ...{ id: client.name, name: client.name, login: client.name, mac },
    ...{ stb_type: type, hd: 1, locale: 'en_GB.utf8', stb_lang: 'en' },
    ...{ store_auth_data_on_stb: false, updated: {}, storages: {} },
    // Every type may be used, but Ministra's own page stops where its type, in lower case, is not in the list.
    ...(type && { allowed_stb_types: [type.toLowerCase()] }),
  }
}

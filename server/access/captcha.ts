import { createHmac, randomInt } from 'node:crypto'
import { createChallenge, verifySolution } from 'altcha-lib'
import { deriveKey } from 'altcha-lib/algorithms/pbkdf2'
import type { Challenge } from 'altcha-lib/types'
import * as z from 'zod/mini'
import type { calls, OutputOf } from '../../contract/calls.ts'
import { HOUR_MS } from '../../contract/time.ts'
import type { CaptchaConfig } from '../config.ts'
import { captchaChecks, captchaFailures } from '../metrics.ts'
import { change } from '../postgres/begin.ts'
import type { Sql } from '../postgres/pool.ts'
import { fieldRefusal, Refusal } from '../refusal.ts'
import { derive, hash } from './seal.ts'
import { changeForStranger, openSignInTurns } from './sign-in-turns.ts'

export type Captcha = {
  /**
   * Returns what the login page needs to show it, with a new challenge where Boxtree makes the challenges.
   * @throws Refusal without a turn
   */
  challenge(asker: Asker): Promise<OutputOf<typeof calls.session.captcha>>
  /**
   * Makes a challenge that takes a phone this many seconds, valid for one login name; null where none can be made.
   * @throws Refusal without a turn
   */
  harderChallenge: ((asker: Asker, name: string, seconds: number) => Promise<Challenge>) | null
  /** Checks a solution, once. Returns the seconds that it cost a phone: 0 for an ordinary challenge. @throws Refusal */
  check(context: Check, solution: string | undefined, name: string): Promise<number>
}

/** Who asks for a challenge, see `OpenContext`. */
type Asker = { now: Date; network: string | null; gone: AbortSignal | null }

type Check = Asker & { sql: Sql; address: string }

/** Servers that share SECRET_KEY, the 32 bytes of `secretKey`, take each other's challenges. */
export function openCaptcha(configured: CaptchaConfig, secretKey: Uint8Array, siteverify?: string): Captcha {
  switch (configured.provider) {
    case 'altcha':
      return counted(proofOfWork(secretKey))
    case 'none':
      return { challenge: async () => ({ provider: 'none' }), harderChallenge: null, check: async () => 0 }
    default:
      return counted(askedElsewhere(configured, siteverify ?? SITEVERIFY[configured.provider]))
  }
}

function counted(captcha: Captcha): Captcha {
  return {
    ...captcha,
    async check(...asked) {
      try {
        const seconds = await captcha.check(...asked)
        captchaChecks.inc({ outcome: 'passed' })
        return seconds
      } catch (error) {
        if (error instanceof Refusal) captchaChecks.inc({ outcome: 'refused' })
        throw error
      }
    },
  }
}

/** How long a challenge is valid, in milliseconds; a harder one may take a page without HTTPS minutes. */
const LIFE_MS = { ordinary: 300_000, harder: 900_000 }

// One try is a PBKDF2 of 6,000 rounds, so that the browser spends its time in native code and a challenge costs the
// server a millisecond. The solution may be any of the first MOST_TRIES tries, so that a program which tries them in
// order has to work as long as a person's browser: 0.1 s on average on a desktop, and 0.3 s on a phone, where the
// challenge is solved before the person has typed.
const ROUNDS = 6_000
const MOST_TRIES = 150
/** The tries of a phone in a second: the 75 of an average challenge take it 0.3 s. */
const TRIES_PER_SECOND = 250

/**
 * One challenge is made at a time, for one network after the other: anybody may ask for them, and they are made by the
 * threads that hash passwords and read files, whose queue has no order of its own.
 */
const inTurnOfMaking = openSignInTurns({ atOnce: 1 })

/** Altcha's proof of work, checked by its signatures alone: each solution of a flood costs two HMACs. */
function proofOfWork(secretKey: Uint8Array): Captcha {
  const secrets = {
    hmacSignatureSecret: derive(secretKey, 'captcha challenges').toString('hex'),
    hmacKeySignatureSecret: derive(secretKey, 'captcha solutions').toString('hex'),
  }
  const nameKey = derive(secretKey, 'captcha names').toString('hex')
  return {
    async challenge(asker) {
      const data = { expiry: asker.now.getTime() + LIFE_MS.ordinary }
      return { provider: 'altcha', challenge: await create(asker, MOST_TRIES, data) }
    },
    harderChallenge(asker, name, seconds) {
      const tries = 2 * seconds * TRIES_PER_SECOND
      // The browser shows its progress by the number of tries.
      const data = { expiry: asker.now.getTime() + LIFE_MS.harder, name: bind(name), seconds, tries }
      return create(asker, tries, data)
    },
    async check(context, text, name) {
      const { challenge, solution } = readSolution(text)
      const { data } = challenge.parameters
      const { verified } = await verifySolution({ challenge, solution, deriveKey, ...secrets })
      if (!verified) throw refused()
      if (data.expiry <= context.now.getTime()) throw refused()
      if ('name' in data && data.name !== bind(name)) throw refused()
      // The signature instead of the text, because the same solution can be written in many ways.
      await takeOnce(context, challenge.signature, new Date(data.expiry))
      return 'seconds' in data ? data.seconds : 0
    },
  }

  function create(asker: Asker, most: number, data: z.output<typeof Data>): Promise<Challenge> {
    const make = () =>
      // Without the library's own expiry, which reads the machine's clock instead of the one passed in.
      createChallenge({
        algorithm: 'PBKDF2/SHA-256',
        cost: ROUNDS,
        counter: randomInt(most),
        deriveKey,
        data,
        ...secrets,
      })
    return inTurnOfMaking(asker, make)
  }

  function bind(name: string): string {
    return createHmac('sha256', nameKey).update(name.toLowerCase()).digest('hex')
  }
}

/** Parses a solution as altcha encodes it, base64 of JSON. The whole shape is checked before anything is computed. */
function readSolution(text: string | undefined): z.output<typeof Solution> {
  try {
    return Solution.parse(JSON.parse(Buffer.from(text ?? '', 'base64').toString('utf8')))
  } catch {
    throw refused()
  }
}

const Data = z.union([
  z.strictObject({ expiry: z.number() }),
  z.strictObject({ expiry: z.number(), name: z.string(), seconds: z.number(), tries: z.number() }),
])

const Solution = z.object({
  challenge: z.object({
    parameters: z.strictObject({
      algorithm: z.string(),
      nonce: z.string(),
      salt: z.string(),
      cost: z.number(),
      keyLength: z.number(),
      keyPrefix: z.string(),
      keySignature: z.string(),
      data: Data,
    }),
    signature: z.string(),
  }),
  solution: z.object({ counter: z.number(), derivedKey: z.string() }),
})

type Elsewhere = Exclude<CaptchaConfig, { provider: 'altcha' | 'none' }>

const SITEVERIFY = {
  recaptcha: 'https://www.google.com/recaptcha/api/siteverify',
  hcaptcha: 'https://api.hcaptcha.com/siteverify',
  turnstile: 'https://challenges.cloudflare.com/turnstile/v0/siteverify',
}

const TIMEOUT_MS = 5_000

/** Each question is a connection of its own, for a text of any length that nobody has checked. */
const inTurnOfAsking = openSignInTurns({ atOnce: 20, each: 4 })

/** A provider's widget, whose solutions only the provider can check. While it is down, nobody gets in. */
function askedElsewhere({ provider, siteKey, secretKey }: Elsewhere, siteverify: string): Captcha {
  return {
    challenge: async () => ({ provider, site_key: siteKey }),
    harderChallenge: null,
    async check(context, solution) {
      if (!solution) throw refused()
      const form = new URLSearchParams({ secret: secretKey, response: solution, remoteip: context.address })
      if (!(await inTurnOfAsking(context, () => isHuman(siteverify, form)))) throw refused()
      // Providers forget a solution within minutes; an hour outlasts them all.
      await takeOnce(context, solution, new Date(context.now.getTime() + HOUR_MS))
      return 0
    },
  }
}

async function isHuman(siteverify: string, body: URLSearchParams): Promise<boolean> {
  const { success, 'error-codes': codes } = await ask(siteverify, body)
  const unknown = codes.find((code) => code.endsWith('-input-secret'))
  if (unknown) throw unusable(wrongKey(unknown))
  // Who sends the solution of another site brings these about, too: they are no failure that wakes anybody.
  const doubtful = codes.find((code) => code === 'sitekey-secret-mismatch' || code === 'bad-request')
  if (doubtful) throw refused(wrongKey(doubtful))
  return success
}

async function ask(siteverify: string, body: URLSearchParams): Promise<z.output<typeof Verdict>> {
  try {
    const signal = AbortSignal.timeout(TIMEOUT_MS)
    const response = await fetch(siteverify, { method: 'POST', body, redirect: 'error', signal })
    return Verdict.parse(await response.json())
  } catch (error) {
    throw unusable(error)
  }
}

const Verdict = z.object({ success: z.boolean(), 'error-codes': z.catch(z.array(z.string()), []) })

function wrongKey(code: string): Error {
  return new Error(`The provider of the captcha answers '${code}': check CAPTCHA_SECRET_KEY.`)
}

function unusable(cause: unknown): Refusal {
  captchaFailures.inc()
  const sentence = 'The verification service cannot be used now. Please try again later.'
  return fieldRefusal('captcha_failed', FIELD, sentence, cause)
}

/** Marks a solution as used, on all servers of one database. @throws Refusal where it was used before */
async function takeOnce(context: Check, solution: string, expiry: Date): Promise<void> {
  const { sql } = context
  const take = () => sql`
    insert into captcha_used (solution_hash, expiry) values (${hash(solution)}, ${expiry})
    on conflict do nothing
    returning true`
  const [fresh] = await changeForStranger(context, () => change(sql, take))
  if (!fresh) throw refused()
}

const FIELD = 'g_recaptcha_response'

function refused(cause?: Error): Refusal {
  const sentence = 'The human verification did not pass. Please try again.'
  return fieldRefusal('captcha_failed', FIELD, sentence, cause)
}

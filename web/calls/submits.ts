import { type Call, everyCall, holdsSecret, withoutSecrets } from '../../contract/call.ts'
import { calls, type InputOf, type OutputOf } from '../../contract/calls.ts'
import { HOUR_MS, KEY_LIFE_MS, MINUTE_MS } from '../../contract/time.ts'
import { signedInAs } from '../session.tsx'
import { ApiError, isTransient, leavesOpen, offline, send } from './api.ts'
import { namedIn } from './named.ts'
import { type Pending, readAll, write } from './unanswered.ts'

interface SubmitOptions {
  /** True where a form that was told that there is no answer sends the same again, however long after. */
  again?: boolean
  /** Stops it. Whether it is carried out all the same is then not known. */
  signal?: AbortSignal
}

/** The answer to a submit, and whether it repeats one that had no answer, which is then done once. */
export interface Once<C extends Call> {
  output: OutputOf<C>
  isRepeat: boolean
}

/**
 * Makes a call that changes something, once. A second click joins the first. A lost connection, a reload and the same
 * form submitted again reuse the Idempotency-Key, until there is an answer.
 */
export function submitOnce<C extends Call>(
  call: C,
  input: InputOf<C>,
  by: string,
  { again = false, signal }: SubmitOptions = {},
): Promise<Once<C>> {
  const text = textToCompare(call, input, by)
  const running = underWay.get(text)
  if (running) return running as Promise<Once<C>>
  const opened = openPending(call, input as object, { by, text, within: again ? KEPT_MS : RECENT_MS })
  const answer = persist(call, input, opened, signal)
    .then((output) => ({ output, isRepeat: opened.isRepeat }))
    .finally(() => underWay.delete(text))
  underWay.set(text, answer)
  return answer
}

/**
 * Returns, once for each load of the page, the submits that the last load left unanswered. Those whose input is not
 * whole lack its secrets, and cannot be sent again.
 */
export function takeUnanswered(by: string): { call: Call; input: object; isWhole: boolean }[] {
  const mine = ofLastLoad.filter(
    (pending) => pending.by === by && !pending.givenUp && isWithin(RECENT_MS, pending),
  )
  ofLastLoad = ofLastLoad.filter((pending) => pending.by !== by)
  return mine.flatMap((pending) => {
    const call = callOf(pending)
    const { input, isWhole } = pending
    if (!isWhole) change(pending, { givenUp: true })
    return call ? [{ call, input, isWhole }] : []
  })
}

/** Returns, once, the submits that the end of the session has cut off. */
export function takeCutOff(by: string): { call: Call; input: object; mayBeDone: boolean }[] {
  const isMine = (one: Pending) => one.cutOff && one.by === by && isWithin(KEPT_MS, one)
  const all = readAll()
  write(all.map((one) => (isMine(one) ? { ...one, cutOff: false } : one)))
  return all.filter(isMine).flatMap((pending) => {
    const call = callOf(pending)
    return call ? [{ call, input: pending.input, mayBeDone: !pending.unchanged }] : []
  })
}

function callOf(pending: Pending): Call | undefined {
  return everyCall(calls).find(({ name }) => name === pending.call)
}

/** Returns whether a submit with such an input is without an answer, so that it may have been carried out. */
export function isUnanswered(by: string, call: Call, isSuch: (input: object) => boolean): boolean {
  const mayBeIt = (one: Pending) => one.by === by && one.call === call.name && !one.unchanged
  return readAll().some((one) => mayBeIt(one) && isWithin(KEPT_MS, one) && isSuch(one.input))
}

/**
 * Forgets the submits of a call that were given up before a moment, because what the server showed then says that they
 * are over: made once more, each is another change.
 */
export function forgetGivenUp(by: string, call: Call, until: number): void {
  write(
    readAll().filter((one) => !(one.givenUp && one.by === by && one.call === call.name && one.at < until)),
  )
}

const underWay = new Map<string, Promise<unknown>>()

/** Pauses between tries while the server cannot be reached. */
const PAUSES_MS = [1_000, 2_000, 4_000]

async function persist<C extends Call>(
  call: C,
  input: InputOf<C>,
  { pending, mayBeDone }: Opened,
  signal?: AbortSignal,
): Promise<OutputOf<C>> {
  let isOpen = mayBeDone
  let isSentAnew = false
  for (let tries = 0; ; tries += 1) {
    try {
      // Somebody else may have signed in since the last try, whose session this is not to be done in.
      if (hasLeft(pending)) throw SIGNED_OUT
      const answer = await send(call, input, { idempotencyKey: pending.key, signal })
      // Nor is what follows an answer. It is as if none had come.
      if (hasLeft(pending)) throw offline({ status: 0, timedOut: true })
      remove(pending)
      removeReplaced({ ...pending, input: input as object })
      return answer
    } catch (error) {
      isOpen ||= !(error instanceof ApiError && error.unchanged)
      const pause = PAUSES_MS[tries]
      const isOver = error instanceof ApiError && error.code === 'no_session'
      // The session that it was sent in is over, but this tab goes on in another one of the same person.
      if (isOver && !isSentAnew && !hasLeft(pending)) isSentAnew = true
      else if (isTransient(error) && pause !== undefined) await passed(pause, signal)
      else {
        const cutOff = isOver || hasLeft(pending)
        // Also where nothing was changed: a browser or a proxy may itself have sent it twice.
        if (leavesOpen(error)) change(pending, { givenUp: true, unchanged: !isOpen, cutOff })
        else remove(pending)
        if (cutOff) throw ofAllTries(SIGNED_OUT, isOpen)
        throw signal?.aborted ? stopped() : ofAllTries(withReassurance(error), isOpen)
      }
    }
  }
}

/** Whether the person who submitted it is no longer signed in here. */
function hasLeft({ by }: Pending): boolean {
  return signedInAs() !== by
}

const SIGNED_OUT = new ApiError('Signed out', { code: 'no_session', status: 401 })

/** Waits for so many milliseconds, or until the signal ends it. */
function passed(wait: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, wait)
    signal?.addEventListener('abort', end)
  })
}

/** Says that trying again is safe, because the key prevents a second execution. */
function withReassurance(error: unknown): unknown {
  if (!(error instanceof ApiError) || error.code !== 'offline') return error
  return new ApiError(error.message.replace(/\.$/, ': nothing is ever done twice.'), error)
}

/** A refusal says that its own try changed nothing; one before it may have. */
function ofAllTries(error: unknown, mayBeDone: boolean): unknown {
  if (!(error instanceof ApiError && error.unchanged && mayBeDone)) return error
  return new ApiError(error.message, { ...error, unchanged: false })
}

function stopped(): ApiError {
  return new ApiError(
    'It was stopped before the answer came, and may have been done all the same. If you send it again, it is done only once.',
    { code: 'offline', status: 0 },
  )
}

/** How long the same input counts as the same submit in whichever form. */
const RECENT_MS = 15 * MINUTE_MS
/** How long it does in the form that was told that there is no answer: a little less than the server keeps a key. */
const KEPT_MS = KEY_LIFE_MS - HOUR_MS

interface Asked {
  by: string
  text: string
  within: number
}

interface Opened {
  pending: Pending
  isRepeat: boolean
  /** Whether a try of before may have been carried out. */
  mayBeDone: boolean
}

function openPending(call: Call, input: object, { by, text, within }: Asked): Opened {
  const again = readAll().find(
    (one) =>
      one.call === call.name && one.by === by && one.print === hashOf(one.key, text) && isWithin(within, one),
  )
  const typed = {
    input: withoutSecrets(call, input),
    fields: Object.keys(input),
    isWhole: !holdsSecret(call, input),
    givenUp: false,
    unchanged: false,
    cutOff: false,
  }
  // A sign-out has forgotten what was typed.
  if (again) return { pending: change(again, typed), isRepeat: true, mayBeDone: !again.unchanged }
  const key = randomKey()
  const pending: Pending = {
    ...{ by, call: call.name, key, print: hashOf(key, text), at: Date.now() },
    ...typed,
  }
  write([...readAll().filter((one) => isWithin(KEPT_MS, one)), pending])
  return { pending, isRepeat: false, mayBeDone: false }
}

function change(pending: Pending, by: Partial<Pending>): Pending {
  // A sign-out may have forgotten its input meanwhile.
  write(readAll().map((one) => (one.key === pending.key ? { ...one, ...by } : one)))
  return { ...pending, ...by }
}

function remove(pending: Pending) {
  write(readAll().filter((one) => one.key !== pending.key))
}

/**
 * Forgets what was given up and is set anew by a submit that was answered, such as a suspension that was lifted: when
 * it is set once more, that is another change. What may cost credits is never forgotten.
 */
function removeReplaced(by: Pending) {
  const anew = new Set(settingsOf(by))
  const isReplaced = (one: Pending) =>
    one.givenUp && one.by === by.by && !mayCost(one) && settingsOf(one).some((setting) => anew.has(setting))
  write(readAll().filter((one) => !isReplaced(one)))
}

/** Returns which settings of which account or clients a submit sets. */
function settingsOf(pending: Pending): string[] {
  const sets = callOf(pending)?.sets
  if (!sets) return []
  const { name = '', login = name, clients = [login] } = namedIn(pending.input)
  const fields = pending.fields.filter((field) => !NAMING.includes(field))
  return (
    clients
      // An address may have the name in other letters than the list.
      .map((client) => sets.replace('{name}', client.toLowerCase()))
      .flatMap((text) =>
        text.includes('{field}') ? fields.map((field) => text.replace('{field}', field)) : text,
      )
  )
}

const NAMING = ['name', 'login', 'clients']

/**
 * Of the submits that set something, those that may cost credits: with months, or those that move credits and name the
 * direction. The credits of a request cost nothing.
 */
function mayCost({ fields, input }: Pending): boolean {
  return (
    fields.includes('months') ||
    (fields.includes('transaction') && !('credits' in input && input.credits === 0))
  )
}

function isWithin(milliseconds: number, { at }: Pending): boolean {
  return Date.now() - at < milliseconds
}

function textToCompare(call: Call, input: unknown, by: string): string {
  return JSON.stringify([by, call.name, input])
}

/** Returns 128 random bits. `crypto.randomUUID` is missing on pages without HTTPS. */
function randomKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('')
}

/**
 * Returns a 32-bit FNV-1a hash, salted with the key: enough to recognise a form, too little to recover a password. If
 * two inputs collide, the server refuses the second body under the same key.
 */
function hashOf(salt: string, text: string): string {
  let hash = 0x811c9dc5
  for (const byte of new TextEncoder().encode(salt + text)) {
    hash = Math.imul(hash ^ byte, 0x01000193)
  }
  return (hash >>> 0).toString(16)
}

// Read when the page loads: everything stored later belongs to this load.
let ofLastLoad = readAll()

import { type Call, everyCall, holdsSecret } from '../contract/call.ts'
import { calls, type InputOf, type OutputOf } from '../contract/calls.ts'
import { ApiError, mayPass, send } from './api.ts'

/** A submit whose answer has not come, as this tab keeps it over a reload. */
interface Pending {
  /** The account that submitted it. */
  by: string
  /** The call's name. */
  call: string
  /** Its Idempotency-Key, under which the server does it once. */
  key: string
  /** Tells whether another submit is the same one. */
  print: string
  /** What was sent; left out where it holds a secret. */
  input?: unknown
  /** When, in milliseconds. */
  at: number
  /** True once its person was told that no answer came: it is theirs to try again. */
  givenUp: boolean
}

/**
 * Makes a call that changes something, once: a second click joins the first, a lost connection or a reload sends the
 * same Idempotency-Key again, and so does the same form submitted again, until an answer has come.
 */
export function submitOnce<C extends Call>(call: C, input: InputOf<C>, by: string): Promise<OutputOf<C>> {
  const text = textOf(call, input, by)
  const running = underway.get(text)
  if (running) return running as Promise<OutputOf<C>>
  const pending = openPending(call, input as object, by, text)
  const answer = persist(call, input, pending).finally(() => underway.delete(text))
  underway.set(text, answer)
  return answer
}

/** What was underway when the page was left, to be sent again: once a load. `input` is missing where it was not kept. */
export function takeInterrupted(by: string): { call: Call; input: unknown }[] {
  const mine = left.filter((pending) => pending.by === by && !pending.givenUp && isRecent(pending))
  left = left.filter((pending) => pending.by !== by)
  return mine.flatMap((pending) => {
    const call = everyCall(calls).find(({ name }) => name === pending.call)
    if (pending.input === undefined) change(pending, { givenUp: true })
    return call ? [{ call, input: pending.input }] : []
  })
}

const underway = new Map<string, Promise<unknown>>()

/** Pauses between tries while nobody answers, in milliseconds. */
const PAUSES = [1_000, 2_000, 4_000]

async function persist<C extends Call>(call: C, input: InputOf<C>, pending: Pending): Promise<OutputOf<C>> {
  for (let tries = 0; ; tries += 1) {
    try {
      const answer = await send(call, input, { idempotencyKey: pending.key })
      remove(pending)
      return answer
    } catch (error) {
      const pause = PAUSES[tries]
      if (mayPass(error) && pause !== undefined) await new Promise((passed) => setTimeout(passed, pause))
      else {
        if (isAnswered(error)) remove(pending)
        else change(pending, { givenUp: true })
        throw withPromise(error)
      }
    }
  }
}

/** The key makes another try of what may have been done a safe one. */
function withPromise(error: unknown): unknown {
  if (!(error instanceof ApiError) || error.code !== 'offline') return error
  return new ApiError(
    'The connection to Boxtree is lost. Please try again: nothing is ever done twice.',
    error,
  )
}

/** A refusal is an answer: nothing was done. After a fault or a lost connection nobody knows. */
function isAnswered(error: unknown): boolean {
  return error instanceof ApiError && error.status >= 400 && error.status < 500
}

const KEY = 'submits'

/** How long the same form counts as the same submit, in milliseconds; the server keeps a key for a day. */
const RECENT = 15 * 60_000

function openPending(call: Call, input: object, by: string, text: string): Pending {
  const same = (one: Pending) => one.call === call.name && one.by === by
  const again = readAll().find((one) => same(one) && one.print === printOf(one.key, text) && isRecent(one))
  if (again) return change(again, { givenUp: false })
  const key = randomKey()
  const pending: Pending = {
    by,
    call: call.name,
    key,
    print: printOf(key, text),
    ...(!holdsSecret(call, input) && { input }),
    at: Date.now(),
    givenUp: false,
  }
  // What was given up is replaced by what its person wants now.
  write([...readAll().filter((one) => isRecent(one) && !(same(one) && one.givenUp)), pending])
  return pending
}

function change(pending: Pending, by: Partial<Pending>): Pending {
  const changed = { ...pending, ...by }
  write(readAll().map((one) => (one.key === pending.key ? changed : one)))
  return changed
}

function remove(pending: Pending) {
  write(readAll().filter((one) => one.key !== pending.key))
}

function readAll(): Pending[] {
  try {
    return JSON.parse(sessionStorage.getItem(KEY) ?? '[]') as Pending[]
  } catch {
    return []
  }
}

function write(all: Pending[]) {
  if (all.length > 0) sessionStorage.setItem(KEY, JSON.stringify(all))
  else sessionStorage.removeItem(KEY)
}

function isRecent({ at }: Pending): boolean {
  return Date.now() - at < RECENT
}

function textOf(call: Call, input: unknown, by: string): string {
  return JSON.stringify([by, call.name, input])
}

/** 128 random bits; crypto.randomUUID is missing where the page is not encrypted. */
function randomKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('')
}

/**
 * FNV-1a of 32 bits, salted with the key: enough to know a form again, too little to find a password by. Where two
 * forms meet in one print, the server refuses the second body under the same key.
 */
function printOf(salt: string, text: string): string {
  let hash = 0x811c9dc5
  for (const byte of new TextEncoder().encode(salt + text)) {
    hash = Math.imul(hash ^ byte, 0x01000193)
  }
  return (hash >>> 0).toString(16)
}

// Read once, as the page begins: what is added later is underway on this page.
let left = readAll()

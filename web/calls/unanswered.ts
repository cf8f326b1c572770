/**
 * A submit without an answer so far, kept in the session storage to survive a reload; where that is full, in memory.
 */
export interface Pending {
  /** The username of the account that submitted it. */
  by: string
  call: string
  /** The Idempotency-Key, under which the server carries it out once. */
  key: string
  /** A hash of the input, which recognises the same submit. */
  print: string
  /** The input without its secrets; empty once a sign-out has forgotten it. */
  input: object
  /** The names of the input's fields, also of its secrets. */
  fields: readonly string[]
  /** True where it has no secrets, so that it can be sent again after a reload. */
  isWhole: boolean
  /** The time of the submit, in milliseconds. */
  at: number
  /** True once the person was told that there is no answer; from then on only they send it again. */
  givenUp: boolean
  /** True where each of its tries was refused before it changed anything. */
  unchanged: boolean
  /** True where the session ended before its answer, until the person is told. */
  cutOff: boolean
}

/** A submit as it is stored: an older build left out some of its fields. */
type Stored = Omit<Pending, Later> & Partial<Pick<Pending, Later>>
type Later = 'input' | 'fields' | 'isWhole' | 'unchanged' | 'cutOff'

const KEY = 'submits'

/** Those that the storage has no room for. */
let unstored: Pending[] | null = null

export function readAll(): Pending[] {
  if (unstored) return unstored
  try {
    const stored: Stored[] = JSON.parse(sessionStorage.getItem(KEY) ?? '[]')
    return stored.map(completed)
  } catch {
    return []
  }
}

/** Completes what an older build stored. It stored no input where this was not whole. */
function completed(stored: Stored): Pending {
  const { input = {} } = stored
  const isWhole = stored.input !== undefined
  return { input, fields: Object.keys(input), isWhole, unchanged: false, cutOff: false, ...stored }
}

export function write(all: Pending[]) {
  unstored = null
  try {
    if (all.length > 0) sessionStorage.setItem(KEY, JSON.stringify(all))
    else sessionStorage.removeItem(KEY)
  } catch {
    // What it holds is of before, and a reload would take it for what is under way.
    sessionStorage.removeItem(KEY)
    unstored = all
  }
}

/**
 * Forgets at a sign-out what was typed, which the next person in this tab must not find. What may cost credits keeps
 * its key, so that the same, submitted after a sign-in again, is done once.
 */
export function forgetInputs() {
  const paid = readAll().filter(({ fields }) => fields.includes('months') || fields.includes('credits'))
  write(paid.map((one) => ({ ...one, input: {}, isWhole: false, givenUp: true })))
}

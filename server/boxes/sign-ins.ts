import { isLost } from '../postgres/errors.ts'
import type { Sql } from '../postgres/pool.ts'
import { type Outcome, type SignIn, signInAll } from './sign-in.ts'

/** The most sign-ins of one transaction, so that none holds the clients of others for long. */
const MOST_AT_ONCE = 200

type Waiting = {
  one: SignIn
  resolve: (outcome: Outcome | null) => void
  reject: (error: unknown) => void
}

/**
 * Signs boxes in, in one transaction all that have asked since the last one began: after an outage a hundred thousand
 * boxes come at once, and a transaction for each would take most of the time.
 */
export function openSignIns(sql: Sql) {
  let waiting: Waiting[] = []
  let isRunning = false
  return { signIn }

  /** Returns null where the client is gone, or has another MAC by now. */
  function signIn(one: SignIn): Promise<Outcome | null> {
    return new Promise((resolve, reject) => {
      waiting.push({ one, resolve, reject })
      if (!isRunning) void run()
    })
  }

  async function run(): Promise<void> {
    isRunning = true
    while (waiting.length > 0) await signInTogether(next())
    isRunning = false
  }

  /** Takes those that wait, of each client the first. */
  function next(): Map<number, Waiting> {
    const batch = new Map<number, Waiting>()
    const later: Waiting[] = []
    for (const each of waiting) {
      if (batch.has(each.one.id) || batch.size === MOST_AT_ONCE) later.push(each)
      else batch.set(each.one.id, each)
    }
    waiting = later
    return batch
  }

  async function signInTogether(batch: ReadonlyMap<number, Waiting>): Promise<void> {
    let outcomes = new Map<number, Outcome | null>()
    try {
      outcomes = await signInAll(
        sql,
        [...batch.values()].map(({ one }) => one),
        'leave out',
      )
    } catch (error) {
      if (isLost(error)) {
        for (const { reject } of batch.values()) reject(error)
        return
      }
    }
    for (const [id, each] of batch) {
      const outcome = outcomes.get(id)
      if (outcome === undefined) void signInAlone(each)
      else each.resolve(outcome)
    }
  }

  /** Signs a box in whose client is being changed, or that may be why a transaction failed. The others wait for neither. */
  async function signInAlone({ one, resolve, reject }: Waiting): Promise<void> {
    try {
      resolve((await signInAll(sql, [one], 'wait')).get(one.id) ?? null)
    } catch (error) {
      reject(error)
    }
  }
}

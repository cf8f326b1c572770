import { isLost } from './errors.ts'

/** How what was asked for at the same time is carried out in few transactions. */
type Batching<One, Result> = {
  /**
   * Carries out in one transaction what `take` returns, which it calls once the transaction has begun. Returns what
   * each came to; undefined for one that was left out, because it would have had to wait or cannot be carried out like
   * the others.
   */
  together: (take: () => readonly One[]) => Promise<readonly (Result | undefined)[]>
  /** Of those with one key, a batch has the first; the others come one after the other. Each is its own by default. */
  keyOf?: (one: One) => unknown
  /** Carries out one that was left out, or whose batch failed: any one may be why. The others do not wait for it. */
  alone: (one: One) => Promise<Result>
  /** The most that one batch has, so that it does not keep its locks for long. */
  most: number
  /** How many batches run at once. */
  atOnce: number
}

/**
 * Returns a function that carries out one thing. While batches are under way, what is asked for waits and is the next
 * batch: under load many share the cost of a transaction, and without it nobody waits.
 * The function throws the error of a lost connection (see `isLost`) for the whole batch, which may have been committed
 * or not, and for all that wait, so that they do not look for the database as long once more.
 */
export function openBatches<One, Result>({
  together,
  keyOf = (one) => one,
  alone,
  most,
  atOnce,
}: Batching<One, Result>): (one: One) => Promise<Result> {
  type Waiting = {
    one: One
    resolve: (result: Result | Promise<Result>) => void
    reject: (error: unknown) => void
  }
  const waiting: Waiting[] = []
  let running = 0
  /** Whether a batch has begun that takes all who wait. */
  let isGathering = false

  return (one) =>
    new Promise((resolve, reject) => {
      waiting.push({ one, resolve, reject })
      startNext()
    })

  function startNext(): void {
    if (waiting.length === 0 || isGathering || running === atOnce) return
    isGathering = true
    running += 1
    void carryOut().then(() => {
      running -= 1
      startNext()
    })
  }

  async function carryOut(): Promise<void> {
    let batch = null as readonly Waiting[] | null
    let hasFailed = false
    let results: readonly (Result | undefined)[] = []
    try {
      results = await together(() => {
        if (hasFailed) throw new Error('Nobody waits for this batch any more.')
        batch = next()
        isGathering = false
        startNext()
        return batch.map(({ one }) => one)
      })
    } catch (error) {
      hasFailed = true
      // What failed before it took anything would fail again.
      if (isLost(error) || batch === null) return giveUp(batch, error)
    }
    batch?.forEach(({ one, resolve }, at) => {
      const result = results[at]
      resolve(result === undefined ? alone(one) : result)
    })
  }

  /** Takes those who are next out of those who wait. */
  function next(): readonly Waiting[] {
    const taken = new Map<unknown, Waiting>()
    const later: Waiting[] = []
    for (const each of waiting.splice(0)) {
      const key = keyOf(each.one)
      if (taken.size === most || taken.has(key)) later.push(each)
      else taken.set(key, each)
    }
    waiting.push(...later)
    return [...taken.values()]
  }

  /** Refuses a batch and all who wait, unless another batch that has begun will take them. */
  function giveUp(batch: readonly Waiting[] | null, error: unknown): void {
    if (batch === null) isGathering = false
    const refused = isGathering ? [] : waiting.splice(0)
    for (const { reject } of [...(batch ?? []), ...refused]) reject(error)
  }
}

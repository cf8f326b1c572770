import { setTimeout as pause } from 'node:timers/promises'
import { isLost } from './errors.ts'
import { closeWhenSilent } from './host-connections.ts'
import type { Sql } from './pool.ts'

/** How long a lost connection is retried, in milliseconds; with a last try a call stays under 5 s. */
const RETRY_FOR_MS = 2_500
const PAUSE_MS = 100
/** The longest wait for a turn and a connection of the pool, and for a COMMIT, in milliseconds. */
const TIMEOUT_MS = 10_000

/** Runs work that only reads, and runs it again where the connection was lost. */
export function retryRead<T>(sql: Sql, work: () => Promise<T>): Promise<T> {
  return retry(() => withTimeout(sql, work), isLost)
}

/**
 * Runs work outside a transaction, and throws ETIMEDOUT where it takes too long. What a standby must have, `change`
 * writes.
 */
export async function withTimeout<T>(sql: Sql, work: (gone: AbortSignal) => Promise<T>): Promise<T> {
  const timeout = createTimeout()
  timeout.start()
  try {
    return await Promise.race([closeWhenSilent(sql, () => work(timeout.gone)), timeout.end])
  } finally {
    timeout.stop()
  }
}

/** Runs work, and again after an error that is worth another try, for as long as a connection is retried. */
export async function retry<T>(
  work: () => Promise<T>,
  isWorthAnother: (error: unknown) => boolean,
): Promise<T> {
  const deadline = performance.now() + RETRY_FOR_MS
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (!isWorthAnother(error) || performance.now() > deadline) throw error
    }
    await pause(PAUSE_MS)
  }
}

type Timeout = { end: Promise<never>; gone: AbortSignal; start(): void; stop(): void }

/**
 * Makes a timer whose `end` rejects like a lost connection, and whose `gone` is aborted then, when it was started and
 * not stopped in time.
 */
export function createTimeout(): Timeout {
  const { promise: end, reject } = Promise.withResolvers<never>()
  const gone = new AbortController()
  const fail = () => {
    reject(Object.assign(new Error('The database did not answer in time'), { code: 'ETIMEDOUT' }))
    gone.abort()
  }
  let timer: NodeJS.Timeout | undefined
  return {
    end,
    gone: gone.signal,
    start() {
      timer = setTimeout(fail, TIMEOUT_MS)
    },
    stop() {
      clearTimeout(timer)
    },
  }
}

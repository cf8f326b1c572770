/** The least that a reader takes in a second over the whole file, in bytes: a quarter of a megabit a second. */
const LEAST_RATE = 32_000
/** How much longer it may take, in milliseconds. */
const GRACE = 30_000
/** How long it may take nothing at all, in milliseconds. */
const STALLED = 30_000

/**
 * Watches how fast a file is taken, and gives its reader up where that is too slow: until it ends, a file holds a
 * place, a connection and a snapshot of the database. Only the time in which the reader was waited for counts.
 */
export class Pace {
  readonly #giveUp: () => void
  #bytes = 0
  /** How long the reader was waited for until now, in milliseconds. */
  #waited = 0
  #waitingSince = 0
  #limit: NodeJS.Timeout | undefined

  constructor(giveUp: () => void) {
    this.#giveUp = giveUp
  }

  /** Bytes were handed to the reader. */
  sent(bytes: number): void {
    this.#bytes += bytes
  }

  /** The reader has more than enough, and is waited for. */
  wait(): void {
    this.stop()
    const allowed = GRACE + (this.#bytes / LEAST_RATE) * 1000 - this.#waited
    this.#waitingSince = performance.now()
    this.#limit = setTimeout(this.#giveUp, Math.max(0, Math.min(allowed, STALLED)))
  }

  /** The reader has taken what it had, or is gone. */
  stop(): void {
    if (this.#limit === undefined) return
    clearTimeout(this.#limit)
    this.#limit = undefined
    this.#waited += performance.now() - this.#waitingSince
  }
}

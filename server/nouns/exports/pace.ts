/** The least average rate of a reader, in bytes a second: a quarter of a megabit. */
const LEAST_RATE = 32_000
/** How much longer it may take, in milliseconds. */
const GRACE_MS = 30_000
/** How long it may take nothing at all, in milliseconds. */
const STALLED_MS = 30_000

/** While another account waits for the place. A file of 100,000 clients then takes less than a ticket's life. */
const FAIR_RATE = 512_000
const FAIR_GRACE_MS = 5_000

const readers = new Set<Pace>()

/** Gives up the slowest reader, if one is slower than readers may be while other accounts wait. */
export function giveUpSlowest(): void {
  const [slowest] = [...readers].sort((a, b) => b.delay - a.delay)
  if (slowest && slowest.delay > FAIR_GRACE_MS) slowest.giveUp()
}

/**
 * Measures how fast a file is read, and gives up a reader that is too slow, because a file under way holds a turn, a
 * connection and a snapshot of the database. Only the time spent waiting for the reader counts.
 */
export class Pace {
  readonly #giveUp: () => void
  #bytes = 0
  /** In milliseconds. */
  #waited = 0
  #waitingSince = 0
  #limit: NodeJS.Timeout | undefined

  constructor(giveUp: () => void) {
    this.#giveUp = giveUp
    readers.add(this)
  }

  sent(bytes: number): void {
    this.#bytes += bytes
  }

  wait(): void {
    this.stop()
    const allowed = GRACE_MS + (this.#bytes / LEAST_RATE) * 1000 - this.#waited
    this.#waitingSince = performance.now()
    this.#limit = setTimeout(() => this.giveUp(), Math.max(0, Math.min(allowed, STALLED_MS)))
  }

  stop(): void {
    if (this.#limit === undefined) return
    clearTimeout(this.#limit)
    this.#limit = undefined
    this.#waited += performance.now() - this.#waitingSince
  }

  end(): void {
    this.stop()
    readers.delete(this)
  }

  giveUp(): void {
    this.end()
    this.#giveUp()
  }

  /** How long the reader stands still, or how long it took beyond the fair rate, in milliseconds. */
  get delay(): number {
    const standing = this.#limit === undefined ? 0 : performance.now() - this.#waitingSince
    return Math.max(standing, this.#waited + standing - (this.#bytes / FAIR_RATE) * 1000)
  }
}

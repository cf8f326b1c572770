import { Refusal } from './refusal.ts'

export type Limits = {
  atOnce?: number
  each?: number
  /** The limit for one owner while others have turns too; `each` where it is left out. */
  eachBesideOthers?: number
  /** The limit while others have turns, for an owner who has had requests waiting for `afterMs` without a pause. */
  eachInsistent?: { afterMs: number; each: number }
  /** How long a request waits before it is refused. As with the other limits: none where it is left out. */
  maxWait?: MaxWait
}

type MaxWait = { ms: number; message: string }

type Waiting = () => void

/**
 * A fair semaphore: limits how much runs at once, in all and for each owner. A free place goes to the owner who has
 * waited longest since its last turn, so that an owner with many requests delays only itself.
 */
export class Turns<Owner> {
  readonly #limits: Limits
  readonly #running = new Map<Owner, number>()
  /** The waiting requests of each owner. The owner whose turn is next comes first. */
  readonly #waiting = new Map<Owner, Set<Waiting>>()
  /** Since when some requests of an owner have waited, without a moment in which none did. */
  readonly #waitingSince = new Map<Owner, number>()
  #free: number

  constructor(limits: Limits) {
    this.#limits = limits
    this.#free = limits.atOnce ?? Number.POSITIVE_INFINITY
  }

  /**
   * Returns a function that ends the turn; calling it again does nothing.
   * @param gone aborted when the caller disconnects
   * @throws Refusal if the wait was too long or the caller has disconnected
   */
  async take(owner: Owner, gone: AbortSignal | null = null): Promise<() => void> {
    if (gone?.aborted) throw nobodyWaits()
    if (this.#hasRoom(owner)) this.#occupy(owner)
    else await this.#wait(owner, gone)
    let over = false
    return () => {
      if (over) return
      over = true
      this.#release(owner)
    }
  }

  async run<Result>(
    owner: Owner,
    work: () => Promise<Result>,
    gone: AbortSignal | null = null,
  ): Promise<Result> {
    const end = await this.take(owner, gone)
    try {
      return await work()
    } finally {
      end()
    }
  }

  has(owner: Owner): boolean {
    return this.#running.has(owner)
  }

  get running(): number {
    return sum(this.#running.values())
  }

  get waiting(): number {
    return sum([...this.#waiting.values()].map(({ size }) => size))
  }

  #hasRoom(owner: Owner): boolean {
    return this.#free > 0 && (this.#running.get(owner) ?? 0) < this.#mostOf(owner)
  }

  #mostOf(owner: Owner): number {
    const { each = Number.POSITIVE_INFINITY, eachBesideOthers = each, eachInsistent } = this.#limits
    const others = this.#running.size - (this.#running.has(owner) ? 1 : 0)
    if (others === 0) return each
    const since = this.#waitingSince.get(owner)
    const isInsistent =
      eachInsistent && since !== undefined && performance.now() - since >= eachInsistent.afterMs
    return isInsistent ? eachInsistent.each : eachBesideOthers
  }

  #occupy(owner: Owner): void {
    this.#free -= 1
    this.#running.set(owner, (this.#running.get(owner) ?? 0) + 1)
  }

  #wait(owner: Owner, gone: AbortSignal | null): Promise<void> {
    return new Promise((resolve, reject) => {
      const { maxWait } = this.#limits
      const stop = () => {
        clearTimeout(limit)
        gone?.removeEventListener('abort', leave)
      }
      const giveUp = (why: Refusal) => {
        stop()
        this.#leave(owner, go)
        reject(why)
      }
      const leave = () => giveUp(nobodyWaits())
      const limit = maxWait && setTimeout(() => giveUp(tooLong(maxWait)), maxWait.ms)
      const go: Waiting = () => {
        stop()
        resolve()
      }
      gone?.addEventListener('abort', leave)
      const queue = this.#waiting.get(owner)
      if (queue) queue.add(go)
      else {
        this.#waiting.set(owner, new Set([go]))
        this.#waitingSince.set(owner, performance.now())
      }
    })
  }

  #leave(owner: Owner, one: Waiting): void {
    const queue = this.#waiting.get(owner)
    queue?.delete(one)
    if (queue?.size === 0) this.#endWait(owner)
  }

  #endWait(owner: Owner): void {
    this.#waiting.delete(owner)
    this.#waitingSince.delete(owner)
  }

  #release(owner: Owner): void {
    this.#free += 1
    const left = (this.#running.get(owner) ?? 0) - 1
    if (left > 0) this.#running.set(owner, left)
    else this.#running.delete(owner)
    this.#letIn()
  }

  /**
   * Lets in every request that has room. When only one owner is left, these may be several of its requests: an owner
   * with more waiting is moved to the end, and met again there.
   */
  #letIn(): void {
    for (const [owner, queue] of this.#waiting) {
      const [next] = queue
      if (!next || !this.#hasRoom(owner)) continue
      queue.delete(next)
      if (queue.size === 0) this.#endWait(owner)
      else {
        this.#waiting.delete(owner)
        this.#waiting.set(owner, queue)
      }
      this.#occupy(owner)
      next()
    }
  }
}

function sum(counts: Iterable<number>): number {
  return [...counts].reduce((all, count) => all + count, 0)
}

function tooLong({ ms, message }: MaxWait): Refusal {
  return new Refusal('unavailable', message, { retryAfter: ms / 1000, unchanged: true })
}

/** The refusal of a request whose caller has disconnected, so that nobody reads it. */
function nobodyWaits(): Refusal {
  return new Refusal('unavailable', 'Nobody waits for this any more.')
}

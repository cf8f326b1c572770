import { Refusal } from './refusal.ts'

export type Limits = {
  /** The most that run at once; any number where it is left out. */
  atOnce?: number
  /** The most that one owner runs at once; any number where it is left out. */
  each?: number
  /** How long is waited for a turn, and what is said after it; without it, as long as it takes. */
  patience?: { ms: number; sorry: string }
}

type Waiting = { go: () => void; giveUp: NodeJS.Timeout | undefined }

/**
 * A queue before something of which only so much may run at once. A place that becomes free goes to the owner who has
 * waited longest since its last turn, so that whoever asks for much delays itself and nobody else.
 */
export class Turns<Owner> {
  readonly #limits: Limits
  readonly #running = new Map<Owner, number>()
  /** Those who wait, by owner; the next owner in turn stands first. */
  readonly #waiting = new Map<Owner, Waiting[]>()
  #free: number

  constructor(limits: Limits) {
    this.#limits = limits
    this.#free = limits.atOnce ?? Number.POSITIVE_INFINITY
  }

  /**
   * Waits for a turn. Answers what ends it; a second time that does nothing.
   * @throws Refusal where the turn has not come in time
   */
  async take(owner: Owner): Promise<() => void> {
    if (this.#hasRoom(owner)) this.#begin(owner)
    else await this.#wait(owner)
    let over = false
    return () => {
      if (over) return
      over = true
      this.#end(owner)
    }
  }

  /** Does something in its turn. */
  async run<Result>(owner: Owner, work: () => Promise<Result>): Promise<Result> {
    const end = await this.take(owner)
    try {
      return await work()
    } finally {
      end()
    }
  }

  #hasRoom(owner: Owner): boolean {
    return this.#free > 0 && (this.#running.get(owner) ?? 0) < (this.#limits.each ?? Number.POSITIVE_INFINITY)
  }

  #begin(owner: Owner): void {
    this.#free -= 1
    this.#running.set(owner, (this.#running.get(owner) ?? 0) + 1)
  }

  #wait(owner: Owner): Promise<void> {
    return new Promise((resolve, reject) => {
      const { patience } = this.#limits
      const one: Waiting = { go: resolve, giveUp: undefined }
      if (patience) {
        one.giveUp = setTimeout(() => {
          this.#leave(owner, one)
          reject(new Refusal('unavailable', patience.sorry, { retryAfter: patience.ms / 1000 }))
        }, patience.ms)
      }
      const queue = this.#waiting.get(owner)
      if (queue) queue.push(one)
      else this.#waiting.set(owner, [one])
    })
  }

  #leave(owner: Owner, one: Waiting): void {
    const left = this.#waiting.get(owner)?.filter((other) => other !== one) ?? []
    if (left.length > 0) this.#waiting.set(owner, left)
    else this.#waiting.delete(owner)
  }

  #end(owner: Owner): void {
    this.#free += 1
    const left = (this.#running.get(owner) ?? 0) - 1
    if (left > 0) this.#running.set(owner, left)
    else this.#running.delete(owner)
    this.#letIn()
  }

  /** Gives the free place to the first owner in turn who may have one. */
  #letIn(): void {
    for (const [owner, [next, ...others]] of this.#waiting) {
      if (!next || !this.#hasRoom(owner)) continue
      this.#waiting.delete(owner)
      if (others.length > 0) this.#waiting.set(owner, others)
      clearTimeout(next.giveUp)
      this.#begin(owner)
      next.go()
      return
    }
  }
}

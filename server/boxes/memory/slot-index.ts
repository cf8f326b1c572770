import { randomInt } from 'node:crypto'

const EMPTY = -1
const FEWEST = 1_024

/**
 * Finds slots by a number that lies in each of them: a hash table of the slots alone, 4 bytes each. A slot that is in
 * it must keep its number.
 */
export class SlotIndex {
  readonly #keyOf: (slot: number) => number
  /** Differs from process to process, so that nobody can choose numbers that collide. */
  readonly #seed = randomInt(2 ** 31)
  #slots = new Int32Array(FEWEST).fill(EMPTY)
  #count = 0

  /** @param keyOf returns the number in a slot, whole and below 2^53 */
  constructor(keyOf: (slot: number) => number) {
    this.#keyOf = keyOf
  }

  find(key: number): number | null {
    const slot = this.#slots[this.#positionOf(key)] as number
    return slot === EMPTY ? null : slot
  }

  /** Sets the slot of a number, also in the place of another one. */
  set(key: number, slot: number): void {
    const position = this.#positionOf(key)
    if (this.#slots[position] === EMPTY) this.#count += 1
    this.#slots[position] = slot
    if (this.#count * 2 > this.#slots.length) this.#grow()
  }

  delete(key: number): void {
    let hole = this.#positionOf(key)
    if (this.#slots[hole] === EMPTY) return
    this.#count -= 1
    // Those after the hole move up, but none before the place where a search for it begins.
    for (let position = this.#after(hole); ; position = this.#after(position)) {
      const slot = this.#slots[position] as number
      if (slot === EMPTY) break
      const begins = this.#beginOf(this.#keyOf(slot))
      const isBetween =
        hole < position ? begins > hole && begins <= position : begins > hole || begins <= position
      if (isBetween) continue
      this.#slots[hole] = slot
      hole = position
    }
    this.#slots[hole] = EMPTY
  }

  clear(): void {
    this.#slots = new Int32Array(FEWEST).fill(EMPTY)
    this.#count = 0
  }

  /** Returns where the slot of a number is, or else where it would be set. */
  #positionOf(key: number): number {
    let position = this.#beginOf(key)
    for (;;) {
      const slot = this.#slots[position] as number
      if (slot === EMPTY || this.#keyOf(slot) === key) return position
      position = this.#after(position)
    }
  }

  #beginOf(key: number): number {
    let hash =
      Math.imul((key >>> 0) ^ this.#seed, 0x9e3779b1) ^ Math.imul(Math.floor(key / 2 ** 32), 0x85ebca6b)
    hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d)
    hash = Math.imul(hash ^ (hash >>> 12), 0x297a2d39)
    return (hash ^ (hash >>> 15)) & (this.#slots.length - 1)
  }

  #after(position: number): number {
    return (position + 1) & (this.#slots.length - 1)
  }

  #grow(): void {
    const before = this.#slots
    this.#slots = new Int32Array(before.length * 2).fill(EMPTY)
    for (const slot of before) if (slot !== EMPTY) this.#slots[this.#positionOf(this.#keyOf(slot))] = slot
  }
}

// A small seeded generator, so that every demonstration is the same one.
let state = 1

export function seed(value: number): void {
  state = value
}

/** Returns a random number from 0 to below 1 (mulberry32). */
export function dice(): number {
  state = (state + 0x6d2b79f5) | 0
  let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
}

export function chance(probability: number): boolean {
  return dice() < probability
}

export function whole(end: number): number {
  return Math.floor(dice() * end)
}

export function pick<Item>(items: readonly Item[]): Item {
  const item = items[whole(items.length)]
  if (item === undefined) throw new Error('there is nothing to pick from')
  return item
}

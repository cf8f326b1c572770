export const THOROUGH = process.env.THOROUGH === '1'

/** Returns `quick` in `npm test`, and `thorough` in `npm run faults`. */
export function runs(quick: number, thorough: number): number {
  return THOROUGH ? thorough : quick
}

/** Returns and prints the seed of a law's random choices; the variable SEED repeats an earlier run. */
export function seedOf(law: string): number {
  const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31))
  process.stdout.write(`${law}: SEED=${seed}\n`)
  return seed
}

/** `npm run faults` takes its time; `npm test` does not. */
const THOROUGH = process.env.THOROUGH === '1'

/** How often a law is tried: in `npm test`, and in `npm run faults`. */
export function runs(quick: number, thorough: number): number {
  return THOROUGH ? thorough : quick
}

/** Where a law's random choices begin; SEED repeats those of an earlier run. Printed, so that every run can be. */
export function seedOf(law: string): number {
  const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31))
  process.stdout.write(`${law}: SEED=${seed}\n`)
  return seed
}

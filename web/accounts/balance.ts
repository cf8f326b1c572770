import { MOST_CREDITS } from '../../contract/credits.ts'
import type { Tone } from '../parts/tone.ts'

/** The amounts offered for a transfer. The server takes any whole number up to the last of them. */
export const CREDIT_AMOUNTS: readonly number[] = [
  ...steps(1, 10, 1),
  ...steps(20, 100, 10),
  ...steps(200, 1000, 100),
  1500,
  2000,
  2500,
  5000,
  MOST_CREDITS,
]

/** Returns the colour of a balance: good above 30, a warning from 1 to 30, bad at 0 or below. */
export function balanceTone(credits: number): Tone {
  if (credits > 30) return 'good'
  return credits > 0 ? 'warn' : 'bad'
}

function steps(from: number, to: number, by: number): number[] {
  return Array.from({ length: (to - from) / by + 1 }, (_, index) => from + index * by)
}

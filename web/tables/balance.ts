import type { Tone } from '../parts/tone.ts'

/** Returns the colour of a balance: good above 30, a warning from 1 to 30, bad at 0 or below. */
export function balanceTone(credits: number): Tone {
  if (credits > 30) return 'good'
  return credits > 0 ? 'warn' : 'bad'
}

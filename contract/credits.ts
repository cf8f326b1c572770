/** The amounts that the console offers when credits change hands; the server takes any whole number to 10,000. */
export const CREDIT_AMOUNTS: readonly number[] = [
  ...steps(1, 10, 1),
  ...steps(20, 100, 10),
  ...steps(200, 1000, 100),
  1500,
  2000,
  2500,
  5000,
  10000,
]

/** The most credits that one change may move. */
export const MOST_CREDITS = 10_000

/** The two directions of a change, as the wire spells them. */
export const CREDIT_ACTION = { add: 0, remove: 1 } as const

/** How a balance looks: 'high' above 30, 'low' from 1 to 30, 'none' at 0 or below. */
export function balanceTone(credits: number): 'high' | 'low' | 'none' {
  if (credits > 30) return 'high'
  return credits > 0 ? 'low' : 'none'
}

function steps(from: number, to: number, by: number): number[] {
  return Array.from({ length: (to - from) / by + 1 }, (_, index) => from + index * by)
}

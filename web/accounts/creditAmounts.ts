import { MOST_CREDITS } from '../../contract/credits.ts'

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

function steps(from: number, to: number, by: number): number[] {
  return Array.from({ length: (to - from) / by + 1 }, (_, index) => from + index * by)
}

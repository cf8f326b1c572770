/** Returns the least and the greatest value of an axis; `low` and `high` are those of the lines, null without any. */
export function rangeOf(low: number | null, high: number | null): [number, number] {
  // A line may fall below zero: more was taken back on a day than was used.
  return [Math.min(0, Math.floor((low ?? 0) * 1.1)), Math.max(4, Math.ceil((high ?? 0) * 1.1))]
}

/** One measured thing beside what it may be at most. */
export interface Figure {
  what: string
  value: number
  limit: number
  unit: string
}

/** A line of the table that `npm run bench` prints. */
export function lineOf({ what, value, limit, unit }: Figure): string {
  const number = (amount: number) => amount.toLocaleString('en-US', { maximumFractionDigits: unit ? 0 : 4 })
  const verdict = value <= limit ? '' : '  over'
  return `${what.padEnd(72)}${number(value).padStart(8)} ${unit.padEnd(3)} of ${number(limit).padStart(6)}${verdict}`
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}

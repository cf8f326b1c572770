export interface Figure {
  what: string
  value: number
  /** null for a value that is only compared with another. */
  limit: number | null
  unit: string
  /** The limit is a minimum instead of a maximum. */
  atLeast?: true
}

export function holds({ value, limit, atLeast }: Figure): boolean {
  return limit === null || (atLeast ? value >= limit : value <= limit)
}

/** Formats a line of the table that `npm run bench` prints. */
export function lineOf(figure: Figure): string {
  const { what, value, limit, unit, atLeast } = figure
  const bound = limit === null ? '' : `${atLeast ? 'at least' : 'at most'} ${numberOf(limit, unit)}`
  const verdict = holds(figure) ? '' : '  MISSED'
  return `${what.padEnd(84)}${numberOf(value, unit).padStart(10)} ${unit.padEnd(6)}${bound.padStart(17)}${verdict}`
}

function numberOf(amount: number, unit: string): string {
  const maximumFractionDigits = Math.abs(amount) < 10 || unit === '' ? 2 : 0
  return amount.toLocaleString('en-US', { maximumFractionDigits })
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5)
}

/** Returns the value that this part of the values (0 to 1) does not exceed. */
export function quantile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil(sorted.length * part) - 1)] ?? Number.NaN
}

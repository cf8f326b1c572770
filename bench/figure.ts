/** Whether the measurements behind the figures are printed too. */
export const DETAIL = process.env.BENCH_DETAIL !== undefined

export interface Figure {
  what: string
  value: number
  /** null for a value that is only compared with another. */
  limit: number | null
  unit: string
  /** The limit is a minimum instead of a maximum. */
  atLeast?: true
  /** The middle half of the rounds whose median the value is. */
  spread?: { low: number; high: number }
  /** The absolute values behind a ratio. They move with the machine. */
  absolute?: string
}

type Verdict = 'held' | 'undecided' | 'MISSED'
const BY_WEIGHT: readonly Verdict[] = ['held', 'undecided', 'MISSED']

/** Says whether a figure keeps its limit. Where the rounds lie wider apart than the limit is away, nobody knows. */
function verdictOn({ value, limit, atLeast, spread }: Figure): Verdict {
  if (limit === null) return 'held'
  if (spread && spread.high - spread.low > Math.abs(value - limit)) return 'undecided'
  return (atLeast ? value >= limit : value <= limit) ? 'held' : 'MISSED'
}

/** Returns the worse of two figures with the same greatest value: a missed limit is not hidden by an undecided one. */
export function worseOf(one: Figure, other: Figure): Figure {
  const [first, second] = [one, other].map((figure) => BY_WEIGHT.indexOf(verdictOn(figure))) as [
    number,
    number,
  ]
  if (first !== second) return first > second ? one : other
  return one.value >= other.value ? one : other
}

/** Two measurements of one round, made one right after the other because the machine's speed varies. */
export interface Round {
  ours: number
  theirs: number
}

/** Returns the median of the rounds' ratios with its spread. `absolute` names the unit of the measurements. */
export function ratioOf(
  rounds: readonly Round[],
  { absolute, ...figure }: Pick<Figure, 'what' | 'limit' | 'atLeast'> & { absolute: string },
): Figure {
  const [ours, theirs] = [rounds.map(({ ours }) => ours), rounds.map(({ theirs }) => theirs)]
  return {
    ...figure,
    ...ofRounds(rounds.map(({ ours, theirs }) => ours / theirs)),
    unit: '',
    absolute: `${numberOf(median(ours), absolute)} to ${numberOf(median(theirs), absolute)} ${absolute}`,
  }
}

/** Returns the median of what was measured in several rounds, with its spread. */
export function ofRounds(values: readonly number[]): Required<Pick<Figure, 'value' | 'spread'>> {
  return {
    value: median(values),
    spread: { low: quantile(values, 0.25), high: quantile(values, 0.75) },
  }
}

/**
 * Returns how much a series of values grows from one to the next: the median of the slopes between all pairs, which a
 * few outliers do not move, with its spread.
 */
export function growthOf(values: readonly number[]): Required<Pick<Figure, 'value' | 'spread'>> {
  return ofRounds(
    values.flatMap((from, at) => values.slice(at + 1).map((to, more) => (to - from) / (more + 1))),
  )
}

/** Formats a line of the table that `npm run bench` prints. */
export function lineOf(figure: Figure): string {
  const { what, value, limit, unit, atLeast, spread, absolute } = figure
  const between = spread ? `${numberOf(spread.low, unit)} to ${numberOf(spread.high, unit)}` : ''
  const bound = limit === null ? '' : `${atLeast ? 'at least' : 'at most'} ${numberOf(limit, unit)}`
  const verdict = verdictOn(figure)
  return [
    `${what.padEnd(84)}${numberOf(value, unit).padStart(10)} ${unit.padEnd(6)}`,
    spread || absolute ? between.padStart(17) : '',
    bound.padStart(17),
    absolute ? `  [${absolute}]` : '',
    verdict === 'held' ? '' : `  ${verdict}`,
  ].join('')
}

function numberOf(amount: number, unit: string): string {
  const maximumFractionDigits = Math.abs(amount) < 10 || unit === '' ? 2 : 0
  return amount.toLocaleString('en-US', { maximumFractionDigits })
}

/** Formats a whole number with a comma after each three digits. */
export function grouped(count: number): string {
  return count.toLocaleString('en-US')
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5)
}

/** Returns the value that this part of the values (0 to 1) does not exceed. */
export function quantile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil(sorted.length * part) - 1)] ?? Number.NaN
}

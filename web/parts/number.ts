// One formatter for all: `toLocaleString` looks one up at every call, which is slow for a page of numbers.
const { format } = new Intl.NumberFormat('en-US')

/** '1,200', '−3' */
export function number(value: number): string {
  return format(value).replace('-', '−')
}

/** Returns a part of a whole in percent: never 0 % of something, nor 100 % of less than all. */
export function share(part: number, whole: number): string {
  if (part === 0 || part === whole) return part === 0 ? '0 %' : '100 %'
  return `${Math.min(99, Math.max(1, Math.round((100 * part) / whole)))} %`
}

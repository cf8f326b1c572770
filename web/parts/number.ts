// One formatter for all: `toLocaleString` looks one up at every call, which is slow for a page of numbers.
const { format } = new Intl.NumberFormat('en-US')

/** '1,200' */
export function number(value: number): string {
  return format(value)
}

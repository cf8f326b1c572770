import { MINUTE_MS } from './time.ts'

const { format } = new Intl.NumberFormat('en-US')

/** '1,200' */
export function inDigits(count: number): string {
  return format(count)
}

/** '1 credit', '1,200 credits'. */
export function inCredits(count: number): string {
  return counted(count, 'credit')
}

/** Returns the sentence that refuses a call which costs more than the balance. */
export function shortage(balance: number, needed: number): string {
  return `You have ${inCredits(balance)}; this needs ${inDigits(needed)}.`
}

/** Returns the sentence that refuses to take back more than somebody else has. */
export function shortageOf(name: string, balance: number, needed: number): string {
  return `${name} has ${inCredits(balance)}; ${inDigits(needed)} cannot be removed.`
}

/** Returns a count with its noun in the plural unless it is one. */
export function counted(count: number, one: string): string {
  return `${inDigits(count)} ${count === 1 ? one : `${one}s`}`
}

/** Returns how many minutes a time is, rounded up: 'a minute', '5 minutes'. */
export function inMinutes(milliseconds: number): string {
  const minutes = Math.ceil(milliseconds / MINUTE_MS)
  return minutes > 1 ? counted(minutes, 'minute') : 'a minute'
}

/** '52.3 GB', '812 MB', rounded down. */
export function bytes(count: number): string {
  const gb = count / 2 ** 30
  if (gb < 1) return `${Math.floor(count / 2 ** 20)} MB`
  return gb < 100 ? `${(Math.floor(gb * 10) / 10).toFixed(1)} GB` : `${inDigits(Math.floor(gb))} GB`
}

/** Returns each count that is not 0 with its noun: ['2 resellers', '1 dealer']. */
export function countedOf(counts: Record<string, number>): string[] {
  return Object.entries(counts).flatMap(([one, count]) => (count > 0 ? [counted(count, one)] : []))
}

/** 'toronto', 'toronto and 1 reseller', 'toronto, 1 reseller and 3 dealers' */
export function listed(parts: readonly string[]): string {
  return parts.length < 2 ? parts.join() : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`
}

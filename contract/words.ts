// Wording that server and console share.

/** '1 credit', '1,200 credits'. */
export function credits(count: number): string {
  return counted(count, 'credit')
}

/** '1 month', '3 months'. */
export function months(count: number): string {
  return counted(count, 'month')
}

/** '1 client', '3 clients'. */
export function clients(count: number): string {
  return counted(count, 'client')
}

/** '1 day', '45 days'. */
export function days(count: number): string {
  return counted(count, 'day')
}

/** Returns the sentence that refuses a call which costs more than the balance. */
export function shortage(balance: number, needed: number): string {
  return `You have ${credits(balance)}; this needs ${needed.toLocaleString('en-US')}.`
}

function counted(count: number, one: string): string {
  return `${count.toLocaleString('en-US')} ${count === 1 ? one : `${one}s`}`
}

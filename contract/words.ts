/** '1 credit', '1,200 credits'. */
export function credits(count: number): string {
  return counted(count, 'credit')
}

export function months(count: number): string {
  return counted(count, 'month')
}

export function clients(count: number): string {
  return counted(count, 'client')
}

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

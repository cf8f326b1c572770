import type { DueClient } from '../../contract/shapes.ts'

/** A month for each client, or the months that it bought last. */
export type HowLong = 'month' | 'last'

type Client = Pick<DueClient, 'last_months'>

export function monthsOf({ last_months }: Client, how: HowLong): number {
  return how === 'month' ? 1 : last_months
}

export function costOf(clients: readonly Client[], how: HowLong): number {
  return clients.reduce((sum, client) => sum + monthsOf(client, how), 0)
}

/** Returns as many of the clients, from the first on, as a balance pays for; all while it is not known. */
export function affordable<Some extends Client>(
  clients: readonly Some[],
  how: HowLong,
  balance: number | null | undefined,
): readonly Some[] {
  let left = balance ?? Number.POSITIVE_INFINITY
  const short = clients.findIndex((client) => {
    left -= monthsOf(client, how)
    return left < 0
  })
  return short < 0 ? clients : clients.slice(0, short)
}

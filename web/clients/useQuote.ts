import { calls, type OutputOf } from '../../contract/calls.ts'
import type { ApiError } from '../calls/api.ts'
import { WHILE_SHORT_MS } from '../calls/useBalance.ts'
import { useCall } from '../calls/useCall.ts'

export type Quoted = OutputOf<typeof calls.clients.quote>

/**
 * Loads the price of months for clients, again and again while it is too dear. Nothing is left of what was said before
 * a purchase.
 */
export function useQuote(
  clients: readonly string[],
  months: number,
  enabled: boolean,
): {
  /** The last price, which may be that of other months; see `answer`. */
  data: Quoted | undefined
  /** The price of these months, unless it is just being asked for: what a person may confirm. */
  answer: Quoted | null
  isPlaceholderData: boolean
  isFetching: boolean
  error: ApiError | null
  refetch: () => void
} {
  const loaded = useCall(
    calls.clients.quote,
    { clients: [...clients], months },
    { enabled, keep: true, anew: true, every: whileShort },
  )
  const { data, isPlaceholderData, isFetching, error, refetch } = loaded
  const answer = data && !isPlaceholderData && !isFetching && !error ? data : null
  return { data, answer, isPlaceholderData, isFetching, error, refetch }
}

function whileShort(quote: Quoted | undefined): number | undefined {
  return quote && quote.balance_after < 0 ? WHILE_SHORT_MS : undefined
}

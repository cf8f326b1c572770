import { calls } from '../../contract/calls.ts'
import { useSession } from '../session.tsx'
import type { ApiError } from './api.ts'
import { useCall } from './useCall.ts'

/**
 * Returns the caller's balance with its loading state. `every` asks for it again, in milliseconds; `whileShort` does so
 * often, where it does not suffice.
 */
export function useBalance({ every, whileShort = false }: { every?: number; whileShort?: boolean } = {}): {
  /** Null for the admin, who has no limit; undefined while it is loading, and where it could not be loaded. */
  credits: number | null | undefined
  /** Whether it is below the threshold. */
  low: boolean
  lowBelow: number | null | undefined
  loading: boolean
  error: ApiError | null
  refetch: () => void
  /** When it was loaded, in milliseconds of this machine's clock. */
  loadedAt: number
} {
  const { role } = useSession()
  // The admin has no such call; a hook needs one, and it is never made.
  const call = role === 'admin' ? calls.credits.dealer : calls.credits[role]
  const often = whileShort ? WHILE_SHORT_MS : every
  const loaded = useCall(call, {}, { enabled: role !== 'admin', every: often })
  const { data, isLoading, error, refetch, dataUpdatedAt: loadedAt } = loaded
  const credits = role === 'admin' ? null : data?.credits
  const { low = false, low_below: lowBelow } = data ?? {}
  return { credits, low, lowBelow, loading: isLoading, error, refetch, loadedAt }
}

/** How often what is too dear is asked for again: the parent may be on the telephone. */
export const WHILE_SHORT_MS = 5_000

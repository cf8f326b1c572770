import { type UseQueryResult, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import type { Call } from '../../contract/call.ts'
import { calls, type InputOf, type OutputOf } from '../../contract/calls.ts'
import { useNow } from '../clock.ts'
import { showMoment } from '../parts/time.ts'
import { useSession } from '../session.tsx'
import { zone } from '../zone.ts'
import { type ApiError, send } from './api.ts'
import { loadAgain } from './cache.ts'
import { connection } from './connection.ts'

/**
 * Loads a call. `enabled: false` does not load it yet; `keep` shows the previous data while the next is loading;
 * `every` loads it again after so many milliseconds, perhaps by what was answered; `anew` shows nothing that is left from
 * before.
 */
export function useCall<C extends Call>(
  call: C,
  input: InputOf<C>,
  {
    enabled = true,
    keep = false,
    every,
    anew = false,
  }: {
    enabled?: boolean
    keep?: boolean
    every?: number | undefined | ((data: OutputOf<C> | undefined) => number | undefined)
    anew?: boolean
  } = {},
): UseQueryResult<OutputOf<C>, ApiError> {
  return useQuery<OutputOf<C>, ApiError>({
    queryKey: keyOf(call, input),
    queryFn: ({ signal }) => send(call, input, { signal }),
    enabled,
    ...(typeof every === 'number' && { refetchInterval: every }),
    ...(typeof every === 'function' && { refetchInterval: ({ state }) => every(state.data) ?? false }),
    ...(anew && { gcTime: 0 }),
    ...(keep && { placeholderData: (last: OutputOf<C> | undefined) => last as never }),
  })
}

/** Returns the caller's balance with its loading state. `every` asks for it again, in milliseconds. */
export function useBalance({ every }: { every?: number | undefined } = {}): {
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
  const loaded = useCall(call, {}, { enabled: role !== 'admin', every })
  const { data, isLoading, error, refetch, dataUpdatedAt: loadedAt } = loaded
  const credits = role === 'admin' ? null : data?.credits
  const { low = false, low_below: lowBelow } = data ?? {}
  return { credits, low, lowBelow, loading: isLoading, error, refetch, loadedAt }
}

/** How often what is too dear is asked for again: the parent may be on the telephone. */
export const WHILE_SHORT_MS = 5_000

/** Returns the key under which what a call answers to an input is kept. */
export function keyOf(call: Call, input: unknown): readonly unknown[] {
  return [call.name, input]
}

/** Loads all data on the page again once a lost connection is back. */
export function useReloadOnReconnect(): void {
  const client = useQueryClient()
  useEffect(
    () =>
      connection.lost.subscribe(() => {
        if (!connection.lost.get()) loadAgain(client)
      }),
    [client],
  )
}

/**
 * Loads the data of a page that stays open again where they are of another balance, as after the parent has added some, or
 * of another day.
 */
export function useReloadOnChange(): void {
  const client = useQueryClient()
  const { credits, loadedAt } = useBalance()
  const day = showMoment(useNow().toISOString(), zone(), 'date')
  const shown = useRef({ credits, day })
  useEffect(() => {
    const before = shown.current
    shown.current = { credits: credits ?? before.credits, day }
    if (day !== before.day) loadAgain(client)
    // A change of one's own has loaded all again, together with the balance.
    else if (typeof before.credits === 'number' && shown.current.credits !== before.credits)
      client.invalidateQueries({
        predicate: ({ state }) =>
          state.fetchStatus === 'idle' && state.dataUpdatedAt < loadedAt - TOGETHER_MS,
      })
  }, [client, credits, loadedAt, day])
}

/** What is loaded within so many milliseconds is of one moment. */
const TOGETHER_MS = 5_000

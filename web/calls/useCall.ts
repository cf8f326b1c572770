import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import type { Call } from '../../contract/call.ts'
import type { InputOf, OutputOf } from '../../contract/calls.ts'
import { type ApiError, send } from './api.ts'
import { keyOf } from './cache.ts'

/**
 * Loads a call. `enabled: false` does not load it yet; `keep` shows the previous data while the next is loading;
 * `every` loads it again after so many milliseconds, perhaps by what was answered; `anew` shows nothing that is left
 * from before.
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

import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useSyncExternalStore } from 'react'
import type { Call } from '../../contract/call.ts'

/**
 * Returns whether what a call has answered for this page is from before the last change, until it is loaded again: on a slow
 * line that takes seconds, and where the line is gone it stays so. It may be looked at, but nothing is to be asked, priced
 * or handed out from it.
 */
export function useIsOld({ name }: Call): boolean {
  const cache = useQueryClient().getQueryCache()
  const subscribe = useCallback((onChange: () => void) => cache.subscribe(onChange), [cache])
  return useSyncExternalStore(subscribe, () =>
    cache
      .findAll({ queryKey: [name], type: 'active' })
      .some(({ state }) => state.isInvalidated && state.data !== undefined),
  )
}

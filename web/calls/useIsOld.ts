import { type Query, useQueryClient } from '@tanstack/react-query'
import { useCallback, useSyncExternalStore } from 'react'
import type { Call } from '../../contract/call.ts'
import type { ApiError } from './api.ts'
import { isReplaced } from './cache.ts'

/**
 * Returns whether what a call has answered for this page is from before the last change, until it is loaded again: on a slow
 * line that takes seconds, and where the line is gone it stays so. It may be looked at, but nothing is to be asked, priced
 * or handed out from it.
 */
export function useIsOld(call: Call): boolean {
  return useAnswers(call, (answers) => answers.some(isReplaced))
}

/** Returns why it is still from before the last change: the error of the load that failed. Null while that is under way. */
export function useWhyOld(call: Call): ApiError | null {
  return useAnswers(call, (answers) => {
    const failed = answers.find((query) => isReplaced(query) && query.state.fetchStatus === 'idle')
    return (failed?.state.error ?? null) as ApiError | null
  })
}

function useAnswers<T>({ name }: Call, read: (answers: readonly Query[]) => T): T {
  const cache = useQueryClient().getQueryCache()
  const subscribe = useCallback((onChange: () => void) => cache.subscribe(onChange), [cache])
  return useSyncExternalStore(subscribe, () => read(cache.findAll({ queryKey: [name], type: 'active' })))
}

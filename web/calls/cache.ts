import { QueryClient, type QueryKey } from '@tanstack/react-query'
import { isTransient } from './api.ts'

/** The query cache of one session. A page shows cached data at once and loads it again in the background. */
export function openCache(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        // The browser's own online state can be wrong, so only failed calls decide whether the server can be reached.
        networkMode: 'always',
        staleTime: 2_000,
        retry: (failures, error) => failures < 2 && isTransient(error),
        retryDelay: (failures) => 500 * 2 ** failures,
      },
      mutations: { networkMode: 'always', retry: false },
    },
  })
}

/**
 * Loads again what is on the page and begins with `queryKey`, after a change. TanStack Query gives up an answer that is
 * still awaited, but not the first of a query, which may say what was there before the change.
 */
export function loadAgain(cache: QueryClient, queryKey: QueryKey = []): void {
  cache.cancelQueries({ queryKey, predicate: ({ state }) => state.data === undefined })
  cache.invalidateQueries({ queryKey })
}

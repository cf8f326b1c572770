import { type Query, QueryClient, type QueryKey } from '@tanstack/react-query'
import type { Call } from '../../contract/call.ts'
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

/** Returns the key under which what a call answers to an input is kept. */
export function keyOf(call: Call, input: unknown): QueryKey {
  return [call.name, input]
}

/**
 * Loads again what is on the page, after a change: all of it, or only what these calls have answered. TanStack Query
 * gives up an answer that is still awaited, but not the first of a query, which may say what was there before the
 * change.
 */
export function loadAgain(cache: QueryClient, changed?: readonly Call[]): void {
  const isChanged = ({ queryKey: [name] }: Query) => !changed || changed.some((call) => call.name === name)
  cache.cancelQueries({ predicate: (query) => query.state.data === undefined && isChanged(query) })
  replace(cache, isChanged)
}

/** Loads these again. What they have answered so far counts as old until then. */
export function replace(cache: QueryClient, isMeant: (query: Query) => boolean): void {
  for (const query of cache.getQueryCache().findAll({ predicate: isMeant }))
    replacedAt.set(query, query.state.dataUpdatedAt)
  cache.invalidateQueries({ predicate: isMeant })
}

/**
 * When what is to be replaced had come, in milliseconds since 1970. The library's own mark is also set where a load has
 * failed, as one of those that a page makes by itself: that makes nothing old.
 */
const replacedAt = new WeakMap<Query, number>()

/** Whether what was answered is from before the last change. */
export function isReplaced(query: Query): boolean {
  return query.state.data !== undefined && replacedAt.get(query) === query.state.dataUpdatedAt
}

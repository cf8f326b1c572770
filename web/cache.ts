import { QueryClient } from '@tanstack/react-query'
import { ApiError } from './api.ts'

/** What was loaded. A page shows what it knows at once, and loads it anew behind. */
export const cache = new QueryClient({
  defaultOptions: {
    queries: {
      // The connection is judged by our own calls, not by what the machine believes of its network.
      networkMode: 'always',
      staleTime: 2_000,
      retry: (failures, error) => failures < 2 && mayPass(error),
      retryDelay: (failures) => 500 * 2 ** failures,
    },
    mutations: { networkMode: 'always', retry: false },
  },
})

/** True of what the next try may bring: a lost connection, a server or a database that is just starting again. */
export function mayPass(error: unknown): boolean {
  return error instanceof ApiError && (error.code === 'offline' || error.code === 'unavailable')
}

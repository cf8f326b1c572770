import { QueryClient } from '@tanstack/react-query'
import { mayPass } from './api.ts'

/** What one session has loaded. A page shows what it knows at once, and loads it anew behind. */
export function openCache(): QueryClient {
  return new QueryClient({
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
}

import { useEffect } from 'react'
import type { ListState } from './useListState.ts'

/** Turns from a page past the end to the last one. `last` is undefined until it is known. */
export function useLastPage(
  { page, setPage }: Pick<ListState, 'page' | 'setPage'>,
  last: number | undefined,
) {
  useEffect(() => {
    if (last !== undefined && page > last) setPage(last, true)
  })
}

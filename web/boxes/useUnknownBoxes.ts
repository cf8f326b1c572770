import { calls, type InputOf } from '../../contract/calls.ts'
import { MINUTE_MS } from '../../contract/time.ts'
import { useCall } from '../calls/useCall.ts'
import { useLastPage } from '../parts/table/useLastPage.ts'
import { useListState } from '../parts/table/useListState.ts'
import { unknownBoxes } from '../tables/boxes.tsx'

/** Loads the page of unknown boxes that the URL asks for, each minute. A page past the end becomes the last page. */
export function useUnknownBoxes() {
  const list = useListState('unknown', unknownBoxes)
  const { page, perPage: per_page, search, sort, order } = list
  // The call sorts by exactly the columns that the table lets people sort by.
  const query = { page, per_page, search, sort, order } as InputOf<typeof calls.boxes.unknown>
  const { data, isPending, isPlaceholderData, error, refetch } = useCall(calls.boxes.unknown, query, {
    keep: true,
    every: MINUTE_MS,
  })
  useLastPage(list, isPlaceholderData ? undefined : data?.total_pages)
  return {
    table: unknownBoxes,
    list,
    rows: data && { rows: data.data, count: data.count },
    loading: isPending || isPlaceholderData,
    error: error?.message,
    onRetry: refetch,
  }
}

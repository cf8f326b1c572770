import { useRef } from 'react'
import { CLIENT_FILTERS, type ClientFilter, COUNTED_TO } from '../../contract/clients.ts'
import { Segments } from '../parts/table/Segments.tsx'
import type { ClientPage } from './useClientPage.ts'

/** The filter by state, with the number of clients that the search finds in each. */
export function FilterToggle({ page }: { page: Pick<ClientPage, 'list' | 'counts' | 'loading'> }) {
  const { list, counts, loading } = page
  return (
    <Segments
      segments={CLIENT_FILTERS.map((value) => ({
        value,
        label: LABELS[value],
        count: counts && inWords(counts[value], list.search),
      }))}
      value={list.filter}
      onChange={list.setFilter}
      digits={useDigits(counts?.all)}
      visible={counts !== undefined || !loading}
    />
  )
}

function inWords(count: number, search: string): string {
  return `${count.toLocaleString('en-US')}${search !== '' && count === COUNTED_TO ? '+' : ''}`
}

/** Returns the number of digits of the largest count so far, so that a search that finds less moves nothing. */
function useDigits(all: number | undefined): number {
  const widest = useRef(3)
  if (all !== undefined) widest.current = Math.max(widest.current, all.toLocaleString('en-US').length)
  return widest.current
}

const LABELS: Record<ClientFilter, string> = {
  all: 'All',
  active: 'Active',
  expiring: 'Expiring Soon',
  expired: 'Expired',
}

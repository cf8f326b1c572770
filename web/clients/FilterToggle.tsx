import { useRef } from 'react'
import { COUNTED_TO, LIST_FILTERS, type ListFilter } from '../../contract/clients.ts'
import { number } from '../parts/number.ts'
import { Segments } from '../parts/table/Segments.tsx'
import type { ClientPage } from './useClientPage.ts'

/** The filter by state, with the number of clients that the search finds in each, and by being online. */
export function FilterToggle({ page }: { page: Pick<ClientPage, 'list' | 'rows' | 'counts' | 'loading'> }) {
  const { list, rows, counts, loading } = page
  // Those who are online are counted only while they are shown, because no count of them is kept.
  const shown = loading ? undefined : rows
  const online = list.filter === 'online' ? shown?.count : undefined
  // The answer tells of the chosen filter alone whether a search finds more. Where all are counted, so is each part.
  const isCapped = (value: ListFilter) =>
    shown && (list.filter === 'all' || list.filter === value) ? shown.capped === true : list.search !== ''
  return (
    <Segments
      segments={LIST_FILTERS.map((value) => ({
        value,
        label: LABELS[value],
        count: cappedCount(value === 'online' ? online : counts?.[value], isCapped(value)),
      }))}
      value={list.filter}
      onChange={list.setFilter}
      digits={useDigits(counts?.all)}
      visible={counts !== undefined || !loading}
    />
  )
}

function cappedCount(count: number | undefined, isCapped: boolean): string | undefined {
  if (count === undefined) return undefined
  return `${number(count)}${isCapped && count === COUNTED_TO ? '+' : ''}`
}

/** Returns the number of digits of the largest count so far, so that a search that finds less moves nothing. */
function useDigits(all: number | undefined): number {
  const widest = useRef(3)
  if (all !== undefined) widest.current = Math.max(widest.current, number(all).length)
  return widest.current
}

const LABELS: Record<ListFilter, string> = {
  all: 'All',
  active: 'Active',
  expiring: 'Expiring Soon',
  expired: 'Expired',
  online: 'Online',
}

import { useRef } from 'react'
import { EmptyState } from '../ErrorState.tsx'
import { NarrowRows } from './NarrowRows.tsx'
import { quietIcon } from './quietIcon.tsx'
import type { PlainTable } from './table.ts'
import { useFit } from './useFit.ts'
import { WideRows } from './WideRows.tsx'

interface FewRowsProps<Row extends object> {
  /** The table's name for screen readers. */
  label: string
  table: PlainTable<Row>
  rows: readonly Row[]
}

/** A table of a few rows, without search, sort and pages. */
export function FewRows<Row extends object>({ label, table, rows }: FewRowsProps<Row>) {
  const place = useRef<HTMLDivElement>(null)
  const fit = useFit(table, false, place)
  const shared = { label, table, list: AS_THEY_COME, page: rows, select: undefined, waiting: false }
  return (
    <div ref={place}>
      {rows.length === 0 && <EmptyState icon={quietIcon} text={table.empty} />}
      {rows.length > 0 && (fit.cards ? <NarrowRows {...shared} /> : <WideRows {...shared} fit={fit} />)}
    </div>
  )
}

const AS_THEY_COME = { sort: '', order: 'asc', dense: true, perPage: 0 } as const

import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { ApiError } from './calls/api.ts'
import { Card } from './parts/Card.tsx'
import { isAwaited } from './parts/isAwaited.ts'
import { DataTable } from './parts/table/DataTable.tsx'
import type { Table } from './parts/table/table.ts'
import { useListState } from './parts/table/useListState.ts'

interface TableCardProps<Row extends object> {
  /** The table's name, which is the heading of its card. */
  label: string
  /** True where the page's title already says it, so that the card needs no heading. */
  noHeading?: boolean
  table: Table<Row>
  /** Prefixes the table's parameters in the URL, and is its anchor; needed where a page has several tables. */
  name?: string
  /** All rows; undefined until they are loaded. */
  rows: readonly Row[] | undefined
  /** The query that loads them, or several as one. */
  loaded: Pick<UseQueryResult<unknown, ApiError>, 'isFetching' | 'error'> & {
    /** True while the rows are those of another question, which are then dimmed. */
    isPlaceholderData?: boolean
    refetch: () => Promise<unknown>
  }
  /** Controls beside the search box. */
  tools?: ReactNode
  /** A button that an empty table offers as the next step. */
  emptyAction?: ReactNode
  /** A dialog of this card. */
  children?: ReactNode
}

/** A card with a table whose rows are all loaded at once, and searched, sorted and paged in the browser. */
export function TableCard<Row extends object>(props: TableCardProps<Row>) {
  const { label, noHeading = false, table, name = '', rows, loaded, tools, emptyAction, children } = props
  const list = useListState(name, table)
  return (
    <Card id={name || undefined} title={noHeading ? undefined : label} flush>
      <DataTable
        label={label}
        table={table}
        list={list}
        rows={rows}
        loading={loaded.isPlaceholderData === true || isAwaited(loaded, rows)}
        error={loaded.error?.message}
        onRetry={loaded.refetch}
        tools={tools}
        emptyAction={emptyAction}
      />
      {children}
    </Card>
  )
}

import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { ApiError } from './api.ts'
import { Card } from './parts/Card.tsx'
import { DataTable } from './parts/table/DataTable.tsx'
import type { Table } from './parts/table/table.ts'
import { useListState } from './parts/table/useListState.ts'

interface TableCardProps<Row extends object> {
  /** What the table is called. */
  label: string
  /** The heading of the card, where the page does not say it already. */
  title?: string
  table: Table<Row>
  /** Keeps the state of several tables of one page apart in the URL; unsaid for the only one. */
  name?: string
  /** What was loaded: all rows. */
  loaded: Pick<UseQueryResult<unknown, ApiError>, 'isFetching' | 'error' | 'refetch'>
  rows: readonly Row[] | undefined
  /** What stands beside the search box. */
  tools?: ReactNode
  /** The next step of an empty table, as a button. */
  emptyAction?: ReactNode
  /** What belongs to it and floats over the page. */
  children?: ReactNode
}

/** A card with a table whose rows are loaded whole: searched, sorted and paged here. */
export function TableCard<Row extends object>(props: TableCardProps<Row>) {
  const { label, title, table, name = '', loaded, rows, tools, emptyAction, children } = props
  const list = useListState(name, table)
  return (
    <Card title={title} flush>
      <DataTable
        label={label}
        table={table}
        list={list}
        rows={rows}
        loading={loaded.isFetching}
        error={loaded.error?.message}
        onRetry={loaded.refetch}
        tools={tools}
        emptyAction={emptyAction}
      />
      {children}
    </Card>
  )
}

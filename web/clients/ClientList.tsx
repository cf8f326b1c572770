import Button from '@mui/material/Button'
import { Tv } from 'lucide-react'
import { type ReactNode, useMemo } from 'react'
import type { ClientRow } from '../../contract/shapes.ts'
import { connection } from '../calls/connection.ts'
import { Card } from '../parts/Card.tsx'
import { DataTable } from '../parts/table/DataTable.tsx'
import type { RowSelection } from '../parts/table/selection.ts'
import type { Table } from '../parts/table/table.ts'
import { ColumnsMenu, useShownColumns } from './ColumnsMenu.tsx'
import { FilterToggle } from './FilterToggle.tsx'
import { SavedFilters } from './SavedFilters.tsx'
import type { ClientPage } from './useClientPage.ts'

interface ClientListProps<Row extends ClientRow> {
  label: string
  table: Table<Row>
  page: ClientPage<Row>
  select?: RowSelection<Row>
  /** The next step for an account without any clients. */
  start?: ReactNode
}

/** A list of clients that the server pages, with the filter by state. */
export function ClientList<Row extends ClientRow>({
  label,
  table,
  page,
  select,
  start,
}: ClientListProps<Row>) {
  const { list, rows, loading, error, onRetry } = page
  const shown = useShownColumns(table)
  const narrowed = list.search !== '' || list.filter !== 'all'
  const isOffline = connection.lost.use()
  const listed = useMemo(() => (isOffline ? { ...shown, beyond: ONLY_KEPT } : shown), [shown, isOffline])
  return (
    <Card flush>
      <DataTable
        label={label}
        table={listed}
        {...{ list, rows, loading, error, onRetry, select }}
        tools={
          <>
            <div style={{ display: 'flex', flexWrap: 'wrap', gap: 8 }}>
              <SavedFilters list={list} />
              <ColumnsMenu table={table} />
            </div>
            <FilterToggle page={page} />
          </>
        }
        emptyText={isOffline && narrowed ? NOT_KEPT : undefined}
        emptyIcon={<Tv aria-hidden size={32} strokeWidth={1.25} />}
        emptyAction={start}
        unmatchedAction={narrowed && <ShowAll page={page} />}
      />
    </Card>
  )
}

/** Without a connection only the clients of the last page are there to be listed and searched. */
const ONLY_KEPT = 'Only these are kept in this browser.'
const NOT_KEPT = 'Not among the clients that this browser keeps. There may be others.'

function ShowAll({ page: { list } }: { page: Pick<ClientPage, 'list'> }) {
  const show = () => {
    list.setSearch('')
    list.setFilter('all')
  }
  return (
    <Button variant="outlined" onClick={show}>
      Show all clients
    </Button>
  )
}

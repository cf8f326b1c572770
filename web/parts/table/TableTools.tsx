import IconButton from '@mui/material/IconButton'
import { styled } from '@mui/material/styles'
import { ArrowDown, ArrowUp } from 'lucide-react'
import type { ReactNode } from 'react'
import { Select } from '../form/controls.tsx'
import { Toggle } from '../form/Toggle.tsx'
import { SearchBox } from './SearchBox.tsx'
import type { Table } from './table.ts'
import type { ListState } from './useListState.ts'

interface TableToolsProps<Row> {
  table: Table<Row>
  list: ListState
  narrow: boolean
  folded: boolean
  tools: ReactNode
}

export function TableTools<Row>({ table, list, narrow, folded, tools }: TableToolsProps<Row>) {
  const hasSortBox = narrow || folded
  if (!table.search && !tools && !table.denseSwitch && !hasSortBox) return null
  return (
    <Row>
      {table.search && (
        <SearchBox
          label={table.search}
          value={list.typed}
          fault={table.searchFault?.(list.typed)}
          onChange={list.setSearch}
        />
      )}
      {hasSortBox && <SortBox table={table} list={list} narrow={narrow} />}
      {tools}
      {table.denseSwitch && !narrow && (
        <span style={{ marginLeft: 'auto' }}>
          <Toggle label="Dense" checked={list.dense} onChange={list.setDense} />
        </span>
      )}
    </Row>
  )
}

/** The select for sorting where there are no headers to click: on a phone, and for columns that are folded. */
function SortBox<Row>({ table, list, narrow }: Pick<TableToolsProps<Row>, 'table' | 'list' | 'narrow'>) {
  const up = list.order === 'asc'
  return (
    <div style={{ display: 'flex', gap: 8, flex: '1 1 200px', maxWidth: narrow ? undefined : 280 }}>
      <Select aria-label="Sort by" value={list.sort} onChange={(event) => list.sortBy(event.target.value)}>
        {(table.sortable ?? table.columns)
          .filter((column) => column.sort !== false)
          .map((column) => (
            <option key={column.key} value={column.key}>
              {column.header}
            </option>
          ))}
      </Select>
      <IconButton
        aria-label={up ? 'Ascending; reverse the order' : 'Descending; reverse the order'}
        onClick={() => list.sortBy(list.sort)}
      >
        {up ? <ArrowUp size={18} /> : <ArrowDown size={18} />}
      </IconButton>
    </div>
  )
}

const Row = styled('div')(({ theme }) => ({
  display: 'flex',
  flexWrap: 'wrap',
  alignItems: 'center',
  gap: 8,
  minHeight: 60,
  padding: '8px 24px',
  [theme.breakpoints.down('sm')]: { padding: '8px 16px' },
}))

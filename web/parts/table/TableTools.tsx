import IconButton from '@mui/material/IconButton'
import { styled } from '@mui/material/styles'
import { ArrowDown, ArrowUp, Search, X } from 'lucide-react'
import { type ReactNode, useId } from 'react'
import { Box, Select } from '../form/controls.tsx'
import { EXACT } from '../form/TextInput.tsx'
import { Toggle } from '../form/Toggle.tsx'
import type { Table } from './table.ts'
import type { ListState } from './useListState.ts'

interface TableToolsProps<Row> {
  table: Table<Row>
  list: ListState
  narrow: boolean
  tools: ReactNode
}

/** The toolbar above a table: search and tools. */
export function TableTools<Row>({ table, list, narrow, tools }: TableToolsProps<Row>) {
  if (!table.search && !tools && !table.denseSwitch && !narrow) return null
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
      {narrow && <SortBox table={table} list={list} />}
      {tools}
      {table.denseSwitch && !narrow && (
        <>
          <span style={{ flex: 1 }} />
          <Toggle label="Dense" checked={list.dense} onChange={list.setDense} />
        </>
      )}
    </Row>
  )
}

interface SearchBoxProps {
  label: string
  value: string
  /** Why the search cannot be made. */
  fault: string | undefined
  onChange: (text: string) => void
}

function SearchBox({ label, value, fault, onChange }: SearchBoxProps) {
  const id = useId()
  return (
    <SearchPlace>
      <Box>
        <Search aria-hidden size={16} />
        <input
          type="search"
          aria-label={label}
          aria-invalid={fault !== undefined}
          aria-describedby={fault && id}
          placeholder={label}
          value={value}
          autoComplete="off"
          {...EXACT}
          onChange={(event) => onChange(event.target.value)}
        />
        {value && (
          <IconButton size="small" aria-label="Clear the search" onClick={() => onChange('')}>
            <X size={16} />
          </IconButton>
        )}
      </Box>
      {fault && (
        <p id={id} role="alert">
          {fault}
        </p>
      )}
    </SearchPlace>
  )
}

const SearchPlace = styled('div')(({ theme }) => ({
  flex: '1 1 240px',
  maxWidth: 400,
  '& p': { marginTop: 4, fontSize: '0.75rem', color: theme.palette.tones.bad.text },
}))

/** The select for sorting on a phone, where cards have no headers to click. */
function SortBox<Row>({ table, list }: { table: Table<Row>; list: ListState }) {
  const up = list.order === 'asc'
  return (
    <div style={{ display: 'flex', gap: 8, flex: '1 1 200px' }}>
      <Select aria-label="Sort by" value={list.sort} onChange={(event) => list.sortBy(event.target.value)}>
        {table.columns
          .filter((column) => column.sort !== false)
          .map((column) => (
            <option key={column.key} value={column.key}>
              {column.header}
            </option>
          ))}
      </Select>
      <IconButton
        aria-label={up ? 'Ascending; turn the order' : 'Descending; turn the order'}
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

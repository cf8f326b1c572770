import IconButton from '@mui/material/IconButton'
import { styled } from '@mui/material/styles'
import { ChevronDown } from 'lucide-react'
import { type Column, type Narrow, type PlainTable, textOf } from './table.ts'

/** Lists fields of a row with their labels. Empty fields are left out. */
export function FieldLines<Row>({ columns, row }: { columns: readonly Column<Row>[]; row: Row }) {
  const filled = columns.filter((column) => column.key === 'actions' || textOf(column, row) !== '')
  if (filled.length === 0) return null
  return (
    <Fields>
      {filled.map((column) => (
        <div key={column.key}>
          <dt>{column.header}</dt>
          <dd>{textField(column, row)}</dd>
        </div>
      ))}
    </Fields>
  )
}

/** Text outside of a table wraps instead of being cut. */
export function textField<Row>(column: Column<Row>, row: Row) {
  return (
    <span key={column.key} className={column.mono ? 'identifier' : undefined}>
      {column.cell ? column.cell(row) : textOf(column, row)}
    </span>
  )
}

interface MoreButtonProps {
  /** The id of the element that it unfolds. */
  id: string
  open: boolean
  name: string
  onClick: () => void
}

export function MoreButton({ id, open, name, onClick }: MoreButtonProps) {
  return (
    <IconButton
      aria-expanded={open}
      aria-controls={open ? id : undefined}
      aria-label={`${open ? 'Less' : 'More'} about ${name}`}
      onClick={onClick}
      sx={{ padding: '6px' }}
    >
      <ChevronDown size={20} style={open ? { transform: 'rotate(180deg)' } : undefined} />
    </IconButton>
  )
}

/** Returns the columns that `narrow` assigns to one place. */
export function standing<Row>(table: PlainTable<Row>, place: Narrow) {
  return table.columns.filter((column) => (column.narrow ?? 'line') === place)
}

/** Returns the name of a row: its title, or its first field. */
export function nameOf<Row>(table: PlainTable<Row>, row: Row): string {
  const title = standing(table, 'title')
  return (title.length > 0 ? title : table.columns.slice(0, 1)).map((column) => textOf(column, row)).join(' ')
}

const Fields = styled('dl')(({ theme }) => ({
  display: 'grid',
  // On a tablet the fields have two columns, so that each value is near its label.
  gridTemplateColumns: 'repeat(auto-fit, minmax(min(100%, 280px), 1fr))',
  columnGap: 40,
  '& > div': {
    display: 'flex',
    justifyContent: 'space-between',
    alignItems: 'baseline',
    gap: 16,
    minHeight: 24,
  },
  '& dt': { flex: 'none', fontSize: '0.75rem', color: theme.palette.text.secondary },
  '& dd': { minWidth: 0, textAlign: 'right', overflowWrap: 'anywhere' },
}))

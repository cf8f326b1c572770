import IconButton from '@mui/material/IconButton'
import { styled } from '@mui/material/styles'
import { ChevronDown } from 'lucide-react'
import { type ReactNode, useId, useState } from 'react'
import { mono } from './faces.ts'
import { places, Skeleton } from './Skeleton.tsx'
import { type Column, type Narrow, type Table, textOf } from './table.ts'
import { chosenIn, PageBox, RowBox, type RowsProps, useChoose } from './WideRows.tsx'

type NarrowProps<Row> = RowsProps<Row> & { expand: ((row: Row) => ReactNode) | undefined }

/** The page on view as cards, for a phone: title and aside, lines beneath, the rest unfolds. */
export function NarrowRows<Row extends object>(props: NarrowProps<Row>) {
  const { label, table, list, page, select, waiting, expand } = props
  const choose = useChoose(select)
  if (waiting) return <WaitingCards table={table} rows={list.perPage} />
  return (
    <>
      {select && page.length > 0 && (
        <TakePage>
          <PageBox {...{ table, page, select }} /> Select this page
        </TakePage>
      )}
      <Cards aria-label={label}>
        {page.map((row) => (
          <NarrowRow
            key={table.rowKey(row)}
            {...{ table, row, expand }}
            {...chosenIn(table, row, select)}
            onChoose={choose}
          />
        ))}
      </Cards>
    </>
  )
}

interface NarrowRowProps<Row> {
  table: Table<Row>
  row: Row
  expand: ((row: Row) => ReactNode) | undefined
  chosen?: boolean | undefined
  name?: string | undefined
  onChoose: (key: string) => void
}

function NarrowRow<Row>({ table, row, expand, chosen, name, onChoose }: NarrowRowProps<Row>) {
  const [open, setOpen] = useState(false)
  const id = useId()
  const more = standing(table, 'more')
  const title = standing(table, 'title')
  const unfolds = more.length > 0 || expand !== undefined
  return (
    <Item data-chosen={chosen}>
      <Top>
        {name !== undefined && (
          <RowBox name={name} checked={chosen === true} onChange={() => onChoose(table.rowKey(row))} />
        )}
        <Title>{title.map((column) => fieldOf(column, row))}</Title>
        <Aside>{standing(table, 'aside').map((column) => fieldOf(column, row))}</Aside>
        {unfolds && (
          <IconButton
            aria-expanded={open}
            aria-controls={id}
            aria-label={`${open ? 'Less' : 'More'} about ${title.map((column) => textOf(column, row)).join(' ')}`}
            onClick={() => setOpen(!open)}
          >
            <ChevronDown size={20} style={open ? { transform: 'rotate(180deg)' } : undefined} />
          </IconButton>
        )}
      </Top>
      <Lines columns={standing(table, 'line')} row={row} />
      {unfolds && (
        <div id={id} hidden={!open}>
          {open && <Lines columns={more} row={row} />}
          {open && expand?.(row)}
        </div>
      )}
    </Item>
  )
}

function Lines<Row>({ columns, row }: { columns: readonly Column<Row>[]; row: Row }) {
  const filled = columns.filter((column) => column.cell || textOf(column, row) !== '')
  if (filled.length === 0) return null
  return (
    <Fields>
      {filled.map((column) => (
        <div key={column.key}>
          <dt>{column.header}</dt>
          <dd>{fieldOf(column, row)}</dd>
        </div>
      ))}
    </Fields>
  )
}

/** Text on a phone is not cut: it wraps, so nothing needs a pointer to be read. */
function fieldOf<Row>(column: Column<Row>, row: Row) {
  return (
    <span key={column.key} style={column.mono ? { fontFamily: mono } : undefined}>
      {column.cell ? column.cell(row) : textOf(column, row)}
    </span>
  )
}

function standing<Row>(table: Table<Row>, place: Narrow) {
  return table.columns.filter((column) => (column.narrow ?? 'line') === place)
}

function WaitingCards<Row>({ table, rows }: { table: Table<Row>; rows: number }) {
  const lines = standing(table, 'line').length
  return (
    <Cards aria-hidden>
      {places(rows).map((row) => (
        <Item key={row}>
          <Top>
            <Skeleton width="40%" />
          </Top>
          {places(lines).map((line) => (
            <div key={line} style={{ minHeight: 24 }}>
              <Skeleton width="80%" />
            </div>
          ))}
        </Item>
      ))}
    </Cards>
  )
}

const TakePage = styled('div')(({ theme }) => ({
  display: 'flex',
  alignItems: 'center',
  padding: '0 4px',
  color: theme.palette.text.secondary,
  '& input': { width: 18, height: 18, accentColor: theme.palette.accent.text },
}))

const Cards = styled('ul')(({ theme }) => ({
  fontVariantNumeric: 'tabular-nums',
  '& a': { color: theme.palette.accent.text, fontWeight: 600, textDecoration: 'none' },
  '& input': { width: 18, height: 18, accentColor: theme.palette.accent.text },
}))

const Item = styled('li')(({ theme }) => ({
  padding: '8px 16px 12px',
  borderTop: `1px solid ${theme.palette.divider}`,
  '&[data-chosen=true]': { background: theme.palette.accent.fill },
}))

const Top = styled('div')({ display: 'flex', alignItems: 'center', gap: 8, minHeight: 44 })

const Title = styled('div')({
  display: 'flex',
  flexWrap: 'wrap',
  gap: '0 8px',
  flex: 1,
  minWidth: 0,
  fontWeight: 600,
  overflowWrap: 'anywhere',
  // The name of a card is what a thumb goes for.
  '& a': { display: 'inline-flex', alignItems: 'center', minHeight: 44 },
})

const Aside = styled('div')({ display: 'flex', alignItems: 'center', gap: 8, flex: 'none' })

const Fields = styled('dl')(({ theme }) => ({
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

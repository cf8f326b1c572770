import { styled } from '@mui/material/styles'
import { ArrowDown, ArrowUp } from 'lucide-react'
import { memo, type ReactNode, useCallback, useId, useLayoutEffect, useMemo, useRef } from 'react'
import { Ellipsis } from '../Ellipsis.tsx'
import { mono } from '../faces.ts'
import { places, Skeleton } from '../Skeleton.tsx'
import { Lines, MoreButton, nameOf, standing } from './RowDetail.tsx'
import type { RowSelection } from './selection.ts'
import { type Column, type Table, textOf } from './table.ts'
import type { ListState } from './useListState.ts'
import { useRow, useSlots } from './useSlots.ts'
import { useStops } from './useStops.ts'

export interface RowsProps<Row> {
  label: string
  table: Table<Row>
  list: ListState
  page: readonly Row[]
  select: RowSelection<Row> | undefined
  expand: ((row: Row) => ReactNode) | undefined
  /** Nothing has come yet. */
  waiting: boolean
}

/**
 * The page on view as a table. Cells are plain elements under one style sheet: a page of 50 rows has 350 of
 * them, and a styled component for each takes longer than a slow phone has between two frames.
 */
export function WideRows<Row extends object>(props: RowsProps<Row> & { folded: boolean }) {
  const { label, table, list, page, select, waiting, folded, expand } = props
  const body = useRef<HTMLTableSectionElement>(null)
  const choose = useChoose(select)
  useStops(body)
  const columns = useMemo(() => shown(table, folded), [table, folded])
  const slots = useSlots(table, page)
  return (
    <Sheet aria-label={label} dense={list.dense} data-folded={folded}>
      <thead>
        <tr>
          {select && (
            <th className="box">
              <PageBox {...{ table, page, select }} />
            </th>
          )}
          {columns.map((column) => (
            <Heading key={column.key} column={column} list={list} />
          ))}
          {folded && <td className="box" />}
        </tr>
      </thead>
      <tbody ref={body}>
        {waiting ? (
          <WaitingRows {...{ columns, folded }} rows={list.perPage} boxed={select !== undefined} />
        ) : (
          page.map((row, at) => (
            <WideRow
              key={slots[at]}
              {...{ table, columns, row, folded, expand }}
              {...chosenIn(table, row, select)}
              onChoose={choose}
            />
          ))
        )}
      </tbody>
    </Sheet>
  )
}

/** Takes or leaves the whole page. */
export function PageBox<Row>({
  table,
  page,
  select,
}: {
  table: Table<Row>
  page: readonly Row[]
  select: RowSelection<Row>
}) {
  const keys = page.map(table.rowKey)
  const taken = keys.filter((key) => select.chosen.has(key)).length
  const every = taken > 0 && taken === keys.length
  return (
    <label className="hit">
      <input
        type="checkbox"
        aria-label="Select this page"
        disabled={keys.length === 0}
        checked={every}
        ref={(box) => {
          if (box) box.indeterminate = taken > 0 && !every
        }}
        onChange={() => select.onChange(toggled(select.chosen, keys, !every))}
      />
    </label>
  )
}

/** The checkbox of one row. */
export function RowBox({
  name,
  checked,
  onChange,
}: {
  name: string
  checked: boolean
  onChange: () => void
}) {
  return (
    <label className="hit">
      <input type="checkbox" aria-label={`Select ${name}`} checked={checked} onChange={onChange} />
    </label>
  )
}

/** What a row needs to know of the selection: little, so that only the rows that change are drawn again. */
export function chosenIn<Row>(table: Table<Row>, row: Row, select: RowSelection<Row> | undefined) {
  return select ? { chosen: select.chosen.has(table.rowKey(row)), name: select.name(row) } : {}
}

/** Takes or leaves one row by its key; the same function at every render. */
export function useChoose<Row>(select: RowSelection<Row> | undefined) {
  const latest = useRef(select)
  useLayoutEffect(() => {
    latest.current = select
  })
  return useCallback((key: string) => {
    const now = latest.current
    now?.onChange(toggled(now.chosen, [key], !now.chosen.has(key)))
  }, [])
}

function toggled(chosen: ReadonlySet<string>, keys: readonly string[], on: boolean) {
  const next = new Set(chosen)
  for (const key of keys) on ? next.add(key) : next.delete(key)
  return next
}

function Heading<Row>({ column, list }: { column: Column<Row>; list: ListState }) {
  const active = list.sort === column.key
  const Arrow = list.order === 'asc' ? ArrowUp : ArrowDown
  const sorting = active ? (list.order === 'asc' ? 'ascending' : 'descending') : undefined
  return (
    <th scope="col" aria-sort={sorting} className={column.align} style={{ width: column.width }}>
      {column.sort === false ? (
        column.header
      ) : (
        <button type="button" onClick={() => list.sortBy(column.key)} data-active={active}>
          {column.header}
          <Arrow aria-hidden size={14} />
        </button>
      )}
    </th>
  )
}

interface WideRowProps<Row> {
  table: Table<Row>
  columns: readonly Column<Row>[]
  row: Row
  folded: boolean
  expand: ((row: Row) => ReactNode) | undefined
  chosen?: boolean | undefined
  name?: string | undefined
  onChoose: (key: string) => void
}

const WideRow = memo(function WideRow<Row extends object>(props: WideRowProps<Row>) {
  const { table, columns, row, folded, chosen, name, onChoose } = props
  const id = useId()
  const { open, turn, place } = useRow<HTMLTableRowElement>(table.rowKey(row))
  return (
    <>
      <tr data-chosen={chosen} ref={place}>
        {name !== undefined && (
          <td className="box">
            <RowBox name={name} checked={chosen === true} onChange={() => onChoose(table.rowKey(row))} />
          </td>
        )}
        {columns.map((column) => (
          <td key={column.key} className={column.align} style={column.mono ? identifier : undefined}>
            {cellOf(column, row)}
          </td>
        ))}
        {folded && (
          <td className="box">
            <MoreButton id={id} open={open} name={nameOf(table, row)} onClick={turn} />
          </td>
        )}
      </tr>
      {folded && open && (
        <tr id={id}>
          <td className="detail" colSpan={columns.length + (name === undefined ? 1 : 2)}>
            <Lines columns={standing(table, 'more')} row={row} />
            {props.expand?.(row)}
          </td>
        </tr>
      )}
    </>
  )
}) as <Row extends object>(props: WideRowProps<Row>) => ReactNode

const identifier = { fontFamily: mono }

function shown<Row>(table: Table<Row>, folded: boolean): readonly Column<Row>[] {
  if (!folded) return table.columns
  const kept = table.columns.filter((column) => column.narrow !== 'more')
  // What may take a second line takes the room that is left.
  return kept.map((column) => (column.least === undefined ? column : withoutWidth(column)))
}

function withoutWidth<Row>({ width: _, ...column }: Column<Row>): Column<Row> {
  return column
}

function cellOf<Row>(column: Column<Row>, row: Row): ReactNode {
  return column.cell ? column.cell(row) : <Ellipsis text={textOf(column, row)} identifier={column.mono} />
}

interface WaitingRowsProps<Row> {
  columns: readonly Column<Row>[]
  rows: number
  boxed: boolean
  folded: boolean
}

function WaitingRows<Row>({ columns, rows, boxed, folded }: WaitingRowsProps<Row>) {
  return places(rows).map((place, row) => (
    <tr key={place}>
      {boxed && (
        <td className="box">
          <span className="hit" />
        </td>
      )}
      {columns.map((column) => (
        <td key={column.key} className={column.align}>
          <Skeleton width={`${45 + ((row * 7 + column.header.length * 11) % 40)}%`} />
        </td>
      ))}
      {folded && <td className="box" />}
    </tr>
  ))
}

const Sheet = styled('table', { shouldForwardProp: (name) => name !== 'dense' })<{ dense: boolean }>(
  ({ theme, dense }) => {
    const { palette } = theme
    return {
      width: '100%',
      tableLayout: 'fixed',
      borderCollapse: 'separate',
      borderSpacing: 0,
      fontSize: '0.875rem',
      fontVariantNumeric: 'tabular-nums',
      textAlign: 'left',
      '& th, & td': {
        height: dense ? 40 : 52,
        padding: '0 8px',
        borderBottom: `1px solid ${palette.divider}`,
      },
      '& td': { overflow: 'hidden', whiteSpace: 'nowrap', textOverflow: 'ellipsis' },
      '& tbody tr:last-of-type td': { borderBottomColor: 'transparent' },
      '& th:first-of-type:not(.box), & td:first-of-type:not(.box)': { paddingLeft: 24 },
      '& th:last-of-type, & td:last-of-type': { paddingRight: 24 },
      '& thead .box': { width: 40 },
      '& th.box, & td.box': { padding: '0 8px' },
      '& .detail': {
        height: 'auto',
        padding: '8px 24px 12px',
        whiteSpace: 'normal',
        background: palette.background.default,
      },
      '& input': { width: 16, height: 16, margin: 0, accentColor: palette.accent.text, cursor: 'pointer' },
      '& thead tr > *': {
        // A width is that of the content, whatever stands around it.
        boxSizing: 'content-box',
        position: 'sticky',
        top: 'var(--table-top, 0px)',
        zIndex: 1,
        height: 39,
        fontSize: '0.75rem',
        fontWeight: 600,
        color: palette.text.secondary,
        background: palette.background.paper,
      },
      '& th button': {
        display: 'inline-flex',
        alignItems: 'center',
        gap: 4,
        maxWidth: '100%',
        minHeight: 32,
        padding: 0,
        border: 0,
        borderRadius: 4,
        background: 'none',
        font: 'inherit',
        cursor: 'pointer',
      },
      // Numbers stand right, clear of the words that follow, and so do their headers.
      '& .right': { textAlign: 'right', paddingRight: 24 },
      '& .right button': { flexDirection: 'row-reverse' },
      '& th button svg': { flex: 'none', opacity: 0 },
      '& th button:hover svg, & th button:focus-visible svg': { opacity: 0.5 },
      '& th button[data-active=true]': { color: palette.text.primary },
      '& th button[data-active=true] svg': { opacity: 1 },
      // Links are made to be read on this ground, in every preset.
      '& tbody tr:hover, & tbody tr:focus-within': { background: palette.background.default },
      '& tbody tr[data-chosen=true]': { background: palette.accent.fill },
      // As high as a pointer needs in rows that stand close, and cut like any other text.
      '& a': {
        display: 'block',
        width: 'fit-content',
        maxWidth: '100%',
        overflow: 'hidden',
        textOverflow: 'ellipsis',
        lineHeight: '24px',
        color: palette.accent.text,
        fontWeight: 600,
        textDecoration: 'none',
      },
      '& a:hover': { textDecoration: 'underline' },
    }
  },
)

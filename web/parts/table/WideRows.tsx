import { styled } from '@mui/material/styles'
import { ArrowDown, ArrowUp } from 'lucide-react'
import { type CSSProperties, memo, type ReactNode, useRef } from 'react'
import { Ellipsis } from '../Ellipsis.tsx'
import { own } from '../own.ts'
import { places, Skeleton } from '../Skeleton.tsx'
import { PageBox, RowBox } from './SelectBoxes.tsx'
import { type Column, textOf } from './table.ts'
import { BOX, type Fit, leastOf, neededBy, spaceAround, wantedBy } from './useFit.ts'
import { type Arrangement, type RowProps, type RowsProps, useRows } from './useRows.ts'
import { useRow } from './useSlots.ts'
import { useTabStops } from './useTabStops.ts'

/**
 * The rows as a table. A page of 50 rows has 350 cells: styled components for them take longer than a frame on a slow
 * phone, so they are plain elements under one style sheet. Below the least widths of the columns the table scrolls
 * sideways.
 */
export function WideRows<Row extends object>(props: RowsProps<Row> & { fit: Omit<Fit, 'cards'> }) {
  const { label, table, list, page, select, waiting } = props
  const { room, folded, spared, scrolls } = props.fit
  const { columns } = table
  const body = useRef<HTMLTableSectionElement>(null)
  const rows = useRows(props)
  useTabStops(body)
  return (
    <Scroller
      data-scrolls={scrolls || undefined}
      data-folded={folded || undefined}
      data-spared={spared > 0 || undefined}
      style={scrolls ? besideFixed(columns, select) : undefined}
    >
      <Sheet aria-label={label} dense={list.dense} style={sizes(columns, select, room)}>
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
          </tr>
        </thead>
        <tbody ref={body} data-rows="">
          {waiting ? (
            <WaitingRows columns={columns} rows={list.perPage} boxed={select !== undefined} />
          ) : (
            rows.map(({ slot, props: row }) => <WideRow key={slot} {...row} />)
          )}
        </tbody>
      </Sheet>
    </Scroller>
  )
}

/** Keeps a focused cell from being scrolled under the fixed columns. */
function besideFixed<Row>(columns: readonly Column<Row>[], select: unknown): CSSProperties {
  const width = (place: string) =>
    columns.reduce((sum, column, at) => {
      return placeOf(column) === place ? sum + leastOf(column) + spaceAround(columns, at) : sum
    }, 8)
  return {
    scrollPaddingLeft: width('name') + (select ? BOX : 0),
    scrollPaddingRight: width('actions'),
  }
}

function sizes<Row>(columns: readonly Column<Row>[], select: unknown, room: number): CSSProperties {
  const least = neededBy(columns, select !== undefined, leastOf)
  return { minWidth: least, '--room': room, '--box': select ? `${BOX}px` : '0px' } as CSSProperties
}

function Heading<Row>({ column, list }: { column: Column<Row>; list: Arrangement }) {
  const { sortBy } = list
  const active = list.sort === column.key
  const Arrow = list.order === 'asc' ? ArrowUp : ArrowDown
  const sorting = active ? (list.order === 'asc' ? 'ascending' : 'descending') : undefined
  return (
    <th scope="col" aria-sort={sorting} className={placeOf(column)} style={{ width: widthOf(column) }}>
      {!sortBy || column.sort === false ? (
        column.header
      ) : (
        <button type="button" onClick={() => sortBy(column.key)} data-active={active} data-hint={column.hint}>
          {column.header}
          <Arrow aria-hidden size={14} />
        </button>
      )}
    </th>
  )
}

/** The name and the actions stay visible while the table scrolls sideways. */
function placeOf<Row>({ key, narrow, align }: Column<Row>): string | undefined {
  if (narrow === 'title') return 'name'
  return key === 'actions' ? 'actions' : align
}

/** Returns a width between the column's least and its normal width. */
function widthOf<Row>(column: Column<Row>): string | undefined {
  if (column.width === undefined) return undefined
  const least = leastOf(column)
  return `calc(${least}px + ${wantedBy(column) - least}px * var(--room))`
}

const WideRow = memo(function WideRow<Row extends object>(props: RowProps<Row>) {
  const { table, row, chosen, name, marked, onChoose } = props
  const { place } = useRow<HTMLTableRowElement>(table.rowKey(row))
  return (
    <tr data-chosen={chosen} data-marked={marked || undefined} ref={place}>
      {name !== undefined && (
        <td className="box">
          <RowBox
            name={name}
            checked={chosen === true}
            onChange={(range) => onChoose(table.rowKey(row), range)}
          />
        </td>
      )}
      {table.columns.map((column) => (
        <td key={column.key} className={classOf(column)}>
          {cellOf(column, row)}
        </td>
      ))}
    </tr>
  )
}) as <Row extends object>(props: RowProps<Row>) => ReactNode

function classOf<Row>(column: Column<Row>): string | undefined {
  const place = placeOf(column)
  return column.mono ? `identifier ${place ?? ''}` : place
}

function cellOf<Row>(column: Column<Row>, row: Row): ReactNode {
  return column.cell ? column.cell(row) : <Ellipsis text={textOf(column, row)} identifier={column.mono} />
}

interface WaitingRowsProps<Row> {
  columns: readonly Column<Row>[]
  rows: number
  boxed: boolean
}

function WaitingRows<Row>({ columns, rows, boxed }: WaitingRowsProps<Row>) {
  return places(rows).map((place, row) => (
    <tr key={place}>
      {boxed && (
        <td className="box">
          <span className="hit" />
        </td>
      )}
      {columns.map((column) => (
        <td key={column.key} className={placeOf(column)}>
          <Skeleton width={`${45 + ((row * 7 + column.header.length * 11) % 40)}%`} />
        </td>
      ))}
    </tr>
  ))
}

/**
 * A table that is too wide scrolls in this element. Its height is limited, so that header and scroll bar stay visible.
 */
const Scroller = styled('div')(({ theme }) => ({
  '&[data-scrolls]': {
    position: 'relative',
    maxHeight: 'max(320px, calc(100dvh - var(--table-top, 0px) - 72px))',
    overflow: 'auto',
    '& > table': { '--table-top': '0px' },
    '& .box, & .name, & .actions': { position: 'sticky', zIndex: 1 },
    '& .box': { left: 0 },
    // To the left alone: at the right, a name that is not the first column would cover those before it.
    '& .name': { left: 'var(--box)', boxShadow: `inset -1px 0 ${theme.palette.divider}` },
    '& .actions': { right: 0, boxShadow: `inset 1px 0 ${theme.palette.divider}` },
    '& thead .box, & thead .name, & thead .actions': { zIndex: 3 },
    '@media print': {
      maxHeight: 'none',
      overflow: 'visible',
      '& .name, & thead .name': { position: 'static' },
    },
  },
}))

const Sheet = styled(
  'table',
  own('dense'),
)<{ dense: boolean }>(({ theme, dense }) => {
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
    '& input': { width: 16, height: 16, margin: 0, accentColor: palette.accent.text, cursor: 'pointer' },
    '& thead tr > *': {
      // Widths are those of the content, without padding.
      boxSizing: 'content-box',
      position: 'sticky',
      top: 'var(--table-top, 0px)',
      zIndex: 2,
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
    // Numbers and their headers are aligned right, with a distance from the text that follows.
    '& .right': { textAlign: 'right' },
    '& .right + :not(.right)': { paddingLeft: 24 },
    '& .right button': { flexDirection: 'row-reverse', textAlign: 'right' },
    // The arrow stands in the padding, so that a number needs no more room than its header's words.
    '& .right button svg': { marginLeft: -18 },
    '& th button svg': { flex: 'none', opacity: 0 },
    '& th button:hover svg, & th button:focus-visible svg': { opacity: 0.5 },
    '& th button[data-active=true]': { color: palette.text.primary },
    '& th button[data-active=true] svg': { opacity: 1 },
    // Link colours are chosen to have enough contrast on this background in every preset.
    '& tbody tr': { background: palette.background.paper },
    // Fixed cells are opaque, so that other cells do not show through.
    '& tbody td': { background: 'inherit' },
    '& tbody tr:hover, & tbody tr:focus-within': { background: palette.background.default },
    '& tbody tr[data-chosen=true]': { background: palette.accent.fill },
    // A link is as high as a pointer needs in dense rows, and its text is cut like any other.
    '& a': {
      display: 'block',
      width: 'fit-content',
      maxWidth: '100%',
      overflow: 'hidden',
      textOverflow: 'ellipsis',
      lineHeight: '1.5rem',
      color: palette.accent.text,
      fontWeight: 600,
      textDecoration: 'none',
    },
    '& a:hover': { textDecoration: 'underline' },
    // A finger needs more. Rows are as high before they have come.
    '@media (pointer: coarse)': {
      '& td': { height: dense ? 44 : 52 },
      '& th button': { minWidth: 44, minHeight: 44 },
      '& a': { lineHeight: '44px' },
    },
    // The widths are those of the window. On paper the content shares the sheet's, and shows all of itself.
    '@media print': {
      tableLayout: 'auto',
      minWidth: '0 !important',
      fontSize: '0.75rem',
      '& th, & td': { padding: '0 4px !important' },
      '& thead tr > *': { position: 'static', width: 'auto !important' },
      // Chromium repeats no button at the head of the next sheet, only its text.
      '& th button': { display: 'contents' },
      '& tr': { breakInside: 'avoid' },
      '& td': { whiteSpace: 'normal' },
      '& .box, & .actions': { display: 'none' },
    },
  }
})

import { styled } from '@mui/material/styles'
import { memo, type ReactNode, useId, useRef } from 'react'
import { places, Skeleton } from '../Skeleton.tsx'
import { FieldLines, MoreButton, nameOf, standing, textField } from './RowDetail.tsx'
import { PageBox, RowBox } from './SelectBoxes.tsx'
import type { PlainTable } from './table.ts'
import { type RowProps, type RowsProps, useRows } from './useRows.ts'
import { useRow } from './useSlots.ts'
import { useTabStops } from './useTabStops.ts'

/** The rows as cards, for a phone: title and aside on top, lines below, and the rest unfolds. */
export function NarrowRows<Row extends object>(props: RowsProps<Row>) {
  const { label, table, list, page, select, waiting } = props
  const cards = useRef<HTMLUListElement>(null)
  const rows = useRows(props)
  useTabStops(cards)
  if (waiting) {
    return (
      <>
        {select && <TakePage aria-hidden>{roomOfBox}</TakePage>}
        <WaitingCards table={table} rows={list.perPage} />
      </>
    )
  }
  return (
    <>
      {select && page.length > 0 && (
        <TakePage>
          <PageBox {...{ table, page, select }} /> Select this page
        </TakePage>
      )}
      <Cards ref={cards} aria-label={label} data-rows="">
        {rows.map(({ slot, props: row }) => (
          <NarrowRow key={slot} {...row} />
        ))}
      </Cards>
    </>
  )
}

const roomOfBox = <span className="hit" />

const NarrowRow = memo(function NarrowRow<Row>(props: RowProps<Row>) {
  const { table, row, chosen, name, marked, onChoose } = props
  const id = useId()
  const { open, turn, place } = useRow<HTMLLIElement>(table.rowKey(row))
  const more = standing(table, 'more')
  const unfolds = more.length > 0
  return (
    <Item data-chosen={chosen} data-marked={marked || undefined} ref={place}>
      <Top>
        {name !== undefined && (
          <RowBox
            name={name}
            checked={chosen === true}
            onChange={(range) => onChoose(table.rowKey(row), range)}
          />
        )}
        <Title>{standing(table, 'title').map((column) => textField(column, row))}</Title>
        <Aside>{standing(table, 'aside').map((column) => textField(column, row))}</Aside>
        {unfolds && <MoreButton id={id} open={open} name={nameOf(table, row)} onClick={turn} />}
      </Top>
      <FieldLines columns={standing(table, 'line')} row={row} />
      {unfolds && (
        <div id={id} hidden={!open}>
          {open && <FieldLines columns={more} row={row} />}
        </div>
      )}
    </Item>
  )
}) as <Row>(props: RowProps<Row>) => ReactNode

function WaitingCards<Row>({ table, rows }: { table: PlainTable<Row>; rows: number }) {
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
  padding: '0 11px',
  color: theme.palette.text.secondary,
  [theme.breakpoints.down('sm')]: { padding: '0 3px' },
  '& input': { width: 18, height: 18, accentColor: theme.palette.accent.text },
}))

const Cards = styled('ul')(({ theme }) => ({
  fontVariantNumeric: 'tabular-nums',
  // In a large font the time goes beneath the date.
  '& .moment': { whiteSpace: 'normal' },
  '& a': { color: theme.palette.accent.text, fontWeight: 600, textDecoration: 'none' },
  '& input': { width: 18, height: 18, accentColor: theme.palette.accent.text },
}))

const Item = styled('li')(({ theme }) => ({
  padding: '8px 24px 12px',
  borderTop: `1px solid ${theme.palette.divider}`,
  [theme.breakpoints.down('sm')]: { padding: '8px 16px 12px' },
  '&[data-chosen=true]': { background: theme.palette.accent.fill },
}))

const Top = styled('div')({
  display: 'flex',
  alignItems: 'center',
  gap: 8,
  minHeight: 44,
  // Aligns the checkbox with the text; its touch target extends beyond.
  '& > label': { margin: '0 -8px 0 -13px' },
  '& > button': { marginRight: -10 },
})

const Title = styled('div')({
  display: 'flex',
  flexWrap: 'wrap',
  gap: '0 8px',
  flex: 1,
  minWidth: 0,
  fontWeight: 600,
  overflowWrap: 'anywhere',
  // A card has room for the whole text.
  '& .ellipsis': { whiteSpace: 'normal' },
  // A card's title has the height of a touch target.
  '& a': { display: 'inline-flex', alignItems: 'center', minHeight: 44, lineHeight: 1.5 },
})

const Aside = styled('div')({ display: 'flex', alignItems: 'center', gap: 8, flex: 'none' })

import { styled } from '@mui/material/styles'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { Chip } from '../parts/Chip.tsx'
import { Ellipsis } from '../parts/Ellipsis.tsx'
import { MomentText } from '../parts/MomentText.tsx'
import { number } from '../parts/number.ts'
import { type Column, widths } from '../parts/table/table.ts'
import { type MomentFormat, showMoment } from '../parts/time.ts'
import type { Tone } from '../parts/tone.ts'
import { to } from '../screens.ts'
import { zone } from '../zone.ts'
import { balanceTone } from './balance.ts'

type Look<Row> = Pick<Column<Row>, 'narrow'>

/** A date and time, or nothing. It is shown and searched in the business's time zone. */
export function moment<Row extends object>(
  key: keyof Row & string,
  header: string,
  format: MomentFormat,
  look: Look<Row> = {},
): Column<Row> {
  const iso = (row: Row) => row[key] as string | null
  return {
    key,
    header,
    width: widths[format],
    text: (row) => (iso(row) === null ? '' : showMoment(iso(row) as string, zone(), format)),
    cell: (row) =>
      iso(row) === null ? null : <MomentText inRows iso={iso(row) as string} zone={zone()} format={format} />,
    sort: iso,
    ...look,
  }
}

/** A whole number, aligned right. */
export function count<Row extends object>(
  key: keyof Row & string,
  header: string,
  look: Look<Row> = {},
): Column<Row> {
  return {
    key,
    header,
    width: widths.number,
    align: 'right',
    // As digits alone, and as it is shown.
    text: (row) => `${row[key]} ${number(row[key] as number)}`,
    cell: (row) => number(row[key] as number),
    ...look,
  }
}

/** A balance, coloured by how much is left, and marked where it is low. */
export function balance<Row extends { credits: number; low: boolean }>(look: Look<Row> = {}): Column<Row> {
  const column = count<Row>('credits', 'Credits', look)
  return {
    ...column,
    width: 112,
    least: 88,
    text: (row) => `${column.text?.(row)}${row.low ? ' low' : ''}`,
    cell: ({ credits, low }) => (
      <Chip tone={balanceTone(credits)} hint={low ? 'Below the threshold' : undefined}>
        {number(credits)}
        {low && ' low'}
      </Chip>
    ),
  }
}

/** The word of a state and the meaning of its colour. */
export interface ChipLook {
  label: string
  tone: Tone
}

/** A state, as a chip with its word. */
export function chip<Row>(
  key: string,
  header: string,
  stateOf: (row: Row) => ChipLook,
  look: Look<Row> & Pick<Column<Row>, 'width'> = {},
): Column<Row> {
  const label = (row: Row) => stateOf(row).label
  return {
    key,
    header,
    width: widths.chip,
    text: label,
    sort: label,
    cell: (row) => {
      const { label, tone } = stateOf(row)
      return <Chip tone={tone}>{label}</Chip>
    },
    ...look,
  }
}

/** Text of any length, cut at the end of the column. */
export function text<Row extends object>(
  key: keyof Row & string,
  header: string,
  look: Look<Row> = {},
): Column<Row> {
  return { key, header, cell: (row) => <Ellipsis text={String(row[key])} />, ...look }
}

/** The buttons of a row. */
export function actions<Row>(
  look: Look<Row> & { width: number },
  cell: (row: Row) => ReactNode,
): Column<Row> {
  return { key: 'actions', header: 'Actions', sort: false, cell, ...look }
}

/** The name of a client, which leads to its page. */
export function ClientLink({ name }: { name: string }) {
  return (
    <Link to={to.client(name)} data-hint={name} data-hint-cut="">
      {name}
    </Link>
  )
}

/** The name of an account beneath the reader, which leads to its page in the tree. */
export function AccountLink({ name }: { name: string }) {
  return (
    <CellLink to={to.branch(name)} className="ellipsis identifier" data-hint={name} data-hint-cut="">
      {name}
    </CellLink>
  )
}

/** A link in a cell: as high as a finger, with the ellipsis of a text in one line. */
export const CellLink = styled(Link)({ '@media (pointer: coarse)': { minWidth: 44, lineHeight: '44px' } })

/** The address from which somebody or a box came. */
export function address<Row extends { address: string | null }>(): Column<Row> {
  return {
    key: 'address',
    header: 'Address',
    width: 136,
    mono: true,
    text: ({ address }) => address ?? '',
    cell: ({ address }) => <Ellipsis text={address ?? 'Unknown'} identifier />,
  }
}

/** A MAC address, or nothing. It is sorted by its digits, and not by the decimal numbers in it. */
export function mac<Row extends { mac: string | null }>(look: Look<Row> = {}): Column<Row> {
  const sort = ({ mac }: Row) => (mac === null ? null : Number.parseInt(mac.replaceAll(':', ''), 16))
  return { key: 'mac', header: 'MAC', width: widths.mac, mono: true, sort, ...look }
}

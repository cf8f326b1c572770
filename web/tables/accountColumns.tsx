import './accounts.css'
import './second.css'
import { Ban } from 'lucide-react'
import { counted } from '../../contract/quantities.ts'
import type { TreeRow } from '../../contract/tree.ts'
import { Chip } from '../parts/Chip.tsx'
import { Ellipsis } from '../parts/Ellipsis.tsx'
import { number } from '../parts/number.ts'
import { type Column, textOf, widths } from '../parts/table/table.ts'
import { count, moment } from './columns.tsx'

/** How long the balance lasts at the pace of the last 30 days, or of all days of a younger account. */
export function lasts<Row extends Pick<TreeRow, 'lasts'>>(): Column<Row> {
  return {
    key: 'lasts',
    header: 'Lasts',
    align: 'right',
    // Wide enough for 'about 365 days'. Over years the estimate says little.
    width: 106,
    text: ({ lasts }) =>
      lasts === null ? '' : lasts > 999 ? 'over 999 days' : `about ${counted(lasts, 'day')}`,
  }
}

/** The credits used in the last 30 days, less those taken back. */
export function used<Row extends Pick<TreeRow, 'used'>>(): Column<Row> {
  return { ...count<Row>('used', 'Used, 30 days'), hint: 'Less those taken back', width: 104 }
}

/**
 * How long the balance lasts, and what was used. Where there is no room for both columns, the second stands beneath the
 * first: in every folded table, or only in one that would still have to scroll.
 */
export function pace<Row extends Pick<TreeRow, 'lasts' | 'used'>>(
  leftOut: 'folded' | 'spared',
): readonly [Column<Row>, Column<Row>] {
  const rest = lasts<Row>()
  const cell = (row: Row) => (
    <>
      <Ellipsis text={textOf(rest, row)} />
      <small className={`${leftOut}-only second`}>{number(row.used)} in 30 days</small>
    </>
  )
  return [
    { ...rest, cell },
    { ...used<Row>(), ...(leftOut === 'folded' ? { foldedInto: rest.key } : { spared: true }) },
  ]
}

export function lastLogin<Row extends Pick<TreeRow, 'last_login'>>(): Column<Row> {
  return { ...moment<Row>('last_login', 'Last login', 'date', { narrow: 'more' }), least: 92 }
}

export function state<Row extends Pick<TreeRow, 'suspended' | 'closed'>>(): Column<Row> {
  return {
    key: 'suspended',
    header: 'State',
    width: widths.chip,
    text: stateOf,
    sort: stateOf,
    cell: (row) => stateOf(row) && <Chip tone="bad">{stateOf(row)}</Chip>,
  }
}

function stateOf({ suspended, closed }: Pick<TreeRow, 'suspended' | 'closed'>): string {
  if (closed) return 'Closed'
  return suspended ? 'Suspended' : ''
}

/** The mark of an account that is suspended, where the column of the state is left out. */
export function SuspendedMark() {
  return (
    <span className="suspended" role="img" aria-label="Suspended" data-hint="Suspended">
      <Ban aria-hidden size={16} />
    </span>
  )
}

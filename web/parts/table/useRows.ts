import { useChoose } from './SelectBoxes.tsx'
import type { RowSelection } from './selection.ts'
import type { PlainTable } from './table.ts'
import type { ListState } from './useListState.ts'
import { useSlots } from './useSlots.ts'

/** The part of the list's state that the rows need. Without `sortBy` nobody sorts them. */
export type Arrangement = Pick<ListState, 'sort' | 'order' | 'dense' | 'perPage'> &
  Partial<Pick<ListState, 'sortBy'>>

export interface RowsProps<Row> {
  label: string
  table: PlainTable<Row>
  list: Arrangement
  page: readonly Row[]
  select: RowSelection<Row> | undefined
  /** The keys of rows that were just changed. */
  marks?: ReadonlyMap<string, number>
  /** True before the first rows load. */
  waiting: boolean
}

export interface RowProps<Row> {
  table: PlainTable<Row>
  row: Row
  chosen?: boolean | undefined
  /** The name at its checkbox; undefined where no rows can be selected. */
  name?: string | undefined
  marked: boolean | undefined
  onChoose: (key: string, range: boolean) => void
}

/** Returns for each row of a page its slot, and props that change only where the row does. */
export function useRows<Row>({ table, page, select, marks }: RowsProps<Row>) {
  const onChoose = useChoose(table, page, select)
  const slots = useSlots(table, page)
  return page.map((row, at) => {
    const key = table.rowKey(row)
    const selected = select && { chosen: select.chosen.has(key), name: select.name(row) }
    const props: RowProps<Row> = { table, row, ...selected, marked: marks?.has(key), onChoose }
    return { slot: slots[at], props }
  })
}

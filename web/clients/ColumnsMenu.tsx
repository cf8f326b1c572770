import { Columns3 } from 'lucide-react'
import { use, useMemo } from 'react'
import { Menu } from '../parts/dialog/Menu.tsx'
import { type Remembered, TableMemory } from '../parts/table/memory.ts'
import type { Column, Table } from '../parts/table/table.ts'

/** Shows and hides the columns of a table. */
export function ColumnsMenu<Row>({ table }: { table: Table<Row> }) {
  const { of, keep } = use(TableMemory)
  const kept = of(table.name)
  const items = table.columns
    .filter(({ usually }) => usually)
    .map((column) => {
      const checked = isShown(column, kept)
      const onChoose = () => keep(table.name, { columns: { [column.key]: !checked } })
      return { label: column.header, checked, onChoose }
    })
  return <Menu label="Columns" icon={<Columns3 size={18} />} items={items} />
}

/** Returns a table with the columns that the person wants to see. */
export function useShownColumns<Row>(table: Table<Row>): Table<Row> {
  const kept = use(TableMemory).of(table.name)
  return useMemo(
    () => ({
      ...table,
      columns: table.columns.filter((column) => isShown(column, kept)),
      sortable: table.columns,
    }),
    [table, kept],
  )
}

function isShown<Row>({ key, usually }: Column<Row>, { columns }: Remembered): boolean {
  return usually === undefined || (columns?.[key] ?? usually === 'shown')
}

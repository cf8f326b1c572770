import type { Column } from '../parts/table/table.ts'
import { shownPhone } from '../phone.ts'

/** A phone number, as it is written here. */
export function phone<Row extends { phone: string }>(): Column<Row> {
  return { key: 'phone', header: 'Phone', width: 128, sort: false, text: (row) => shownPhone(row.phone) }
}

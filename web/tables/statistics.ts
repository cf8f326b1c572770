import type * as z from 'zod/mini'
import type { StatisticsRow } from '../../contract/shapes.ts'
import { table, widths } from '../parts/table/table.ts'
import { count } from './columns.tsx'

type Row = z.output<typeof StatisticsRow>

/** The totals beneath a superreseller at the end of each day. */
export const statistics = table<Row>({
  name: 'statistics',
  columns: [
    { key: 'onDate', header: 'Date', width: widths.date, narrow: 'title' },
    count('credits', 'Credits', { narrow: 'aside' }),
    count('resellers', 'Resellers'),
    count('dealers', 'Dealers'),
    count('clients', 'Clients'),
  ],
  rowKey: ({ onDate }) => onDate,
  firstSort: { by: 'onDate', order: 'desc' },
  pageSizes: [5, 10, 25],
  empty: 'No statistics found',
})

import type { Fragment, Sql } from './pool.ts'

export function directionOf(sql: Sql, order: 'asc' | 'desc'): Fragment {
  return order === 'asc' ? sql`asc` : sql`desc`
}

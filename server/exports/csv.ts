import { stringify } from 'csv-stringify/sync'
import type { Sql } from '../postgres/pool.ts'
import type { Listing } from './listing.ts'

/** Rows that are asked for at once: enough to be fast, few enough that other calls never wait for them. */
const AT_ONCE = 1_000

/**
 * A listing as CSV (RFC 4180) with a header, in UTF-8 with the mark by which Excel knows it. A cell that a spreadsheet
 * would take for a formula begins with an apostrophe.
 */
export async function* csv(sql: Sql, { columns, rows }: Listing): AsyncGenerator<string> {
  const options = {
    columns,
    record_delimiter: 'windows',
    quote_record_delimiter: true,
    escape_formulas: true,
  } as const
  // The header goes ahead, so that the download begins while a long list is still being sorted.
  yield `\ufeff${stringify([columns], options)}`
  for await (const some of rows(sql).cursor(AT_ONCE)) yield stringify(some, options)
}

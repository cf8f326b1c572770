import * as z from 'zod/mini'

/** The largest page of a list. */
export const MOST_PER_PAGE = 500

/** Returns the fields of a query that choose a page of a list. */
export function pageQuery({ rows, most = MOST_PER_PAGE }: { rows: number; most?: number }) {
  return { page: z._default(wholeInQuery(1_000_000), 1), per_page: z._default(wholeInQuery(most), rows) }
}

/** Accepts a whole number from 1, also as the text of a query. */
const wholeInQuery = (most: number) =>
  z.pipe(
    z.union(
      [z.number(), z.pipe(z.string().check(z.regex(/^\d{1,9}$/)), z.transform(Number))],
      'This must be a whole number',
    ),
    z.int().check(z.minimum(1), z.maximum(most)),
  )

/** A page that is asked for; `page` counts from 1. */
type AskedPage = { page: number; per_page: number }

/** Where a page stands in its list. */
export const pagePlace = { current_page: z.int(), per_page: z.int(), total_pages: z.int() }

/** Returns a page as the calls do: its rows, and where it stands among all of the list. */
export function pageOf<Row>(data: Row[], count: number, { page, per_page }: AskedPage) {
  return { data, count, current_page: page, per_page, total_pages: Math.max(1, Math.ceil(count / per_page)) }
}

/** Where a page lies in a list of `count` rows; a page past the end has a limit of 0. */
export function sliceOf({ page, per_page }: AskedPage, count: number): { offset: number; limit: number } {
  const offset = (page - 1) * per_page
  return { offset, limit: Math.max(0, Math.min(per_page, count - offset)) }
}

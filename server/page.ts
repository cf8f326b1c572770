/** Returns a page of a list as the calls return it: its rows, and where it stands among all of the list. */
export function pageOf<Row>(
  data: Row[],
  count: number,
  { page, per_page }: { page: number; per_page: number },
) {
  return { data, count, current_page: page, per_page, total_pages: Math.max(1, Math.ceil(count / per_page)) }
}

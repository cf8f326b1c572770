import type { Sql } from '../postgres/pool.ts'
import type { Day } from './calendar.ts'

/** What is left of a purchase: its credits, the day its months were counted from, and the expiry before it. */
export type Outstanding = { credits: number; counted_from: Day; expiry_before: string }

/** Returns the purchases of a client that were not taken back, oldest first. */
export async function outstanding(sql: Sql, client: number): Promise<Outstanding[]> {
  const rows = await sql<(Outstanding & { type: 'USED' | 'RETRIEVED' })[]>`
    select type, credits, counted_from, expiry_before from transfer
    where client = ${client} and type in ('USED', 'RETRIEVED') order by id`
  const purchases: Outstanding[] = []
  for (const { type, ...row } of rows) {
    if (type === 'USED') purchases.push(row)
    else takeFrom(purchases, row.credits)
  }
  return purchases
}

function takeFrom(purchases: Outstanding[], credits: number): void {
  let left = credits
  while (left > 0) {
    const newest = purchases.at(-1)
    if (!newest) throw new Error('more was taken back than was ever used')
    const taken = Math.min(left, newest.credits)
    left -= taken
    newest.credits -= taken
    if (newest.credits === 0) purchases.pop()
  }
}

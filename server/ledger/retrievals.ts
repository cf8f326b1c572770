import type { Sql } from '../postgres/pool.ts'
import { type Day, dayOf, endOf } from './calendar.ts'
import { counted } from './months.ts'

/**
 * Where the expiry would be after taking back 1, 2, 3 … credits, newest purchase first, as far as it can be done:
 * a purchase taken back whole returns the expiry to what it was before it, one taken back in part becomes the
 * smaller purchase, and the expiry never falls before the end of today.
 */
export async function retrievals(sql: Sql, client: number, now: Date, zone: string): Promise<string[]> {
  const rest = endOf(dayOf(now, zone), zone)
  const expiries: string[] = []
  for (const { credits, counted_from, expiry_before } of (await outstanding(sql, client)).reverse()) {
    for (let left = credits - 1; left >= 0; left -= 1) {
      const expiry = left === 0 ? expiry_before : counted(counted_from, left, zone).expiry
      if (expiry < rest) return expiries
      expiries.push(expiry)
    }
  }
  return expiries
}

type Outstanding = { credits: number; counted_from: Day; expiry_before: string }

/** The purchases of a client that were not taken back, oldest first, each by what is left of it. */
async function outstanding(sql: Sql, client: number): Promise<Outstanding[]> {
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

import { macForms } from '../../contract/clients.ts'
import type { TransactionFilter } from '../../contract/transactions.ts'
import { formsOf, likePattern, likePatterns } from '../postgres/like.ts'
import type { Fragment, Sql } from '../postgres/pool.ts'
import { addDays, type Day, startOf } from './calendar.ts'

/** Returns the condition for rows `t` of the ledger that a filter selects by their type, day and text. */
export function isSelected(
  sql: Sql,
  { type, from, to, search }: Omit<TransactionFilter, 'account' | 'client'>,
  zone: string,
): Fragment {
  const moments = momentsOf({ from, to }, zone)
  const conditions = [
    ...(type ? [isOfType(sql, type)] : []),
    ...(moments.from ? [sql`t.created >= ${moments.from}`] : []),
    ...(moments.to ? [sql`t.created < ${moments.to}`] : []),
    ...(search === '' ? [] : [sql`${isLike(sql, search)}`]),
  ]
  return conditions.reduce((all, one) => sql`${all} and ${one}`, sql`true`)
}

/**
 * Says of a rare type that it is one: a plan is made before the type is known, and would use no index of the rare ones.
 */
function isOfType(sql: Sql, type: NonNullable<TransactionFilter['type']>): Fragment {
  return type === 'USED' ? sql`t.type = 'USED'` : sql`(t.type = ${type} and t.type <> 'USED')`
}

/** Returns the moment at which a filter's first day begins, and that at which its last one ends. */
export function momentsOf(
  { from, to }: Pick<TransactionFilter, 'from' | 'to'>,
  zone: string,
): { from: string | null; to: string | null } {
  return {
    from: from ? startOf(within(from), zone) : null,
    to: to ? startOf(addDays(within(to), 1), zone) : null,
  }
}

/** A term matches as a plain substring, without case; each field by itself. Only a description may have accents. */
function isLike(sql: Sql, term: string): Fragment {
  const pattern = likePattern(term)
  const [macs, descriptions] = [likePatterns(macForms(term)), likePatterns(formsOf(term))]
  return sql`(t.login ilike ${pattern} or t.mac ilike any (${macs}) or t.description ilike any (${descriptions}))`
}

/** The range of days for a query: the database cannot read moments far outside it, and has no rows there. */
function within(day: Day): Day {
  if (day < '1970-01-01') return '1970-01-01'
  return day > '9999-01-01' ? '9999-01-01' : day
}

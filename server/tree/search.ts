import { searchedDigits, searchedMac } from '../../contract/clients.ts'
import type { Context } from '../context.ts'
import { formsOf, likePattern } from '../postgres/like.ts'
import type { Fragment, Sql } from '../postgres/pool.ts'
import { countsByExpiry } from './client-counts.ts'

type SearchContext = Pick<Context, 'sql' | 'account' | 'now'> & {
  business: Pick<Context['business'], 'zone'>
}

/** A search: a client matches by its text, or by one of the expiries. */
export type Search = {
  /** A condition on the text and dealer of a directory row named `entry`. */
  textMatches: Fragment
  /** The same condition in a form that the index of pairs of letters serves too; without that index it is slow. */
  indexedMatches: Fragment
  /**
   * The expiries whose date has the searched term in it, and how many clients each has; `service` has an index of them.
   */
  expiries: Expiry[]
}

type Expiry = { expiry: string; clients: number }

/** A plain substring of name, description, MAC, phone digits or expiry date, and for the admin of the dealer's name. */
export async function readSearch(asked: SearchContext, search: string): Promise<Search | null> {
  const { sql, account } = asked
  if (search === '') return null
  // The directory has one field a line, and no field has a line break of its own.
  if (search.includes('\n')) return matchingAll(sql`false`)
  const dealers = account.role === 'admin' ? await dealersLike(sql, search) : []
  const [forms, phones] = [[...formsOf(search), ...macsMeant(search)], phonesMeant(search)]
  const oneOf = (hasForm: (form: string) => Fragment, hasPhone = hasForm) =>
    [
      ...forms.map(hasForm),
      ...phones.map(hasPhone),
      ...(dealers.length > 0 ? [sql`entry.dealer = any (${dealers}::bigint[])`] : []),
    ].reduce((all, one) => sql`${all} or ${one}`)
  const has = (hasForm: (form: string) => Fragment) =>
    oneOf(hasForm, (digits) => sql`${hasForm(digits)} and ${isInPhone(sql, digits)}`)
  const textMatches = has((form) => hasInText(sql, form))
  const lengths = [...forms, ...phones].map((form) => [...form].length)
  const arePairs = lengths.includes(2) && Math.min(...lengths) >= 2
  return {
    textMatches,
    // The index gives the second condition, and it is not tested again: to find the pairs of a text takes 20 µs.
    indexedMatches: arePairs
      ? sql`(${has((form) => isInText(sql, form))}) and (${oneOf((form) => hasPairs(sql, form))})`
      : textMatches,
    expiries: /^[\d-]+$/.test(search) ? await expiriesLike(asked, search) : [],
  }
}

/** Returns a search of what fulfils a condition, whatever its text is. */
export function matchingAll(condition: Fragment): Search {
  return { textMatches: condition, indexedMatches: condition, expiries: [] }
}

/**
 * A term of less than three letters is compared by the function behind LIKE and not by the operator: the index of
 * trigrams serves only the operator, and for so short a term all of it would be read.
 */
function hasInText(sql: Sql, searched: string): Fragment {
  return [...searched].length < 3 ? isInText(sql, searched) : sql`entry.text like ${like(sql, searched)}`
}

function isInText(sql: Sql, searched: string): Fragment {
  return sql`textlike(entry.text, ${like(sql, searched)})`
}

/** What the index of pairs finds by itself, of two letters or more. */
function hasPairs(sql: Sql, searched: string): Fragment {
  return sql`letter_pairs(entry.text) @> letter_pairs(lower(${searched}))`
}

/**
 * Whether digits are in the phone, which is the last line: digits alone, after a '+' where it is from abroad. Compared
 * by a function too, so that the index is not read for them.
 */
function isInPhone(sql: Sql, digits: string): Fragment {
  return sql`textregexeq(entry.text, ${`${digits}[0-9]*$`})`
}

/**
 * Returns the MAC, or the part of one, that a term means, where the text has it in neither of its two forms as typed.
 */
function macsMeant(term: string): string[] {
  const mac = searchedMac(term)
  return mac === null || [mac, mac.replaceAll(':', '')].includes(term.toUpperCase()) ? [] : [mac]
}

/** Returns the digits that a phone number typed as `term` may be stored with, where they differ from the term. */
function phonesMeant(term: string): string[] {
  const digits = searchedDigits(term)
  // A number is stored without the 00 that replaces '+', and without North America's 1.
  const [, withoutZeros] = /^00(\d{7,})$/.exec(digits) ?? []
  const isWhole = !term.startsWith('+') && withoutZeros === undefined
  const [, national] = (isWhole ? /^1(\d{10})$/ : /^1(\d+)$/).exec(withoutZeros ?? digits) ?? []
  const runs = [digits, withoutZeros, national].filter((run) => run !== undefined)
  return runs.filter((run) => run !== '' && run !== term)
}

export function matches(sql: Sql, search: Search): Fragment {
  return search.expiries.length > 0
    ? sql`(${search.textMatches} or entry.expiry = any (${expiriesOf(search)}::timestamptz[]))`
    : sql`(${search.textMatches})`
}

export function expiriesOf({ expiries }: Search): string[] {
  return expiries.map(({ expiry }) => expiry)
}

/** Returns the expiries in use whose date contains the term. There is one a day at most, so they are few. */
function expiriesLike({ sql, account, business }: SearchContext, term: string): Promise<Expiry[]> {
  return sql<Expiry[]>`
    with days as materialized (
      select expiry, sum(clients)::int as clients from ${countsByExpiry(sql, account)} group by expiry having sum(clients) > 0
    )
    select expiry, clients from days
    where to_char(expiry at time zone ${business.zone}, 'YYYY-MM-DD') like ${like(sql, term)}`
}

async function dealersLike(sql: Sql, term: string): Promise<number[]> {
  const found = await sql<{ id: number }[]>`
    select id from account where role = 'dealer' and lower(name) like ${like(sql, term)}`
  return found.map(({ id }) => id)
}

/** Lower-cased by the database, as the searched text was: JavaScript lower-cases some letters otherwise. */
export function like(sql: Sql, term: string, where: 'contains' | 'begins' = 'contains'): Fragment {
  return sql`lower(${likePattern(term, where)})`
}

import type { PendingQuery, Row } from 'postgres'
import type { Context } from '../../context.ts'
import { addDays, type Day, dayOf, startOf } from '../../ledger/calendar.ts'
import { concerning } from '../../ledger/transfer.ts'
import type { Sql } from '../../postgres/pool.ts'
import {
  isInState,
  isVisibleTo,
  listColumns,
  matches,
  orderOf,
  readSearch,
  type Selection,
} from '../../tree/selection.ts'

/** What a file lists, whichever kind of file it is. */
export type Listing = {
  title: string
  /** Which rows these are, in words. */
  about: string
  /** The part of the file's name that tells it from others of its kind. */
  named: string
  columns: readonly string[]
  /** A query of the rows, each with a text or null under every column's name. */
  rows: (sql: Sql) => PendingQuery<Row[]>
}

export type { Selection }

/** Two days, both of them included. */
export type Days = { from: Day; to: Day }

/** Who asks, when, and on whose calendar. */
type Asked = Pick<Context, 'sql' | 'account' | 'now' | 'business'>

/** The clients of a dealer, or of all dealers for the admin, as the list on the screen has them. */
export async function listClients(asked: Asked, selection: Selection): Promise<Listing> {
  const { account, now, business } = asked
  const { filter, sort } = selection
  const search = await readSearch(asked, selection.search)
  const today = dayOf(now, business.zone)
  const ofAll = account.role === 'admin'
  return {
    title: ofAll ? 'Clients of all dealers' : `Clients of ${account.name}`,
    about: `${FILTERED[filter]}${selection.search.trim() ? `, found by '${selection.search.trim()}'` : ''}, on ${today}`,
    named: today,
    columns: ['Name', 'Description', 'MAC', 'Ministra', 'Expiry', 'Status', ...(ofAll ? ['Dealer'] : [])],
    rows: (sql) => sql`
      select name as "Name", description as "Description", mac as "MAC",
        case when ministra then 'Yes' else 'No' end as "Ministra",
        to_char(expiry at time zone ${business.zone}, 'YYYY-MM-DD') as "Expiry",
        case when status then 'Active' else 'Inactive' end as "Status", dealer as "Dealer"
      from (
        select ${listColumns(sql)} from client c join service s on s.client = c.id join account d on d.id = c.dealer
        ${search ? sql`join directory entry on entry.client = c.id` : sql``}
        where c.deleted is null and ${isVisibleTo(sql, account, sort === 'expiry' ? sql`s` : sql`c`)}
          and ${search ? matches(sql, search) : sql`true`} and ${isInState(sql, filter, now, sql`s`)}
        order by ${orderOf(sql, selection)}
      ) as rows`,
  }
}

/** The transactions of an account and of everything beneath it, oldest first. */
export function listTransactions({ account, business: { zone } }: Asked, { from, to }: Days): Listing {
  return {
    title: `Transactions of ${account.name}`,
    about: `${from} to ${to}`,
    named: from === to ? from : `${from}-to-${to}`,
    columns: [
      'Date',
      'Type',
      'Credits',
      'Login',
      'MAC',
      'Description',
      'Expiry',
      'Dealer',
      'By',
      'Reseller',
      'Super Reseller',
    ],
    rows: (sql) => sql`
      select to_char(t.created at time zone ${zone}, 'YYYY-MM-DD HH24:MI:SS') as "Date", t.type as "Type",
        t.credits::text as "Credits", t.login as "Login", t.mac as "MAC", t.description as "Description",
        to_char(t.expiry at time zone ${zone}, 'YYYY-MM-DD') as "Expiry", d.name as "Dealer", a.name as "By",
        r.name as "Reseller", s.name as "Super Reseller"
      from transfer t join account a on a.id = t.actor join account s on s.id = t.superreseller
      left join account r on r.id = t.reseller left join account d on d.id = t.dealer
      where ${concerning(sql, account)}
        and t.created >= ${startOf(within(from), zone)} and t.created < ${startOf(addDays(within(to), 1), zone)}
      order by t.created, t.id`,
  }
}

const FILTERED = {
  all: 'All clients',
  active: 'Active clients',
  expiring: 'Clients that expire soon',
  expired: 'Expired clients',
} as const

/** Any day may be asked for; beyond these there is nothing, and a moment that the database cannot read. */
function within(day: Day): Day {
  if (day < '1970-01-01') return '1970-01-01'
  return day > '9999-01-01' ? '9999-01-01' : day
}

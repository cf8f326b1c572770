import { expiringUntil } from '../../../contract/clients.ts'
import { PACKAGES } from '../../../contract/packages.ts'
import type { TransactionFilter } from '../../../contract/transactions.ts'
import type { Account } from '../../context.ts'
import { type Day, dayOf } from '../../ledger/calendar.ts'
import { isSelected } from '../../ledger/filter.ts'
import { concerning, hasLostClients, ledgerOf } from '../../ledger/rows.ts'
import type { Fragment, Sql } from '../../postgres/pool.ts'
import { nameFor } from '../../tree/names.ts'
import { matches, readSearch } from '../../tree/search.ts'
import { isIn, isVisibleTo, listColumns, orderOf, type Selection } from '../../tree/selection.ts'
import { whoseTransactions } from '../../tree/whose.ts'

export type Listing = {
  columns: readonly string[]
  /** The column whose numbers have a sign, and which a spreadsheet is to add up. */
  signed?: string
  /** A query of the rows, with a text or null for each column's name. */
  rows: (sql: Sql) => Fragment
}

/** A list with what stands above it in a PDF, and a query of how many rows it has. */
export type ClientListing = Listing & { title: string; about: string; count: (sql: Sql) => Fragment }

export type ChosenClients = Selection & { clients?: string[] | undefined }

/** The transactions of an account or client between two days, both included. */
export type Selected = Omit<TransactionFilter, 'from' | 'to'> & { from: Day; to: Day }

type ListingContext = { sql: Sql; account: Account; now: Date; business: { zone: string } }

/** Returns the clients of a dealer, or of all dealers for the admin, selected and sorted as on the screen. */
export async function clientListing(
  context: ListingContext,
  selection: ChosenClients,
): Promise<ClientListing> {
  const { account, now, business } = context
  const { filter, sort, clients } = selection
  const search = await readSearch(context, selection.search)
  const ofAll = account.role === 'admin'
  const found = selection.search ? `, found by '${selection.search}'` : ''
  const which = (sql: Sql) => sql`
    from client c join service s on s.client = c.id join account d on d.id = c.dealer
    ${search ? sql`join directory entry on entry.client = c.id` : sql``}
    where c.deleted is null and ${isVisibleTo(sql, account, sort === 'expiry' ? sql`s` : sql`c`)}
      and ${search ? matches(sql, search) : sql`true`} and ${isIn(sql, filter, now, sql`s`)}
      ${clients ? sql`and lower(c.name) = any (${clients.map((name) => name.toLowerCase())})` : sql``}`
  return {
    title: ofAll ? 'Clients of all dealers' : `Clients of ${account.name}`,
    about: `${clients ? 'Chosen clients' : FILTERED[filter]}${found}, on ${dayOf(now, business.zone)}`,
    columns: ofAll ? [...OF_A_CLIENT, 'Dealer'] : OF_A_CLIENT,
    rows: (sql) => sql`
      select name as "Name", description as "Description", mac as "MAC",
        case when ministra then 'Yes' else 'No' end as "Ministra",
        to_char(expiry at time zone ${business.zone}, 'YYYY-MM-DD') as "Expiry",
        case when expiry < ${now} then 'Expired' when expiry < ${expiringUntil(now)} then 'Expiring' else 'Active' end
          as "Expiry State",
        case when status then 'Active' else 'Inactive' end as "Status", phone as "Phone",
        ${sql.json(PACKAGE_LABELS)}::jsonb ->> package_selection::text as "Package",
        to_char(created at time zone ${business.zone}, 'YYYY-MM-DD') as "Created", dealer as "Dealer"
      from (
        select ${listColumns(sql)}, c.created ${which(sql)}
        order by ${orderOf(sql, selection)}
      ) as rows`,
    count: (sql) => sql`select count(*) ${which(sql)}`,
  }
}

/**
 * The transactions of an account and of everything beneath it, or of a client, oldest first, with the names that the
 * caller may see.
 */
export async function transactionListing(
  { sql, account, business: { zone } }: ListingContext,
  selected: Selected,
): Promise<Listing> {
  const whose = await whoseTransactions({ sql, account }, selected)
  // Rows that are all on the account's own path are read in their order by one plain condition.
  const path = 'client' in whose || (await hasLostClients(sql, whose)) ? null : whose
  // What the dealer before bought for a client that was moved never changed this balance.
  const ofOthers =
    'client' in whose && account.role === 'dealer' ? sql`when t.dealer <> ${account.id} then 0` : sql``
  return {
    columns: [...OF_A_TRANSACTION, ...(account.role === 'dealer' ? [] : ['Super Reseller']), SIGNED],
    signed: SIGNED,
    rows: (sql) => sql`
      select to_char(t.created at time zone ${zone}, 'YYYY-MM-DD HH24:MI:SS') as "Date", t.type as "Type",
        t.credits::text as "Credits", t.login as "Login", t.mac as "MAC", t.description as "Description",
        to_char(t.expiry at time zone ${zone}, 'YYYY-MM-DD') as "Expiry",
        ${nameFor(sql, account, sql`d`)} as "Dealer", ${nameFor(sql, account, sql`a`)} as "By",
        ${nameFor(sql, account, sql`r`)} as "Reseller", ${nameFor(sql, account, sql`s`)} as "Super Reseller",
        case ${ofOthers} when t.type in ('REMOVE', 'USED') then -t.credits when t.type = 'MOVE' then 0 else t.credits end::text as ${sql(SIGNED)}
      from ${path ? sql`transfer t` : ledgerOf(sql, whose)} join account a on a.id = t.actor join account s on s.id = t.superreseller
      left join account r on r.id = t.reseller left join account d on d.id = t.dealer
      where ${path ? concerning(sql, path) : sql`true`} and ${isSelected(sql, selected, zone)}
      order by t.created, t.id`,
  }
}

const OF_A_CLIENT = [
  'Name',
  'Description',
  'MAC',
  'Ministra',
  'Expiry',
  'Expiry State',
  'Status',
  'Phone',
  'Package',
  'Created',
]

const OF_A_TRANSACTION = [
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
]

const SIGNED = 'Signed Credits'

const PACKAGE_LABELS = Object.fromEntries(PACKAGES.map(({ value, label }) => [value, label]))

const FILTERED = {
  all: 'All clients',
  active: 'Active clients',
  expiring: 'Clients that expire soon',
  expired: 'Expired clients',
  online: 'Clients that are online',
} as const

import type { TransactionFilter, TransactionSum } from '../../contract/transactions.ts'
import { beginJob, LOCKS } from '../postgres/locks.ts'
import type { Fragment, Sql } from '../postgres/pool.ts'
import { dayOf } from './calendar.ts'
import { bucketOf, type Days, daysFrom, monthsFrom } from './days.ts'
import { isSelected, momentsOf } from './filter.ts'
import { type LedgerScope, ledgerOf } from './rows.ts'

/** What is kept of finished days or months, and how they are added up. */
type Kept = {
  table: 'busy_day' | 'finished_month'
  /** The least transactions of an account that are kept. Fewer are quick to read. */
  least: number
  spansFrom: typeof daysFrom
  /** How many of them are added up by one statement. */
  portion: number
}

/** A day on which an account had at least so many transactions is added up once. */
const BUSY = 100

/**
 * Adds up the finished days of the accounts that were busy on them, and the finished months of all. What is finished
 * never changes, since the ledger is only appended; whatever is not added up is read row by row, so that a late job
 * makes no answer wrong.
 * @param busy the least transactions of a day that is added up
 * @returns how many rows it wrote; null while another server does this
 */
export async function fillSums(sql: Sql, now: Date, zone: string, busy = BUSY): Promise<number | null> {
  const days = { table: 'busy_day', least: busy, spansFrom: daysFrom, portion: 31 } as const
  // Months with few transactions are kept as well: a few of each month are many in the end.
  const months = { table: 'finished_month', least: 1, spansFrom: monthsFrom, portion: 1 } as const
  let written = 0
  for (const kept of [days, months]) {
    const rows = await fill(sql, now, zone, kept)
    if (rows === null) return null
    written += rows
  }
  return written
}

async function fill(sql: Sql, now: Date, zone: string, kept: Kept): Promise<number | null> {
  const [known] = await sql<{ since: string | null }[]>`
    select coalesce((select max(ended) from ${sql(kept.table)}), (select min(created) from transfer)) as since`
  if (!known?.since) return 0
  const { days, ends } = kept.spansFrom(dayOf(known.since, zone), now, zone)
  const finished = ends.filter((end) => new Date(end) <= now).length
  let since = known.since
  let written = 0
  for (let from = 0; from < finished; from += kept.portion) {
    const to = Math.min(from + kept.portion, finished)
    const portion = { days: days.slice(from, to), ends: ends.slice(from, to) }
    const rows = await beginJob(sql, LOCKS.sums, (sql) => addUp(sql, since, portion, kept))
    if (rows === null) return null
    written += rows
    since = portion.ends.at(-1) ?? since
  }
  return written
}

/** Returns null where another server came before. */
async function addUp(sql: Sql, since: string, portion: Days, { table, least }: Kept): Promise<number | null> {
  const later = await sql`select from ${sql(table)} where ended > ${since} limit 1`
  if (later.length > 0) return null
  const { ends } = portion
  const written = await sql`
    insert into ${sql(table)} (account, began, ended, type, transactions, credits)
    select account, began, ended, type, transactions, credits from (
      select account, nr, type, sum(transactions) as transactions, sum(credits) as credits,
        sum(sum(transactions)) over (partition by account, nr) as of_all
      from (
        -- Added up before each is counted on every account of its paths.
        select ${bucketOf(sql, sql`t.created`, portion)} as nr, t.type, ${paths(sql)}, count(*) as transactions, sum(t.credits) as credits
        from transfer t where t.created >= ${since} and t.created < ${ends.at(-1) ?? since}
        group by t.type, ${paths(sql)}, 1
      ) t ${eachSeeing(sql)}
      group by account, nr, type
    ) as summed
    join unnest(${[since, ...ends.slice(0, -1)]}::timestamptz[], ${ends}::timestamptz[]) with ordinality as span (began, ended, nr)
      using (nr)
    where of_all >= ${least}`
  return written.count
}

/** The accounts of both paths of a transfer `t`. */
function paths(sql: Sql): Fragment {
  return sql`t.superreseller, t.reseller, t.dealer, t.from_superreseller, t.from_reseller, t.from_dealer`
}

/** Joins each transfer `t` with every `account` that may see it, once. */
function eachSeeing(sql: Sql): Fragment {
  return sql`cross join lateral (
    select account from (
      values ((select id from account where role = 'admin'), null), (t.superreseller, null), (t.reseller, null), (t.dealer, null),
        (t.from_superreseller, t.superreseller), (t.from_reseller, t.reseller), (t.from_dealer, t.dealer)
    ) as path (account, already) where account is not null and account is distinct from already
  ) as seeing`
}

/**
 * Adds up by their type the transactions that a filter selects: of an account and of everything beneath it, or of a
 * client.
 */
export function sumsOf(
  sql: Sql,
  whose: LedgerScope,
  { type, from: firstDay, to: lastDay, search }: Omit<TransactionFilter, 'account' | 'client'>,
  zone: string,
): PromiseLike<TransactionSum[]> {
  const { from, to } = momentsOf({ from: firstDay, to: lastDay }, zone)
  const first = sql`${from ?? '-infinity'}::timestamptz`
  const end = sql`${to ?? 'infinity'}::timestamptz`
  const which = sql`t.created >= gap.began and t.created < gap.ended and ${isSelected(sql, { type, search }, zone)}`
  // What a text selects, or what is of one client, is kept of no day.
  const account = 'client' in whose || search !== '' ? null : whose.id
  /** The gaps before, between and after spans that are kept, within the filter's days. */
  const gapsOf = (spans: Fragment) => sql`
    select began, ended from (
      select lag(ended, 1, ${first}) over (order by began) as began, began as ended
      from (select distinct began, ended from ${spans}) as span
      union all
      select coalesce(max(ended), ${first}), ${end} from ${spans}
    ) as between_spans where began < ended`
  return sql<TransactionSum[]>`
    with month as (
      select began, ended, type, transactions, credits from finished_month
      where account = ${account} and began >= ${first} and ended <= ${end}
    ),
    beside as (${gapsOf(sql`month`)}),
    -- A busy day of a kept month is in its sum. After TIME_ZONE was changed, one may lie across the end of a month.
    kept as (
      select * from month
      union all
      select day.began, day.ended, day.type, day.transactions, day.credits from beside cross join lateral (
        select * from busy_day
        where account = ${account} and began >= beside.began and began < beside.ended and ended <= beside.ended
      ) as day
    ),
    gap as (${gapsOf(sql`kept`)})
    select type, sum(transactions)::bigint as transactions, sum(credits)::bigint as credits from (
      select type, transactions, credits from kept where ${type ? sql`type = ${type}` : sql`true`}
      union all
      select read.type, read.transactions, read.credits from gap cross join lateral (
        select t.type, count(*) as transactions, sum(t.credits) as credits
        from ${ledgerOf(sql, whose, { which })} group by t.type
      ) as read
    ) as rows group by type order by type`
}

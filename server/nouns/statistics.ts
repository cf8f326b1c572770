import type { calls } from '../../contract/calls.ts'
import type { Context, Handlers } from '../context.ts'
import { addDays, type Day, dayOf } from '../ledger/calendar.ts'
import { bucketOf, type Days, daysFrom } from '../ledger/days.ts'
import { planForValues } from '../postgres/begin.ts'
import { beginJob, LOCKS } from '../postgres/locks.ts'
import type { Fragment, Sql } from '../postgres/pool.ts'
import { childOf } from '../tree/child.ts'

/**
 * Finished days are read from their rows. Days without a row, as today, are computed from the last row and the changes
 * since, so that a late job makes no answer wrong.
 */
export const statistics: Pick<Handlers<typeof calls.admin>, 'totals' | 'statistics' | 'chart'> = {
  async totals(context) {
    const { rows } = await throughToday(context, null)
    return series(
      await context.sql<Counted[]>`
        select day as "onDate", sum(clients) as clients from (${rows}) as rows group by day order by day`,
    )
  },

  statistics: ofChild,

  async chart(context, input) {
    return series(await ofChild(context, input))
  },
}

/** Returns how many missing rows of finished days it wrote; null while another server does this. */
export async function fillStatistics(sql: Sql, now: Date, zone: string): Promise<number | null> {
  return beginJob(sql, LOCKS.statistics, async (sql) => {
    const [oldest] = await sql<{ created: string | null }[]>`
      select min(created) as created from account where role = 'superreseller'`
    if (!oldest?.created) return 0
    const days = daysFrom(dayOf(oldest.created, zone), now, zone)
    if (!(await isAnyMissing(sql, days, now))) return 0
    await planForValues(sql)
    const rows = figuresSince(sql, { days, since: oldest.created, base: sql`false`, which: sql`true` })
    const written = await sql`
      insert into statistic (superreseller, day, ended, credits, resellers, dealers, clients)
      select superreseller, day, ended, credits, resellers, dealers, clients from (${rows}) as rows
      where ended <= ${now}
      on conflict do nothing`
    return written.count
  })
}

type Counted = { onDate: Day; clients: number }

async function ofChild(context: Context, { name }: { name: string }) {
  const child = await childOf(context, name)
  const { rows } = await throughToday(context, child.id)
  return context.sql<(Counted & { credits: number; resellers: number; dealers: number })[]>`
    select day as "onDate", credits, resellers, dealers, clients from (${rows}) as rows order by day`
}

function series(rows: readonly Counted[]) {
  return { onDate: rows.map(({ onDate }) => onDate), clients: rows.map(({ clients }) => clients) }
}

/** Returns the rows of one superreseller, or of all (null), by one query, so that they agree with each other. */
async function throughToday(
  { sql, now, business }: Context,
  only: number | null,
): Promise<{ rows: Fragment }> {
  const { zone } = business
  const today = dayOf(now, zone)
  await planForValues(sql)
  const base = sql`s.day < ${today} and s.ended <= ${now}`
  const own = only === null ? sql`true` : sql`a.id = ${only}`
  // A superreseller that was closed before the newest row ended has all of its rows. It is left out, because `since`
  // would be the end of its last row, and all changes from then on would be read.
  const which = sql`${own} and (
    a.closed > (select s.ended from statistic s where ${base} order by s.day desc limit 1)) is not false`
  const [known] = await sql<{ since: string | null }[]>`
    select min(coalesce(s.ended, a.created)) as since
    from account a left join lateral (
      select ended from statistic s where s.superreseller = a.id and ${base} order by s.day desc limit 1
    ) s on true
    where a.role = 'superreseller' and ${which}`
  const since = known?.since ?? now.toISOString()
  // Starts a day early, in case TIME_ZONE was changed since the last row was written.
  const days = daysFrom(addDays(dayOf(since, zone), -1), now, zone)
  const rows = sql`
    select s.day, s.credits, s.resellers, s.dealers, s.clients
    from statistic s where ${base} and ${only === null ? sql`true` : sql`s.superreseller = ${only}`}
    union all
    select day, credits, resellers, dealers, clients from (${figuresSince(sql, { days, since, base, which })}) as rows`
  // Wrapped in an object, because awaiting a query runs it.
  return { rows }
}

async function isAnyMissing(sql: Sql, { days, ends }: Days, now: Date): Promise<boolean> {
  const [some] = await sql<{ missing: boolean }[]>`
    select exists (
      select from (
        select id, width_bucket(created, ${ends}::timestamptz[]) as first,
          width_bucket(least(${now}, closed), ${ends}::timestamptz[]) as after
        from account where role = 'superreseller'
      ) a
      where after - first > (
        select count(*) from statistic s
        where s.superreseller = a.id and s.day between (${days}::date[])[first + 1] and (${days}::date[])[after]
      )
    ) as missing`
  return some?.missing ?? false
}

type Counting = {
  days: Days
  /** A moment no later than the end of any base row, or than the creation of a superreseller without one. */
  since: string
  /** A condition on rows `s`; the last row of each superreseller that meets it is its base. */
  base: Fragment
  /** A condition on the superresellers `a`. */
  which: Fragment
}

/**
 * Returns a query of the rows from the base row to the last of the days. Accounts and clients are those of the base row
 * and all changes since; credits are the present balance less all later changes. The changes are read once, however
 * many days there are: each is counted in the bucket of its day, and a running sum goes over the buckets.
 */
function figuresSince(sql: Sql, { days: open, since, base, which }: Counting): Fragment {
  const { days, ends } = open
  return sql`
    with subject as (
      select a.id, h.id as holding, h.balance, coalesce(s.day, '-infinity') as written,
        coalesce(s.ended, a.created) as since, a.closed, ${bucketOf(sql, sql`a.created`, open)} as first,
        coalesce(s.resellers, 0) as resellers, coalesce(s.dealers, 0) as dealers, coalesce(s.clients, 0) as clients
      from account a join holding h on h.account = a.id and h.kind = 'balance'
      left join lateral (
        select * from statistic s where s.superreseller = a.id and ${base} order by s.day desc limit 1
      ) s on true
      where a.role = 'superreseller' and ${which}
    ),
    change as (
      select superreseller, ${bucketOf(sql, sql`at`, open)} as nr, sum(credits) as credits, sum(resellers) as resellers,
        sum(dealers) as dealers, sum(clients) as clients
      from (
        select subject.id as superreseller, t.created as at,
          case when t.destination = subject.holding then t.credits else -t.credits end as credits,
          0 as resellers, 0 as dealers, 0 as clients
        from subject join transfer t on t.superreseller = subject.id and t.dealer is null
          and t.created >= subject.since and subject.holding in (t.source, t.destination)
        union all
        select subject.id, a.at, 0, case a.role when 'reseller' then a.accounts else 0 end,
          case a.role when 'dealer' then a.accounts else 0 end, 0
        from subject join account_change a on a.superreseller = subject.id and a.at >= subject.since
        union all
        select subject.id, c.at, 0, 0, 0, c.clients
        from client_change c join subject on subject.id = c.superreseller
        where c.at >= ${since} and c.at >= subject.since
      ) as changes group by 1, 2
    ),
    summed as (
      select subject.id as superreseller, day.day, day.ended,
        subject.balance - coalesce(sum(change.credits) over whole, 0) + coalesce(sum(change.credits) over so_far, 0)
          as credits,
        subject.resellers + coalesce(sum(change.resellers) over so_far, 0) as resellers,
        subject.dealers + coalesce(sum(change.dealers) over so_far, 0) as dealers,
        subject.clients + coalesce(sum(change.clients) over so_far, 0) as clients,
        day.day > subject.written and day.nr >= subject.first and (day.ended <= subject.closed) is not false as wanted
      from subject
      cross join unnest(${days}::date[], ${ends}::timestamptz[]) with ordinality as day (day, ended, nr)
      left join change on change.superreseller = subject.id and change.nr = day.nr
      window whole as (partition by subject.id), so_far as (partition by subject.id order by day.nr)
    )
    select superreseller, day, ended, credits, resellers, dealers, clients from summed where wanted`
}

import type { calls } from '../../contract/calls.ts'
import type { Account, Handler } from '../context.ts'
import { addDays, type Day, dayOf } from '../ledger/calendar.ts'
import { bucketOf, type Days, daysFrom } from '../ledger/days.ts'
import { concerning } from '../ledger/rows.ts'
import { beginJob, LOCKS } from '../postgres/locks.ts'
import type { Fragment, Sql } from '../postgres/pool.ts'

/**
 * Finished days are read from their rows; days without one are counted from the last row and the changes since, so that
 * a late job makes no answer wrong.
 * These rows are not those of the statistics, which have a superreseller's balance and accounts at the end of a day:
 * here are resellers too, and what was used during a day. A written row never changes, so neither table could take over
 * the other's columns.
 */
export const growth: Handler<typeof calls.tree.growth> = async ({ sql, account, now, business }) => {
  const open = await openDays(sql, now, business.zone)
  const finished = finishedBy(sql, now, business.zone)
  const isAdmin = account.role === 'admin'
  const whose = isAdmin
    ? sql`k.account in (select id from account where role = 'superreseller')`
    : sql`k.account = ${account.id}`
  const rows = await sql<{ day: Day; clients: number; used: number }[]>`
    select day, sum(clients)::int as clients, sum(used)::int as used from (
      select k.day, k.clients, k.used from branch_day k where ${whose} and ${finished}
      union all
      select day, clients, used from (${figuresOf(sql, open, account)}) as counted
    ) as rows group by day order by day`
  return {
    onDate: rows.map(({ day }) => day),
    clients: rows.map(({ clients }) => clients),
    used: rows.map(({ used }) => used),
  }
}

/** Returns how many missing rows of finished days it wrote; null while another server does this. */
export async function fillBranchDays(sql: Sql, now: Date, zone: string): Promise<number | null> {
  return beginJob(sql, LOCKS.branchDays, async (sql) => {
    const open = await openDays(sql, now, zone)
    if (open.days.length < 2) return 0
    const written = await sql`
      insert into branch_day (account, day, ended, clients, used)
      select account, day, ended, clients, used from (${figuresOf(sql, open, null)}) as rows where ended <= ${now}`
    return written.count
  })
}

type OpenDays = Days & {
  /** The last day that has rows, and when it ended. Without one, the first account's creation. */
  last: Day | null
  since: string
}

async function openDays(sql: Sql, now: Date, zone: string): Promise<OpenDays> {
  // Where TIME_ZONE was moved to the other side of the date line, the day before may have ended last.
  const finished = finishedBy(sql, now, zone)
  const [written] = await sql<{ last: Day; since: string }[]>`
    select newest.day as last,
      (select max(k.ended) from branch_day k where k.day >= newest.day - 1 and ${finished}) as since
    from (select k.day from branch_day k where ${finished} order by k.day desc limit 1) newest`
  if (written) return { ...written, ...daysFrom(addDays(written.last, 1), now, zone) }
  const [first] = await sql<{ since: string | null }[]>`
    select min(created) as since from account where role = 'superreseller'`
  const since = first?.since ?? now.toISOString()
  return { last: null, since, ...daysFrom(dayOf(since, zone), now, zone) }
}

/**
 * Returns the condition for rows `k` of days before today: TIME_ZONE may have been moved west since they were written.
 */
function finishedBy(sql: Sql, now: Date, zone: string): Fragment {
  return sql`k.day < ${dayOf(now, zone)} and k.ended <= ${now}`
}

/**
 * Returns a query of the open days of every superreseller and reseller, of one of them, or for the admin of every
 * superreseller. The changes are read once, however many days there are: each is counted in the bucket of its day, and
 * a running sum goes over the buckets.
 */
function figuresOf(sql: Sql, open: OpenDays, whose: Account | null): Fragment {
  const { last, since, days, ends } = open
  const begins = [since, ...ends.slice(0, -1)]
  // One row for each account of a path, by which PostgreSQL can hash: with 'in' it compares each change with each
  // branch.
  const isOneOf = (path: Fragment) => sql`
    cross join lateral (values (${path}.superreseller), (${path}.reseller)) as on_path (account)
    join branch on branch.id = on_path.account`
  return sql`
    with branch as (
      select a.id, a.created, a.closed, coalesce(k.clients, 0) as clients
      from account a left join branch_day k on k.account = a.id and k.day = ${last}::date
      where ${branches(sql, whose)}
    ),
    change as (
      select account, nr, sum(clients) as clients, sum(used) as used from (
        select branch.id as account, path.nr, 0 as clients, path.used
        from (
          -- Added up before each is counted on both accounts of its path.
          select t.superreseller, t.reseller, ${bucketOf(sql, sql`t.created`, open)} as nr,
            sum(case t.type when 'USED' then t.credits else -t.credits end) as used
          from transfer t
          where t.created >= ${since} and t.type in ('USED', 'RETRIEVED') and ${whose ? concerning(sql, whose) : sql`true`}
          group by 1, 2, 3
        ) path ${isOneOf(sql`path`)}
        union all
        select branch.id, ${bucketOf(sql, sql`c.at`, open)}, c.clients, 0
        from client_change c ${isOneOf(sql`c`)} where c.at >= ${since}
      ) as changes group by 1, 2
    )
    select branch.id as account, day.day, day.ended,
      (branch.clients + coalesce(sum(change.clients) over so_far, 0))::int as clients,
      coalesce(change.used, 0)::int as used
    from branch
    cross join unnest(${days}::date[], ${begins}::timestamptz[], ${ends}::timestamptz[])
      with ordinality as day (day, began, ended, nr)
    left join change on change.account = branch.id and change.nr = day.nr
    -- What was used beneath an account on the day on which it was closed belongs to that day of those above it.
    where day.ended > branch.created and (day.began < branch.closed) is not false
    window so_far as (partition by branch.id order by day.nr)`
}

/** Returns the condition for the accounts `a` whose days are counted. */
function branches(sql: Sql, whose: Account | null): Fragment {
  if (whose === null) return sql`a.role in ('superreseller', 'reseller')`
  return whose.role === 'admin' ? sql`a.role = 'superreseller'` : sql`a.id = ${whose.id}`
}

import type { calls, OutputOf } from '../../contract/calls.ts'
import type { Context, Handler } from '../context.ts'
import { addMonths, type Day, dayOf, startOf } from '../ledger/calendar.ts'
import { concerning } from '../ledger/transfer.ts'
import { planForValues, sendAhead } from '../postgres/begin.ts'

type Months = OutputOf<typeof calls.clients.spent>
type Package = Months['this_month']['packages'][number]

export const spent: Handler<typeof calls.clients.spent> = async (context) => {
  const { now, business } = context
  const thisMonth = `${dayOf(now, business.zone).slice(0, 7)}-01`
  const lastMonth = addMonths(thisMonth, -1)
  const rows = await sums(context, lastMonth, thisMonth)
  const of = (month: Day) =>
    summed(
      month,
      rows.filter((row) => row.month === month),
    )
  return { this_month: of(thisMonth), last_month: of(lastMonth) }
}

type Sum = Package & { month: Day }

/**
 * Adds up the ledger's rows by month and package, in one pass over both months. The package of a client that was moved to
 * another dealer since is nobody else's business: those rows have none.
 */
async function sums({ sql, account, business }: Context, lastMonth: Day, thisMonth: Day): Promise<Sum[]> {
  const { zone } = business
  const since = startOf(lastMonth, zone)
  const own = sql`select id, package_selection from client where dealer = ${account.id}`
  await planForValues(sql)
  // Of a dealer with many clients the planner would rather read everybody's rows of both months in their order.
  await sendAhead(sql, sql`set local enable_indexscan = off`)
  return sql<Sum[]>`
    select case when t.created < ${startOf(thisMonth, zone)} then ${lastMonth} else ${thisMonth} end as month,
      c.package_selection,
      coalesce(sum(t.credits) filter (where t.type = 'USED'), 0) as used,
      coalesce(sum(t.credits) filter (where t.type = 'RETRIEVED'), 0) as retrieved,
      count(*) filter (where t.type = 'TRIAL') as trials
    from transfer t left join (
      -- By two indexes. One that was deleted before has no row in these months; the day is for clocks that differ.
      ${own} and deleted is null union all ${own} and deleted >= ${since}::timestamptz - interval '1 day'
    ) c on c.id = t.client
    where ${concerning(sql, account)} and t.created >= ${since}
      and t.type in ('USED', 'RETRIEVED', 'TRIAL')
    group by 1, 2 order by 3 desc, 2`
}

function summed(month: Day, rows: readonly Sum[]): Months['this_month'] {
  const packages = rows.map(({ month: _, ...row }) => ({ ...row, spent: row.used - row.retrieved }))
  const total = (field: 'used' | 'retrieved' | 'trials' | 'spent') =>
    packages.reduce((sum, row) => sum + row[field], 0)
  return {
    month: month.slice(0, 7),
    used: total('used'),
    retrieved: total('retrieved'),
    spent: total('spent'),
    trials: total('trials'),
    packages,
  }
}

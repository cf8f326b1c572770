import type { calls, OutputOf } from '../../contract/calls.ts'
import type { Context, Handler } from '../context.ts'
import { addMonths, type Day, dayOf, startOf } from '../ledger/calendar.ts'
import { concerning } from '../ledger/rows.ts'
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
 * Adds up the ledger's rows by month and package, in one pass over both months. The package of a client that was moved
 * to another dealer since is nobody else's business: those rows have none.
 */
async function sums({ sql, account, business }: Context, lastMonth: Day, thisMonth: Day): Promise<Sum[]> {
  const { zone } = business
  await planForValues(sql)
  // Of a dealer with many clients the planner would rather read everybody's rows of both months in their order.
  await sendAhead(sql, sql`set local enable_indexscan = off`)
  return sql<Sum[]>`
    select case when t.created < ${startOf(thisMonth, zone)} then ${lastMonth} else ${thisMonth} end as month,
      coalesce(living.package_selection, gone.package_selection) as package_selection,
      coalesce(sum(t.credits) filter (where t.type = 'USED'), 0) as used,
      coalesce(sum(t.credits) filter (where t.type = 'RETRIEVED'), 0) as retrieved,
      count(*) filter (where t.type = 'TRIAL') as trials
    from transfer t left join (
      select id, package_selection from client where dealer = ${account.id} and deleted is null
    ) living on living.id = t.client
    -- One by one, because they are few, and no index has the deleted clients of a dealer.
    left join lateral (
      select package_selection from client where living.id is null and id = t.client and dealer = ${account.id} offset 0
    ) gone on true
    where ${concerning(sql, account)} and t.created >= ${startOf(lastMonth, zone)}
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

import type { calls } from '../../contract/calls.ts'
import { DUE_DAYS, type DueWithin } from '../../contract/due.ts'
import { pageOf } from '../../contract/page.ts'
import type { DueClient } from '../../contract/shapes.ts'
import { type Context, type Handlers, Unchanged } from '../context.ts'
import { addDays, dayOf, endOf, startOf } from '../ledger/calendar.ts'
import { lastMonths, purchasedMonths } from '../ledger/last-months.ts'
import { directionOf } from '../postgres/direction.ts'
import type { Fragment } from '../postgres/pool.ts'
import { balanceOf } from '../tree/account.ts'
import { clientOf } from '../tree/client.ts'
import { countsByExpiry } from '../tree/client-counts.ts'
import { nameFor } from '../tree/names.ts'
import { matches, readSearch } from '../tree/search.ts'

type DueCalls = Pick<Handlers<typeof calls.clients>, 'due' | 'dueClients' | 'forecast' | 'remind'>

/** The handlers for the clients that are to be renewed soon, without those that are switched off. */
export const due: DueCalls = {
  async due(context) {
    const { sql, account } = context
    const [counts] = await sql<Record<DueWithin, number>[]>`
      select ${countOf(context, 'today')} as today, ${countOf(context, 'tomorrow')} as tomorrow,
        ${countOf(context, 'week')} as week, ${countOf(context, 'month')} as month,
        ${countOf(context, 'lapsed')} as lapsed
      from ${dueByExpiry(context)} as s`
    return { counts: counts as Record<DueWithin, number>, credits: await balanceOf(sql, account) }
  },

  async dueClients(context, { within, search, order, page, per_page }) {
    const { sql, account } = context
    const direction = directionOf(sql, order)
    const found = await readSearch(context, search)
    const which = sql`
      from service s ${found ? sql`join directory entry on entry.client = s.client` : sql``}
      where ${isDue(context)} and ${isWithin(context, within)} and ${found ? matches(sql, found) : sql`true`}`
    const [all] = await sql<{ count: number }[]>`
      select ${found ? sql`count(*) ${which}` : sql`${countOf(context, within)} as count from ${dueByExpiry(context)} as s`}`
    const count = all?.count ?? 0
    const data = await sql<DueClient[]>`
      select c.name, c.description, c.mac, c.phone, c.package_selection, picked.expiry,
        coalesce(last.months, 1) as last_months, last.months is not null as has_paid, r.reminded, ${nameFor(sql, account, sql`a`)} as reminded_by
      from (
        select s.client, s.expiry, lower(s.name) as name ${which}
        order by s.expiry ${direction}, lower(s.name) ${direction}
        limit ${per_page} offset ${(page - 1) * per_page}
      ) picked join client c on c.id = picked.client
      cross join lateral (select ${purchasedMonths(sql, sql`c.id`)} as months) last
      left join reminder r on r.client = c.id left join account a on a.id = r.account
      order by picked.expiry ${direction}, picked.name ${direction}`
    return pageOf(data, count, { page, per_page })
  },

  async forecast(context) {
    const { sql, account, now, business } = context
    const credits = await balanceOf(sql, account)
    const days = await sql<{ expiry: string; clients: number; months: number }[]>`
      select s.expiry, count(*) as clients, sum(${lastMonths(sql, sql`s.client`)}) as months
      from service s
      where ${isDue(context)} and s.expiry >= ${now} and s.expiry <= ${rangeOf(context, 'month').to}
      group by s.expiry order by s.expiry`
    const fortnight = endOf(addDays(dayOf(now, business.zone), 13), business.zone)
    let needed = 0
    const short = days.find(({ months }) => {
      needed += months
      return needed > credits
    })
    return {
      credits,
      fortnight: summed(days.filter(({ expiry }) => expiry <= fortnight)),
      month: summed(days),
      runs_out: short ? dayOf(short.expiry, business.zone) : null,
    }
  },

  async remind(context, { name, reminded }) {
    const { sql, account, now } = context
    const { id } = await clientOf(context, name, 'lock')
    if (!reminded) {
      const [row] = await sql<{ forgotten: boolean }[]>`select forget_reminder(${id}) as forgotten`
      const output = { status: 'OK' as const, reminded: null }
      return row?.forgotten ? output : new Unchanged(output)
    }
    const { count } = await sql`
      insert into reminder (client, account, reminded) values (${id}, ${account.id}, ${now})
      on conflict (client) do update set account = excluded.account, reminded = excluded.reminded
        where (reminder.account, reminder.reminded) <> (excluded.account, excluded.reminded)`
    const output = { status: 'OK' as const, reminded: now.toISOString() }
    return count > 0 ? output : new Unchanged(output)
  },
}

function summed(days: readonly { clients: number; months: number }[]): { clients: number; months: number } {
  const total = (field: 'clients' | 'months') => days.reduce((sum, day) => sum + day[field], 0)
  return { clients: total('clients'), months: total('months') }
}

/**
 * Whether a service `s` is of one of the caller's clients that are switched on. Few are not, so these are looked up.
 */
function isDue({ sql, account }: Context): Fragment {
  return sql`
    s.dealer = ${account.id} and s.client not in (select client from switched_off where dealer = ${account.id})`
}

/** Returns the numbers of clients by expiry: those that are kept of all, less those that are switched off. */
function dueByExpiry(context: Context): Fragment {
  const { sql, account } = context
  const { from } = rangeOf(context, 'lapsed')
  const { to } = rangeOf(context, 'month')
  return sql`(
    select expiry, clients from ${countsByExpiry(sql, account)} where expiry between ${from} and ${to}
    union all
    select expiry, -1 from switched_off where dealer = ${account.id} and expiry between ${from} and ${to}
  )`
}

/** Returns an expression of how many clients are due, from counts `s` by expiry. */
function countOf(context: Context, within: DueWithin): Fragment {
  return context.sql`coalesce(sum(s.clients) filter (where ${isWithin(context, within)}), 0)::int`
}

function isWithin(context: Context, within: DueWithin): Fragment {
  const { from, to } = rangeOf(context, within)
  return context.sql`s.expiry >= ${from} and s.expiry <= ${to}`
}

/** Returns the first and the last moment of the expiries that are due within some days of the business's calendar. */
function rangeOf({ now, business: { zone } }: Context, within: DueWithin): { from: string; to: string } {
  const today = dayOf(now, zone)
  const from = now.toISOString()
  const last = (days: number) => endOf(addDays(today, days - 1), zone)
  switch (within) {
    case 'today':
      return { from, to: last(1) }
    case 'tomorrow':
      return { from: startOf(addDays(today, 1), zone), to: last(2) }
    case 'week':
    case 'month':
      return { from, to: last(DUE_DAYS[within]) }
    case 'lapsed':
      // The last moment before now: an expiry of this very moment has not passed.
      return {
        from: startOf(addDays(today, -DUE_DAYS.lapsed), zone),
        to: new Date(now.getTime() - 1).toISOString(),
      }
  }
}

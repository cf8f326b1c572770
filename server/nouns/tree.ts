import type { calls } from '../../contract/calls.ts'
import { before, DAY_MS } from '../../contract/time.ts'
import type { AccountBeneath, TreeRow } from '../../contract/tree.ts'
import { hashPassword } from '../access/password.ts'
import type { Account, Context, Handlers } from '../context.ts'
import type { Fragment, Sql } from '../postgres/pool.ts'
import { isLow } from '../tree/account.ts'
import { type Beneath, beneathOf, isBeneath, managedBy } from '../tree/beneath.ts'
import { countsByState } from '../tree/client-counts.ts'
import { nameFor } from '../tree/names.ts'
import { setPassword } from '../tree/password.ts'
import { mayLift } from '../tree/suspension.ts'

export const tree: Pick<Handlers<typeof calls.tree>, 'list' | 'account' | 'password'> = {
  async list(context, { of, show }) {
    const top = of === undefined ? context.account : await beneathOf(context, of)
    return { data: await rowsBeneath(context, top, show) }
  },

  async account(context, { name }) {
    const found = await beneathOf(context, name)
    const [row] = await context.sql<Own[]>`
      select ${nameFor(context.sql, context.account, context.sql`p`)} as parent, h.balance as credits, ${isLow(context.sql)} as low,
        a.low_by_parent as low_below, a.created, ${lastLogin(context.sql)} as last_login
      from account a join account p on p.id = a.parent join holding h on h.id = ${found.balance_holding}
      where a.id = ${found.id}`
    if (!row) throw new Error(`there is no account ${found.id}`)
    return {
      name: found.name,
      role: found.role,
      closed: found.closed,
      ...row,
      beneath: await countBeneath(context, found),
      path: await pathBetween(context, found),
      ...(await suspensions(context, found)),
    }
  },

  password: {
    async outside(asker, { name, password }, begin) {
      const hash = await hashPassword(password, asker)
      return begin(async (context) => {
        await setPassword(context.sql, await managedBy(context, name, 'lock'), hash)
        return { status: 'OK' }
      })
    },
  },
}

/** The days over which the pace of an account is measured, or all of its life where that is shorter. */
const PACE_DAYS = 30
const DAY_S = DAY_MS / 1_000

/** What was used is read from the balances of 30 days ago: one row for each dealer, however many it has. */
function rowsBeneath(
  { sql, now }: Context,
  { id, role }: Pick<Account, 'id' | 'role'>,
  show: 'open' | 'closed',
): Promise<TreeRow[]> {
  const since = before(now, PACE_DAYS * DAY_MS)
  return sql<TreeRow[]>`
    with dealer as (
      -- What one that was closed meanwhile had used counts for those above it: its clients are with other dealers now.
      select id, ${childOnPath(sql, role)} as child, created, closed from account
      where role = 'dealer' and (closed > ${since}) is not false and ${isBeneath(sql, { id, role }, sql`account`)}
    ),
    counting as (${counting(sql, role)}),
    counted as (
      select child, sum(k."all")::int as clients, sum(k.active)::int as active, sum(k.expiring)::int as expiring,
        sum(k.expired)::int as expired
      from counting join (${countsByState(sql, now, sql`select id from counting`)}) k on k.account = counting.id
      group by child
    ),
    moved as (${movedSince(sql, since)}),
    spent as (${spentSince(sql, since)})
    select a.name, a.role, h.balance as credits, ${isLow(sql)} as low,
      (select count(*)::int from account r where r.parent = a.id and r.role = 'reseller' and r.closed is null) as resellers,
      case a.role when 'dealer' then 0 else coalesce(spent.dealers, 0) end as dealers,
      coalesce(c.clients, 0) as clients, coalesce(c.active, 0) as active, coalesce(c.expiring, 0) as expiring,
      coalesce(c.expired, 0) as expired, coalesce(spent.used, 0) as used,
      ${lasts(sql, now)} as lasts,
      ${lastLogin(sql)} as last_login,
      exists (select from suspension s where s.account = a.id and s.lifted is null) as suspended, a.created, a.closed
    from account a join holding h on h.account = a.id and h.kind = 'balance'
    left join counted c on c.child = a.id left join spent on spent.child = a.id
    where a.parent = ${id} and ${show === 'closed' ? sql`a.closed is not null` : sql`a.closed is null`}
    order by lower(a.name)`
}

/**
 * Returns how many days the balance of an account `a` lasts at its pace, which nobody knows before its second day. What
 * dealers that were moved to it had used before counts too, so that its days begin with the oldest of them.
 */
function lasts(sql: Sql, now: Date): Fragment {
  const began = sql`least(a.created, spent.began)`
  const seconds = sql`least(extract(epoch from ${now}::timestamptz - ${began}), ${PACE_DAYS * DAY_S})`
  return sql`
    case when a.closed is null and spent.used > 0 and ${began} <= ${before(now, DAY_MS)}
      then floor(h.balance * ${seconds} / (spent.used * ${DAY_S}))::bigint end`
}

/** Returns the column of a dealer's path that names the account one level beneath an account of a role. */
function childOnPath(sql: Sql, role: Account['role']) {
  if (role === 'admin') return sql`superreseller`
  return role === 'superreseller' ? sql`reseller` : sql`id`
}

/** The accounts whose counts are added up for each child: those of a superreseller are of all beneath it already. */
function counting(sql: Sql, role: Account['role']) {
  return role === 'admin'
    ? sql`select id, id as child from account where role = 'superreseller'`
    : sql`select id, child from dealer`
}

/** The used credits that came to each `dealer` with moved clients, less those that left it with others. */
function movedSince(sql: Sql, since: Date): Fragment {
  return sql`
    select account, sum(credits) as credits from (
      select t.dealer as account, t.credits from transfer t
      where t.type = 'MOVE' and t.dealer = any (array(select id from dealer)) and t.created >= ${since}
      union all
      select t.from_dealer, -t.credits from transfer t
      where t.type = 'MOVE' and t.from_dealer = any (array(select id from dealer)) and t.created >= ${since}
    ) as side group by account`
}

/**
 * What every `dealer` beneath each child has used since, which is what it has now, less what it had then and what was
 * `moved`; and since when the oldest of them is there.
 */
function spentSince(sql: Sql, since: Date): Fragment {
  return sql`
    select dealer.child, count(*) filter (where dealer.closed is null)::int as dealers, min(dealer.created) as began,
      sum(h.balance - coalesce(before.balance, 0) - coalesce(moved.credits, 0))::bigint as used
    from dealer join holding h on h.account = dealer.id and h.kind = 'consumed'
    -- A row has the moment at which its transaction began, but balances follow each other by id: of two changes that
    -- overlapped, the later one may have begun first.
    cross join lateral (
      select greatest(
        (select max(t.created) from transfer t
        where t.dealer = dealer.id and t.created < ${since} and h.id in (t.source, t.destination)),
        (select max(t.created) from transfer t
        where t.from_dealer = dealer.id and t.created < ${since} and t.source = h.id)
      ) as created
      -- Found once, and not again for both queries that need it.
      offset 0
    ) last
    left join lateral (
      select balance from (
        (select t.id, case h.id when t.destination then t.destination_balance else t.source_balance end as balance
        from transfer t where t.dealer = dealer.id and t.created < ${since} and h.id in (t.source, t.destination)
          and t.created >= last.created - interval '1 minute' offset 0)
        union all
        (select t.id, t.source_balance from transfer t
        where t.from_dealer = dealer.id and t.created < ${since} and t.source = h.id
          and t.created >= last.created - interval '1 minute' offset 0)
      ) latest order by id desc limit 1
    ) before on true
    left join moved on moved.account = dealer.id
    group by dealer.child`
}

function lastLogin(sql: Sql) {
  return sql`(
    select l.at from sign_in l where l.account = a.id and l.outcome = 'succeeded' order by l.at desc limit 1)`
}

type Own = Pick<AccountBeneath, 'parent' | 'credits' | 'low' | 'low_below' | 'created' | 'last_login'>

/** Returns the names of the accounts between the caller and an account beneath it, from the highest down. */
async function pathBetween(
  { sql, account }: Context,
  { superreseller, reseller }: Beneath,
): Promise<string[]> {
  const above = await sql<{ name: string }[]>`
    select name from account p
    where id = any (${[superreseller, reseller]}::bigint[]) and ${isBeneath(sql, account, sql`p`)}
    order by role desc`
  return above.map(({ name }) => name)
}

async function countBeneath(
  { sql, now }: Context,
  { id, role }: Beneath,
): Promise<AccountBeneath['beneath']> {
  // The counts of a superreseller are of all clients beneath it.
  const accounts =
    role === 'superreseller' ? sql`select ${id}::bigint` : sql`select id from branch where role = 'dealer'`
  const [counted] = await sql<AccountBeneath['beneath'][]>`
    with branch as (
      select id, role, id in (select dealer from dealer_out_of_service) as stopped from account
      where ${id} in (id, reseller, superreseller) and closed is null
    )
    select (select count(*) from branch where role = 'reseller' and id <> ${id}) as resellers,
      (select count(*) from branch where role = 'dealer' and id <> ${id}) as dealers,
      coalesce(sum(k."all"), 0)::int as clients,
      coalesce(sum(k.active), 0)::int - (${switchedOff(sql, now)})::int - (${stopped(sql, now)})::int as served
    from (${countsByState(sql, now, accounts)}) k`
  if (!counted) throw new Error('a count returns one row')
  return counted
}

/** Returns a query of how many clients of a `branch` have not expired, but are not served: a suspension stops them. */
function stopped(sql: Sql, now: Date): Fragment {
  const dealers = sql`select id from branch where branch.stopped`
  return sql`select coalesce(sum(active), 0) from (${countsByState(sql, now, dealers)}) s`
}

/**
 * Returns a query of how many clients of a `branch` are switched off and have not expired, where no suspension stops
 * them anyway.
 */
function switchedOff(sql: Sql, now: Date): Fragment {
  return sql`
    select count(*) from switched_off
    where dealer = any (array(select id from branch where not branch.stopped)) and expiry >= ${now}`
}

/**
 * Returns the suspension of an account itself, whether one above it is suspended, and whether any stops its clients.
 */
async function suspensions(
  { sql, account }: Context,
  { id, superreseller, reseller }: Beneath,
): Promise<Pick<AccountBeneath, 'suspension' | 'suspended_above' | 'held_above' | 'service_stopped'>> {
  const found = await sql<({ own: boolean } & NonNullable<AccountBeneath['suspension']>)[]>`
    select s.account = ${id} as own, s.created as since, ${nameFor(sql, account, sql`a`)} as by,
      ${mayLift(sql, account)} as liftable, s.reason, s.service_too
    from suspension s join account a on a.id = s.actor
    where s.account = any (${[id, superreseller, reseller]}::bigint[]) and s.lifted is null`
  const own = found.find((one) => one.own)
  return {
    // Why it is suspended was written for who set it and those above them, who may lift it.
    suspension: own ? { ...own, reason: own.liftable ? own.reason : '' } : null,
    suspended_above: found.some((one) => !one.own),
    held_above: found.some((one) => !one.own && !one.liftable),
    service_stopped: found.some((one) => one.service_too),
  }
}

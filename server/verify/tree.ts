import type { Sql } from '../postgres/pool.ts'

/**
 * A path that no move led to, a move by somebody who could not, a closed account that is not empty, a figure of a day
 * that is not what was then.
 */
export async function brokenTree(sql: Sql): Promise<string[]> {
  return [
    ...(await strayed(sql)).map(({ name }) => `The account ${name} is not where its moves have led.`),
    ...(await movedByOthers(sql)).map(
      ({ name, actor }) => `The account ${name} was moved by ${actor}, who could not.`,
    ),
    ...(await halfClosed(sql)).map(({ name }) => `The account ${name} is closed, but not empty.`),
    ...[...(await misstatedSuperresellers(sql)), ...(await misstatedBranches(sql))].map(
      ({ name, day }) => `The statistics of ${name} on ${day} are not what there was.`,
    ),
    ...(await miscounted(sql)).map(
      ({ name }) => `What is beneath ${name} now is not what its history has left there.`,
    ),
    ...(await misadded(sql, 'busy_day')).map(
      ({ name, began }) =>
        `The transactions of ${name} in the day from ${began} do not add up to what was kept.`,
    ),
    ...(await misadded(sql, 'finished_month')).map(
      ({ name, began }) =>
        `The transactions of ${name} in the month from ${began} do not add up to what was kept.`,
    ),
  ]
}

/** Finds accounts whose moves do not lead from one path to the next, up to their present one. */
function strayed(sql: Sql) {
  return sql<{ name: string }[]>`
    with step as (
      select account, id, last_transfer, from_superreseller, from_reseller, to_superreseller, to_reseller,
        lead(from_superreseller) over history as next_superreseller, lead(from_reseller) over history as next_reseller,
        lead(last_transfer) over history as next_transfer, lead(id) over history is null as last
      from tree_move window history as (partition by account order by id)
    )
    select distinct a.name from step join account a on a.id = step.account
    where next_transfer < last_transfer or (to_superreseller, to_reseller) is distinct from
      case when last then (a.superreseller, a.reseller) else (next_superreseller, next_reseller) end
    order by a.name limit 10`
}

/** Finds accounts that were moved by neither the admin nor a superreseller above both ends. */
function movedByOthers(sql: Sql) {
  return sql<{ name: string; actor: string }[]>`
    select distinct a.name, actor.name as actor
    from tree_move m join account a on a.id = m.account join account actor on actor.id = m.actor
    where actor.role <> 'admin' and (m.actor <> m.from_superreseller or m.actor <> m.to_superreseller)
    order by a.name limit 10`
}

/** Finds days or months of accounts whose kept sums are not those of the ledger, or leave out a type. */
function misadded(sql: Sql, table: 'busy_day' | 'finished_month') {
  const kept = sql(table)
  const paths = sql`superreseller, reseller, dealer, from_superreseller, from_reseller, from_dealer`
  return sql<{ name: string; began: string }[]>`
    with span as (select distinct began, ended from ${kept}),
    spans as (select array_agg(began order by began) as starts, array_agg(ended order by began) as ends from span),
    path as (
      select starts[nr] as began, type, ${paths}, count(*) as transactions, sum(credits) as credits
      from spans cross join transfer cross join lateral (select width_bucket(created, starts) as nr) as place
      where created >= starts[1] and created < ends[nr] group by 1, 2, ${paths}
    ),
    seen as (
      select id as account, began, type, transactions, credits from path join account on role = 'admin'
      union all
      select account, began, type, transactions, credits
      from path cross join lateral (values (superreseller), (reseller), (dealer)) as own (account)
      union all
      select account, began, type, transactions, credits from path cross join lateral (
        values (from_superreseller, superreseller), (from_reseller, reseller), (from_dealer, dealer)
      ) as former (account, present)
      where account <> present
    ),
    summed as (
      select account, began, type, sum(transactions) as transactions, sum(credits) as credits
      from seen join (select distinct account, began from ${kept}) as kept using (account, began) group by 1, 2, 3
    )
    select distinct a.name, began
    from summed full join ${kept} k using (account, began, type) join account a on a.id = account
    where (summed.transactions, summed.credits) is distinct from (k.transactions::numeric, k.credits::numeric)
    order by began, a.name limit 10`
}

function halfClosed(sql: Sql) {
  return sql<{ name: string }[]>`
    select a.name from account a where a.closed is not null and (
      exists (select from holding h where h.account = a.id and h.kind = 'balance' and h.balance <> 0)
      or exists (select from account b where b.parent = a.id and b.closed is null)
      or exists (select from service s where s.dealer = a.id)
      or exists (select from session s where s.account = a.id)
      or exists (select from credit_request r where r.account = a.id and r.state = 'open')
    ) order by a.name limit 10`
}

/**
 * Finds superresellers whose accounts and clients are not those that came less those that left. The rows of finished
 * days are proved by the same views of what came and left, so a fault of these would not show there.
 */
function miscounted(sql: Sql) {
  return sql<{ name: string }[]>`
    with counted as (
      select superreseller, reseller, 'client' as what, sum(clients) as came, 0 as there
      from client_change group by 1, 2
      union all
      select superreseller, null, role, sum(accounts), 0 from account_change group by 1, 3
      union all
      select a.superreseller, a.reseller, 'client', 0, count(*)
      from service s join account a on a.id = s.dealer group by 1, 2
      union all
      select superreseller, null, role, 0, count(*) from account
      where role in ('reseller', 'dealer') and closed is null group by 1, 3
    )
    select distinct a.name from (
      select superreseller from counted group by superreseller, reseller, what having sum(came) <> sum(there)
    ) parted join account a on a.id = parted.superreseller order by a.name limit 10`
}

/** Finds days of superresellers whose figures are not the sums of all changes before the day ended. */
function misstatedSuperresellers(sql: Sql) {
  return sql<{ name: string; day: string }[]>`
    with change as (
      select superreseller as account, at, clients, 0 as resellers, 0 as dealers, 0 as credits from client_change
      union all
      select superreseller, at, 0, case role when 'reseller' then accounts else 0 end,
        case role when 'dealer' then accounts else 0 end, 0
      from account_change
      union all
      select t.superreseller, t.created, 0, 0, 0, case h.id when t.destination then t.credits else -t.credits end
      from transfer t join holding h on h.account = t.superreseller and h.kind = 'balance'
      where t.dealer is null and h.id in (t.source, t.destination)
    ),
    line as (
      select account, at, null::date as day, clients, resellers, dealers, credits from change
      union all
      select superreseller, ended, day, 0, 0, 0, 0 from statistic
    ),
    summed as (
      select account, day, sum(clients) over so_far as clients, sum(resellers) over so_far as resellers,
        sum(dealers) over so_far as dealers, sum(credits) over so_far as credits
      from line window so_far as (partition by account order by at, day nulls last rows unbounded preceding)
    )
    select a.name, s.day from summed join statistic s on s.superreseller = summed.account and s.day = summed.day
    join account a on a.id = s.superreseller
    where (s.clients, s.resellers, s.dealers, s.credits)
      is distinct from (summed.clients::int, summed.resellers::int, summed.dealers::int, summed.credits::bigint)
    order by s.day, a.name limit 10`
}

/** Finds days of accounts whose clients and used credits are not the sums of all changes before the day ended. */
function misstatedBranches(sql: Sql) {
  return sql<{ name: string; day: string }[]>`
    with change as (
      select superreseller, reseller, at, clients, 0 as used from client_change
      union all
      select superreseller, reseller, created, 0, case type when 'USED' then credits else -credits end
      from transfer where type in ('USED', 'RETRIEVED')
    ),
    line as (
      select superreseller as account, at, null::date as day, clients, used, 0 as stated from change
      union all
      select reseller, at, null, clients, used, 0 from change
      union all
      select account, ended, day, 0, 0, used from branch_day
    ),
    summed as (
      select account, day, sum(clients) over so_far as clients, sum(used) over so_far as used,
        sum(stated) over so_far as stated
      from line window so_far as (partition by account order by at, day nulls last rows unbounded preceding)
    )
    select a.name, k.day from summed join branch_day k on k.account = summed.account and k.day = summed.day
    join account a on a.id = k.account
    where k.clients <> summed.clients or summed.stated <> summed.used order by k.day, a.name limit 10`
}

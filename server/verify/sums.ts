import type { Fragment, Sql } from '../postgres/pool.ts'
import { ONE_HOUR } from './rows.ts'

/** Checks the sums, which no single row can be blamed for. Returns a sentence for each that is wrong. */
export async function brokenSums(sql: Sql): Promise<string[]> {
  const sentences: string[] = []
  for (const check of CHECKS) sentences.push(...(await check(sql)))
  return sentences
}

const CHECKS = [
  checkOf<{ all: number }>(
    (sql) => sql`select sum(balance) as all from holding having sum(balance) <> 0`,
    ({ all }) => `All balances together come to ${all}, not to 0.`,
  ),
  checkOf<{ kind: string; name: string; balance: number }>(
    (sql) => sql`
      with moved as materialized (
        select source as holding from transfer group by 1 union select destination from transfer group by 1
      )
      select h.kind, a.name, h.balance from holding h join account a on a.id = h.account
      where h.balance <> 0 and not exists (select from moved where moved.holding = h.id) order by h.id limit 10`,
    ({ kind, name, balance }) => `The ${kind} of ${name} is ${balance}, but no row ever moved it.`,
  ),
  checkOf<{ name: string }>(
    (sql) => sql`
      select a.name from account a left join holding h on h.account = a.id
      group by a.id having array_agg(h.kind order by h.kind) is distinct from
        case a.role when 'admin' then '{issue}' when 'dealer' then '{balance,consumed}' else '{balance}' end::text[]
      order by a.id limit 10`,
    ({ name }) => `The account ${name} does not have the holdings of its role.`,
  ),
  checkOf<{ name: string; granted: number }>(
    (sql) => sql`
      select a.name, r.granted from credit_request r join account a on a.id = r.account
      join holding h on h.account = a.id and h.kind = 'balance'
      where r.state = 'granted' and not exists (
        select from transfer t where t.type = 'ADD' and t.destination = h.id and t.credits = r.granted
          and t.created between r.answered - ${ONE_HOUR}::interval and r.answered + ${ONE_HOUR}::interval
      ) order by r.id limit 10`,
    ({ name, granted }) => `The request of ${name} for credits was granted, but no row gave it ${granted}.`,
  ),
  checkOf<{ name: string }>(
    (sql) => sql`
      select c.name from client c
      where not exists (select from transfer t where t.client = c.id) order by c.id limit 10`,
    ({ name }) => `The client ${name} has no row in the ledger.`,
  ),
  checkOf<{ name: string }>(
    (sql) => sql`
      select c.name from client c join service s on s.client = c.id
      where (s.dealer, s.name) <> (c.dealer, c.name) order by c.id limit 10`,
    ({ name }) => `The service of client ${name} names another dealer or login than the client.`,
  ),
  checkOf<{ name: string }>(
    (sql) => sql`
      with there as (
        select s.client, s.dealer, s.expiry, c.active, lower(s.name) as name,
          search_text(c.name, c.description, c.mac, c.phone) as text
        from service s join client c on c.id = s.client
      )
      select name from client where id in (
        select client from there full join directory f using (client)
        where (there.dealer, there.expiry, there.active, there.name, there.text)
          is distinct from (f.dealer, f.expiry, f.active, f.name, f.text)
      ) order by id limit 10`,
    ({ name }) => `The search entry of client ${name} differs from the client.`,
  ),
  checkOf<{ name: string }>(
    (sql) => sql`
      with there as (
        select s.client, s.dealer, s.expiry from service s join client c on c.id = s.client where not c.active
      )
      select name from client where id in (
        select client from there full join switched_off o using (client)
        where (there.dealer, there.expiry) is distinct from (o.dealer, o.expiry)
      ) order by id limit 10`,
    ({ name }) => `The client ${name} is not in the list of those that are switched off as it should be.`,
  ),
  checkOf<{ mac: string }>(
    (sql) => sql`
      with trial as (
        select mac, client, created, true as given from transfer where type = 'TRIAL' and mac is not null
        union all select mac, client, created, false from mac_trial
      ),
      step as (
        select mac, client, created, given, lag(client) over history as client_before, lag(created) over history as created_before
        from trial window history as (partition by mac order by created, client, given desc)
      )
      -- A client that is on a trial may come back to a MAC that it had, but is given no other trial for it.
      select distinct mac from step
      where (given or client <> client_before) and created < created_before + interval '30 days' - ${ONE_HOUR}::interval
      order by mac limit 10`,
    ({ mac }) => `The MAC ${mac} had two trials within 30 days.`,
  ),
  checkOf<{ name: string }>(
    (sql) => sql`
      with there as (
        select unnest(array[d.id, d.superreseller]) as account, s.expiry, count(*) as clients
        from service s join account d on d.id = s.dealer group by 1, 2
      ),
      kept as (
        select account, expiry, sum(clients) as clients from client_count group by 1, 2 having sum(clients) <> 0
      )
      select name from account where id in (
        select account from there full join kept using (account, expiry)
        where there.clients is distinct from kept.clients
      ) order by id limit 10`,
    ({ name }) => `The clients of ${name} are not as many as were counted.`,
  ),
  checkOf<{ name: string }>(
    (sql) => sql`
      with settled as (
        select account, date_trunc('month', expiry, 'UTC') as month, sum(clients) as clients from settled_count
        group by 1, 2 having sum(clients) <> 0
      ),
      kept as (select account, month, clients from settled_month where clients <> 0)
      select name from account where id in (
        select account from settled full join kept using (account, month)
        where settled.clients is distinct from kept.clients
      ) order by id limit 10`,
    ({ name }) => `The clients of ${name} in a month are not as many as were counted.`,
  ),
  checkOf<{ expiry: string }>(
    (sql) => sql`
      with there as (select expiry, count(*) as clients from service group by 1),
      kept as (select expiry, sum(clients) as clients from total_count group by 1 having sum(clients) <> 0)
      select expiry from there full join kept using (expiry)
      where there.clients is distinct from kept.clients order by 1 limit 10`,
    ({ expiry }) =>
      `The clients of all dealers who are served until ${expiry} are not as many as were counted.`,
  ),
]

/** Returns a check: the query finds what is wrong, and each row of it makes a sentence. */
function checkOf<Row extends object>(query: (sql: Sql) => Fragment, sentenceOf: (row: Row) => string) {
  return async (sql: Sql): Promise<string[]> => (await sql<Row[]>`${query(sql)}`).map(sentenceOf)
}

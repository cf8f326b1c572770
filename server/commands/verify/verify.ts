import { begin } from '../../postgres/begin.ts'
import type { Sql } from '../../postgres/pool.ts'
import { brokenGuards } from './guards.ts'
import { type BrokenRow, LAWS, ONE_HOUR } from './rows.ts'
import { brokenTree } from './tree.ts'

export type Findings = {
  /** The number of rows that were checked. */
  transactions: number
  holdings: number
  clients: number
  /** The row with the lowest id that breaks a rule. */
  first: { id: number; sentence: string } | null
  /** A sentence for each fault that is not in a row. */
  others: string[]
}

/**
 * Proves the rules of the ledger on a snapshot of a live database, without stopping or changing anything.
 * @param sql a pool of at least two connections that may read every table
 * @param role the role that the console runs as
 */
export async function verify(sql: Sql, role: string): Promise<Findings> {
  return begin(sql, async (one) => {
    await one`set transaction isolation level repeatable read, read only`
    const [exported] = await one<{ snapshot: string }[]>`select pg_export_snapshot() as snapshot`
    return begin(sql, async (other) => {
      await other`set transaction isolation level repeatable read, read only`
      await other.unsafe(`set transaction snapshot '${exported?.snapshot}'`)
      return examine([one, other], role)
    })
  })
}

/** Proves the ledger in open transactions of one snapshot. Two of them share the work on two processors. */
export async function examine(transactions: readonly [Sql, ...Sql[]], role: string): Promise<Findings> {
  const [sql] = transactions
  const rest = [...LAWS]
  const broken = (await Promise.all(transactions.map((sql) => work(sql, rest)))).flat()
  return {
    ...(await counts(sql)),
    first: await firstOf(sql, broken),
    others: [...(await brokenGuards(sql, role)), ...(await brokenSums(sql)), ...(await brokenTree(sql))],
  }
}

/** The work_mem of the one statement that runs, so that it sorts in memory. */
const MEMORY = '256MB'

async function work(sql: Sql, rest: (typeof LAWS)[number][]): Promise<BrokenRow[]> {
  await sql`select set_config('work_mem', ${MEMORY}, true), set_config('jit', 'off', true)`
  const broken: BrokenRow[] = []
  for (let law = rest.shift(); law; law = rest.shift()) broken.push(...(await sql<BrokenRow[]>`${law(sql)}`))
  return broken
}

/** Checks the sums, which no single row can be blamed for. */
async function brokenSums(sql: Sql): Promise<string[]> {
  const [sum] = await sql<{ all: number }[]>`select coalesce(sum(balance), 0) as all from holding`
  const rowless = await sql<{ kind: string; name: string; balance: number }[]>`
    with moved as materialized (
      select source as holding from transfer group by 1 union select destination from transfer group by 1
    )
    select h.kind, a.name, h.balance from holding h join account a on a.id = h.account
    where h.balance <> 0 and not exists (select from moved where moved.holding = h.id) order by h.id limit 10`
  const wrong = await sql<{ name: string }[]>`
    select a.name from account a left join holding h on h.account = a.id
    group by a.id having array_agg(h.kind order by h.kind) is distinct from
      case a.role when 'admin' then '{issue}' when 'dealer' then '{balance,consumed}' else '{balance}' end::text[]
    order by a.id limit 10`
  const unbegun = await sql<{ name: string }[]>`
    select c.name from client c where not exists (select from transfer t where t.client = c.id) order by c.id limit 10`
  const strayed = await sql<{ name: string }[]>`
    select c.name from client c join service s on s.client = c.id
    where (s.dealer, s.name) <> (c.dealer, c.name) order by c.id limit 10`
  const mislisted = await sql<{ name: string }[]>`
    with there as (
      select s.client, s.dealer, s.expiry, c.active, lower(s.name) as name,
        search_text(c.name, c.description, c.mac, c.phone) as text
      from service s join client c on c.id = s.client
    )
    select name from client where id in (
      select client from there full join directory f using (client)
      where (there.dealer, there.expiry, there.active, there.name, there.text)
        is distinct from (f.dealer, f.expiry, f.active, f.name, f.text)
    ) order by id limit 10`
  const miscounted = await sql<{ name: string }[]>`
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
    ) order by id limit 10`
  const shared = await sql<{ mac: string }[]>`
    with trial as (
      select mac, client, created from transfer where type = 'TRIAL' and mac is not null
      union all select mac, client, created from mac_trial
    ),
    step as (
      select mac, client, created, lag(client) over history as client_before, lag(created) over history as created_before
      from trial window history as (partition by mac order by created, client)
    )
    select distinct mac from step
    where client <> client_before and created < created_before + interval '30 days' - ${ONE_HOUR}::interval
    order by mac limit 10`
  return [
    ...(sum?.all === 0 ? [] : [`All balances together come to ${sum?.all}, not to nothing.`]),
    ...rowless.map(
      ({ kind, name, balance }) => `The ${kind} of ${name} is ${balance}, but no row ever moved it.`,
    ),
    ...wrong.map(({ name }) => `The account ${name} has not the holdings of its role.`),
    ...unbegun.map(({ name }) => `The client ${name} has no row in the ledger.`),
    ...strayed.map(({ name }) => `The service of the client ${name} is another's.`),
    ...mislisted.map(({ name }) => `The client ${name} is not found as it is.`),
    ...shared.map(({ mac }) => `The MAC ${mac} had trials with two clients within 30 days.`),
    ...miscounted.map(({ name }) => `The clients of ${name} are not as many as were counted.`),
  ]
}

async function counts(sql: Sql): Promise<{ transactions: number; holdings: number; clients: number }> {
  const [counted] = await sql<{ transactions: number; holdings: number; clients: number }[]>`
    select (select count(*) from transfer) as transactions, (select count(*) from holding) as holdings,
      (select count(*) from client) as clients`
  return counted ?? { transactions: 0, holdings: 0, clients: 0 }
}

/** Returns the row with the lowest id, and everything that is wrong with it. */
async function firstOf(sql: Sql, broken: readonly BrokenRow[]): Promise<Findings['first']> {
  if (broken.length === 0) return null
  const id = Math.min(...broken.map(({ id }) => id))
  const faults = broken.filter((one) => one.id === id).map(({ fault }) => fault)
  const [row] = await sql<{ type: string; credits: number; login: string; created: string }[]>`
    select type, credits, login, created from transfer where id = ${id}`
  const what = row ? ` (${row.type} of ${row.credits}, ${row.login}, ${row.created})` : ''
  return { id, sentence: `Row ${id}${what} ${faults.join(', and ')}.` }
}

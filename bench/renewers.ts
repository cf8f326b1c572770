import { transfer } from '../server/ledger/transfer.ts'
import { begin } from '../server/postgres/begin.ts'
import type { Sql } from '../server/postgres/pool.ts'
import { nameOf, openSession } from './people.ts'
import type { Done, Order } from './renewal-process.ts'
import { openProcess } from './run-process.ts'

/** A dealer with a session, and clients to renew. */
export interface Renewer {
  id: number
  token: string
  superreseller: number
  reseller: number
  balance: number
  consumed: number
  clients: string[]
}

/** Prepares dealers with a session and credits, the biggest first. */
export async function renewersOf(
  sql: Sql,
  { dealers, clients } = { dealers: 256, clients: 20 },
): Promise<Renewer[]> {
  const renewers = await sql<(Omit<Renewer, 'token'> & { issue: number; admin: number; chain: number[] })[]>`
    select d.id, d.superreseller, d.reseller, b.id as balance, c.id as consumed, i.id as issue, i.account as admin,
      array[sb.id, rb.id] as chain, array(
        select name from client where dealer = d.id and deleted is null order by lower(name) limit ${clients}
      ) as clients
    from account d
    join holding b on b.account = d.id and b.kind = 'balance'
    join holding c on c.account = d.id and c.kind = 'consumed'
    join holding sb on sb.account = d.superreseller join holding rb on rb.account = d.reseller
    join holding i on i.kind = 'issue'
    where d.role = 'dealer' order by d.id limit ${dealers}`
  const credits = 20_000
  const ready: Renewer[] = []
  for (const { issue, admin, chain, ...one } of renewers) {
    await begin(sql, async (sql) => {
      const { superreseller, reseller, id } = one
      const [top, middle] = chain as [number, number]
      await add(sql, issue, top, admin, superreseller)
      await add(sql, top, middle, superreseller, reseller)
      await add(sql, middle, one.balance, reseller, id)
    })
    ready.push({ ...one, token: await openSession(sql, one.id) })
  }
  return ready

  async function add(
    sql: Sql,
    source: number,
    destination: number,
    actor: number,
    to: number,
  ): Promise<void> {
    const facts = { actor, login: await nameOf(sql, to), description: 'For a measurement' }
    await transfer(sql, { type: 'ADD', source, destination, rows: [{ ...facts, credits }] })
  }
}

/** Returns so many expired clients of a dealer, to be deleted, without those that it renews. */
export async function expiredOf(
  sql: Sql,
  { id, clients: renewed }: Renewer,
  count: number,
): Promise<string[]> {
  const clients = await sql<{ name: string }[]>`
    select c.name from client c join service s on s.client = c.id
    where c.dealer = ${id} and c.deleted is null and s.expiry < now() and c.name <> all (${renewed}::text[])
    order by c.id limit ${count}`
  if (clients.length < count)
    throw new Error(
      `Only ${clients.length} of ${count} clients of the dealer have expired: remove the database's folder, and it is filled anew`,
    )
  return clients.map(({ name }) => name)
}

/** Opens what renews without a pause. */
export function openRenewals(): { renew(order: Order): Promise<Done>; close(): void } {
  const { ask, close } = openProcess<Order, Done>('renewal-process.ts')
  return { renew: ask, close }
}

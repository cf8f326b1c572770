import { randomBytes } from 'node:crypto'
import { ROLES, type Role } from '../contract/roles.ts'
import { hash } from '../server/access/seal.ts'
import type { Sql } from '../server/postgres/pool.ts'

/** The busiest account of each role. */
export type People = Record<Role, Person>
export interface Person {
  id: number
  name: string
  token: string
}

/** Inserts a session for the busiest account of each role. */
export async function openSessions(sql: Sql): Promise<People> {
  const people: [Role, Person][] = []
  for (const role of ROLES) {
    const [account] = await sql<{ id: number; name: string }[]>`
      with busiest as materialized (select dealer, count(*) as clients from client group by dealer)
      select account.id, account.name from account
      left join account dealer
        on dealer.role = 'dealer' and account.id in (dealer.id, dealer.reseller, dealer.superreseller)
      left join busiest on busiest.dealer = dealer.id
      where account.role = ${role}
      group by account.id order by sum(clients) desc nulls last limit 1`
    if (!account) throw new Error(`There is no ${role}`)
    people.push([role, { ...account, token: await openSession(sql, account.id) }])
  }
  return Object.fromEntries(people) as People
}

/** Inserts a session for an account. Returns who it is then. */
export async function signIn(sql: Sql, id: number): Promise<Person> {
  return { id, name: await nameOf(sql, id), token: await openSession(sql, id) }
}

/** Signs in a dealer with clients outside the branch of a superreseller, and its reseller. */
export async function elsewhere(
  sql: Sql,
  superreseller: number,
): Promise<{ dealer: Person; reseller: Person }> {
  const [other] = await sql<{ dealer: number; reseller: number }[]>`
    select id as dealer, reseller from account
    where role = 'dealer' and superreseller <> ${superreseller}
      and exists (select from client where client.dealer = account.id and deleted is null)
    order by id limit 1`
  if (!other) throw new Error('All dealers with clients are in one branch')
  return { dealer: await signIn(sql, other.dealer), reseller: await signIn(sql, other.reseller) }
}

/** Inserts a session. Returns its token. */
export async function openSession(sql: Sql, account: number): Promise<string> {
  const token = randomBytes(32).toString('base64url')
  await sql`
    insert into session (token_hash, account, created, expiry)
    values (${hash(token)}, ${account}, now(), now() + interval '1 hour')`
  return token
}

/** Returns the id of the session of a token. */
export async function sessionOf(sql: Sql, token: string): Promise<{ id: number }> {
  const [session] = await sql<{ id: number }[]>`select id from session where token_hash = ${hash(token)}`
  if (!session) throw new Error('There is no such session')
  return session
}

/** Returns the name of an account. */
export async function nameOf(sql: Sql, id: number): Promise<string> {
  const [account] = await sql<{ name: string }[]>`select name from account where id = ${id}`
  if (!account) throw new Error(`There is no account ${id}`)
  return account.name
}

import { expiryState } from '../../contract/clients.ts'
import type { Fragment, Sql } from '../postgres/pool.ts'
import { notFound, Refusal } from '../refusal.ts'
import type { TreeContext } from './beneath.ts'
import { isVisibleTo } from './selection.ts'

/** A client that is not deleted, with its expiry. */
export type Client = {
  id: number
  dealer: number
  name: string
  mac: string | null
  ministra: boolean
  description: string
  expiry: string
}

/**
 * Finds the caller's clients by their names, in the order of the names: a dealer's own, for the admin any dealer's.
 * 'lock' locks them until the transaction ends, always in the order of their ids, so that two calls never deadlock.
 * @throws Refusal where one of them does not exist or is not the caller's
 */
export async function clientsOf(
  caller: TreeContext,
  names: readonly string[],
  lock?: 'lock',
): Promise<Client[]> {
  const found = await clientsAmong(caller, names, lock)
  if (found.length < names.length) throw notFound()
  return found
}

/**
 * Finds those of the named clients that exist and are the caller's, likewise; the others are left out.
 * @throws Refusal where none of them does
 */
export async function clientsThere(caller: TreeContext, names: readonly string[]): Promise<Client[]> {
  const found = await clientsAmong(caller, names)
  if (found.length === 0) throw notFound()
  return found
}

/** Finds those of the named clients that exist and are the caller's, likewise, which may be none. */
export async function clientsAmong(
  { sql, account }: TreeContext,
  names: readonly string[],
  lock?: 'lock',
): Promise<Client[]> {
  const wanted = names.map((name) => name.toLowerCase())
  // 'is true' hides the dealer from the planner: by an index that starts with it, it would read all the dealer's
  // clients.
  const which = sql`(${isVisibleTo(sql, account, sql`c`)}) is true and lower(c.name) = any (${wanted})`
  const found = await livingClients(sql, which, lock ? sql`for update` : sql``)
  const byName = new Map(found.map((client) => [client.name.toLowerCase(), client]))
  return wanted.flatMap((name) => byName.get(name) ?? [])
}

/** Returns those of some names that none of the clients has. */
export function namesMissing(names: readonly string[], clients: readonly Client[]): string[] {
  const there = new Set(clients.map(({ name }) => name.toLowerCase()))
  return names.filter((name) => !there.has(name.toLowerCase()))
}

/**
 * Finds clients by their dealers and names, and locks them until the transaction ends. Left out are clients that do not
 * exist, and those that another transaction has locked: this waits for nobody.
 */
export async function freeClients(
  sql: Sql,
  wanted: readonly { dealer: number; name: string }[],
): Promise<Client[]> {
  return sql<Client[]>`
    select found.* from unnest(${wanted.map(({ dealer }) => dealer)}::bigint[],
      ${wanted.map(({ name }) => name.toLowerCase())}::text[]) wanted (dealer, name)
    cross join lateral (
      select ${clientColumns(sql)} from client c join service s on s.client = c.id
      where c.dealer = wanted.dealer and lower(c.name) = wanted.name and c.deleted is null
      limit 1 for update skip locked
    ) found`
}

/** Finds the first clients of a dealer in the order of their ids, and locks them until the transaction ends. */
export function lockFirstClients(sql: Sql, dealer: number, most: number): Promise<Client[]> {
  return livingClients(sql, sql`c.dealer = ${dealer}`, sql`limit ${most} for update`)
}

function livingClients(sql: Sql, which: Fragment, end: Fragment): Promise<Client[]> {
  return sql<Client[]>`
    select ${clientColumns(sql)} from client c join service s on s.client = c.id
    where ${which} and c.deleted is null order by c.id ${end}`
}

/** The columns of a `Client`, of a client `c` and its service `s`. */
function clientColumns(sql: Sql): Fragment {
  return sql`c.id, c.dealer, c.name, c.mac, c.ministra, c.description, s.expiry`
}

export async function clientOf(caller: TreeContext, name: string, lock?: 'lock'): Promise<Client> {
  const [client] = await clientsOf(caller, [name], lock)
  return client as Client
}

/**
 * Refuses what only clients in service can have.
 * @param sentenceOf says so of the first that has expired
 */
export function refuseExpired(
  clients: readonly Client[],
  now: Date,
  sentenceOf: (expired: Client) => string,
): void {
  const expired = clients.find(({ expiry }) => expiryState(expiry, now) === 'expired')
  if (expired) throw new Refusal('client_expired', sentenceOf(expired))
}

/** Returns the living clients, other than `but`, that have this login or this MAC, and whether each is the caller's. */
export async function clientsWith(
  { sql, account }: TreeContext,
  { name, mac }: { name?: string; mac: string | null },
  but?: number,
): Promise<(Pick<Client, 'name' | 'mac'> & { isOwn: boolean })[]> {
  return sql`
    select c.name, c.mac, c.dealer = ${account.id} as "isOwn" from client c
    where (lower(c.name) = lower(${name ?? null}) or c.mac = ${mac})
      and c.deleted is null and c.id is distinct from ${but ?? null}`
}

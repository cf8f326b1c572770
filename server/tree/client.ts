import type { Context } from '../context.ts'
import { notFound } from '../refusal.ts'
import { isVisibleTo } from './selection.ts'

/** A living client with the moment until which it is served. */
export type Client = {
  id: number
  dealer: number
  name: string
  mac: string | null
  ministra: boolean
  description: string
  expiry: string
}

type Caller = Pick<Context, 'sql' | 'account'>

/**
 * The caller's clients of these names, in their order: a dealer's own, for the admin anybody's. One that is not the
 * caller's fails the whole. 'lock' keeps them as they are until the transaction ends; clients are always locked in the
 * order of their ids, so that two calls never wait for each other in a circle.
 */
export async function clientsOf(
  { sql, account }: Caller,
  names: readonly string[],
  lock?: 'lock',
): Promise<Client[]> {
  const wanted = names.map((name) => name.toLowerCase())
  // 'is true' leaves only the index of names: those that begin with the dealer are walked for all of a dealer's clients.
  const found = await sql<Client[]>`
    select c.id, c.dealer, c.name, c.mac, c.ministra, c.description, s.expiry
    from client c join service s on s.client = c.id
    where (${isVisibleTo(sql, account, sql`c`)}) is true and lower(c.name) = any (${wanted}) and c.deleted is null
    order by c.id ${lock ? sql`for update` : sql``}`
  const byName = new Map(found.map((client) => [client.name.toLowerCase(), client]))
  return wanted.map((name) => {
    const client = byName.get(name)
    if (!client) throw notFound()
    return client
  })
}

/** One of them. */
export async function clientOf(caller: Caller, name: string, lock?: 'lock'): Promise<Client> {
  const [client] = await clientsOf(caller, [name], lock)
  return client as Client
}

import { begin, sendAhead } from '../../postgres/begin.ts'
import type { Sql } from '../../postgres/pool.ts'
import { type BoxClient, boxClientOf, clientRows, type DeviceRow, deviceRowOf } from '../client.ts'

/**
 * Runs work on a client that is locked against other sign-ins, resets and changes. Null where it is gone. Locked with
 * it is the client that the box with this MAC is signed in to: before any device, and in the order of the ids, as
 * whoever locks several clients does, so that none of them waits in a circle.
 */
export function withClient<T>(
  sql: Sql,
  { id, mac }: { id: number; mac?: string },
  work: (sql: Sql, client: BoxClient, device: DeviceRow | null) => Promise<T | null>,
): Promise<T | null> {
  return begin(sql, async (sql) => {
    // By a statement of its own, because one that waits for a lock goes on with what it read before of other tables.
    await sendAhead(
      sql,
      sql`
        select from client
        where id = any (array(select ${id}::bigint union select client from device where mac = ${mac ?? null}))
        order by id for no key update`,
    )
    const [row] = await clientRows(sql, [id])
    return row ? work(sql, boxClientOf(row), deviceRowOf(row)) : null
  })
}

/** Locks a client to the network of its box, unless it is locked already. Null where it is gone. */
export function lockTo(sql: Sql, id: number, network: string): Promise<{ client: BoxClient } | null> {
  return withClient(sql, { id }, async (sql, client) => {
    if (!client.device || !client.locked || client.device.locked_to_ip !== null) return { client }
    await sql`update device set locked_to_ip = ${network} where client = ${id}`
    return { client: { ...client, device: { ...client.device, locked_to_ip: network } } }
  })
}

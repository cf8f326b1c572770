import { UNNAMED } from '../../contract/accounts.ts'
import type { calls } from '../../contract/calls.ts'
import type { DeviceChange } from '../../contract/shapes.ts'
import type { Handler } from '../context.ts'
import { clientOf } from '../tree/client.ts'
import { nameFor } from '../tree/names.ts'

const NEWEST = 1_000

/**
 * Returns the changes of a client's box, newest first. Where the person who acted may not be named, the address is left
 * out too.
 */
export const deviceHistory: Handler<typeof calls.clients.deviceHistory> = async (context, { name }) => {
  const { sql, account } = context
  const { id } = await clientOf(context, name)
  const rows = await sql<DeviceChange[]>`
    select h.id, h.at, h.event, h.detail, h.mac_before, h.address, ${nameFor(sql, account, sql`a`)} as actor
    from device_history h left join account a on a.id = h.actor
    where h.client = ${id} order by h.id desc limit ${NEWEST}`
  return rows.map((row) => ({ ...row, address: row.actor === UNNAMED ? null : row.address }))
}

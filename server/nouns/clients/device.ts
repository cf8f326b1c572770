import type { calls } from '../../../contract/calls.ts'
import { type Context, type Handler, Unchanged } from '../../context.ts'
import { clientOf } from '../../tree/client.ts'

export const resetDevice: Handler<typeof calls.clients.reset> = async (context, { name }) => {
  const client = await clientOf(context, name, 'lock')
  const forgotten = await forgetDevice(context, client.id, { event: 'reset', detail: '' })
  return forgotten ? { status: 'OK' } : new Unchanged({ status: 'OK' })
}

/** Forgets the box of a client, and notes who did. Returns whether there was anything to forget. */
export async function forgetDevice(
  { sql, now, account, address }: Context,
  client: number,
  { event, detail }: { event: 'reset' | 'new MAC'; detail: string },
): Promise<boolean> {
  const [row] = await sql<{ forgotten: boolean }[]>`select forget_device(${client}) as forgotten`
  if (!row?.forgotten) return false
  await sql`
    insert into device_history (client, at, event, detail, address, actor)
    values (${client}, ${now}, ${event}, ${detail}, ${address}, ${account.id})`
  return true
}

import type { calls } from '../../contract/calls.ts'
import { type Handler, type Handlers, Unchanged } from '../context.ts'

/** Returns the message that everybody sees after signing in; empty when there is none. */
export const readMessage: Handler<typeof calls.desk.admin.message> = async ({ sql }) => {
  const [broadcast] = await sql<{ message: string }[]>`select message from broadcast`
  return { message: broadcast?.message ?? '' }
}

export const broadcast: Pick<Handlers<typeof calls.admin>, 'setMessage' | 'removeMessage'> = {
  async setMessage({ sql }, { message }) {
    const { count } = await sql`
      insert into broadcast (message) values (${message})
      on conflict (only_one) do update set message = excluded.message where broadcast.message <> excluded.message`
    return count > 0 ? { status: 'OK' } : new Unchanged({ status: 'OK' })
  },

  async removeMessage({ sql }) {
    const [row] = await sql<{ removed: boolean }[]>`select remove_broadcast() as removed`
    return row?.removed ? { status: 'OK' } : new Unchanged({ status: 'OK' })
  },
}

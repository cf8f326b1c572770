import type { calls } from '../../contract/calls.ts'
import type { Handler, Handlers } from '../context.ts'

/** Returns the message that everybody sees after signing in; empty when there is none. */
export const readMessage: Handler<typeof calls.desk.admin.message> = async ({ sql }) => {
  const [broadcast] = await sql<{ message: string }[]>`select message from broadcast`
  return { message: broadcast?.message ?? '' }
}

export const broadcast: Pick<Handlers<typeof calls.admin>, 'setMessage' | 'removeMessage'> = {
  async setMessage({ sql }, { message }) {
    await sql`
      insert into broadcast (message) values (${message})
      on conflict (only_one) do update set message = excluded.message`
    return { status: 'OK' }
  },

  async removeMessage({ sql }) {
    await sql`select remove_broadcast()`
    return { status: 'OK' }
  },
}

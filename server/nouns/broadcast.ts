import type { calls } from '../../contract/calls.ts'
import { type Handler, type Handlers, Unchanged } from '../context.ts'
import { Refusal } from '../refusal.ts'

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

  async removeMessage({ sql }, { message: seen }) {
    const [present] = await sql<{ message: string }[]>`select message from broadcast for update`
    // What comes from now on is another message, which nobody meant.
    if (!present) return new Unchanged({ status: 'OK' })
    if (seen !== undefined && present.message !== seen) {
      throw new Refusal('changed_since', 'Another message has replaced this one. Please look at it first.')
    }
    await sql`select remove_broadcast()`
    return { status: 'OK' }
  },
}

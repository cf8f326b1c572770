import type { calls } from '../../../contract/calls.ts'
import type { OwnSession, SignIn } from '../../../contract/shapes.ts'
import { goesOn } from '../../access/session.ts'
import type { Handlers, OpenContext } from '../../context.ts'
import { sendAhead } from '../../postgres/begin.ts'
import { notFound, Refusal } from '../../refusal.ts'

/** How many tries are read at most to find those that failed or met a suspension: no index has these alone. */
const READ = 10_000

/**
 * The most sign-ins of each outcome that an account sees of itself, so that wrong logins push no right one off the
 * list.
 */
const NEWEST_OF_EACH = 50

export const signIns: Pick<Handlers<typeof calls.session>, 'list' | 'end' | 'signIns'> = {
  async list({ sql, account, session, now }) {
    const data = await sql<OwnSession[]>`
      select id, created as since, expiry, address, agent, token_hash = ${session} as this
      from session s where account = ${account.id} and ${goesOn(sql, now)} order by created desc, id desc`
    return { data }
  },

  async end({ sql, account, session }, { id }) {
    const [own] = await sql`select from session where id = ${id} and token_hash = ${session}`
    if (own) throw new Refusal('invalid_input', 'This is the session that you are using. Log out to end it.')
    const [row] = await sql<{ ended: boolean }[]>`select end_session_of(${account.id}, ${id}) as ended`
    if (!row?.ended) throw notFound()
    return { status: 'OK' }
  },

  async signIns({ sql, account }) {
    const data = await sql<SignIn[]>`
      with succeeded as (
        -- An index has these alone: no number of wrong tries since pushes them off.
        select * from sign_in where account = ${account.id} and outcome = 'succeeded'
        order by at desc, id desc limit ${NEWEST_OF_EACH}
      ), others as (
        select *, row_number() over (partition by outcome order by at desc, id desc) as nr
        from (select * from sign_in where account = ${account.id} order by at desc, id desc limit ${READ}) as read
        where outcome <> 'succeeded'
      )
      select id, at, address, agent, outcome from succeeded
      union all
      select id, at, address, agent, outcome from others where nr <= ${NEWEST_OF_EACH} order by at desc, id desc`
    return { data }
  },
}

export async function keepSignIn(
  { sql, now, address, agent }: OpenContext,
  account: number,
  outcome: SignIn['outcome'],
): Promise<void> {
  await sendAhead(
    sql,
    sql`
      insert into sign_in (account, at, address, agent, outcome)
      values (${account}, ${now}, ${address}, ${agent}, ${outcome})`,
  )
}

import type { calls } from '../../../contract/calls.ts'
import {
  type ChildRequest,
  type EndedRequest,
  moreThanAsked,
  NEWEST_REQUESTS,
  type OwnRequest,
} from '../../../contract/requests.ts'
import { before, DAY_MS } from '../../../contract/time.ts'
import type { Context, Handlers } from '../../context.ts'
import { lockPlace } from '../../ledger/transfer.ts'
import type { Fragment } from '../../postgres/pool.ts'
import { fieldRefusal, notFound, Refusal } from '../../refusal.ts'
import { suspended } from '../../tree/suspension.ts'
import { addTo, lockedChild } from './adding.ts'

/** How long a parent is told that a request ended with a move or a closing, in days. */
const TOLD_DAYS = 30

export const requests: Handlers<typeof calls.requests> = {
  async own({ sql, account }) {
    const [parent] = await sql<{ name: string }[]>`
      select p.name from account a join account p on p.id = a.parent where a.id = ${account.id}`
    if (!parent) throw new Error(`${account.name} has nobody to ask`)
    const data = await sql<OwnRequest[]>`
      select id, created, credits, note, state, granted, answer, answered from credit_request
      where account = ${account.id} order by id desc limit ${NEWEST_REQUESTS}`
    return { parent: parent.name, data }
  },

  async ask({ sql, account, now }, { credits, note }) {
    // A closing of the account either finds this request, or ends this session first.
    await lockPlace(sql, account)
    const [made] = await sql<{ id: number }[]>`
      insert into credit_request (account, credits, note, created)
      values (${account.id}, ${credits}, ${note}, ${now})
      on conflict (account) where state = 'open' do nothing returning id`
    if (!made) {
      throw new Refusal('already_asked', 'You have an open request already. Withdraw it to ask anew.')
    }
    return { status: 'OK', id: made.id }
  },

  async withdraw(context, { id }) {
    const { sql, account, now } = context
    await openRequest(context, sql`r.id = ${id} and a.id = ${account.id}`)
    await sql`update credit_request set state = 'withdrawn', answered = ${now} where id = ${id}`
    return { status: 'OK' }
  },

  async list({ sql, account, now }) {
    const data = await sql<ChildRequest[]>`
      select r.id, r.created, a.name, a.role, h.balance, r.credits, r.note, ${suspended(sql)} as suspended
      from credit_request r join account a on a.id = r.account
      join holding h on h.account = a.id and h.kind = 'balance'
      where a.parent = ${account.id} and r.state = 'open' order by r.id`
    const since = before(now, TOLD_DAYS * DAY_MS)
    // From the closings and moves on, because an account may have made and withdrawn requests without end.
    const ended = await sql<EndedRequest[]>`
      select r.id, r.answered, end_of.name, r.credits, r.state from (
        select id, name, closed as at, 'declined' as state from account
        where parent = ${account.id} and closed > ${since}
        union all
        select a.id, a.name, m.created, 'withdrawn' from tree_move m join account a on a.id = m.account
        where coalesce(m.from_reseller, m.from_superreseller) = ${account.id} and m.created > ${since}
      ) end_of
      join credit_request r on r.account = end_of.id and r.answered = end_of.at and r.state = end_of.state
      -- No others are joined, but PostgreSQL must be told so to take the index, which has these alone.
      where r.state in ('declined', 'withdrawn')
      order by r.answered desc, r.id desc`
    return { data, ended }
  },

  async grant(context, { id, credits }) {
    const { sql, account, now } = context
    const request = await openRequest(context, sql`r.id = ${id} and a.parent = ${account.id}`)
    if (credits > request.credits) {
      throw fieldRefusal('invalid_input', 'credits', moreThanAsked(request))
    }
    // The balance first: whoever asks has locked it, and waits for a request that is changed, but not for a locked one.
    const balance = await addTo(context, await lockedChild(context, request.name), credits)
    await sql`
      update credit_request set state = 'granted', granted = ${credits}, answered = ${now} where id = ${id}`
    return { status: 'OK', credits: balance }
  },

  async decline(context, { id, note }) {
    const { sql, account, now } = context
    await openRequest(context, sql`r.id = ${id} and a.parent = ${account.id}`)
    await sql`
      update credit_request set state = 'declined', answer = ${note}, answered = ${now} where id = ${id}`
    return { status: 'OK' }
  },
}

/** Finds a request `r` of an account `a`, and locks it. @throws Refusal where it was answered or withdrawn before */
async function openRequest(
  { sql }: Context,
  condition: Fragment,
): Promise<{ name: string; credits: number }> {
  const [request] = await sql<{ name: string; credits: number; state: string }[]>`
    select a.name, r.credits, r.state from credit_request r join account a on a.id = r.account
    where ${condition} for update of r`
  if (!request) throw notFound()
  if (request.state === 'open') return request
  throw new Refusal('changed_since', `This request was ${request.state} in the meantime.`)
}

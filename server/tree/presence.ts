import { BOX_REFUSALS } from '../../contract/box-refusals.ts'
import { ONLINE_FOR_MS } from '../../contract/clients.ts'
import { before, soonAfter } from '../../contract/time.ts'
import type { Fragment, Sql } from '../postgres/pool.ts'

/** Returns the condition that the box of a row `p` of `presence` is online. */
export function isOnline(sql: Sql, now: Date): Fragment {
  return sql`p.polled > ${onlineSince(now)} and p.polled <= ${soonAfter(now)}`
}

/**
 * Returns why a box was refused last, from a row `p` of `presence`. 'too_many_boxes' is stored also for 'other_client':
 * only after too many boxes does the client's device refuse to be taken over. And 'other_box' is stored for 'no_trial':
 * a client without a MAC has its box changed by a login. A month that was paid since has ended that reason.
 */
export function boxRefusal(sql: Sql): Fragment {
  return sql`
    case when p.refusal = 'too_many_boxes'
        and not exists (select from device tried where tried.client = p.client and tried.takeovers_refused) then 'other_client'
      when p.refusal = 'other_box' and exists (select from client c where c.id = p.client and c.mac is null) then
        case when not exists (
          select from transfer t where t.client = p.client and t.type = 'USED' and t.created >= p.answered
        ) then 'no_trial' end
      when p.refusal = any (${[...BOX_REFUSALS]}::text[]) then p.refusal
      when p.refusal is not null then 'other_reason' end`
}

/** Returns the moment since which a box has polled that is online. */
export function onlineSince(now: Date): Date {
  return before(now, ONLINE_FOR_MS)
}

/**
 * Returns the condition that a row `u` of `unknown_box` is still that: no client has its MAC, or has signed in on it.
 */
export function isUnknownBox(sql: Sql): Fragment {
  return sql`not exists (select from client c where c.mac = u.mac and c.deleted is null)
    and not exists (select from device d where d.mac = u.mac)`
}

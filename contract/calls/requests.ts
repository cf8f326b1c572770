import * as z from 'zod/mini'
import { call, Done, Nothing } from '../call.ts'
import { PassedCredits } from '../credits.ts'
import { LEVEL_NAMES } from '../levels.ts'
import {
  ChildRequest,
  EndedRequest,
  LowBelow,
  NEWEST_REQUESTS,
  OwnRequest,
  RequestNote,
} from '../requests.ts'
import { GivenName } from '../shapes.ts'
import { ABOVE } from '../tree.ts'

/** The calls by which a child asks its parent for credits. */
export const requests = {
  own: call({
    method: 'GET',
    path: '/credit-requests/own',
    roles: LEVEL_NAMES,
    summary: `The caller's newest ${NEWEST_REQUESTS} requests for credits, and whom they go to`,
    input: Nothing,
    output: z.object({ parent: z.string(), data: z.array(OwnRequest) }),
  }),
  ask: call({
    method: 'POST',
    path: '/credit-requests',
    roles: LEVEL_NAMES,
    summary: "Asks the caller's parent for credits; one request can be open",
    input: z.strictObject({ credits: PassedCredits, note: z._default(RequestNote, '') }),
    output: z.extend(Done, { id: z.int() }),
    sets: 'request',
  }),
  withdraw: call({
    method: 'POST',
    path: '/credit-requests/withdraw',
    roles: LEVEL_NAMES,
    summary: "Withdraws the caller's open request",
    input: z.strictObject({ id: z.int() }),
    output: Done,
    sets: 'request',
  }),
  list: call({
    method: 'GET',
    path: '/credit-requests',
    roles: ABOVE,
    summary: "The open requests of the caller's children, the oldest first",
    input: Nothing,
    output: z.object({
      data: z.array(ChildRequest),
      /** Those of the last 30 days whose account was moved away or closed. */
      ended: z.array(EndedRequest),
    }),
  }),
  grant: call({
    method: 'POST',
    path: '/credit-requests/grant',
    roles: ABOVE,
    summary: "Passes the credits of a child's open request, or fewer",
    input: z.strictObject({ id: z.int(), credits: PassedCredits }),
    output: z.extend(Done, { credits: z.int() }),
  }),
  decline: call({
    method: 'POST',
    path: '/credit-requests/decline',
    roles: ABOVE,
    summary: "Declines a child's open request, with a note",
    input: z.strictObject({ id: z.int(), note: z._default(RequestNote, '') }),
    output: Done,
  }),
}

/** The calls that set the balance below which an account is marked as low. */
export const lowBalance = {
  own: call({
    method: 'POST',
    path: '/low-balance',
    roles: LEVEL_NAMES,
    summary: "Sets the caller's own threshold, which goes before the parent's",
    input: z.strictObject({ below: LowBelow }),
    output: Done,
    sets: '{field}',
  }),
  ofChild: call({
    method: 'POST',
    path: '/low-balance/child',
    roles: ABOVE,
    summary:
      "Sets a child's threshold (any account's, for the admin), used while the child has none of its own",
    input: z.strictObject({ name: GivenName, below: LowBelow }),
    output: Done,
    sets: '{name} {field}',
  }),
}

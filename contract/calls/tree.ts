import * as z from 'zod/mini'
import { AccountPassword } from '../accounts.ts'
import { call, Done, Nothing } from '../call.ts'
import { pagePlace, pageQuery } from '../page.ts'
import { ChartSeries, GivenName, Moment, Search } from '../shapes.ts'
import { ABOVE, AccountBeneath, MovableClient, SuspensionReason, TreeRow } from '../tree.ts'
import { ByName, names } from './names.ts'

/** The `since` of the suspension that the caller saw; null for none. */
const SeenSuspension = z.optional(z.nullable(Moment))

/** The calls by which an account sees and manages what is beneath it, at whatever level. */
export const tree = {
  list: call({
    method: 'GET',
    path: '/tree',
    roles: ABOVE,
    summary: 'The accounts one level beneath the caller, or beneath an account that is beneath the caller',
    input: z.strictObject({
      of: z.optional(GivenName),
      show: z._default(z.enum(['open', 'closed']), 'open'),
    }),
    output: z.object({ data: z.array(TreeRow) }),
  }),
  account: call({
    method: 'GET',
    path: '/tree/{name}',
    roles: ABOVE,
    summary: 'One account beneath the caller, with what is beneath that',
    input: ByName,
    output: AccountBeneath,
  }),
  suspend: call({
    method: 'POST',
    path: '/tree/suspend',
    roles: ABOVE,
    summary:
      'Refuses the login of a child (of any account, for the admin) and of those beneath, and ends their sessions',
    input: z.strictObject({
      name: GivenName,
      reason: z._default(SuspensionReason, ''),
      service_too: z._default(z.boolean(), false),
      seen: SeenSuspension,
    }),
    output: Done,
    sets: '{name} suspension',
  }),
  lift: call({
    method: 'POST',
    path: '/tree/lift',
    roles: ABOVE,
    summary: 'Lifts a suspension that the caller set, or somebody beneath the caller',
    input: z.strictObject({ name: GivenName, seen: SeenSuspension }),
    output: Done,
    sets: '{name} suspension',
  }),
  move: call({
    method: 'POST',
    path: '/tree/move',
    roles: ['superreseller', 'admin'],
    summary: 'Moves an account beneath the caller to another parent, with everything beneath it',
    input: z.strictObject({ name: GivenName, to: GivenName }),
    output: Done,
    sets: '{name} place',
  }),
  clients: call({
    method: 'GET',
    path: '/tree/{name}/clients',
    roles: ABOVE,
    summary: 'A page of the clients of a dealer beneath the caller',
    input: z.strictObject({
      name: GivenName,
      search: z._default(Search, ''),
      ...pageQuery({ rows: 25 }),
    }),
    output: z.object({ data: z.array(MovableClient), count: z.int(), ...pagePlace }),
  }),
  moveClients: call({
    method: 'POST',
    path: '/tree/move-clients',
    roles: ABOVE,
    summary: 'Moves clients of a dealer beneath the caller to another; without names, the first 1,000',
    input: z.strictObject({ from: GivenName, to: GivenName, clients: z.optional(names()) }),
    output: z.extend(Done, {
      moved: z.int(),
      /** How many clients the dealer still has. */
      left: z.int(),
    }),
    body: 'long',
    sets: '{name} place',
  }),
  close: call({
    method: 'POST',
    path: '/tree/close',
    roles: ABOVE,
    summary: 'Closes a child (any account, for the admin) with nothing beneath it',
    input: ByName,
    output: z.extend(Done, {
      /** The credits that went to the parent. */
      credits: z.int(),
    }),
  }),
  growth: call({
    method: 'GET',
    path: '/growth',
    roles: ABOVE,
    summary: 'The clients beneath the caller by day, and the credits used beneath it during each',
    input: Nothing,
    output: z.extend(ChartSeries, { used: z.array(z.int()) }),
  }),
  password: call({
    method: 'POST',
    path: '/admin/password',
    roles: ['admin'],
    summary: 'Sets the password of any account and ends its sessions',
    input: z.strictObject({ name: GivenName, password: AccountPassword }),
    output: Done,
    sets: '{name} password',
  }),
}

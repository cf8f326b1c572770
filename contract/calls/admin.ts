import * as z from 'zod/mini'
import { call, Done, Nothing } from '../call.ts'
import { Mac } from '../clients.ts'
import {
  ANY_CLIENT_SORTS,
  AnyClientRow,
  ChartSeries,
  clientPage,
  clientQuery,
  Moment,
  StatisticsRow,
} from '../shapes.ts'
import { MessageText } from '../text.ts'
import { Removal } from './clients.ts'
import { exportClients } from './exports.ts'
import { ByName } from './names.ts'

export const admin = {
  clients: call({
    method: 'GET',
    path: '/admin/clients',
    roles: ['admin'],
    summary: 'A page of all clients, each with its dealer',
    input: clientQuery(ANY_CLIENT_SORTS),
    output: clientPage(AnyClientRow),
  }),
  exportClients: exportClients('admin', ANY_CLIENT_SORTS),
  searchMac: call({
    method: 'GET',
    path: '/admin/searchmac/{mac}',
    roles: ['admin'],
    summary: 'The client with this MAC',
    input: z.strictObject({ mac: Mac }),
    output: z.object({ name: z.string(), mac: z.string(), expiry: Moment, dealer: z.string() }),
  }),
  remove: call({
    method: 'POST',
    path: '/admin/remove',
    roles: ['admin'],
    summary: 'Deletes any client, expired or not; its months are lost',
    input: Removal,
    output: Done,
  }),
  setMessage: call({
    method: 'POST',
    path: '/admin/message',
    roles: ['admin'],
    summary: 'Sets the broadcast message',
    input: z.strictObject({
      message: MessageText.check(z.refine((text) => text.trim() !== '', 'Message must not be empty')),
    }),
    output: Done,
    sets: 'message',
  }),
  removeMessage: call({
    method: 'DELETE',
    path: '/admin/message',
    roles: ['admin'],
    summary: 'Removes the broadcast message',
    /** `message` is the one that the person saw; the call is refused if another one has replaced it. */
    input: z.strictObject({ message: z.optional(MessageText) }),
    output: Done,
    sets: 'message',
  }),
  totals: call({
    method: 'GET',
    path: '/admin/statstotals',
    roles: ['admin'],
    summary: 'Clients by day, over all superresellers',
    input: Nothing,
    output: ChartSeries,
  }),
  statistics: call({
    method: 'GET',
    path: '/admin/statistics/{name}',
    roles: ['admin'],
    summary: "A superreseller's statistics by day, today's live row last",
    input: ByName,
    output: z.array(StatisticsRow),
  }),
  chart: call({
    method: 'GET',
    path: '/admin/statschart/{name}',
    roles: ['admin'],
    summary: "A superreseller's clients by day",
    input: ByName,
    output: ChartSeries,
  }),
}

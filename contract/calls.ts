import * as z from 'zod/mini'
import { type Call, named } from './call.ts'
import { admin } from './calls/admin.ts'
import { boxes } from './calls/boxes.ts'
import { channels } from './calls/channels.ts'
import { clients } from './calls/clients.ts'
import { credits, desk } from './calls/desk.ts'
import { files } from './calls/exports.ts'
import { level } from './calls/levels.ts'
import { lowBalance, requests } from './calls/requests.ts'
import { session } from './calls/session.ts'
import { system } from './calls/system.ts'
import { transactions } from './calls/transactions.ts'
import { tree } from './calls/tree.ts'
import { AccountRow, SuperresellerRow } from './shapes.ts'

/** Every call between the console and the server. Its place in this tree is its name. */
export const calls = named({
  session,
  desk: {
    admin: desk('admin'),
    superreseller: desk('superreseller'),
    reseller: desk('reseller'),
    dealer: desk('dealer'),
  },
  credits: {
    superreseller: credits('superreseller'),
    reseller: credits('reseller'),
    dealer: credits('dealer'),
  },
  level: {
    superreseller: level('superreseller', SuperresellerRow, { totalClients: z.int() }),
    reseller: level('reseller', AccountRow, {}),
    dealer: level('dealer', AccountRow, {}),
  },
  transactions,
  tree,
  requests,
  lowBalance,
  clients,
  admin,
  channels,
  boxes,
  system,
  files,
})

/** An input as the caller writes it, before defaults and transformations. */
export type InputOf<C extends Call> = z.input<C['input']>
export type OutputOf<C extends Call> = z.output<C['output']>

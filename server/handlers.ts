import type { calls } from '../contract/calls.ts'
import { accountsOf, ownCredits, superresellers } from './accounts.ts'
import { broadcast, readMessage } from './broadcast.ts'
import { listAllClients, listClients } from './client-list.ts'
import { clients } from './clients.ts'
import type { Handlers } from './context.ts'
import { download, exportAllClients, exportClients, exportTransactions } from './exports.ts'
import { macs } from './macs.ts'
import { renewals } from './renewals.ts'
import { session } from './session.ts'
import { saveSettings } from './settings.ts'
import { statistics } from './statistics.ts'
import { historyOfAccount, historyOfClient, ownTransactions } from './transactions.ts'

const desk: Handlers<typeof calls.desk.admin> = {
  transactions: ownTransactions,
  exportTransactions,
  message: readMessage,
  saveSettings,
}

/** Which handler answers which call: the contract's tree once more, with what is done in place of what is said. */
export const handlers: Handlers<typeof calls> = {
  session,
  desk: { admin: desk, superreseller: desk, reseller: desk, dealer: desk },
  credits: { superreseller: ownCredits, reseller: ownCredits, dealer: ownCredits },
  level: {
    superreseller: { ...superresellers, history: historyOfAccount },
    reseller: { ...accountsOf('reseller'), history: historyOfAccount },
    dealer: { ...accountsOf('dealer'), history: historyOfAccount },
  },
  clients: { ...clients, ...renewals, list: listClients, history: historyOfClient, export: exportClients },
  admin: { ...macs, ...broadcast, ...statistics, clients: listAllClients, exportClients: exportAllClients },
  files: { download },
}

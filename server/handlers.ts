import type { calls } from '../contract/calls.ts'
import type { Handlers } from './context.ts'
import { accountsOf, ownCredits, superresellers } from './nouns/accounts/accounts.ts'
import { lowBalance } from './nouns/accounts/low-balance.ts'
import { requests } from './nouns/accounts/requests.ts'
import { boxEvents } from './nouns/box-events.ts'
import { boxes } from './nouns/boxes.ts'
import { broadcast, readMessage } from './nouns/broadcast.ts'
import { channels } from './nouns/channels/channels.ts'
import { findClients } from './nouns/client-list/find.ts'
import { listAllClients, listClients } from './nouns/client-list/list.ts'
import { chosen } from './nouns/clients/chosen.ts'
import { clientDetail } from './nouns/clients/detail.ts'
import { resetDevice } from './nouns/clients/device.ts'
import { createClient } from './nouns/clients/new.ts'
import { saveClient } from './nouns/clients/save.ts'
import { closeAccount } from './nouns/closing.ts'
import { deviceHistory } from './nouns/device-history.ts'
import { due } from './nouns/due.ts'
import { download, exportAllClients, exportClients, exportTransactions } from './nouns/exports/exports.ts'
import { growth } from './nouns/growth.ts'
import { macLastSeen, searchMac } from './nouns/macs.ts'
import { moveAccount } from './nouns/moving-accounts.ts'
import { movingClients } from './nouns/moving-clients.ts'
import { savePreferences } from './nouns/preferences.ts'
import { removeAnyClient, removeClient, removeClients } from './nouns/removal.ts'
import { renewals } from './nouns/renewals.ts'
import { session } from './nouns/session/session.ts'
import { saveSettings } from './nouns/settings.ts'
import { spent } from './nouns/spent.ts'
import { statistics } from './nouns/statistics.ts'
import { suspension } from './nouns/suspension.ts'
import { system } from './nouns/system/system.ts'
import { historyOfAccount, historyOfClient, ownTransactions, transactions } from './nouns/transactions.ts'
import { tree } from './nouns/tree.ts'
import { trials } from './nouns/trials.ts'

const desk: Handlers<typeof calls.desk.admin> = {
  transactions: ownTransactions,
  exportTransactions,
  message: readMessage,
  saveSettings,
}

export const handlers: Handlers<typeof calls> = {
  session: { ...session, savePreferences },
  desk: { admin: desk, superreseller: desk, reseller: desk, dealer: desk },
  credits: { superreseller: ownCredits, reseller: ownCredits, dealer: ownCredits },
  level: {
    superreseller: { ...superresellers, history: historyOfAccount },
    reseller: { ...accountsOf('reseller'), history: historyOfAccount },
    dealer: { ...accountsOf('dealer'), history: historyOfAccount },
  },
  transactions,
  tree: { ...tree, ...suspension, ...movingClients, growth, move: moveAccount, close: closeAccount },
  requests,
  lowBalance,
  clients: {
    ...chosen,
    create: createClient,
    detail: clientDetail,
    save: saveClient,
    reset: resetDevice,
    ...renewals,
    ...due,
    ...boxEvents,
    list: listClients,
    find: findClients,
    macLastSeen,
    deviceHistory,
    history: historyOfClient,
    remove: removeClient,
    multiremove: removeClients,
    export: exportClients,
    spent,
    trials,
  },
  admin: {
    ...broadcast,
    ...statistics,
    clients: listAllClients,
    exportClients: exportAllClients,
    searchMac,
    remove: removeAnyClient,
  },
  channels,
  boxes,
  system,
  files: { download },
}

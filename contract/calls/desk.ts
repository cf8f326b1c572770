import * as z from 'zod/mini'
import { SettingsToSave } from '../appearance.ts'
import { call, Done, Nothing } from '../call.ts'
import { DESK, type Role } from '../roles.ts'
import { Day, Transaction } from '../shapes.ts'
import { daysInOrder, transactionFilter } from '../transactions.ts'
import { Ticket } from './exports.ts'

/** The calls that every role has at the path of its own. */
export function desk(role: Role) {
  const at = DESK[role]
  return {
    transactions: call({
      method: 'GET',
      path: `${at}/transactions`,
      roles: [role],
      summary: 'The newest 1,000 transactions of the caller and of everything beneath',
      input: Nothing,
      output: z.array(Transaction),
    }),
    exportTransactions: call({
      method: 'POST',
      path: `${at}/transactions/export`,
      roles: [role],
      summary: 'A ticket for the CSV of the filtered transactions between two days',
      input: z.strictObject({ ...transactionFilter, from: Day, to: Day }).check(daysInOrder),
      output: Ticket,
      takesKey: false,
      needsSpace: 'little',
    }),
    message: call({
      method: 'GET',
      path: `${at}/message`,
      roles: [role],
      summary: 'The broadcast message, empty when there is none',
      input: Nothing,
      output: z.object({ message: z.string() }),
    }),
    saveSettings: call({
      method: 'POST',
      path: `${at}/savesettings`,
      roles: [role],
      summary: "Keeps the caller's appearance; what is left out stays as it is",
      input: SettingsToSave,
      output: Done,
      sets: '{field}',
    }),
  }
}

/** The call for the caller's balance, which every role but the admin has. */
export function credits(role: Role) {
  return call({
    method: 'GET',
    path: `${DESK[role]}/credits`,
    roles: [role],
    summary: "The caller's balance",
    input: Nothing,
    output: z.object({
      credits: z.int(),
      /** Whether the balance is below the account's own threshold, or else its parent's for it. */
      low: z.boolean(),
      /** The account's own threshold; null where it has none. */
      low_below: z.nullable(z.int()),
    }),
  })
}

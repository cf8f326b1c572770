import type { Call } from '../contract/call.ts'
import { calls, type InputOf, type OutputOf } from '../contract/calls.ts'
import { LEVEL_NAMES, LEVELS } from '../contract/levels.ts'
import type { ApiError } from './api.ts'

/** What the person is told of a call. */
export interface Words<C extends Call = Call> {
  /** Nothing is said of a success that shows by itself. */
  success?(input: InputOf<C>, output: OutputOf<C>): string
  failure: string
  /** A refusal is told in the server's own words alone. */
  refusalAlone?: true
}

/** What is told of a call, if anything. */
export function wordsOf<C extends Call>(call: C): Words<C> | undefined {
  return table.get(call)
}

/** The sentence of a failure, and the server's reason beneath it where the sentence is not the reason. */
export function failureOf(words: Words, error: ApiError): [text: string, reason?: string] {
  if (words.refusalAlone && error.status === 400) return [error.message]
  return [words.failure, error.message]
}

/** The error catalogue, a row for each call. */
const table = new Map<Call, Words>([
  row(calls.clients.renew, {
    success: ({ months, name }) => `Successfully renewed ${months} month(s) for ${name}`,
    failure: 'Error renewing credits. Please try again.',
  }),
  row(calls.clients.multirenew, {
    success: ({ months, clients }) => `Successfully renewed ${months} month(s) for ${clients.length} clients`,
    failure: 'Error renewing clients. Please try again.',
  }),
  row(calls.clients.remove, {
    success: ({ name }) => `Successfully deleted client ${name}`,
    failure: 'Error deleting client. Please try again.',
  }),
  row(calls.clients.create, {
    success: (_, { name }) => `Client ${name} created successfully!`,
    failure: 'Error creating client. Please try again.',
    refusalAlone: true,
  }),
  row(calls.clients.save, {
    success: (_, { name }) => `Client ${name} updated successfully!`,
    failure: 'Error updating client. Please try again.',
  }),
  row(calls.clients.retrieve, {
    success: ({ credits }) => `Successfully retrieved ${credits} credits`,
    failure: 'Error retrieving credits. Please try again.',
  }),
  row(calls.clients.reset, {
    success: () => 'Client reset successfully',
    failure: 'Error resetting client. Please try again.',
  }),
  row(calls.clients.export, { failure: 'Error exporting. Please try again.' }),
  ...LEVEL_NAMES.flatMap(rowsOfLevel),
  row(calls.session.password, passwordWords()),
  row(calls.admin.setMessage, {
    success: () => 'Message updated successfully',
    failure: 'Error updating message',
  }),
  row(calls.admin.removeMessage, {
    success: () => 'Message removed successfully',
    failure: 'Error removing message',
  }),
  row(calls.admin.searchMac, { failure: 'Error searching MAC. Please try again.', refusalAlone: true }),
  row(calls.admin.remove, {
    // Without its MAC, a client was deleted by its name.
    success: ({ mac, name }) =>
      mac === undefined ? `Successfully deleted client ${name}` : 'MAC address deleted successfully!',
    failure: 'Error deleting MAC. Please try again.',
    refusalAlone: true,
  }),
  row(calls.admin.exportClients, { failure: 'Error exporting. Please try again.' }),
  ...Object.values(calls.desk).flatMap((desk) => [
    row(desk.saveSettings, {
      success: () => 'Settings saved successfully',
      failure: 'Failed to save settings',
    }),
    row(desk.exportTransactions, { failure: 'Error exporting. Please try again.' }),
  ]),
])

function rowsOfLevel(name: (typeof LEVEL_NAMES)[number]): [Call, Words][] {
  const { title, inSentence } = LEVELS[name]
  return [
    row(calls.level[name].create, {
      success: () => `${title} added successfully!`,
      failure: `Error adding ${title}. Please try again.`,
    }),
    row(calls.level[name].save, {
      success: () => `${title} updated successfully!`,
      failure: `Error updating ${inSentence}. Please try again.`,
      ...(name === 'dealer' && { refusalAlone: true }),
    }),
    row(calls.level[name].changePassword, passwordWords()),
  ]
}

function passwordWords(): Words {
  return {
    success: () => 'Password changed successfully!',
    failure: 'Error changing password. Please try again.',
  }
}

function row<C extends Call>(call: C, words: Words<C>): [Call, Words] {
  return [call, words]
}

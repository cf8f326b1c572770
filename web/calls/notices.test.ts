import { expect, test } from 'vitest'
import type { Call } from '../../contract/call.ts'
import { calls } from '../../contract/calls.ts'
import { ApiError } from './api.ts'
import { atForm, failureOf, noticesOf, tellFailure } from './notices.ts'

const { clients, level, admin, desk, session } = calls

test.each<[Call, unknown, unknown, string | undefined, string]>([
  [
    clients.renew,
    { months: 3, name: 'tom' },
    {},
    'Successfully renewed 3 month(s) for tom',
    'Error renewing credits. Please try again.',
  ],
  [
    clients.multirenew,
    { months: 1, clients: ['a', 'b'] },
    {},
    'Successfully renewed 1 month(s) for 2 clients',
    'Error renewing clients. Please try again.',
  ],
  [
    clients.multirenew,
    { months: [1], clients: ['a'] },
    {},
    'Successfully renewed 1 client, each as last time',
    'Error renewing clients. Please try again.',
  ],
  [
    clients.multirenew,
    { months: [], clients: Array(1_010).fill('a') },
    {},
    'Successfully renewed 1,010 clients, each as last time',
    'Error renewing clients. Please try again.',
  ],
  [
    clients.remove,
    { name: 'tom' },
    {},
    'Successfully deleted client tom',
    'Error deleting client. Please try again.',
  ],
  [
    clients.create,
    {},
    { name: 'tom' },
    'Client tom created successfully!',
    'Error creating client. Please try again.',
  ],
  [
    clients.save,
    {},
    { name: 'tom' },
    'Client tom updated successfully!',
    'Error updating client. Please try again.',
  ],
  [
    clients.retrieve,
    { credits: 2 },
    {},
    'Successfully retrieved 2 credits',
    'Error retrieving credits. Please try again.',
  ],
  [clients.reset, {}, {}, 'Client reset successfully', 'Error resetting client. Please try again.'],
  [
    level.superreseller.create,
    {},
    {},
    'Super Reseller added successfully!',
    'Error adding Super Reseller. Please try again.',
  ],
  [level.reseller.create, {}, {}, 'Reseller added successfully!', 'Error adding Reseller. Please try again.'],
  [level.dealer.create, {}, {}, 'Dealer added successfully!', 'Error adding Dealer. Please try again.'],
  [
    level.superreseller.save,
    {},
    {},
    'Super Reseller updated successfully!',
    'Error updating super reseller. Please try again.',
  ],
  [
    level.reseller.save,
    {},
    {},
    'Reseller updated successfully!',
    'Error updating reseller. Please try again.',
  ],
  [level.dealer.save, {}, {}, 'Dealer updated successfully!', 'Error updating dealer. Please try again.'],
  [
    level.dealer.changePassword,
    {},
    {},
    'Password changed successfully!',
    'Error changing password. Please try again.',
  ],
  [session.password, {}, {}, 'Password changed successfully!', 'Error changing password. Please try again.'],
  [admin.setMessage, {}, {}, 'Message updated successfully', 'Error updating message'],
  [admin.searchMac, {}, {}, undefined, 'Error searching MAC. Please try again.'],
  [
    admin.remove,
    { name: 'tv100', mac: '00:1A:79:12:34:56' },
    {},
    'MAC address deleted successfully!',
    'Error deleting MAC. Please try again.',
  ],
  [desk.dealer.saveSettings, {}, {}, 'Settings saved successfully', 'Failed to save settings'],
])('$path says what the catalogue says', (call, input, output, success, failure) => {
  const notices = noticesOf(call)
  expect(notices?.success?.(input, output)).toBe(success)
  expect(notices?.failure).toBe(failure)
})

const refusal = new ApiError('You have 3 credits; this needs 12.', {
  code: 'insufficient_credits',
  status: 400,
})
const fault = new ApiError('Something went wrong on our side.', { code: 'internal', status: 500 })

test("a failure shows the catalogue's sentence and the server's reason", () => {
  expect(reason(clients.renew, refusal)).toEqual({
    text: 'Error renewing credits. Please try again.',
    reason: refusal.message,
    about: 'Error renewing credits. Please try again.',
  })
})

test.each([clients.create, level.dealer.save, admin.searchMac, admin.remove])(
  "a 400 shows the server's message alone: $path",
  (call) => {
    const failure = noticesOf(call as Call)?.failure
    expect(reason(call, refusal)).toEqual({ text: refusal.message, about: failure })
    expect(reason(call, fault)).toEqual({ text: failure, reason: fault.message, about: failure })
  },
)

test('the refusal of a silent call shows at its form, and that of any other call in its notice', () => {
  expect(atForm(noticesOf(clients.quote), refusal)).toEqual({
    message: refusal.message,
    fields: refusal.errors,
  })
  expect(atForm(noticesOf(clients.renew), refusal)).toEqual({ message: '', fields: refusal.errors })
})

test('a form says that what was not answered may have been done, and a silent call why', () => {
  const message = 'This may have been done. Send it again: nothing is done twice.'
  expect(atForm(noticesOf(clients.renew), fault)).toEqual({ message, fields: undefined })
  expect(atForm(noticesOf(clients.quote), fault)).toEqual({ message: fault.message, fields: undefined })
})

test.each([
  { code: 'too_many_tries', status: 429 },
  { code: 'disk_full', status: 503, unchanged: true },
  { code: 'unavailable', status: 503, unchanged: true },
] as const)('a form does not say that what changed nothing may have been done: %o', (about) => {
  const error = new ApiError('Not now.', about)
  expect(atForm(noticesOf(clients.renew), error)).toEqual({ message: '', fields: undefined })
})

test('a session that had ended before it was ended is no failure, because that is what was wanted', () => {
  const told: unknown[] = []
  const tell = (kind: string) => (text: string) => told.push([kind, text])
  const notice = {
    ...{ success: tell('success'), warning: tell('warning') },
    ...{ error: tell('error'), settle: tell('settle') },
  }
  const gone = new ApiError('There is nothing of this name here.', { code: 'not_found', status: 404 })
  tellFailure(notice, noticesOf(session.end), gone)
  expect(told).toEqual([
    ['settle', 'Error ending the session. Please try again.'],
    ['success', 'This session had ended already'],
  ])
  told.length = 0
  tellFailure(notice, noticesOf(session.end), new ApiError('Not now.', { code: 'unavailable', status: 503 }))
  expect(told).toEqual([['error', 'Error ending the session. Please try again.']])
})

function reason(call: Call, error: ApiError) {
  const notices = noticesOf(call)
  if (!notices) return null
  const [text, reason, about] = failureOf(notices, error)
  return { text, reason, about }
}

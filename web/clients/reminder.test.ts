import { expect, test } from 'vitest'
import { ReminderText } from '../../contract/due.ts'
import { remindingText, usualReminder } from './reminder.ts'

const NOW = new Date('2026-11-21T10:00:00.000Z')
const CLIENT = {
  name: 'ana.ferreira',
  description: 'Ana $& {login}',
  expiry: '2026-11-24T23:59:59.000Z',
  package_selection: 13,
}

const fill = (template: string, client = CLIENT) => remindingText(template, client, 'UTC', NOW)

test('a reminder has its fields filled, and what a field contains is never read as another', () => {
  expect(fill('{name}|{login}|{expiry}|{days}|{package}')).toBe(
    'Ana $& {login}|ana.ferreira|2026-11-24|in 3 days|English/Sports/No Adults',
  )
  for (const description of ['', ' ']) expect(fill('{name}', { ...CLIENT, description })).toBe('ana.ferreira')
  expect(fill('{name},', { ...CLIENT, description: 'Ana ' })).toBe('Ana,')
  expect(fill('{days}', { ...CLIENT, expiry: '2026-11-20T23:59:59.000Z' })).toBe('yesterday')
  // As a phone writes the first word of a sentence, and as the check for a password reads it.
  expect(fill('{Name}|{ LOGIN }')).toBe('Ana $& {login}|ana.ferreira')
  expect(fill('{phone} {} {{login}} {constructor}')).toBe('{phone} {} {ana.ferreira} {constructor}')
})

test('the usual text of a client whose service has ended says so', () => {
  expect(fill('')).toBe(
    'Hello Ana $& {login}, your TV (ana.ferreira) ends on 2026-11-24, in 3 days. Shall we renew it?',
  )
  expect(fill('', { ...CLIENT, expiry: '2026-11-20T23:59:59.000Z' })).toBe(
    'Hello Ana $& {login}, your TV (ana.ferreira) ended on 2026-11-20, yesterday. Shall we renew it?',
  )
})

test('the usual text is valid, and a field for a password is refused', () => {
  for (const expiry of [CLIENT.expiry, '2026-11-20T23:59:59.000Z'])
    expect(ReminderText.safeParse(usualReminder({ expiry }, NOW)).success).toBe(true)
  for (const text of ['{password}', 'x { PASSWORD } y', 'x'.repeat(501)])
    expect(ReminderText.safeParse(text).success, text).toBe(false)
})

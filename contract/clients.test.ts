import { describe, expect, test } from 'vitest'
import {
  EXPIRING_DAYS,
  expiringUntil,
  expiryState,
  Mac,
  Phone,
  readMac,
  START_OPTIONS,
  StartMonths,
} from './clients.ts'

const now = new Date('2026-05-15T10:00:00.000Z')
const DAY = 86_400_000
const inMs = (ms: number) => new Date(now.getTime() + ms)

describe('the state of an expiry', () => {
  test.each([
    ['expired', -DAY],
    ['expired', -1],
    ['expiring', 0],
    ['expiring', 1],
    ['expiring', 10 * DAY],
    ['expiring', 11 * DAY - 1],
    ['active', 11 * DAY],
    ['active', 365 * DAY],
  ] as const)('is %s when %i ms are left', (state, left) => {
    expect(expiryState(inMs(left), now)).toBe(state)
    expect(expiryState(inMs(left).toISOString(), now)).toBe(state)
  })

  test('has the same edge as the query that counts the expiring ones', () => {
    expect(EXPIRING_DAYS).toBe(10)
    expect(expiryState(expiringUntil(now), now)).toBe('active')
    expect(expiryState(new Date(expiringUntil(now).getTime() - 1), now)).toBe('expiring')
  })
})

describe('a MAC', () => {
  test('is kept in upper case', () => {
    expect(Mac.parse('00:1a:79:ab:cd:ef')).toBe('00:1A:79:AB:CD:EF')
  })

  test.each([
    ['', 'MAC address should be 17 characters long'],
    ['00:1A:79:00:00', 'MAC address should be 17 characters long'],
    ['00:1A:79:00:00:000', 'MAC address should be 17 characters long'],
    ['00:1A:78:00:00:00', 'MAC address should be 00:1A:79: and three pairs of hexadecimal digits'],
    ['00:1A:79:00:00:0G', 'MAC address should be 00:1A:79: and three pairs of hexadecimal digits'],
    ['00-1A-79-00-00-00', 'MAC address should be 00:1A:79: and three pairs of hexadecimal digits'],
    ['\n0:1A:79:00:00:00', 'MAC address should be 00:1A:79: and three pairs of hexadecimal digits'],
  ])('is not %j', (text, message) => {
    expect(Mac.safeParse(text).error?.issues[0]?.message).toBe(message)
  })

  test.each([
    ['00:1A:79:AB:CD:EF', '00:1A:79:AB:CD:EF'],
    ['00-1a-79-ab-cd-ef', '00:1A:79:AB:CD:EF'],
    ['001a79abcdef', '00:1A:79:AB:CD:EF'],
    ['001A.79AB.CDEF', '00:1A:79:AB:CD:EF'],
    ['  ab:cd:ef ', '00:1A:79:AB:CD:EF'],
    ['abcdef', '00:1A:79:AB:CD:EF'],
    ['00:1B:79:AB:CD:EF', null],
    ['00:1A:79:AB:CD', null],
    ['00:1A:79:AB:CD:EF:00', null],
    ['', null],
    ['abcde', null],
  ])('is read from %j as %j', (typed, mac) => {
    expect(readMac(typed)).toBe(mac)
  })
})

describe('a phone number', () => {
  test.each([
    ['(416) 555-0199', '4165550199'],
    ['+351 21.000/1234', '351210001234'],
    ['123456789012345', '123456789012345'],
    ['', ''],
    [' - ', ''],
  ])('%j has the digits %j', (typed, digits) => {
    expect(Phone.parse(typed)).toBe(digits)
  })

  test.each(['1234567890123456', '1'.repeat(41), '555 ext. 9', '٤١٦'])('is not %j', (typed) => {
    expect(Phone.safeParse(typed).success).toBe(false)
  })
})

describe('the start of a new client', () => {
  test('is offered as two trials, then 1 to 12 months', () => {
    expect(START_OPTIONS.map(({ value }) => value)).toEqual([0, '2d', 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12])
    expect(START_OPTIONS.slice(0, 3).map(({ label }) => label)).toEqual([
      'Trial - Expires at midnight',
      'Trial - Expires tomorrow midnight',
      '1 month',
    ])
    for (const { value } of START_OPTIONS) expect(StartMonths.parse(value)).toBe(value)
  })

  test.each([-1, 13, 0.5, '0', '1d', null, Number.NaN])('is nothing else: not %j', (value) => {
    expect(StartMonths.safeParse(value).error?.issues[0]?.message).toBe(
      "Credits must be 0, '2d' or a whole number from 1 to 12",
    )
  })
})

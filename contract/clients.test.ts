import { describe, expect, test } from 'vitest'
import { timesAsLong } from '../test/support/ratio.ts'
import { AccountName, AccountPassword } from './accounts.ts'
import {
  ClientLogin,
  ClientPassword,
  EXPIRING_DAYS,
  expiringUntil,
  expiryState,
  Mac,
  Phone,
  StartMonths,
  searchedMac,
} from './clients.ts'
import { Search } from './shapes.ts'
import { Description, trimmed } from './text.ts'
import { DAY_MS } from './time.ts'

const now = new Date('2026-05-15T10:00:00.000Z')
const inMs = (ms: number) => new Date(now.getTime() + ms)

describe('the state of an expiry', () => {
  test.each([
    ['expired', -DAY_MS],
    ['expired', -1],
    ['expiring', 0],
    ['expiring', 1],
    ['expiring', 10 * DAY_MS],
    ['expiring', 11 * DAY_MS - 1],
    ['active', 11 * DAY_MS],
    ['active', 365 * DAY_MS],
  ] as const)('is %s when %i ms are left', (state, left) => {
    expect(expiryState(inMs(left), now)).toBe(state)
    expect(expiryState(inMs(left).toISOString(), now)).toBe(state)
  })

  test('changes to active at exactly the moment up to which queries count a client as expiring', () => {
    expect(EXPIRING_DAYS).toBe(10)
    expect(expiryState(expiringUntil(now), now)).toBe('active')
    expect(expiryState(new Date(expiringUntil(now).getTime() - 1), now)).toBe('expiring')
  })
})

const PAIRS =
  'This is not a MAC of our boxes: they begin with 00:1A:79, then have three pairs of 0 to 9 and A to F'

describe('a MAC', () => {
  test('is stored in upper case', () => {
    expect(Mac.parse('00:1a:79:ab:cd:ef')).toBe('00:1A:79:AB:CD:EF')
  })

  test.each([
    ['', 'MAC address should be 17 characters long'],
    ['00:1A:79:00:00', 'MAC address should be 17 characters long'],
    ['00:1A:79:00:00:000', 'MAC address should be 17 characters long'],
    ['001A79000000', 'MAC address should be 17 characters long'],
    ['00-1A-79-00-00-00', 'MAC address should be 17 characters long'],
    ['\n0:1A:79:00:00:00', 'MAC address should be 17 characters long'],
    ['00:1A:78:00:00:00', 'This is not a MAC of our boxes: they begin with 00:1A:79'],
    ['AABBCCDDEEFF', 'This is not a MAC of our boxes: they begin with 00:1A:79'],
    ['00:1A:79:GG:HH:II', PAIRS],
    ['00:1A:79:00:00:0O', PAIRS],
    ['٠0:1A:79:00:00:00', PAIRS],
  ])('%j is refused', (text, message) => {
    expect(Mac.safeParse(text).error?.issues[0]?.message).toBe(message)
  })
})

describe('a searched MAC', () => {
  test.each([
    ['00-1A-79-AB-20-74', '00:1A:79:AB:20:74'],
    ['MAC 00:1A:79:AB:20:74', '00:1A:79:AB:20:74'],
    ['mac:001a79ab2074', '00:1A:79:AB:20:74'],
    ['MAC Address: 00 1a 79 ab 20 74', '00:1A:79:AB:20:74'],
    ['001a.79ab.2074', '00:1A:79:AB:20:74'],
    ['00-1a-79-ab-2', '00:1A:79:AB:2'],
    ['AB-20-74', 'AB:20:74'],
    ['ab 20 74', 'AB:20:74'],
    ['MAC ab. 20', 'AB:20'],
    ['\u200e00:1A:79:AB:20:74', '00:1A:79:AB:20:74'],
    ['00–1A–79–AB–20–74', '00:1A:79:AB:20:74'],
    ['00−1A−79−AB−20−74', '00:1A:79:AB:20:74'],
    ['ab\u2212\u200e20', 'AB:20'],
  ])('%j is %s', (term, mac) => {
    expect(searchedMac(term)).toBe(mac)
  })

  test.each([
    'ab',
    'mac ab',
    'ab cd ef gh',
    '2026-05-15',
    '416-555-0199',
    '',
    'macab cd',
    '001A79',
    'ab20 74',
  ])('%j is none', (term) => {
    expect(searchedMac(term)).toBeNull()
  })
})

test.each([
  ['Maria ', 'Maria'],
  ['\u00a0Ana\u00a0Silva\u3000', 'Ana Silva'],
  ['  ', ''],
  ['\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645', '\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645'],
])('the description %j has only the spaces that can be seen: %j', (typed, kept) => {
  expect(Description.parse(typed)).toBe(kept)
})

test.each(['\u200btv.100', 'tv.100\u200e', ' \u2060tv.100\u00a0'])(
  'the login %j has no part in the marks that nobody sees around it',
  (typed) => {
    for (const Login of [ClientLogin, AccountName]) expect(Login.parse(typed)).toBe('tv.100')
  },
)

test('searches, like logins, leave out what nobody sees around them', () => {
  expect(Search.parse('\u200e ana\u200csilva\u200b ')).toBe('ana\u200csilva')
  expect(Search.parse('\u200e ')).toBe('')
})

test('a text with half a character is refused, also by a browser that has no method for that', () => {
  const own = Object.getOwnPropertyDescriptor(String.prototype, 'isWellFormed') ?? {}
  Reflect.deleteProperty(String.prototype, 'isWellFormed')
  try {
    expect(Search.safeParse('\ud83d').success).toBe(false)
    expect(Search.safeParse('\ude00\ud83d').success).toBe(false)
    expect(Search.parse('\ud83d\ude00')).toBe('\ud83d\ude00')
    expect(Description.safeParse('a\ud83d').success).toBe(false)
    expect(Description.parse('a\ud83d\ude00')).toBe('a\ud83d\ude00')
  } finally {
    Object.defineProperty(String.prototype, 'isWellFormed', own)
  }
})

test('a text of half a million spaces is trimmed at once, since anybody can send one', () => {
  const text = `a${' '.repeat(500_000)}b`
  expect(trimmed(` ${text} `)).toBe(text)
})

describe('a phone number', () => {
  test.each([
    ['(416) 555-0199', '4165550199'],
    ['416.555.0199', '4165550199'],
    ['+1 416 555 0199', '4165550199'],
    ['1-416-555-0199', '4165550199'],
    ['001 416 555 0199', '4165550199'],
    ['+44 20 7946 0958', '+442079460958'],
    ['(+44) 20 7946 0958', '+442079460958'],
    ['0044 20 7946 0958', '+442079460958'],
    ['+351 21.000/1234', '+351210001234'],
    ['+1 416 555', '+1416555'],
    ['+1 012 345 6789', '+10123456789'],
    ['\u202a+44 20 7946 0958\u202c', '+442079460958'],
    ['416\u2011555\u20110199', '4165550199'],
    ['416–555—0199', '4165550199'],
    ['+49 (0)30 1234567', '+49301234567'],
    ['0049 (0)30 1234567', '+49301234567'],
    ['+49 ( 0 ) 30 1234567', '+49301234567'],
    ['+39 (0)6 12345678', '+390612345678'],
    ['0039 (0)6 12345678', '+390612345678'],
    ['(0)30 1234567', '0301234567'],
    ['(+49) (0)30 1234567', '+49301234567'],
    ['+49 (0)30 (0)1234567', '+493001234567'],
    ['+(0)49 (0)30 1234567', '+049301234567'],
    ['+49\n(0)30 1234567', '+49301234567'],
    ['30 (0)1234567', '3001234567'],
    ['+1234', '+1234'],
    ['+123456789012345', '+123456789012345'],
    ['020 7946 0958', '02079460958'],
    ['0123456789', '0123456789'],
    ['10123456789', '10123456789'],
    ['21000123412', '21000123412'],
    ['123456789012345', '123456789012345'],
    ['555 0199', '5550199'],
    ['+12', '12'],
    ['0012', '0012'],
    ['', ''],
    [' - ', ''],
    ['٠٥٠ ١٢٣ ٤٥٦٧', '0501234567'],
    ['+٩٧١ ٥٠١٢٣٤٥٦٧', '+971501234567'],
    ['＋９０－１２３４－５６７８', '+9012345678'],
    ['४१६ ५५५ ०१९९', '4165550199'],
    ['555−123−4567', '5551234567'],
  ])('typed as %j is stored as %j, and that is stored unchanged', (typed, kept) => {
    expect(Phone.parse(typed)).toBe(kept)
    expect(Phone.parse(kept)).toBe(kept)
  })

  test('a long text of letters with accents is refused as quickly as one of digits', () => {
    const read = (piece: string) => () => Phone.safeParse(`a${piece.repeat(16_000 / piece.length)}`)
    expect(timesAsLong(read('\u0300\u0327'), read('1'))).toBeLessThan(20)
  })

  test.each([
    ['1234567890123456', 'Phone number should be less than 15 characters'],
    ['+1234567890123456', 'Phone number should be less than 15 characters'],
    ['1'.repeat(41), 'Phone number should be less than 15 characters'],
    ['555 ext. 9', 'Phone number may have digits, spaces, brackets, + and -'],
    ['416+555', 'Phone number may have digits, spaces, brackets, + and -'],
    ['ΟΙ5', 'Phone number may have digits, spaces, brackets, + and -'],
  ])('%j is refused', (typed, message) => {
    expect(Phone.safeParse(typed).error?.issues[0]?.message).toBe(message)
  })
})

describe.each([
  ["a client's password", ClientPassword],
  ["an account's password", AccountPassword],
])('%s', (_whose, Password) => {
  test.each([
    ['my-secret ', 'Password may not begin or end with a space'],
    [' my-secret', 'Password may not begin or end with a space'],
    ['         ', 'Password may not begin or end with a space'],
    ['\u200b'.repeat(9), 'Password has characters that cannot be seen'],
    ['sec\u00a0retly', 'Password has characters that cannot be seen'],
    ['sec\u3000retly', 'Password has characters that cannot be seen'],
    ['sec\u2028retly', 'Password has characters that cannot be seen'],
    ['sec\u3164retly', 'Password has characters that cannot be seen'],
    ['sec\u2800retly', 'Password has characters that cannot be seen'],
    ['sec\u034fretly', 'Password has characters that cannot be seen'],
    ['sec\ufe0fretly', 'Password has characters that cannot be seen'],
    ['sec\tretly', 'Password may not have control characters'],
    ['Stra\uFFFDe-zum-Meer', 'Password has characters that are not in UTF-8'],
  ])('%j is refused, as nobody could read it off a screen', (text, message) => {
    expect(Password.safeParse(text).error?.issues[0]?.message).toBe(message)
  })

  test('may have a space within', () => {
    expect(Password.parse('my secret')).toBe('my secret')
  })
})

describe('the months that a new client starts with', () => {
  test.each([-1, 13, 0.5, '0', '1d', null, Number.NaN])('%j is refused', (value) => {
    expect(StartMonths.safeParse(value).error?.issues[0]?.message).toBe(
      "Credits must be 0, '2d' or a whole number from 1 to 12",
    )
  })
})

test('a login with letters of another alphabet is refused with what is wrong with it', () => {
  const fault =
    "Login may have only the letters A to Z, digits 0 to 9, '.', '_' and '-', without accents or spaces"
  for (const schema of [ClientLogin, AccountName]) {
    for (const login of ['joãozinho', 'joe smith'])
      expect(schema.safeParse(login).error?.issues.map(({ message }) => message)).toEqual([fault])
  }
})

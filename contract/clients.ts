import * as z from 'zod/mini'
import { PACKAGES } from './packages.ts'
import { login, newPassword, oneLine, usualDigits } from './text.ts'
import { DAY_MS } from './time.ts'

/** Every box that Boxtree serves has a MAC of this maker. */
export const MAC_PREFIX = '00:1A:79:'
/** The places of the digits that follow it in a MAC, counted from 1. */
export const MAC_DIGITS = [10, 11, 13, 14, 16, 17] as const

/** The most clients that one call acts on. */
export const MOST_CHOSEN = 1_000

export const CLIENT_LOGIN_LENGTH = { least: 5, most: 15 }
export const CLIENT_PASSWORD_LENGTH = { least: 5, most: 15 }

export const ClientLogin = login(CLIENT_LOGIN_LENGTH)
export const ClientPassword = newPassword(CLIENT_PASSWORD_LENGTH)

const NO_MAC = 'MAC address should be 17 characters long'

/** A MAC in any case; it is stored and sent in upper case. */
export const Mac = z.pipe(
  z.string().check(
    z.regex(/^00:1[Aa]:79(:[0-9A-Fa-f]{2}){3}$/, {
      error: ({ input }) => foreignMac(String(input)) ?? NO_MAC,
    }),
  ),
  z.transform((mac) => mac.toUpperCase()),
)

/** What a MAC is written with besides its digits: dashes of all kinds, and what copied text has that nobody sees. */
export const MAC_MARK = /[\s:.,;_\u2212\p{Pd}\p{Cf}]/u

const NOT_OURS = `This is not a MAC of our boxes: they begin with ${MAC_PREFIX.slice(0, -1)}`

/**
 * Returns what is wrong with a MAC while it is typed: a character that is no hexadecimal digit, or twelve digits of
 * another maker; null otherwise.
 */
export function foreignMac(text: string): string | null {
  const digits = without(MAC_MARK, text)
  if (/[^0-9a-f]/i.test(digits)) return `${NOT_OURS}, then have three pairs of 0 to 9 and A to F`
  return digits.length === 12 && !/^001a79/i.test(digits) ? NOT_OURS : null
}

/**
 * Returns a searched MAC as it is stored: its beginning, or two or more of its pairs with marks between them, also
 * behind the word 'MAC'. Null where the term is neither.
 */
export function searchedMac(term: string): string | null {
  const text = term.replace(/\p{Cf}/gu, '').replace(/^mac\b(?:\s+address\b)?[\s:]*/i, '')
  const digits = without(MAC_MARK, text).toUpperCase()
  const isBeginning = /^001A79[0-9A-F]{1,6}$/.test(digits)
  const isPairs = new RegExp(`^[0-9a-f]{2}(?:${MAC_MARK.source}+[0-9a-f]{2}){1,5}$`, 'iu').test(text)
  return isBeginning || isPairs ? (digits.match(/.{1,2}/g) ?? []).join(':') : null
}

/** Returns the texts to look for in a MAC: the term, and the MAC that it means, if it means one in another notation. */
export function macForms(term: string): string[] {
  const mac = searchedMac(term)
  return mac === null || mac === term.toUpperCase() ? [term] : [term, mac]
}

/** The content of an editor's MAC field. The server checks it as a MAC only if it becomes the client's. */
export const TypedMac = z.string().check(z.maxLength(40, NO_MAC), oneLine(NO_MAC))

const LONG_PHONE = 'Phone number should be less than 15 characters'

/**
 * A phone number as typed, in the digits of any script. It is stored as ten digits, as '+' and 4 to 15 digits, or as up
 * to 15 digits as typed.
 */
export const Phone = z.pipe(
  z.string().check(
    // A long text of letters with accents takes long to normalize, so it is refused before.
    z.maxLength(40, { error: LONG_PHONE, abort: true }),
    z.overwrite(plainDigits),
    z.refine(
      (text) => /^\+?\d*$/.test(withoutMarks(text)),
      'Phone number may have digits, spaces, brackets, + and -',
    ),
    z.refine((text) => digitsOf(readPhone(text)).length <= 15, LONG_PHONE),
  ),
  z.transform(readPhone),
)

function readPhone(text: string): string {
  const typed = withoutMarks(withoutTrunk(text))
  const [, abroad] = /^(?:\+|00)(\d{4,})$/.exec(typed) ?? []
  const [, national] = /^1([1-9]\d{9})$/.exec(abroad ?? typed) ?? []
  if (national) return national
  return abroad ? `+${abroad}` : digitsOf(typed)
}

/**
 * What a number is written with besides digits and '+': dashes of all kinds, and what copied text has that nobody sees.
 */
export const PHONE_MARK = /[\s()./\u2212\p{Pd}\p{Cf}]/u

function withoutMarks(text: string): string {
  return without(PHONE_MARK, text)
}

function without(mark: RegExp, text: string): string {
  return text.replace(new RegExp(mark, 'gu'), '')
}

/** Returns a phone number with 0 to 9 for the digits of other scripts, and plain signs for wide ones. */
export function plainDigits(text: string): string {
  return usualDigits(text.normalize('NFKC'))
}

/** Leaves out the 0 of '+49 (0)30', which is dialled only in its own country; Italy's is dialled from everywhere. */
function withoutTrunk(text: string): string {
  const isItalian = /^[^\d+]*(?:\+|00)\D*3(?:9|78)/.test(text)
  return isItalian ? text : text.replace(/^([^\d+]*(?:\+|00)\D*\d.*?)\(\s*0\s*\)/s, '$1')
}

/** Returns the digits of a searched number; nothing where the term is no number. */
export function searchedDigits(term: string): string {
  const plain = plainDigits(term)
  return /^[+\d]*$/.test(withoutMarks(plain)) ? digitsOf(withoutTrunk(plain)) : ''
}

function digitsOf(text: string): string {
  return text.replace(/\D/g, '')
}

/** What happened to a client's box, as its history tells it. */
export const DEVICE_EVENTS = [
  'first seen',
  'serial number',
  'address',
  'taken over',
  'reset',
  'new MAC',
] as const

/** What a dealer sends to the boxes of clients. */
export const BOX_EVENTS = ['message', 'reboot', 'reload'] as const

const MOST_OF_MESSAGE = 300

/** The text that a box shows over the picture. */
export const BoxMessage = z
  .string()
  .check(
    z.trim(),
    z.minLength(1, 'Please type a message'),
    z.maxLength(MOST_OF_MESSAGE, `A message takes at most ${MOST_OF_MESSAGE} characters`),
    oneLine('Message may not have control characters'),
  )

export const PackageSelection = z.literal(
  PACKAGES.map(({ value }) => value),
  'Please choose a package from the list',
)

/** The limit of one purchase and of one retrieval. */
export const MOST_MONTHS = 12

const START_MONTHS = `Credits must be 0, '2d' or a whole number from 1 to ${MOST_MONTHS}`

/** The first months of a new client: a trial to the end of today (0) or of tomorrow ('2d'), or 1 to 12 paid months. */
export const StartMonths = z.union(
  [z.literal('2d'), z.int().check(z.minimum(0, START_MONTHS), z.maximum(MOST_MONTHS, START_MONTHS))],
  START_MONTHS,
)

/** Why a MAC gets no trial. */
export const MAC_HAD_TRIAL = 'This MAC address had a trial within the last 30 days.'

export const PaidMonths = monthsFrom(1)

/** The months that an edit of a client adds. */
export const AddedMonths = monthsFrom(0)

function monthsFrom(least: number) {
  const fault = `Credits must be a whole number from ${least} to ${MOST_MONTHS}`
  return z.int(fault).check(z.minimum(least, fault), z.maximum(MOST_MONTHS, fault))
}

export const EXPIRING_DAYS = 10
export type ExpiryState = 'active' | 'expiring' | 'expired'

/** An expiry is near when 10 or fewer whole days are left. */
export function expiryState(expiry: string | Date, now: Date): ExpiryState {
  const left = new Date(expiry).getTime() - now.getTime()
  if (left < 0) return 'expired'
  return Math.floor(left / DAY_MS) <= EXPIRING_DAYS ? 'expiring' : 'active'
}

/** Returns the moment before which an expiry counts as expiring: the rule of `expiryState`, for a query. */
export function expiringUntil(now: Date): Date {
  return new Date(now.getTime() + (EXPIRING_DAYS + 1) * DAY_MS)
}

/** The count of a search is exact up to this number. */
export const COUNTED_TO = 10_000

/** The filters of the clients list; 'active' includes the expiring ones. */
export const CLIENT_FILTERS = ['all', 'active', 'expiring', 'expired'] as const
export type ClientFilter = (typeof CLIENT_FILTERS)[number]

/** What a list of clients is filtered by: their state, or whether their boxes are online. */
export const LIST_FILTERS = [...CLIENT_FILTERS, 'online'] as const
export type ListFilter = (typeof LIST_FILTERS)[number]

/** A box polls every two minutes. It counts as online for this long after a poll, in milliseconds. */
export const ONLINE_FOR_MS = 300_000

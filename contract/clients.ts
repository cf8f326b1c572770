import * as z from 'zod/mini'
import { PACKAGES } from './packages.ts'
import { secret } from './secret.ts'
import { oneLine } from './text.ts'
import { DAY_MS } from './time.ts'

/** The limits of a client's fields, with the sentence that says each. Forms and server share them. */
export const LIMITS = {
  login: { min: 5, max: 15, message: 'Login should be between 5 and 15 characters' },
  password: { min: 5, max: 15, message: 'Password should be between 5 and 15 characters' },
  description: { max: 100, message: 'Description cannot exceed 100 characters' },
  mac: { length: 17, message: 'MAC address should be 17 characters long' },
  phone: { max: 15, message: 'Phone number should be less than 15 characters' },
} as const

/** Every box that Boxtree serves has a MAC of this maker. */
export const MAC_PREFIX = '00:1A:79:'

/** The most names that one renewal of many takes. */
export const MOST_RENEWED = 1_000

export const ClientLogin = z
  .string()
  .check(
    z.minLength(LIMITS.login.min, LIMITS.login.message),
    z.maxLength(LIMITS.login.max, LIMITS.login.message),
    z.regex(/^[A-Za-z0-9._-]*$/, "Login may have letters, digits, '.', '_' and '-'"),
  )

export const ClientPassword = secret(
  z
    .string()
    .check(
      z.minLength(LIMITS.password.min, LIMITS.password.message),
      z.maxLength(LIMITS.password.max, LIMITS.password.message),
      oneLine('Password may not have control characters'),
    ),
)

export const ClientDescription = z
  .string()
  .check(
    z.maxLength(LIMITS.description.max, LIMITS.description.message),
    oneLine('Description may not have control characters'),
  )

/** A MAC in any case, stored and answered in upper case. */
export const Mac = z.pipe(
  z.string().check(
    z.regex(/^00:1A:79(:[0-9A-F]{2}){3}$/i, {
      error: ({ input }) => foreignMac(String(input)) ?? LIMITS.mac.message,
    }),
  ),
  z.transform((mac) => mac.toUpperCase()),
)

const NOT_OURS = `This is not a MAC of our boxes: they begin with ${MAC_PREFIX.slice(0, -1)}`

/** Why a text will not become a MAC of our boxes by typing on; null where it may. */
export function foreignMac(text: string): string | null {
  const digits = text.replace(/[\s:.,;_-]/g, '')
  if (/[^0-9a-f]/i.test(digits)) return `${NOT_OURS}, then have three pairs of 0 to 9 and A to F`
  return digits.length === 12 && !/^001a79/i.test(digits) ? NOT_OURS : null
}

/** What an editor has in its MAC field, or had there: judged only where it is to become the client's. */
export const TypedMac = z.string().check(z.maxLength(40, LIMITS.mac.message), oneLine(LIMITS.mac.message))

/** A phone number as typed; what is kept of it are ten digits, '+' and 4 to 15, or up to 15 digits as they were typed. */
export const Phone = z.pipe(
  z.string().check(
    z.maxLength(40, LIMITS.phone.message),
    z.refine(
      (text) => /^\+?\d*$/.test(withoutMarks(text)),
      'Phone number may have digits, spaces, brackets, + and -',
    ),
    z.refine((text) => digitsOf(readPhone(text)).length <= LIMITS.phone.max, LIMITS.phone.message),
  ),
  z.transform(readPhone),
)

/** What is kept of a phone number as typed. */
function readPhone(text: string): string {
  const typed = withoutMarks(text)
  const [, abroad] = /^(?:\+|00)(\d{4,})$/.exec(typed) ?? []
  const [, national] = /^1([1-9]\d{9})$/.exec(abroad ?? typed) ?? []
  if (national) return national
  return abroad ? `+${abroad}` : digitsOf(typed)
}

function withoutMarks(text: string): string {
  return text.replace(/[\s()./-]/g, '')
}

function digitsOf(text: string): string {
  return text.replace(/\D/g, '')
}

export const PackageSelection = z.literal(
  PACKAGES.map(({ value }) => value),
  'Please choose a package from the list',
)

const START_MONTHS = "Credits must be 0, '2d' or a whole number from 1 to 12"

/** What a new client starts with: a trial of today (0) or of tomorrow ('2d'), or 1 to 12 paid months. */
export const StartMonths = z.union(
  [z.literal('2d'), z.int().check(z.minimum(0, START_MONTHS), z.maximum(12, START_MONTHS))],
  START_MONTHS,
)

/** The most months that one purchase or one retrieval takes. */
export const MOST_MONTHS = 12

/** Paid months: of a renewal or of a retrieval. */
export const PaidMonths = z
  .int('Credits must be a whole number from 1 to 12')
  .check(
    z.minimum(1, 'Credits must be a whole number from 1 to 12'),
    z.maximum(MOST_MONTHS, 'Credits must be a whole number from 1 to 12'),
  )

export const EXPIRING_DAYS = 10
export type ExpiryState = 'active' | 'expiring' | 'expired'

/**
 * Whether a client is expired (before now), expiring (10 or fewer whole days are left) or active.
 * The one function of it: server, lists and chips all ask here.
 */
export function expiryState(expiry: string | Date, now: Date): ExpiryState {
  const left = new Date(expiry).getTime() - now.getTime()
  if (left < 0) return 'expired'
  return Math.floor(left / DAY_MS) <= EXPIRING_DAYS ? 'expiring' : 'active'
}

/** The moment up to which (exclusive) an expiry counts as expiring: the same rule, for a query. */
export function expiringUntil(now: Date): Date {
  return new Date(now.getTime() + (EXPIRING_DAYS + 1) * DAY_MS)
}

/** A searched count is exact up to here; at it, there may be more. */
export const COUNTED_TO = 10_000

/** The filters of the clients list; 'active' has the expiring ones in it. */
export const CLIENT_FILTERS = ['all', 'active', 'expiring', 'expired'] as const
export type ClientFilter = (typeof CLIENT_FILTERS)[number]

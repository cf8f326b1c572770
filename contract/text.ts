import * as z from 'zod/mini'

/** Accepts what the database can store: well-formed Unicode without NUL. */
export function storable(otherwise: string) {
  return z.refine<string>((text) => isWellFormed(text) && !text.includes('\0'), otherwise)
}

/** Accepts one line of text: well-formed Unicode without control characters, and so without line breaks. */
export function oneLine(otherwise: string) {
  return z.refine<string>((text) => isWellFormed(text) && !/\p{Cc}/u.test(text), otherwise)
}

/** Returns whether every surrogate of a text has its other half. Chrome 110 and Firefox 115 have no such method of their own. */
function isWellFormed(text: string): boolean {
  return !/\p{Cs}/u.test(text)
}

/**
 * Returns a text without the space that a phone's keyboard adds at its end, and with plain spaces: others, as copied texts have
 * them, look the same and would not be found.
 */
export function tidy(text: string): string {
  return text.replace(/\p{Zs}/gu, ' ').trim()
}

/** Returns a text without the spaces and the marks that nobody sees around it, as copied texts have them. */
export function trimmed(text: string): string {
  // One match, which takes no longer for a text of many spaces: anybody can send one.
  return /[^\s\p{Cf}](?:.*[^\s\p{Cf}])?/su.exec(text)?.[0] ?? ''
}

/** What a login of an account or a client consists of. */
export const LOGIN_CHARACTERS = z.regex(
  /^[A-Za-z0-9._-]*$/,
  "Login may have only the letters A to Z, digits, '.', '_' and '-', without accents or spaces",
)

/** What a new password has to be: nobody could read any other off a screen or a sheet, and tell it. */
export const LEGIBLE_PASSWORD = [
  oneLine('Password may not have control characters'),
  z.refine<string>((text) => text === text.trim(), 'Password may not begin or end with a space'),
  z.refine<string>((text) => !/\p{Cf}/u.test(text), 'Password has characters that cannot be seen'),
]

/** The message to everybody, as it is while it is written: at first it is empty. */
export const MessageText = z
  .string()
  .check(
    z.maxLength(2_000, 'Message cannot exceed 2,000 characters'),
    storable('Message has characters that cannot be stored'),
  )

import * as z from 'zod/mini'
import { inDigits } from './quantities.ts'
import { secret } from './secret.ts'

/** Accepts what the database can store: well-formed Unicode without NUL. */
export function storable(otherwise: string) {
  return z.refine<string>((text) => isWellFormed(text) && !text.includes('\0'), otherwise)
}

/** Accepts one line of text: well-formed Unicode without control characters, and so without line breaks. */
export function oneLine(otherwise: string) {
  return z.refine<string>((text) => isWellFormed(text) && !/\p{Cc}/u.test(text), otherwise)
}

/**
 * Returns whether every surrogate of a text has its other half. Chrome 110 and Firefox 115 have no such method of their
 * own.
 */
function isWellFormed(text: string): boolean {
  return !/\p{Cs}/u.test(text)
}

/**
 * Returns a text without the space that a phone's keyboard adds at its end, and with plain spaces: others, as copied
 * texts have them, look the same and would not be found.
 */
export function tidy(text: string): string {
  return text.replace(/\p{Zs}/gu, ' ').trim()
}

/** Returns a text without the spaces and the marks that nobody sees around it, as copied texts have them. */
export function trimmed(text: string): string {
  // One match, which takes no longer for a text of many spaces: anybody can send one.
  return /[^\s\p{Cf}](?:.*[^\s\p{Cf}])?/su.exec(text)?.[0] ?? ''
}

/** Returns a text with 0 to 9 for the digits of other scripts, and for wide ones. */
export function usualDigits(text: string): string {
  return text.replace(/(?![0-9])\p{Nd}/gu, digitOf)
}

/** Unicode has the ten digits of each script in a row. */
function digitOf(digit: string): string {
  let before = 0
  while (/\p{Nd}/u.test(String.fromCodePoint((digit.codePointAt(0) ?? 0) - before - 1))) before += 1
  return String(before % 10)
}

/** The fewest and the most characters of a text. */
interface Length {
  least: number
  most: number
}

/** '8 to 128 characters' */
export function inCharacters({ least, most }: Length): string {
  return `${least} to ${most} characters`
}

/** The login of an account or a client. */
export function login({ least, most }: Length) {
  const length = `Login should be between ${least} and ${most} characters`
  return z
    .string()
    .check(
      z.overwrite(trimmed),
      z.minLength(least, length),
      z.maxLength(most, length),
      z.regex(
        /^[A-Za-z0-9._-]*$/,
        "Login may have only the letters A to Z, digits 0 to 9, '.', '_' and '-', without accents or spaces",
      ),
    )
}

/** A new password, all characters of which can be read off a screen, or told by telephone. */
export function newPassword({ least, most }: Length) {
  const length = `Password should be between ${least} and ${most} characters`
  return secret(
    z.string().check(
      z.minLength(least, length),
      z.maxLength(most, length),
      oneLine('Password may not have control characters'),
      // What reads a file or a pipe puts this in the place of each: nobody could type that password again.
      z.refine((text) => !text.includes('\uFFFD'), 'Password has characters that are not in UTF-8'),
      z.refine((text) => text === text.trim(), 'Password may not begin or end with a space'),
      z.refine((text) => !UNSEEN.test(text), 'Password has characters that cannot be seen'),
    ),
  )
}

/** Matches a character that shows nothing, or looks like the plain space. U+2800 is the Braille pattern of no dots. */
const UNSEEN = /(?! )\p{Z}|\p{Default_Ignorable_Code_Point}|\p{Cf}|\u2800/u

/** The description of an account or a client. */
export const Description = z
  .string()
  .check(
    z.overwrite(tidy),
    z.maxLength(100, 'Description cannot exceed 100 characters'),
    oneLine('Description may not have control characters'),
  )

/**
 * A text of several lines that somebody adds to what they do, without the space around it.
 * @param what it is, such as 'Note'
 */
export function remark(what: string, most: number) {
  return z.string().check(z.overwrite(trimmed), ...passage(what, most))
}

function passage(what: string, most: number) {
  return [
    z.maxLength(most, `${what} cannot exceed ${inDigits(most)} characters`),
    storable(`${what} has characters that cannot be stored`),
  ] as const
}

/** The message to everybody, as it is while it is written: at first it is empty. */
export const MessageText = z.string().check(...passage('Message', 2_000))

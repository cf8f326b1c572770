import * as z from 'zod/mini'

/** Accepts what the database can store: well-formed Unicode without NUL. */
export function storable(otherwise: string) {
  return z.refine<string>((text) => text.isWellFormed() && !text.includes('\0'), otherwise)
}

/** Accepts one line of text: well-formed Unicode without control characters, and so without line breaks. */
export function oneLine(otherwise: string) {
  return z.refine<string>((text) => text.isWellFormed() && !/\p{Cc}/u.test(text), otherwise)
}

/** The message to everybody, as it is while it is written: at first it is empty. */
export const MessageText = z
  .string()
  .check(
    z.maxLength(2_000, 'Message cannot exceed 2000 characters'),
    storable('Message has characters that cannot be stored'),
  )

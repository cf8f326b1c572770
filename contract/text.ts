import * as z from 'zod/mini'

/** Accepts what the database can store: well-formed Unicode without NUL. */
export function storable(otherwise: string) {
  return z.refine<string>((text) => text.isWellFormed() && !text.includes('\0'), otherwise)
}

/** Accepts one line of text: well-formed Unicode without control characters, and so without line breaks. */
export function oneLine(otherwise: string) {
  return z.refine<string>((text) => text.isWellFormed() && !/\p{Cc}/u.test(text), otherwise)
}

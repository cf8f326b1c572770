import * as z from 'zod/mini'

// What a text may have in it, for every field that takes one.

/** Any characters that the database keeps: whole ones, and no NUL. */
export function storable(otherwise: string) {
  return z.refine<string>((text) => text.isWellFormed() && !text.includes('\0'), otherwise)
}

/** One line of text: nothing that controls a terminal or breaks a line either. */
export function oneLine(otherwise: string) {
  return z.refine<string>((text) => text.isWellFormed() && !/\p{Cc}/u.test(text), otherwise)
}

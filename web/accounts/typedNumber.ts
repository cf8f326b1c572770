import * as z from 'zod/mini'
import { trimmed, usualDigits } from '../../contract/text.ts'

/**
 * Returns the number that was typed in the digits of any script, perhaps as 1,500 or 1 500; NaN for anything else, as for
 * 10,00.
 */
export function numberIn(typed: string): number {
  const plain = usualDigits(trimmed(typed))
  const isNumber = /^(?:\d+|\d{1,3}(?:[,\s]\d{3})+)$/.test(plain)
  return isNumber ? Number(plain.replace(/[,\s]/g, '')) : Number.NaN
}

interface Accepted {
  /** The schema that accepts the number. */
  number: z.ZodMiniType
  /** Whether the field may be empty instead. */
  orEmpty?: boolean
  /** What is said of anything else. */
  otherwise: string
}

/** Accepts what is typed into the field of a number, as it was typed. */
export function typedNumber({ number, orEmpty = false, otherwise }: Accepted) {
  const isAccepted = (typed: string) =>
    (orEmpty && typed.trim() === '') || number.safeParse(numberIn(typed)).success
  return z.string().check(z.refine(isAccepted, { error: otherwise }))
}

import { Phone } from '../../contract/clients.ts'
import type { Mask } from '../parts/form/masks.ts'

/** The mask of a phone number: ten digits are shown as (NNN) NNN-NNNN, and all other numbers as typed. */
export const phoneMask: Mask = {
  fixed: '',
  shown: shownPhone,
  counts: (character) => !/[\s()-]/.test(character),
  whole: () => null,
  settled: (text) => {
    // Only a whole number is formatted: one with a country code may not be finished, and more digits may follow.
    const kept = Phone.safeParse(text).data ?? ''
    return /^[1-9]\d{9}$/.test(kept) ? shownPhone(kept) : text
  },
  placeholder: '(NNN) NNN-NNNN',
  identifier: false,
  inputMode: 'tel',
}

/** Formats a phone number. Numbers with a country code, and text that is no number, are unchanged. */
export function shownPhone(text: string): string {
  if (/[^\d\s()./-]/.test(text)) return text
  const digits = text.replace(/\D/g, '')
  if (!/^[1-9]\d{0,9}$/.test(digits)) return digits
  const [area, office, line] = [digits.slice(0, 3), digits.slice(3, 6), digits.slice(6)]
  return `(${area}${office && `) ${office}`}${line && `-${line}`}`
}

/** Returns a hint for a number that is valid but looks too short. */
export function phoneHint(text: string): string | undefined {
  const kept = Phone.safeParse(text).data ?? ''
  const digits = kept.replace(/\D/g, '').length
  if (digits === 0 || digits >= (kept.startsWith('+') ? 7 : 10)) return undefined
  return `${digits === 1 ? 'One digit is' : `${digits} digits are`} few for a phone number`
}

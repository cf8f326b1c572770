import { PHONE_MARK, Phone, plainDigits } from '../../contract/clients.ts'
import type { Mask } from '../parts/form/masks.ts'

/** The mask of a phone number: ten digits are shown as (NNN) NNN-NNNN, and all other numbers as typed. */
export const phoneMask: Mask = {
  fixed: '',
  shown: typedPhone,
  counts: (character) => !PHONE_MARK.test(character),
  whole: () => null,
  settled: (text) => {
    const kept = Phone.safeParse(text).data ?? ''
    if (WHOLE.test(kept)) return shownPhone(kept)
    // One with a country code may not be finished, and keeps its spaces.
    return /^\d+$/.test(kept) && !text.includes('+') ? kept : text
  },
  placeholder: '(NNN) NNN-NNNN',
  identifier: false,
  inputMode: 'tel',
}

/** Formats a stored number: ten digits as North American, and all others as they are. */
export function shownPhone(phone: string): string {
  return WHOLE.test(phone) ? typedPhone(phone) : phone
}

const WHOLE = /^[1-9]\d{9}$/

/** Formats digits while they are typed. Numbers with a country code, and text that is no number, are unchanged. */
function typedPhone(text: string): string {
  const plain = plainDigits(text)
  if ([...plain].some((one) => !/\d/.test(one) && !PHONE_MARK.test(one))) return text
  const digits = plain.replace(/\D/g, '')
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

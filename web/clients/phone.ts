import { PHONE_MARK, Phone } from '../../contract/clients.ts'
import type { Mask } from '../parts/form/masks.ts'
import { shownPhone, typedPhone } from '../phone.ts'

/** The mask of a phone number: ten digits are shown as (NNN) NNN-NNNN, and all other numbers as typed. */
export const phoneMask: Mask = {
  fixed: '',
  shown: typedPhone,
  counts: (character) => !PHONE_MARK.test(character),
  whole: () => null,
  settled: (text) => {
    const kept = Phone.safeParse(text).data ?? ''
    const shown = shownPhone(kept)
    // One with a country code may not be finished, and keeps its spaces.
    return shown !== kept || (/^\d+$/.test(kept) && !text.includes('+')) ? shown : text
  },
  placeholder: '(NNN) NNN-NNNN',
  identifier: false,
  inputMode: 'tel',
}

/** Returns a hint for a number that is valid but looks too short. */
export function phoneHint(text: string): string | undefined {
  const kept = Phone.safeParse(text).data ?? ''
  const digits = kept.replace(/\D/g, '').length
  if (digits === 0 || digits >= (kept.startsWith('+') ? 7 : 10)) return undefined
  return `${digits === 1 ? 'One digit is' : `${digits} digits are`} few for a phone number`
}

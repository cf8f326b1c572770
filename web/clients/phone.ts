import { Phone } from '../../contract/clients.ts'
import type { Mask } from '../parts/form/masks.ts'

/** A phone number: ten digits stand as (NNN) NNN-NNNN, all others as they are. */
export const phoneMask: Mask = {
  fixed: '',
  shown: shownPhone,
  counts: (character) => !/[\s()-]/.test(character),
  whole: () => null,
  settled: (text) => {
    const kept = Phone.safeParse(text)
    return kept.success ? shownPhone(kept.data) : text
  },
  placeholder: '(NNN) NNN-NNNN',
  identifier: false,
  inputMode: 'tel',
}

/** A number as its field shows it. One with a country, and what is none, stay as they were typed. */
export function shownPhone(text: string): string {
  if (/[^\d\s()./-]/.test(text)) return text
  const digits = text.replace(/\D/g, '')
  if (!/^[1-9]\d{0,9}$/.test(digits)) return digits
  const [area, office, line] = [digits.slice(0, 3), digits.slice(3, 6), digits.slice(6)]
  return `(${area}${office && `) ${office}`}${line && `-${line}`}`
}

/** What to look at in a number that can be kept as it is; undefined of any that looks whole. */
export function phoneHint(text: string): string | undefined {
  const kept = Phone.safeParse(text).data ?? ''
  const digits = kept.replace(/\D/g, '').length
  if (digits === 0 || digits >= (kept.startsWith('+') ? 7 : 10)) return undefined
  return `${digits === 1 ? 'One digit is' : `${digits} digits are`} few for a phone number`
}

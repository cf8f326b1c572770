import { PHONE_MARK, plainDigits } from '../contract/clients.ts'

/** Formats a stored number: ten digits as North American, and all others as they are. */
export function shownPhone(phone: string): string {
  return WHOLE.test(phone) ? typedPhone(phone) : phone
}

const WHOLE = /^[1-9]\d{9}$/

/** Formats digits while they are typed. Numbers with a country code, and text that is no number, are unchanged. */
export function typedPhone(text: string): string {
  const plain = plainDigits(text)
  if ([...plain].some((one) => !/\d/.test(one) && !PHONE_MARK.test(one))) return text
  const digits = plain.replace(/\D/g, '')
  if (!/^[1-9]\d{0,9}$/.test(digits)) return digits
  const [area, office, line] = [digits.slice(0, 3), digits.slice(3, 6), digits.slice(6)]
  return `(${area}${office && `) ${office}`}${line && `-${line}`}`
}

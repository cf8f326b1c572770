/** What a button says in place of the services, none of which can be given the number. */
export const NO_COUNTRY = 'Type the number with + and its country'

/** Returns the address that opens WhatsApp with a text to this number; null where the country is unknown. */
export function whatsApp(phone: string, text: string): string | null {
  const digits = digitsAbroad(phone)
  return digits && `https://wa.me/${digits}?text=${encodeURIComponent(text)}`
}

/**
 * Returns a stored number with its country's code, without '+': ten digits are North American, unless they begin with
 * 0, as numbers within other countries do.
 */
function digitsAbroad(phone: string): string | null {
  if (/^\+\d+$/.test(phone)) return phone.slice(1)
  return /^[1-9]\d{9}$/.test(phone) ? `1${phone}` : null
}

/** Returns the address that opens a text message to this number; null where the country is unknown. */
export function sms(phone: string, text: string): string | null {
  const digits = digitsAbroad(phone)
  return digits && `sms:+${digits}?body=${encodeURIComponent(text)}`
}

/** How a value is typed: the pattern, what each of its places takes, and what a paste is read as. */
export interface Mask {
  mask: string
  replacement: Record<string, RegExp>
  /** What is shown while the field is empty. */
  placeholder: string
  /** Turns typed or pasted text into what belongs in the open places. */
  clean: (text: string) => string
  identifier: boolean
  inputMode: 'text' | 'tel'
}

/** A MAC address with its first three bytes fixed, such as '00:1A:79'. */
export function macMask(prefix: string): Mask {
  const fixed = prefix.replaceAll(':', '').toUpperCase()
  return {
    mask: `${prefix}:__:__:__`,
    // The fixed bytes are no places: a letter of theirs must not be read as one.
    replacement: { _: /[0-9A-Fa-f]/ },
    placeholder: `${prefix}:__:__:__`,
    clean: (text) => {
      const digits = text.toUpperCase().replace(/[^0-9A-F]/g, '')
      // Any form of a whole address may be pasted, and so may its last six digits alone.
      if (digits.length <= 6) return digits
      // Cutting another maker's address short would make it somebody else's.
      return digits.startsWith(fixed) ? digits.slice(fixed.length) : ''
    },
    identifier: true,
    inputMode: 'text',
  }
}

/** A phone number as (NNN) NNN-NNNN whose first digit is 1 to 9. */
export const phoneMask: Mask = {
  mask: '(N__) ___-____',
  replacement: { N: /[1-9]/, _: /\d/ },
  placeholder: '(___) ___-____',
  clean: (text) => {
    const digits = text.replace(/\D/g, '')
    return digits.length === 11 && digits.startsWith('1') ? digits.slice(1) : digits
  },
  identifier: false,
  inputMode: 'tel',
}

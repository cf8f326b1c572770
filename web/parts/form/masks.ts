/** How a value is typed into a pattern. */
export interface Mask {
  /** Literal characters with `#` for each open place. */
  pattern: string
  /** Turns typed or pasted text into what belongs in the open places. */
  clean: (text: string) => string
  /** Whether a character may stand at an open place, counted from 0. */
  accepts: (character: string, place: number) => boolean
  /** What is shown while the field is empty. */
  placeholder: string
  identifier: boolean
  inputMode: 'text' | 'tel'
}

/** A MAC address with its first three bytes fixed, such as '00:1A:79'. */
export function macMask(prefix: string): Mask {
  const fixed = prefix.replaceAll(':', '').toUpperCase()
  return {
    pattern: `${prefix}:##:##:##`,
    clean: (text) => {
      const digits = text.toUpperCase().replace(/[^0-9A-F]/g, '')
      // Any form of a whole address may be pasted, and so may its last six digits alone.
      if (digits.length <= 6) return digits
      // Cutting another maker's address short would make it somebody else's.
      return digits.startsWith(fixed) ? digits.slice(fixed.length) : ''
    },
    accepts: (character) => /[0-9A-F]/.test(character),
    placeholder: `${prefix}:XX:XX:XX`,
    identifier: true,
    inputMode: 'text',
  }
}

/** A phone number as (NNN) NNN-NNNN whose first digit is 1 to 9. */
export const phoneMask: Mask = {
  pattern: '(###) ###-####',
  clean: (text) => {
    const digits = text.replace(/\D/g, '')
    return digits.length === 11 && digits.startsWith('1') ? digits.slice(1) : digits
  },
  accepts: (character, place) => /\d/.test(character) && (place > 0 || character !== '0'),
  placeholder: '(NNN) NNN-NNNN',
  identifier: false,
  inputMode: 'tel',
}

/**
 * The value and caret after an edit, worked out from what stood there `before` and what the browser made of it:
 * `raw`, with its caret. Nothing depends on when it is called, so a barcode reader may type as fast as it likes.
 */
export function edited(
  mask: Mask,
  before: string,
  raw: string,
  caret: number,
): { value: string; caret: number } {
  const old = digitsOf(mask, before)
  const { start, end, text } = changeOf(mask, before, raw, caret)
  const typed = mask.clean(text)
  let first = Math.min(placesBefore(mask, start), old.length)
  const last = Math.max(first, Math.min(placesBefore(mask, end), old.length))
  // A separator cannot go alone: the digit before it goes.
  if (text === '' && first === last) first = Math.max(0, first - 1)
  const head = fill(mask, old.slice(0, first) + typed)
  const digits = fill(mask, head + old.slice(last))
  return { value: shownAs(mask, digits), caret: caretAfter(mask, head.length, digits.length) }
}

/** Digits in their places with the separators between them; nothing at all while there is no digit. */
export function shownAs(mask: Mask, digits: string): string {
  return digits && placed(mask, digits).slice(0, endOf(mask, digits.length))
}

function placed(mask: Mask, digits: string) {
  let at = 0
  return mask.pattern.replace(/#/g, () => digits[at++] ?? '#')
}

function changeOf(mask: Mask, before: string, raw: string, caret: number) {
  const fixed = mask.pattern.slice(0, mask.pattern.indexOf('#'))
  // Something else than an edit of what stood there: all of it was pasted over.
  if (caret === raw.length && !raw.startsWith(fixed)) return { start: 0, end: before.length, text: raw }
  const tail = raw.slice(caret)
  const end = before.endsWith(tail) ? before.length - tail.length : before.length
  let start = 0
  while (start < Math.min(caret, end) && before[start] === raw[start]) start++
  return { start, end, text: raw.slice(start, before.endsWith(tail) ? caret : raw.length) }
}

function digitsOf(mask: Mask, value: string) {
  return positions(mask)
    .map((at) => value[at] ?? '')
    .join('')
}

function placesBefore(mask: Mask, at: number) {
  return positions(mask).filter((position) => position < at).length
}

/** As many of the characters as may stand in the places, in order. */
function fill(mask: Mask, characters: string) {
  const size = positions(mask).length
  let digits = ''
  for (const character of characters) {
    if (digits.length < size && mask.accepts(character, digits.length)) digits += character
  }
  return digits
}

function caretAfter(mask: Mask, place: number, filled: number) {
  if (filled === 0) return 0
  return place === 0 ? mask.pattern.indexOf('#') : endOf(mask, place)
}

/** Where the pattern stands behind its first `count` places. */
function endOf(mask: Mask, count: number) {
  return (positions(mask)[count - 1] ?? -1) + 1
}

function positions(mask: Mask) {
  return Array.from(mask.pattern, (character, at) => (character === '#' ? at : -1)).filter((at) => at >= 0)
}

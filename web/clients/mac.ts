import { MAC_MARK, MAC_PREFIX } from '../../contract/clients.ts'
import type { Beginning, Mask } from '../parts/form/masks.ts'

/**
 * The mask of a MAC address. It inserts the first three pairs, which are the same for all our boxes, and accepts them
 * typed or pasted. Any other text stays as typed, for the form to refuse.
 */
export const macMask: Mask = {
  fixed: MAC_PREFIX,
  shown,
  counts,
  whole: (pasted) => {
    const plain = pasted.replace(/\p{Cf}/gu, '').replace(/[\u2212\p{Pd}]/gu, '-')
    const found = plain.toUpperCase().match(WHOLE) ?? []
    return found.length === 1 ? shown(found[0] as string, 'nothing') : null
  },
  settled: (text) => text,
  placeholder: `${MAC_PREFIX}XX:XX:XX`,
  identifier: true,
  inputMode: 'text',
}

const FIXED = MAC_PREFIX.replaceAll(':', '')
const WORDS = 'MACADDRESS'
/** Matches one of our MACs within other text, unless what adjoins it may belong to it. */
const WHOLE =
  /(?<![0-9A-Z])(?<!(?<![0-9A-Z])[0-9A-F]{1,2}[^0-9A-Z])(?<!00[\s:._-]?1A[\s:._-]?79[\s:._-]?)00[\s:._-]?1A[\s:._-]?79(?:[\s:._-]?[0-9A-F]{2}){3}(?![0-9A-Z])(?![^\s0-9A-Z]+[0-9A-Z])(?![^0-9A-Z]*[0-9A-F]+(?![0-9A-Z]))/g

function counts(character: string) {
  return !MAC_MARK.test(character)
}

function shown(text: string, after: Beginning): string {
  const all = [...text.toUpperCase()].filter(counts).join('')
  // Many stickers print the words before the address. Until they are over, their letters may still be digits.
  const typed = WORDS.startsWith(all) ? all : all.replace(/^MAC(?:ADDRESS|ADDR)?/, '')
  // Before a word, the mask inserted the first three pairs, and they may be typed after it.
  if (after === 'fixed' && typed === all) return afterFixed(typed, text)
  if (FIXED.startsWith(typed)) {
    // A separator after the third pair means that three more will follow.
    return typed === FIXED && MAC_MARK.test(text.at(-1) ?? '') ? MAC_PREFIX : inPairs(typed)
  }
  if (typed.startsWith(FIXED)) return MAC_PREFIX + inPairs(typed.slice(FIXED.length))
  return (after === 'other' || isForeign(typed) ? '' : MAC_PREFIX) + inPairs(typed)
}

/** Formats what was typed after the first three pairs. They are removed with the last character after them. */
function afterFixed(typed: string, text: string): string {
  if (typed === '') return text === '' ? '' : MAC_PREFIX
  return (isForeign(typed) ? '' : MAC_PREFIX) + inPairs(typed)
}

/** Recognises a whole MAC of another maker. It must not follow our first three pairs, where it would look like ours. */
function isForeign(typed: string) {
  return /^[0-9A-F]{12}$/.test(typed) && !typed.startsWith(FIXED)
}

function inPairs(typed: string) {
  return typed.match(/.{1,2}/gsu)?.join(':') ?? ''
}

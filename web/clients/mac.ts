import { MAC_PREFIX } from '../../contract/clients.ts'
import type { Mask } from '../parts/form/masks.ts'

/**
 * The mask of a MAC address. It inserts the first three pairs, which are the same for all our boxes, and accepts them
 * typed or pasted. Any other text stays as typed, for the form to refuse.
 */
export const macMask: Mask = {
  fixed: MAC_PREFIX,
  shown,
  counts,
  whole: (pasted) => {
    const found = pasted.toUpperCase().match(WHOLE) ?? []
    return found.length === 1 ? shown(found[0] as string, false) : null
  },
  settled: (text) => text,
  placeholder: `${MAC_PREFIX}XX:XX:XX`,
  identifier: true,
  inputMode: 'text',
}

const FIXED = MAC_PREFIX.replaceAll(':', '')
const MARK = /[\s:.,;_–—-]/
/** Matches one of our MACs within other text, unless further pairs adjoin it. */
const WHOLE =
  /(?<![0-9A-Z])(?<!(?<![0-9A-Z])[0-9A-F]{1,2}[\s:._-])00[\s:._-]?1A[\s:._-]?79(?:[\s:._-]?[0-9A-F]{2}){3}(?![0-9A-Z])(?![\s:._-][0-9A-F]{1,2}(?![0-9A-Z]))/g

function counts(character: string) {
  return !MARK.test(character)
}

function shown(text: string, bare: boolean): string {
  const all = [...text.toUpperCase()].filter(counts).join('')
  // Many stickers print the word before the address.
  const typed = all.length > 3 ? all.replace(/^MAC(?:ADDRESS|ADDR)?/, '') : all
  // More than three pairs, or a separator after the third, mean that the first three pairs were typed as well.
  const isOpened = typed.length > 6 || (typed.length === 6 && MARK.test(text.at(-1) ?? ''))
  if (isOpened && typed.startsWith(FIXED)) return MAC_PREFIX + inPairs(typed.slice(FIXED.length))
  if (typed === '') return ''
  // A whole MAC of another maker must not follow our first three pairs, where it would look like ours.
  const isForeign = /^[0-9A-F]{12}$/.test(typed)
  return (bare || isForeign ? '' : MAC_PREFIX) + inPairs(typed)
}

function inPairs(typed: string) {
  return typed.match(/.{1,2}/gsu)?.join(':') ?? ''
}

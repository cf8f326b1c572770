import { MAC_PREFIX } from '../../contract/clients.ts'
import type { Mask } from '../parts/form/masks.ts'

/**
 * A MAC of our boxes, whose first three pairs stand by themselves. Whoever types or pastes them all the same sees them
 * once; what is no MAC of ours stays in view as it was typed, for the form to refuse.
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
/** A MAC of ours within other words: no more pairs stand before it or behind. */
const WHOLE =
  /(?<![0-9A-Z])(?<!(?<![0-9A-Z])[0-9A-F]{1,2}[\s:._-])00[\s:._-]?1A[\s:._-]?79(?:[\s:._-]?[0-9A-F]{2}){3}(?![0-9A-Z])(?![\s:._-][0-9A-F]{1,2}(?![0-9A-Z]))/g

function counts(character: string) {
  return !MARK.test(character)
}

function shown(text: string, bare: boolean): string {
  const all = [...text.toUpperCase()].filter(counts).join('')
  // The word stands before the number on many stickers.
  const typed = all.length > 3 ? all.replace(/^MAC(?:ADDRESS|ADDR)?/, '') : all
  // More than the last three pairs, or a colon behind three: they are the first three, typed all the same.
  const isOpened = typed.length > 6 || (typed.length === 6 && MARK.test(text.at(-1) ?? ''))
  if (isOpened && typed.startsWith(FIXED)) return MAC_PREFIX + inPairs(typed.slice(FIXED.length))
  if (typed === '') return ''
  // Behind our first three pairs, a whole MAC of another maker would look like one of ours.
  const isForeign = /^[0-9A-F]{12}$/.test(typed)
  return (bare || isForeign ? '' : MAC_PREFIX) + inPairs(typed)
}

function inPairs(typed: string) {
  return typed.match(/.{1,2}/gsu)?.join(':') ?? ''
}

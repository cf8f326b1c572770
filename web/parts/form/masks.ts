/** A mask formats a field while it is typed. It changes only separators: every other character stays visible. */
export interface Mask {
  /** The prefix that the mask inserts; '' for none. */
  fixed: string
  /**
   * Formats a text without the prefix. If the field did not show the whole prefix, that is all of its text. Formatting
   * a formatted text does not change it.
   */
  shown: (text: string, after: Beginning) => string
  /** Returns whether a character is content. All others are separators, which the mask inserts and removes. */
  counts: (character: string) => boolean
  /**
   * Returns the formatted value if the pasted text contains a complete one, which then replaces everything. Null
   * otherwise.
   */
  whole: (pasted: string) => string | null
  /** Formats the text when the field loses the focus. */
  settled: (text: string) => string
  placeholder: string
  identifier: boolean
  inputMode: 'text' | 'tel'
}

/**
 * What the field began with before the edit: the prefix, another text, or nothing so far. The beginning of the prefix
 * is nothing so far, because the prefix may be inserted or typed to its end.
 */
export type Beginning = 'fixed' | 'other' | 'nothing'

export interface Edit {
  before: string
  /** The value after the edit, with its caret. */
  raw: string
  caret: number
  /** The selection before the edit, if known. */
  selection?: Selected | undefined
  /** True if it deleted the character after the caret, as the Delete key does. */
  forward?: boolean | undefined
}

export interface Selected {
  start: number
  end: number
}

export interface EditResult {
  value: string
  caret: number
}

/** Returns the formatted value after an edit, with the caret after the typed text. */
export function applyEdit(mask: Mask, edit: Edit): EditResult {
  const { head, text, tail, after } = partsOf(mask, edit)
  const whole = text === '' ? null : mask.whole(text)
  if (whole !== null) return { value: whole, caret: whole.length }
  const next = show(mask, head + text, tail, after)
  const { before } = edit
  if (text !== '' || next.value !== before || edit.raw === before) return next
  // A deleted separator would be inserted again, so the content character beside it is deleted.
  return edit.forward
    ? show(mask, head, tail.slice((countedIn(mask, tail)[0] ?? tail.length) + 1), after)
    : show(mask, head.slice(0, countedIn(mask, head).at(-1) ?? 0), tail, after)
}

interface Parts {
  head: string
  text: string
  tail: string
  after: Beginning
}

/** Returns the content before the edit, the inserted text and the content after it, without the prefix. */
function partsOf({ fixed }: Mask, edit: Edit): Parts {
  const { before, raw, caret } = edit
  const first = before.startsWith(fixed) ? fixed.length : 0
  const { start, end } = rangeOf(edit)
  const tail = before.slice(Math.max(end, first))
  // An edit that reaches into the prefix with an unknown selection replaced everything.
  if (!edit.selection && start < first && end > first)
    return { head: '', text: raw.slice(0, caret), tail, after: 'nothing' }
  const text = raw.slice(start, raw.length - (before.length - end))
  return {
    head: before.slice(first, Math.max(start, first)),
    text,
    tail,
    after: start + tail.length === 0 ? 'nothing' : beginningOf(fixed, before),
  }
}

function beginningOf(fixed: string, before: string): Beginning {
  if (before.startsWith(fixed)) return 'fixed'
  return fixed.startsWith(before) ? 'nothing' : 'other'
}

/** Returns the range of the previous value that the edit replaced. */
function rangeOf({ before, raw, caret, selection }: Edit): Selected {
  if (selection && isRange(selection, before, raw)) return selection
  const tail = raw.slice(caret)
  const end = before.endsWith(tail) ? before.length - tail.length : before.length
  let start = 0
  while (start < Math.min(caret, end) && before[start] === raw[start]) start++
  return { start, end }
}

function isRange({ start, end }: Selected, before: string, raw: string) {
  const kept = before.length - end
  return (
    raw.length >= start + kept &&
    raw.startsWith(before.slice(0, start)) &&
    raw.endsWith(before.slice(end)) &&
    // With a caret and no selection, the deleted text was beside the caret.
    (end > start || raw.length >= before.length)
  )
}

function show(mask: Mask, head: string, tail: string, after: Beginning): EditResult {
  const value = mask.shown(head + tail, after)
  const behind = countedIn(mask, tail).length
  if (behind === 0) return { value, caret: value.length }
  const first = value.startsWith(mask.fixed) ? mask.fixed.length : 0
  const places = countedIn(mask, value).filter((at) => at >= first)
  const last = places.at(-behind - 1)
  return { value, caret: last === undefined ? (places[0] ?? value.length) : last + 1 }
}

/** Returns the indexes of the content characters. */
function countedIn({ counts }: Mask, text: string): number[] {
  return text.split('').flatMap((character, at) => (counts(character) ? [at] : []))
}

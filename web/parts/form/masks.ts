/** How a field shows what is typed into it. It changes marks alone: every character that counts stays in view. */
export interface Mask {
  /** What stands first by itself, before anything that is typed; '' where nothing does. */
  fixed: string
  /**
   * What the field shows of a text behind `fixed`; of a whole text where the field showed it without (`bare`).
   * A text that it has shown is shown again as it is.
   */
  shown: (text: string, bare: boolean) => string
  /** Whether a character counts; the others are marks, which the mask sets and removes. */
  counts: (character: string) => boolean
  /** A value that is whole by itself, as somebody pastes it: it takes the place of everything. Null for any other. */
  whole: (pasted: string) => string | null
  /** What is shown of a text once its person has gone on to the next field. */
  settled: (text: string) => string
  placeholder: string
  identifier: boolean
  inputMode: 'text' | 'tel'
}

/** An edit as the browser made it. */
export interface Edit {
  /** What was shown before. */
  before: string
  /** What stands there now, and where the caret is. */
  raw: string
  caret: number
  /** What was selected before, where that is known. */
  selection?: Selected | undefined
  /** It took away what stood after the caret, as the key Delete does. */
  forward?: boolean | undefined
}

export interface Selected {
  start: number
  end: number
}

export interface Shown {
  value: string
  caret: number
}

/** What is shown after an edit, and where the caret stands: behind what was typed, whatever marks came or went. */
export function edited(mask: Mask, edit: Edit): Shown {
  const { head, text, tail, bare } = partsOf(mask, edit)
  const whole = text === '' ? null : mask.whole(text)
  if (whole !== null) return { value: whole, caret: whole.length }
  const next = show(mask, head + text, tail, bare)
  const { before } = edit
  if (text !== '' || next.value !== before || edit.raw === before) return next
  // A mark cannot go alone, for the mask sets it again: what counts beside it goes.
  return edit.forward
    ? show(mask, head, tail.slice((countedIn(mask, tail)[0] ?? tail.length) + 1), bare)
    : show(mask, head.slice(0, countedIn(mask, head).at(-1) ?? 0), tail, bare)
}

/** What stands before the edit's caret, what came, and what stands after, without what is fixed. */
function partsOf({ fixed }: Mask, edit: Edit) {
  const { before, raw, caret } = edit
  const bare = before !== '' && !before.startsWith(fixed)
  const first = bare || before === '' ? 0 : fixed.length
  const { start, end } = rangeOf(edit)
  const tail = before.slice(Math.max(end, first))
  // An unknown selection that reached into what is fixed was of everything.
  if (!edit.selection && start < first && end > first)
    return { head: '', text: raw.slice(0, caret), tail, bare }
  const text = raw.slice(start, raw.length - (before.length - end))
  return {
    head: before.slice(first, Math.max(start, first)),
    text,
    tail,
    bare: bare && start + tail.length > 0,
  }
}

/** Which part of what was shown the edit replaced. */
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
    // A caret alone selects nothing: what went was beside it.
    (end > start || raw.length >= before.length)
  )
}

function show(mask: Mask, head: string, tail: string, bare: boolean): Shown {
  const value = mask.shown(head + tail, bare)
  const after = countedIn(mask, tail).length
  if (after === 0) return { value, caret: value.length }
  const first = value.startsWith(mask.fixed) ? mask.fixed.length : 0
  const places = countedIn(mask, value).filter((at) => at >= first)
  const last = places.at(-after - 1)
  return { value, caret: last === undefined ? (places[0] ?? value.length) : last + 1 }
}

/** The places of the characters that count. */
function countedIn({ counts }: Mask, text: string): number[] {
  return text.split('').flatMap((character, at) => (counts(character) ? [at] : []))
}

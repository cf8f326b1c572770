/**
 * Returns the text of a playlist. It may be in UTF-8 or UTF-16, or in the old encoding of Windows. One broken byte in
 * UTF-8 costs one character: read in another encoding, all channels and groups would have other names.
 */
export function textOf(bytes: Uint8Array): string {
  const marked = MARKS.find(({ mark }) => mark.every((byte, at) => bytes[at] === byte))
  if (marked) return new TextDecoder(marked.encoding).decode(bytes)
  const text = new TextDecoder('utf-8').decode(bytes)
  return isUtf8(text, bytes) ? text : new TextDecoder('windows-1252').decode(bytes)
}

const MARKS = [
  { mark: [0xff, 0xfe], encoding: 'utf-16le' },
  { mark: [0xfe, 0xff], encoding: 'utf-16be' },
]

/** What stands in a text for bytes that are no UTF-8. A playlist may also have it itself. */
const UNREADABLE = '\uFFFD'

/**
 * In UTF-8 more of the characters beyond ASCII are whole than broken; in another encoding hardly one is whole by
 * chance.
 */
function isUtf8(text: string, bytes: Uint8Array): boolean {
  if (!text.includes(UNREADABLE)) return true
  let whole = timesIn(bytes, UNREADABLE)
  // The playlist's own U+FFFD are whole, but the loop below counts them as broken: this makes up for it.
  let broken = -whole
  for (const character of text) {
    if (character === UNREADABLE) broken += 1
    else if (character > '\x7f') whole += 1
  }
  return broken <= whole
}

function timesIn(bytes: Uint8Array, character: string): number {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let times = 0
  for (let at = buffer.indexOf(character); at >= 0; at = buffer.indexOf(character, at + 1)) times += 1
  return times
}

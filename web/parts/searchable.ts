/**
 * Returns a text, or what is searched in it, as the two are compared: without case, each letter in one form alone, and
 * without the marks that nobody sees.
 */
export function searchable(text: string): string {
  const folded = text
    .replace(/\p{Zs}/gu, ' ')
    .replace(/\p{Cf}/gu, '')
    .normalize('NFC')
    .toLowerCase()
  // A sigma at the end of a word is another letter, and the Turkish dotted I becomes two characters.
  return folded.replace(/ς/g, 'σ').replace(/i\u0307/g, 'i')
}

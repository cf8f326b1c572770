/** Returns a text as it is compared with what is searched: without case, and each letter in one form alone. */
export function searchable(text: string): string {
  const folded = text
    .replace(/\p{Zs}/gu, ' ')
    .normalize('NFC')
    .toLowerCase()
  // A sigma at the end of a word is another letter, and the Turkish dotted I becomes two characters.
  return folded.replace(/ς/g, 'σ').replace(/i\u0307/g, 'i')
}

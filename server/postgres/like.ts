/** Returns the forms that a text with accents may have: as it is, and with each letter as one character or as two. */
export function formsOf(text: string): string[] {
  return [...new Set([text, text.normalize('NFC'), text.normalize('NFD')])]
}

/** Returns the LIKE pattern of texts that contain a term, or begin with it; `%` and `_` in the term are plain text. */
export function likePattern(term: string, where: 'contains' | 'begins' = 'contains'): string {
  return `${where === 'contains' ? '%' : ''}${term.replace(/[\\%_]/g, '\\$&')}%`
}

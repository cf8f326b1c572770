/**
 * Returns the forms that a searched text may be stored in: with each letter that has an accent as one character or as two, with
 * special spaces or plain ones, and with a sigma at the end of a word as that letter or, as PostgreSQL makes it of a capital, as any
 * other sigma.
 */
export function formsOf(text: string): string[] {
  const forms = [text, text.replace(/\p{Zs}/gu, ' ')]
    .flatMap((form) => [form, form.normalize('NFC'), form.normalize('NFD')])
    .flatMap((form) => [form, form.replace(/ς/g, 'σ'), form.replace(/[σΣ](?![\p{L}\p{M}])/gu, 'ς')])
  return [...new Set(forms)]
}

/** Returns the LIKE pattern of texts that contain a term, or begin with it; `%` and `_` in the term are plain text. */
export function likePattern(term: string, where: 'contains' | 'begins' = 'contains'): string {
  return `${where === 'contains' ? '%' : ''}${term.replace(/[\\%_]/g, '\\$&')}%`
}

/**
 * Returns the forms that a searched text may be stored in. A letter with an accent is one character or two. A space may
 * be a copied one, which looks like any other. A Greek sigma at the end of a word is a letter of its own, but
 * PostgreSQL makes the usual one of its capital.
 */
export function formsOf(text: string): string[] {
  const forms = [text, text.replace(/\p{Zs}/gu, ' ')]
    .flatMap((form) => [form, form.normalize('NFC'), form.normalize('NFD')])
    .flatMap((form) => [form, form.replace(/ς/g, 'σ'), form.replace(/[σΣ](?![\p{L}\p{M}])/gu, 'ς')])
  return [...new Set(forms)]
}

/** Returns the LIKE patterns of texts that contain any of these forms of a term. */
export function likePatterns(forms: readonly string[]): string[] {
  return forms.map((form) => likePattern(form))
}

/** Returns the LIKE pattern of texts that contain a term, or begin with it; `%` and `_` in the term are plain text. */
export function likePattern(term: string, where: 'contains' | 'begins' = 'contains'): string {
  return `${where === 'contains' ? '%' : ''}${term.replace(/[\\%_]/g, '\\$&')}%`
}

/** Returns the LIKE pattern of texts that contain a term, or begin with it; `%` and `_` in the term are plain text. */
export function likePattern(term: string, where: 'contains' | 'begins' = 'contains'): string {
  return `${where === 'contains' ? '%' : ''}${term.replace(/[\\%_]/g, '\\$&')}%`
}

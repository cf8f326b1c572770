/** Returns the code of an error, by Node, PostgreSQL or the driver; an empty text where it has none. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}

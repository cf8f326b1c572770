/**
 * The focus ring of a label, whose radio button cannot be seen. Firefox before 121 has no `:has`: there the ring also
 * follows a click.
 */
export function ringAround(offset: number) {
  const ring = { outline: '2px solid var(--ring)', outlineOffset: offset }
  return {
    '&:has(:focus-visible)': ring,
    '@supports not selector(:has(*))': { '&:focus-within': ring },
  }
}

/** How a page's title looks, and a number or verdict that one reads first. */
export const LARGE = {
  fontSize: '1.5rem',
  fontWeight: 600,
  lineHeight: 1.33,
  letterSpacing: '-0.01em',
} as const

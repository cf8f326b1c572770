/** The style of text that only screen readers get. */
export const FOR_READERS = {
  position: 'absolute',
  width: 1,
  height: 1,
  overflow: 'hidden',
  clipPath: 'inset(50%)',
} as const

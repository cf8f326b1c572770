import { keyframes } from '@emotion/react'

const appear = keyframes({ from: { opacity: 0, transform: 'translateY(-4px)' } })

/** How a list that opens beneath a field or button comes into view. */
export const APPEARING = {
  '@media (prefers-reduced-motion: no-preference)': { animation: `${appear} 140ms ease-out` },
}

import { keyframes } from '@emotion/react'
import { styled } from '@mui/material/styles'

/** A small ring that turns while something runs; the words beside it say what. */
export function Spinner({ size = 16 }: { size?: number }) {
  return <Ring aria-hidden style={{ width: size, height: size }} />
}

const turn = keyframes({ to: { transform: 'rotate(1turn)' } })

const Ring = styled('span')({
  display: 'inline-block',
  flex: 'none',
  border: '2px solid currentColor',
  borderRightColor: 'transparent',
  borderRadius: '50%',
  '@media (prefers-reduced-motion: no-preference)': { animation: `${turn} 700ms linear infinite` },
})

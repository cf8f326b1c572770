import { keyframes } from '@emotion/react'
import { styled } from '@mui/material/styles'
import type { ReactNode } from 'react'
import { useDelayed } from './useDelayed.ts'

/** A small ring that turns while something takes longer than 200 ms; the words beside it say what. */
export function Spinner({ size = 16 }: { size?: number }) {
  const late = useDelayed(true)
  return <Ring aria-hidden style={{ width: size, height: size, visibility: late ? 'visible' : 'hidden' }} />
}

/** The words of a button, and in their place, while what it began takes longer than 200 ms, a ring. */
export function Working({ loading, children }: { loading: boolean; children: ReactNode }) {
  const late = useDelayed(loading)
  return (
    <>
      <span style={late ? { opacity: 0 } : undefined}>{children}</span>
      {late && <Over aria-hidden />}
    </>
  )
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

/** In the middle of the button, so that the button stays as wide as it was. */
const Over = styled(Ring)({
  position: 'absolute',
  top: 'calc(50% - 8px)',
  left: 'calc(50% - 8px)',
  width: 16,
  height: 16,
})

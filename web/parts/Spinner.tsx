import { keyframes } from '@emotion/react'
import { styled } from '@mui/material/styles'
import type { ReactNode } from 'react'
import { useDelayed } from './useDelayed.ts'

/** A small spinner for what takes longer than 200 ms. The text beside it says what is loading. */
export function Spinner({ size = 16 }: { size?: number }) {
  const late = useDelayed(true)
  return <Ring aria-hidden style={{ width: size, height: size, visibility: late ? undefined : 'hidden' }} />
}

/** The label of a button. A spinner replaces it while the button's action takes longer than 200 ms. */
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

/** Overlays the label, so that the button keeps its width. */
const Over = styled(Ring)({
  position: 'absolute',
  top: 'calc(50% - 8px)',
  left: 'calc(50% - 8px)',
  width: 16,
  height: 16,
})

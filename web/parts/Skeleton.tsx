import { keyframes } from '@emotion/react'
import { styled } from '@mui/material/styles'
import { useDelayed } from './useDelayed.ts'

/** Reserves the space of content that is loading. It turns grey only after 200 ms. */
export function Skeleton({ width = '100%', height = 14 }: { width?: number | string; height?: number }) {
  const late = useDelayed(true)
  return <SkeletonBar aria-hidden style={{ width, height, visibility: late ? undefined : 'hidden' }} />
}

const breathe = keyframes({ '50%': { opacity: 0.45 } })

const SkeletonBar = styled('span')(({ theme }) => ({
  display: 'inline-block',
  verticalAlign: 'middle',
  maxWidth: '100%',
  borderRadius: 6,
  background: theme.palette.divider,
  '@media (prefers-reduced-motion: no-preference)': { animation: `${breathe} 1.4s ease-in-out infinite` },
}))

/** Returns as many React keys as there are placeholders. */
export function places(count: number): string[] {
  return Array.from({ length: count }, (_, at) => `place ${at}`)
}

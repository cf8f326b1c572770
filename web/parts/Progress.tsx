import { styled } from '@mui/material/styles'
import type { ReactNode } from 'react'
import { useDelayed } from './useDelayed.ts'

interface ProgressProps {
  label: string
  /** How much is done, and of how much; left out where no part of the work can be seen. */
  done?: number
  all?: number
  children: ReactNode
}

/** Shows that long work is under way, and how far it is. */
export function Progress({ label, done, all, children }: ProgressProps) {
  return (
    <Bar role="status">
      <progress aria-label={label} value={done} max={all} />
      {children}
    </Bar>
  )
}

/** Shows what is under way once it takes longer than a second. It is for work of which no part can be seen. */
export function UnderWay({ loading, what }: { loading: boolean; what: string }) {
  const late = useDelayed(loading, 1_000)
  return late && <Progress label={what}>{what}…</Progress>
}

const Bar = styled('p')({
  display: 'grid',
  gap: 4,
  marginTop: 8,
  fontVariantNumeric: 'tabular-nums',
  '& progress': { width: '100%' },
})

import { styled } from '@mui/material/styles'
import type { ReactNode } from 'react'

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

const Bar = styled('p')({
  display: 'grid',
  gap: 4,
  marginTop: 8,
  fontVariantNumeric: 'tabular-nums',
  '& progress': { width: '100%' },
})

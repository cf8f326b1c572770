import { styled } from '@mui/material/styles'
import type { ReactNode } from 'react'

/** A list of facts, each below its label, side by side as far as they fit. */
export const FactList = styled('dl')(({ theme }) => ({
  display: 'flex',
  flexWrap: 'wrap',
  gap: '12px 40px',
  fontVariantNumeric: 'tabular-nums',
  '& dt': { fontSize: '0.75rem', color: theme.palette.text.secondary },
}))

export function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </div>
  )
}

import { styled } from '@mui/material/styles'
import type { ReactNode } from 'react'
import type { Tone } from './tone.ts'

/** A state in a word, with a colour that repeats it. */
export function Chip({
  tone,
  children,
  hint,
}: {
  tone: Tone
  children: ReactNode
  hint?: string | undefined
}) {
  return (
    <Pill tone={tone} data-hint={hint}>
      {children}
    </Pill>
  )
}

const Pill = styled('span', { shouldForwardProp: (name) => name !== 'tone' })<{ tone: Tone }>(
  ({ theme, tone }) => ({
    display: 'inline-flex',
    alignItems: 'center',
    height: 22,
    padding: '0 8px',
    borderRadius: 11,
    fontSize: '0.75rem',
    fontWeight: 600,
    whiteSpace: 'nowrap',
    fontVariantNumeric: 'tabular-nums',
    color: theme.palette.tones[tone].text,
    background: theme.palette.tones[tone].fill,
    boxShadow: `inset 0 0 0 1px ${theme.palette.tones[tone].line}`,
  }),
)

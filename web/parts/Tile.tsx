import { styled } from '@mui/material/styles'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { Skeleton } from './Skeleton.tsx'
import type { Tone } from './tone.ts'

interface TileProps {
  /** The word for what is counted. */
  label: string
  /** The number as shown, or a word such as 'Unlimited'. */
  value: ReactNode
  /** A part of the whole as shown, such as '42%'. */
  share?: string | undefined
  /** Where the tile leads; without it the tile is no link. */
  to?: string | undefined
  icon?: ReactNode
  tone?: Tone | undefined
  loading: boolean
}

/** A number that matters, big; a word; a share; and the way to what it counts. */
export function Tile({ label, value, share, to, icon, tone, loading }: TileProps) {
  const inside = (
    <>
      <Words>
        <span>{label}</span>
        {icon}
      </Words>
      <Numbers tone={tone}>
        {loading ? <Skeleton width={72} height={24} /> : <strong>{value}</strong>}
        {!loading && share !== undefined && <span>{share}</span>}
      </Numbers>
    </>
  )
  if (to === undefined) return <Box aria-busy={loading}>{inside}</Box>
  return (
    <Box as={Link} to={to} aria-busy={loading}>
      {inside}
    </Box>
  )
}

/** Tiles side by side, as many as fit. */
export const Tiles = styled('div')({
  display: 'grid',
  gridTemplateColumns: 'repeat(auto-fit, minmax(min(100%, 184px), 1fr))',
  gap: 16,
  marginBottom: 24,
})

const Box = styled('div')<{ to?: string }>(({ theme }) => ({
  display: 'block',
  padding: '16px 20px',
  borderRadius: 12,
  border: `1px solid ${theme.palette.divider}`,
  background: theme.palette.background.paper,
  color: 'inherit',
  textDecoration: 'none',
  'a&:hover': { borderColor: theme.palette.accent.text },
}))

const Words = styled('div')(({ theme }) => ({
  display: 'flex',
  justifyContent: 'space-between',
  gap: 8,
  minHeight: 20,
  color: theme.palette.text.secondary,
}))

const Numbers = styled('div', { shouldForwardProp: (name) => name !== 'tone' })<{ tone: Tone | undefined }>(
  ({ theme, tone }) => ({
    display: 'flex',
    flexWrap: 'wrap',
    alignItems: 'baseline',
    gap: 8,
    minHeight: 32,
    marginTop: 4,
    fontVariantNumeric: 'tabular-nums',
    color: theme.palette.text.secondary,
    '& strong': {
      fontSize: '1.5rem',
      fontWeight: 600,
      lineHeight: 1.33,
      letterSpacing: '-0.01em',
      color: tone ? theme.palette.tones[tone].text : theme.palette.text.primary,
    },
  }),
)

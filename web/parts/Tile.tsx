import { styled } from '@mui/material/styles'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { LARGE } from './large.ts'
import { number } from './number.ts'
import { own } from './own.ts'
import { Skeleton } from './Skeleton.tsx'
import type { Tone } from './tone.ts'

interface TileProps {
  label: string
  /** The number, or a word such as 'Unlimited'; nothing where it could not be loaded. */
  value: number | string | null | undefined
  /** A few words beside the number: its share of the whole, such as '42%', its time, or 'low'. */
  beside?: string | undefined
  /** The address of the link, or the anchor of a card such as '#refused'. */
  to: string
  icon?: ReactNode
  tone?: Tone | undefined
  /** True for a zero, which is grey: there is nothing to look at. */
  none?: boolean | undefined
  loading: boolean
}

/** A large number with its label, a link to what it counts. */
export function Tile({ label, value, beside, to, icon, tone, none = false, loading }: TileProps) {
  const inside = (
    <>
      <Label>
        <span>{label}</span>
        {icon}
      </Label>
      <Numbers>
        {loading ? <Skeleton width={72} height={24} /> : <strong data-none={none}>{shown(value)}</strong>}
        {!loading && beside !== undefined && <span>{beside}</span>}
      </Numbers>
    </>
  )
  return (
    <Box aria-busy={loading} tone={tone}>
      {to.startsWith('#') ? (
        // A plain link, which leaves the page's parameters in the address.
        <a href={to}>{inside}</a>
      ) : (
        <Link to={to}>{inside}</Link>
      )}
    </Box>
  )
}

function shown(value: number | string | null | undefined): string {
  return typeof value === 'number' ? number(value) : (value ?? '–')
}

/**
 * A grid of tiles. Five tiles fill two rows on a tablet and three on a phone, without a gap; a large font has wider
 * tiles.
 */
export const Tiles = styled('ul')(({ theme }) => ({
  display: 'grid',
  gridTemplateColumns: 'repeat(auto-fit, minmax(min(100%, 9rem), 1fr))',
  gap: 16,
  marginBottom: 24,
  [theme.breakpoints.between('sm', 'md')]: {
    '&:has(> li:nth-of-type(5):last-of-type)': {
      gridTemplateColumns: 'repeat(3, minmax(0, 1fr))',
      '& > li:first-of-type': { gridColumn: 'span 2' },
    },
  },
  [theme.breakpoints.down('sm')]: {
    // Two columns, or one where a word would not fit into the half.
    gridTemplateColumns: 'repeat(auto-fit, minmax(min(100%, max(8rem, 40%)), 1fr))',
    gap: 8,
    '& > li:first-of-type:nth-last-of-type(odd)': { gridColumn: '1 / -1' },
  },
}))

const Box = styled(
  'li',
  own('tone'),
)<{ tone: Tone | undefined }>(({ theme, tone }) => ({
  minWidth: 0,
  borderRadius: 12,
  border: `1px solid ${theme.palette.divider}`,
  background: theme.palette.background.paper,
  '&:has(a:hover)': { borderColor: theme.palette.accent.text },
  '& > *': {
    display: 'flex',
    flexDirection: 'column',
    height: '100%',
    padding: 16,
    borderRadius: 12,
    color: 'inherit',
    textDecoration: 'none',
  },
  '& strong': {
    ...LARGE,
    color: tone ? theme.palette.tones[tone].text : theme.palette.text.primary,
  },
  '& strong[data-none=true]': { color: theme.palette.text.secondary },
}))

const Label = styled('div')(({ theme }) => ({
  display: 'flex',
  justifyContent: 'space-between',
  gap: 8,
  minHeight: 20,
  marginBottom: 4,
  color: theme.palette.text.secondary,
  '& svg': { flex: 'none' },
}))

const Numbers = styled('div')(({ theme }) => ({
  display: 'flex',
  flexWrap: 'wrap',
  alignItems: 'baseline',
  gap: 8,
  minHeight: 32,
  // The numbers of a row stand on one line, also where a label takes two.
  marginTop: 'auto',
  fontVariantNumeric: 'tabular-nums',
  color: theme.palette.text.secondary,
}))

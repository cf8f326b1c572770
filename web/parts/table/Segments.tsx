import { styled } from '@mui/material/styles'
import { useId } from 'react'

export interface Segment<Value extends string> {
  value: Value
  label: string
  /** How many rows it shows; undefined while that is not known. */
  count: string | undefined
}

interface SegmentsProps<Value extends string> {
  segments: readonly Segment<Value>[]
  value: string
  onChange: (value: Value) => void
  /** The width that each count takes, in characters, so that a smaller one moves nothing. */
  digits: number
  /** False before the first counts have loaded: it is then invisible but keeps its space. */
  visible: boolean
}

/** The filter of a list: one of a few, each with its count. */
export function Segments<Value extends string>({
  segments,
  value,
  onChange,
  digits,
  visible,
}: SegmentsProps<Value>) {
  const name = useId()
  return (
    <Group style={{ visibility: visible ? undefined : 'hidden' }}>
      <legend>Filter</legend>
      {segments.map((segment) => (
        <label key={segment.value}>
          <input
            type="radio"
            name={name}
            checked={value === segment.value}
            onChange={() => onChange(segment.value)}
          />
          {segment.label} <span style={{ minWidth: `${digits}ch` }}>{segment.count}</span>
        </label>
      ))}
    </Group>
  )
}

const Group = styled('fieldset')(({ theme }) => ({
  display: 'flex',
  minWidth: 0,
  margin: 0,
  padding: 3,
  gap: 2,
  border: 0,
  borderRadius: 10,
  background: theme.palette.background.default,
  boxShadow: `inset 0 0 0 1px ${theme.palette.divider}`,
  '& legend': { position: 'absolute', width: 1, height: 1, overflow: 'hidden', clipPath: 'inset(50%)' },
  '& input': { position: 'absolute', inset: 0, margin: 0, opacity: 0, cursor: 'inherit' },
  '& label': {
    position: 'relative',
    display: 'flex',
    alignItems: 'center',
    justifyContent: 'center',
    gap: 6,
    minHeight: 34,
    padding: '0 12px',
    borderRadius: 8,
    whiteSpace: 'nowrap',
    color: theme.palette.text.secondary,
    cursor: 'pointer',
    '&:hover': { color: theme.palette.text.primary },
    '&:has(:checked)': {
      color: theme.palette.text.primary,
      fontWeight: 600,
      background: theme.palette.background.paper,
      boxShadow: `inset 0 0 0 1px ${theme.palette.divider}`,
    },
    '&:has(:focus-visible)': { outline: '2px solid var(--ring)', outlineOffset: 1 },
  },
  '& span': { textAlign: 'left', fontVariantNumeric: 'tabular-nums' },
  [theme.breakpoints.down('sm')]: {
    flex: '1 1 100%',
    '& label': {
      flex: '1 1 0',
      flexDirection: 'column-reverse',
      // Aligns the counts at the bottom, even where the label above wraps.
      justifyContent: 'flex-end',
      gap: 0,
      minHeight: 48,
      padding: 4,
      fontSize: '0.75rem',
      whiteSpace: 'normal',
      textAlign: 'center',
      lineHeight: 1.25,
    },
    '& span': { minHeight: 17, textAlign: 'center', fontSize: '0.875rem' },
  },
}))

import { styled } from '@mui/material/styles'
import { useId } from 'react'
import { FOR_READERS } from '../forReaders.ts'
import { segmented } from '../segmented.ts'

interface Segment<Value extends string> {
  value: Value
  label: string
  /** How many rows it shows; undefined while that is not known. */
  count: string | undefined
}

interface SegmentsProps<Value extends string> {
  segments: readonly Segment<Value>[]
  value: Value
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
    <Fieldset style={{ visibility: visible ? undefined : 'hidden' }}>
      <legend>Filter</legend>
      {segments.map((segment) => (
        <label key={segment.value} data-chosen={value === segment.value}>
          <input
            type="radio"
            name={name}
            checked={value === segment.value}
            onChange={() => onChange(segment.value)}
          />
          {segment.label} <span style={{ minWidth: `${digits}ch` }}>{segment.count}</span>
        </label>
      ))}
    </Fieldset>
  )
}

const Fieldset = styled('fieldset')(
  ({ theme }) => segmented(theme),
  ({ theme }) => ({
    flexWrap: 'wrap',
    minWidth: 0,
    margin: 0,
    border: 0,
    '& legend': FOR_READERS,
    '& label': { whiteSpace: 'nowrap', '@media (pointer: coarse)': { minHeight: 44 } },
    '& span': { textAlign: 'left', fontVariantNumeric: 'tabular-nums' },
    // Below this, five segments do not fit into one line.
    [theme.breakpoints.down(720)]: {
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
  }),
)

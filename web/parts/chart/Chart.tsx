import Button from '@mui/material/Button'
import { styled } from '@mui/material/styles'
import { ChartLine } from 'lucide-react'
import { type ReactNode, useRef, useState } from 'react'
import { Card } from '../Card.tsx'
import { chunk, useFetch, useValue } from '../chunk.ts'
import { EmptyState, ErrorState, Outdated } from '../ErrorState.tsx'
import { Bar } from '../Skeleton.tsx'
import { showMinute } from '../time.ts'
import { useDelayed } from '../useDelayed.ts'
import type { ChartData, PlotProps } from './Plot.tsx'

interface ChartProps {
  title: string
  /** The titles of the axes: 'Date' and what is counted. */
  across: string
  up: string
  data: ChartData | undefined
  loading: boolean
  error?: string | undefined
  onRetry: () => void
  empty: string
}

const plot = chunk(async () => (await import('./Plot.tsx')).Plot)

/** A line chart of numbers over time. A button shows the same numbers as a table. */
export function Chart({ title, across, up, data: given, loading, error, onRetry, empty }: ChartProps) {
  const data = useSteady(given)
  const [tabled, setTabled] = useState(false)
  const full = data !== undefined && data.times.length > 0
  const failed = error !== undefined && !loading
  return (
    <Card title={title} aside={<Switch shown={full} tabled={tabled} onSwitch={() => setTabled(!tabled)} />}>
      <Stage aria-busy={loading}>
        {failed && !data && <ErrorState message={error} onRetry={onRetry} />}
        {failed && data && <Outdated message={error} onRetry={onRetry} />}
        {data && !full && !loading && <EmptyState icon={quietIcon} text={empty} />}
        {loading && !full && <Waiting />}
        {full && (tabled ? table(data, across) : <Drawn {...{ data, title, across, up }} />)}
      </Stage>
    </Card>
  )
}

/** Returns the same object while its arrays stay the same, because the plot is redrawn for every new object. */
function useSteady(data: ChartData | undefined): ChartData | undefined {
  const kept = useRef(data)
  if (!isSame(kept.current, data)) kept.current = data
  return kept.current
}

function isSame(one: ChartData | undefined, other: ChartData | undefined): boolean {
  if (!one || !other) return one === other
  return (
    one.times === other.times &&
    one.zone === other.zone &&
    one.series.length === other.series.length &&
    one.series.every(({ name, values }, at) => {
      const same = other.series[at]
      return name === same?.name && values === same.values
    })
  )
}

const quietIcon = <ChartLine aria-hidden size={32} strokeWidth={1.25} />

interface SwitchProps {
  /** Until then it only takes its place, so that it moves nothing when the data comes. */
  shown: boolean
  tabled: boolean
  onSwitch: () => void
}

function Switch({ shown, tabled, onSwitch }: SwitchProps) {
  return (
    // Aligns the label of the button with the edge of the chart.
    <Button
      size="small"
      onClick={onSwitch}
      sx={{ marginRight: '-12px' }}
      style={shown ? undefined : { visibility: 'hidden' }}
    >
      {tabled ? 'Show as chart' : 'Show as table'}
    </Button>
  )
}

/** A plot that cannot be fetched takes its own place alone: what is typed on the page stays. */
function Drawn(props: PlotProps) {
  const Plot = useValue(plot)
  const [failure, setFailure] = useState<Error | null>(null)
  useFetch(plot, failure === null, setFailure)
  if (Plot) return <Plot {...props} />
  if (failure === null) return <Waiting />
  return <ErrorState message="The chart could not be loaded." onRetry={() => setFailure(null)} />
}

/** Lists the newest first. */
function table({ times, zone, series }: ChartData, across: string): ReactNode {
  return (
    // The scrolling region can take the focus, so that the keyboard can scroll it.
    <Scroll role="region" aria-label="The chart as a table" tabIndex={0}>
      <table>
        <thead>
          <tr>
            <th scope="col">{across}</th>
            {series.map(({ name }) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {times
            .map((time, at) => (
              <tr key={time}>
                <td>{zone === undefined ? time : showMinute(time, zone)}</td>
                {series.map(({ name, values }) => (
                  <td key={name}>{values[at]?.toLocaleString('en-US')}</td>
                ))}
              </tr>
            ))
            .reverse()}
        </tbody>
      </table>
    </Scroll>
  )
}

function Waiting() {
  const late = useDelayed(true)
  return <Bar aria-hidden style={{ width: '100%', height: 300, visibility: late ? undefined : 'hidden' }} />
}

const Stage = styled('div')({ minHeight: 324, '& > div': { minHeight: 300 } })

const Scroll = styled('div')(({ theme }) => ({
  height: 324,
  overflowY: 'auto',
  '& table': { width: '100%', borderSpacing: 0, fontVariantNumeric: 'tabular-nums' },
  '& th': {
    position: 'sticky',
    top: 0,
    fontSize: '0.75rem',
    fontWeight: 600,
    color: theme.palette.text.secondary,
    background: theme.palette.background.paper,
  },
  '& th, & td': {
    height: 32,
    padding: '0 8px',
    textAlign: 'right',
    borderBottom: `1px solid ${theme.palette.divider}`,
  },
  '& th:first-of-type, & td:first-of-type': { textAlign: 'left' },
}))

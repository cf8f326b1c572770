import Button from '@mui/material/Button'
import { styled } from '@mui/material/styles'
import { ChartLine } from 'lucide-react'
import { type ReactNode, type RefObject, useEffect, useRef, useState } from 'react'
import { Card } from '../Card.tsx'
import { chunk, useFetch } from '../chunk.ts'
import { EmptyState, ErrorState, Outdated } from '../ErrorState.tsx'
import { isAwaited } from '../isAwaited.ts'
import { number } from '../number.ts'
import { Skeleton } from '../Skeleton.tsx'
import { showMinute } from '../time.ts'
import { useIsPrinting } from '../useIsPrinting.ts'
import type { ChartData, PlotProps } from './Plot.tsx'

interface ChartProps<Loaded> {
  title: string
  /** The titles of the axes: 'Date' and what is counted. */
  across: string
  up: string
  loaded: {
    data: Loaded | undefined
    isFetching: boolean
    error: { message: string } | null
    refetch: () => void
  }
  /** Returns what is drawn of them. */
  draw: (data: Loaded) => ChartData
  /** The sentence shown where there is nothing to draw. */
  empty: string
}

const plot = chunk(async () => (await import('./Plot.tsx')).Plot)

/** A card with a line chart of numbers over time. A button shows the same numbers as a table. */
export function Chart<Loaded>({ title, across, up, loaded, draw, empty }: ChartProps<Loaded>) {
  const { error, refetch } = loaded
  const data = useSteady(loaded.data === undefined ? undefined : draw(loaded.data))
  const loading = isAwaited(loaded, data)
  const [tabled, setTabled] = useState(false)
  const full = data !== undefined && data.times.length > 0
  const failure = loading ? null : error
  return (
    <Card title={title} aside={<Switch shown={full} tabled={tabled} onSwitch={() => setTabled(!tabled)} />}>
      <Stage aria-busy={loading}>
        {failure && !data && <ErrorState message={failure.message} onRetry={refetch} />}
        {failure && data && <Outdated message={failure.message} onRetry={refetch} />}
        {data && !full && !loading && <EmptyState icon={chartIcon} text={empty} />}
        {loading && !full && <Skeleton height={300} />}
        {full && (tabled ? asTable(data, across) : <Drawn {...{ data, title, across, up }} />)}
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

const chartIcon = <ChartLine aria-hidden size={32} strokeWidth={1.25} />

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

/**
 * Fetches the plot once its place is in view, since many a visit never scrolls to it. A plot that cannot be fetched
 * takes its own place alone: what is typed on the page stays.
 */
function Drawn(props: PlotProps) {
  const Plot = plot.value.use()
  const place = useRef<HTMLDivElement>(null)
  const seen = useSeen(place)
  const [failure, setFailure] = useState<Error | null>(null)
  useFetch(plot, seen && failure === null, setFailure)
  const isPrinting = useIsPrinting()
  if (Plot) return <Plot {...props} />
  if (failure === null) {
    return (
      // Nothing can be fetched any more once the page is printed.
      <div ref={place}>
        {isPrinting ? asTable(thinned(props.data), props.across) : <Skeleton height={300} />}
      </div>
    )
  }
  return <ErrorState message="The chart could not be loaded." onRetry={() => setFailure(null)} />
}

/** Returns whether the element has been in view. */
function useSeen(place: RefObject<Element | null>): boolean {
  const [seen, setSeen] = useState(false)
  useEffect(() => {
    const element = place.current
    if (!element) return
    const observer = new IntersectionObserver(([entry]) => entry?.isIntersecting && setSeen(true))
    observer.observe(element)
    return () => observer.disconnect()
  }, [place])
  return seen
}

/** How many rows of a chart fit on a sheet. */
const MOST_ON_PAPER = 24

/** Returns as many points of a chart as fit on a sheet, evenly spaced from the newest one. */
function thinned({ times, series, ...rest }: ChartData): ChartData {
  const step = Math.ceil(times.length / MOST_ON_PAPER)
  const isKept = (_: unknown, at: number) => (times.length - 1 - at) % step === 0
  const thinner = series.map((one) => ({ ...one, values: one.values.filter(isKept) }))
  return { ...rest, times: times.filter(isKept), series: thinner }
}

/** Lists the newest first. */
function asTable({ times, zone, series }: ChartData, across: string): ReactNode {
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
                  <td key={name}>{number(values[at] as number)}</td>
                ))}
              </tr>
            ))
            .reverse()}
        </tbody>
      </table>
    </Scroll>
  )
}

const Stage = styled('div')({ minHeight: 324, '& > div': { minHeight: 300 } })

const Scroll = styled('div')(({ theme }) => ({
  height: 324,
  overflowY: 'auto',
  '@media print': { height: 'auto', overflow: 'visible' },
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

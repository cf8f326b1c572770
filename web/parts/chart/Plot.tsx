import { styled, type Theme, useTheme } from '@mui/material/styles'
import { useEffect, useRef, useState } from 'react'
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { isForBrowser } from '../focus.ts'
import { showMinute } from '../time.ts'
import { rangeOf } from './range.ts'

/** The data of a chart: days or moments on the x axis, and one number for each and each series. */
export interface ChartData {
  /** Days (YYYY-MM-DD), or moments of about one day where there is a `zone`; ascending. */
  times: readonly string[]
  /** The IANA name of the time zone in which moments are shown. */
  zone?: string
  series: readonly { name: string; values: readonly number[] }[]
}

export interface PlotProps {
  data: ChartData
  title: string
  across: string
  up: string
}

const height = 300

/**
 * The plot itself, in a chunk that only pages with a chart load. Arrow keys, mouse and touch read its values one
 * by one.
 */
export function Plot({ data, title, across, up }: PlotProps) {
  const theme = useTheme()
  const frame = useRef<HTMLDivElement>(null)
  const drawn = useRef<uPlot | null>(null)
  const [at, setAt] = useState<number | null>(null)
  useEffect(() => {
    if (!frame.current) return
    const size = { width: frame.current.clientWidth, height }
    const chart = new uPlot(
      { ...size, ...options(theme, data, across, up, setAt) },
      columns(data),
      frame.current,
    )
    drawn.current = chart
    const stop = followWidth(frame.current, chart)
    return () => {
      stop()
      chart.destroy()
    }
  }, [theme, data, across, up])
  return (
    <Frame>
      {/* A screen reader has the same text from the slider. */}
      <Reader aria-hidden>{at === null ? '' : reading(data, at)}</Reader>
      <div
        ref={frame}
        role="slider"
        tabIndex={0}
        aria-label={`${title}, ${data.zone === undefined ? 'day by day' : 'one by one'}`}
        aria-valuemin={0}
        aria-valuemax={data.times.length - 1}
        aria-valuenow={at ?? data.times.length - 1}
        aria-valuetext={reading(data, at ?? data.times.length - 1)}
        onKeyDown={(event) => step(event, drawn.current, data, at)}
        onBlur={() => drawn.current?.setCursor({ left: -10, top: -10 })}
      />
    </Frame>
  )
}

function reading({ times, zone, series }: ChartData, at: number) {
  const time = times[at] ?? ''
  const numbers = series.map(({ name, values }) => `${name} ${values[at]?.toLocaleString('en-US')}`)
  return `${zone === undefined ? time : showMinute(time, zone)}: ${numbers.join(', ')}`
}

function step(event: React.KeyboardEvent, chart: uPlot | null, { times }: ChartData, at: number | null) {
  const last = times.length - 1
  const from = at ?? last + 1
  const to = { ArrowLeft: from - 1, ArrowRight: from + 1, Home: 0, End: last }[event.key]
  if (!chart || to === undefined || isForBrowser(event)) return
  event.preventDefault()
  const index = Math.max(0, Math.min(last, to))
  chart.setCursor({ left: chart.valToPos(chart.data[0][index] ?? 0, 'x'), top: 0 })
}

/** Converts days and moments to UTC seconds for uPlot. A day has no time zone. */
function columns({ times, series }: ChartData): uPlot.AlignedData {
  return [times.map((time) => Date.parse(time) / 1000), ...series.map(({ values }) => [...values])]
}

function followWidth(frame: HTMLElement, chart: uPlot) {
  const observer = new ResizeObserver(() => {
    if (frame.clientWidth > 0 && frame.clientWidth !== chart.width) {
      chart.setSize({ width: frame.clientWidth, height })
    }
  })
  observer.observe(frame)
  return () => observer.disconnect()
}

function options(
  theme: Theme,
  { times, zone, series }: ChartData,
  across: string,
  up: string,
  onCursor: (at: number | null) => void,
): Omit<uPlot.Options, 'width' | 'height'> {
  const { palette } = theme
  const { least, incrs, space, show } = zone === undefined ? DAILY : hourly(zone)
  const colours = [
    palette.accent.text,
    ...(['special', 'good', 'warn'] as const).map((tone) => palette.tones[tone].text),
  ]
  return {
    padding: [12, 36, 0, 0],
    tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), zone ?? 'Etc/UTC'),
    legend: { show: false },
    scales: {
      // Around a single point uPlot has widened the range already, to years.
      x: {
        range: ({ data: [at] }, first, last) =>
          at.length === 1 ? [first - least, first + least] : [first, last],
      },
      y: { range: (_chart, low, high) => rangeOf(low, high) },
    },
    cursor: { y: false, drag: { x: false, y: false }, points: { size: 8 } },
    hooks: {
      setCursor: [(chart) => onCursor((chart.cursor.left ?? -1) < 0 ? null : (chart.cursor.idx ?? null))],
    },
    series: [
      {},
      ...series.map(({ name }, at) => ({
        label: name,
        stroke: colours[at % colours.length] ?? palette.accent.text,
        width: 2,
        // A line needs two points, so a single one is drawn as a point.
        points: { show: times.length === 1, size: 8 },
        ...(at === 0 && { fill: `${palette.accent.text}14` }),
      })),
    ],
    axes: [
      {
        ...axis(theme),
        label: across,
        size: 28,
        space,
        incrs: [...incrs],
        values: (_chart, ticks) => ticks.map(show),
        grid: { show: false },
      },
      { ...axis(theme), label: up, size: 56, values: (_chart, ticks) => ticks.map(short), incrs: whole },
    ],
  }
}

function axis(theme: Theme): uPlot.Axis {
  const font = `12px ${theme.typography.fontFamily}`
  return {
    stroke: theme.palette.text.secondary,
    font,
    labelFont: font,
    labelSize: 20,
    labelGap: 0,
    gap: 6,
    grid: { stroke: theme.palette.divider, width: 1 },
    ticks: { show: false },
  }
}

// The axis of a count has whole numbers only.
const whole = [1, 2, 5, 10, 20, 50].flatMap((step) => [step, step * 100, step * 10_000, step * 1_000_000])
whole.sort((a, b) => a - b)

/** How the x axis is divided: all in seconds, but the room of a label, in CSS pixels. */
interface Scale {
  least: number
  incrs: readonly number[]
  space: number
  show: (seconds: number) => string
}

const MINUTE = 60
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

const DAILY: Scale = {
  least: DAY,
  // Daily data has no hours, so these are uPlot's own steps from one day on.
  incrs: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 15, 30, 60, 90, 120, 180, 365, 730, 1825].map((days) => days * DAY),
  space: 104,
  show: (seconds) => new Date(seconds * 1000).toISOString().slice(0, 10),
}

function hourly(zone: string): Scale {
  return {
    least: HOUR,
    // The first minutes have a label, too.
    incrs: [5, 10, 30, ...[1, 2, 3, 4, 6, 12, 24].map((hours) => hours * 60)].map(
      (minutes) => minutes * MINUTE,
    ),
    space: 64,
    show: (seconds) => showMinute(new Date(seconds * 1000).toISOString(), zone).slice(11),
  }
}

const compact = new Intl.NumberFormat('en-US', { notation: 'compact' })

function short(value: number) {
  return value < 10_000 ? value.toLocaleString('en-US') : compact.format(value)
}

const Frame = styled('div')({
  '& .uplot': { width: '100%' },
  '& [role=slider]': { marginTop: 4, borderRadius: 8 },
})

/** The readout's line is always reserved, so that reading the chart moves nothing. */
const Reader = styled('p')(({ theme }) => ({
  minHeight: 20,
  textAlign: 'right',
  fontVariantNumeric: 'tabular-nums',
  color: theme.palette.text.secondary,
}))

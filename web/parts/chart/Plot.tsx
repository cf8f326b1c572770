import { styled, type Theme, useTheme } from '@mui/material/styles'
import { useEffect, useRef, useState } from 'react'
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { isForBrowser } from '../focus.ts'
import { number } from '../number.ts'
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
  // The time that is being read, in seconds. A plot that is drawn anew, as each minute, begins there.
  const read = useRef<number | undefined>(undefined)
  const [at, setAt] = useState<number | null>(null)
  useEffect(() => {
    if (!frame.current) return
    const size = { width: frame.current.clientWidth, height }
    const pens = pensOf(theme, frame.current)
    const chart = new uPlot(
      { ...size, ...options(pens, data, across, up, setAt, read.current) },
      columns(data),
      frame.current,
    )
    drawn.current = chart
    const stop = followWidth(frame.current, chart)
    return () => {
      stop()
      read.current = chart.data[0][cursorOf(chart) ?? -1]
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
  const numbers = series.map(({ name, values }) => `${name} ${number(values[at] as number)}`)
  return `${zone === undefined ? time : showMinute(time, zone)}: ${numbers.join(', ')}`
}

function step(event: React.KeyboardEvent, chart: uPlot | null, { times }: ChartData, at: number | null) {
  const last = times.length - 1
  const from = at ?? last + 1
  const to = { ArrowLeft: from - 1, ArrowRight: from + 1, Home: 0, End: last }[event.key]
  if (!chart || to === undefined || isForBrowser(event)) return
  event.preventDefault()
  const index = Math.max(0, Math.min(last, to))
  pointAt(chart, chart.data[0][index] ?? 0)
}

function pointAt(chart: uPlot, seconds: number) {
  chart.setCursor({ left: chart.valToPos(seconds, 'x'), top: 0 })
}

/** Returns the number of the point that is being read, or null. */
function cursorOf({ cursor: { left = -1, idx = null } }: uPlot): number | null {
  return left < 0 ? null : idx
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

/** What the plot is drawn with: the font, and the colours of its texts, its grid and its series. */
interface Pens {
  font: string
  text: string
  grid: uPlot.Axis.Grid
  series: readonly [string, ...string[]]
}

/** Returns those of the theme. A contrast theme changes no canvas by itself: there all is in the colour of its text. */
function pensOf({ palette, typography }: Theme, frame: Element): Pens {
  const font = `12px ${typography.fontFamily}`
  const text = getComputedStyle(frame).color
  if (matchMedia('(forced-colors: active)').matches)
    return { font, text, grid: { stroke: text, width: 1, dash: [1, 5] }, series: [text] }
  const tones = (['special', 'good', 'warn'] as const).map((tone) => palette.tones[tone].text)
  return { font, text, grid: { stroke: palette.divider, width: 1 }, series: [palette.accent.text, ...tones] }
}

function options(
  pens: Pens,
  { times, zone, series }: ChartData,
  across: string,
  up: string,
  onCursor: (at: number | null) => void,
  read: number | undefined,
): Omit<uPlot.Options, 'width' | 'height'> {
  const { least, incrs, space, show } = zone === undefined ? DAILY : hourly(zone)
  const [first] = pens.series
  return {
    padding: [12, 36, 0, 0],
    tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), zone ?? 'Etc/UTC'),
    legend: { show: false },
    scales: {
      // Around a single point uPlot has widened the range already, to years.
      x: {
        range: ({ data: [at] }, low, high) => (at.length === 1 ? [low - least, low + least] : [low, high]),
      },
      y: { range: (_chart, low, high) => rangeOf(low, high) },
    },
    cursor: { y: false, drag: { x: false, y: false }, points: { size: 8 } },
    hooks: {
      setCursor: [(chart) => onCursor(cursorOf(chart))],
      ready: [(chart) => read !== undefined && pointAt(chart, read)],
    },
    series: [
      {},
      ...series.map(({ name }, at) => ({
        label: name,
        stroke: pens.series[at % pens.series.length] ?? first,
        width: 2,
        // A line needs two points, so a single one is drawn as a point.
        points: { show: times.length === 1, size: 8 },
        ...(at === 0 && first.startsWith('#') && { fill: `${first}14` }),
      })),
    ],
    axes: [
      {
        ...axis(pens),
        label: across,
        size: 28,
        space,
        incrs: [...incrs],
        values: (_chart, ticks) => ticks.map(show),
        grid: { show: false },
      },
      { ...axis(pens), label: up, size: 56, values: (_chart, ticks) => ticks.map(short), incrs: whole },
    ],
  }
}

function axis({ font, text, grid }: Pens): uPlot.Axis {
  return {
    stroke: text,
    font,
    labelFont: font,
    labelSize: 20,
    labelGap: 0,
    gap: 6,
    grid,
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
  return value < 10_000 ? number(value) : compact.format(value)
}

const Frame = styled('div')(({ theme }) => ({
  '& .uplot': { width: '100%' },
  '& [role=slider]': { marginTop: 4, borderRadius: 8, color: theme.palette.text.secondary },
}))

/** The readout's line is always reserved, so that reading the chart moves nothing. */
const Reader = styled('p')(({ theme }) => ({
  minHeight: 20,
  textAlign: 'right',
  fontVariantNumeric: 'tabular-nums',
  color: theme.palette.text.secondary,
}))

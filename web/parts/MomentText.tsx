import './parts.css'
import { type MomentFormat, showMoment } from './time.ts'

interface MomentProps {
  /** A date and time with an offset or Z, or a plain YYYY-MM-DD. */
  iso: string
  /** The IANA name of the time zone to show it in. */
  zone: string
  format: MomentFormat
  /** True within the rows of a table, which share one tab stop; see `useTabStops`. */
  inRows?: boolean | undefined
  /** What the hint says besides: 'in 3 days' */
  hint?: string
}

/** A date or time. Hover, focus or a tap shows the exact time and its zone. */
export function MomentText({ iso, zone, format, inRows = false, hint }: MomentProps) {
  return (
    <time dateTime={iso} data-hint={hintOf(iso, zone, hint)} className="moment" tabIndex={inRows ? -1 : 0}>
      {showMoment(iso, zone, format)}
    </time>
  )
}

function hintOf(iso: string, zone: string, hint: string | undefined): string {
  return [`${showMoment(iso, zone, 'datetime')} ${zone}`, hint].filter(Boolean).join(', ')
}

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
}

/** A date or time. Hover, focus or a tap shows the exact time and its zone. */
export function MomentText({ iso, zone, format, inRows = false }: MomentProps) {
  return (
    <time dateTime={iso} data-hint={exactMoment(iso, zone)} className="moment" tabIndex={inRows ? -1 : 0}>
      {showMoment(iso, zone, format)}
    </time>
  )
}

function exactMoment(iso: string, zone: string) {
  return `${showMoment(iso, zone, 'datetime')} ${zone}`
}

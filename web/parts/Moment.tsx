import './parts.css'
import { type MomentFormat, showMoment } from './time.ts'

interface MomentProps {
  /** An instant with its offset or Z, or a plain YYYY-MM-DD. */
  iso: string
  /** The IANA name of the zone whose clock is shown. */
  zone: string
  format: MomentFormat
  /** One of many in the rows of a list, which have one stop for the keyboard between them; see `useStops`. */
  inRows?: boolean | undefined
}

/** A date or time as the books show it; the exact moment and its zone on hover, focus and tap. */
export function Moment({ iso, zone, format, inRows = false }: MomentProps) {
  return (
    <time dateTime={iso} data-hint={exactMoment(iso, zone)} className="moment" tabIndex={inRows ? -1 : 0}>
      {showMoment(iso, zone, format)}
    </time>
  )
}

function exactMoment(iso: string, zone: string) {
  return `${showMoment(iso, zone, 'datetime')} ${zone}`
}

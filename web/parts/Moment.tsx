import './parts.css'
import { type MomentFormat, showMoment } from './time.ts'

interface MomentProps {
  /** An instant with its offset or Z, or a plain YYYY-MM-DD. */
  iso: string
  /** The IANA name of the zone whose clock is shown. */
  zone: string
  format: MomentFormat
}

/** A date or time as the books show it; the exact moment and its zone on hover, focus and tap. */
export function Moment({ iso, zone, format }: MomentProps) {
  return (
    <time dateTime={iso} data-hint={exactMoment(iso, zone)} className="moment">
      {showMoment(iso, zone, format)}
    </time>
  )
}

function exactMoment(iso: string, zone: string) {
  return `${showMoment(iso, zone, 'datetime')} ${zone}`
}

import { Moment } from '../parts/Moment.tsx'
import { zone } from '../zone.ts'

/** A day within a sentence, which does not break in the middle of it. */
export function Day({ iso }: { iso: string }) {
  return <Moment iso={iso} zone={zone()} format="date" />
}

import { Moment } from '../parts/Moment.tsx'
import { zone } from '../zone.ts'

/** A date within a sentence, which is never broken at its hyphens. */
export function Day({ iso }: { iso: string }) {
  return <Moment iso={iso} zone={zone()} format="date" />
}

import { MomentText } from './parts/MomentText.tsx'
import { zone } from './zone.ts'

/** A moment to the second, in the business's time zone. */
export function At({ iso }: { iso: string }) {
  return <MomentText iso={iso} zone={zone()} format="datetime" />
}

/** A day within a sentence, which is never broken at its hyphens. */
export function OnDay({ iso }: { iso: string }) {
  return <MomentText iso={iso} zone={zone()} format="date" />
}

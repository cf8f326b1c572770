import { MomentText } from './parts/MomentText.tsx'
import { zone } from './zone.ts'

/** A moment to the second, in the business's time zone. */
export function At({ iso }: { iso: string }) {
  return <MomentText iso={iso} zone={zone()} format="datetime" />
}

/** A day within a sentence, which is never broken at its hyphens. In a long list it is no tab stop. */
export function OnDay({ iso, inRows }: { iso: string; inRows?: boolean }) {
  return <MomentText inRows={inRows} iso={iso} zone={zone()} format="date" />
}

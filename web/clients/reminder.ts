import { packageLabel } from '../../contract/packages.ts'
import type { DueClient } from '../../contract/shapes.ts'
import { daysUntil, relativeDay, showMoment } from '../parts/time.ts'

/** The text of a reminder where the dealer has no own one. */
export const USUAL_REMINDER = 'Hello {name}, your TV ({login}) ends on {expiry}, {days}. Shall we renew it?'
/** The same for a client whose service has ended. */
const USUAL_ONCE_ENDED = 'Hello {name}, your TV ({login}) ended on {expiry}, {days}. Shall we renew it?'

type Reminded = Pick<DueClient, 'name' | 'description' | 'expiry' | 'package_selection'>

/**
 * Fills the fields of a reminder's text for a client. What is in braces and no field stays as typed.
 * @param own the dealer's own text, if it has one
 */
export function remindingText(own: string | undefined, client: Reminded, zone: string, now: Date): string {
  const hasEnded = Date.parse(client.expiry) < now.getTime()
  const template = own || (hasEnded ? USUAL_ONCE_ENDED : USUAL_REMINDER)
  const values = new Map<string, string>(
    Object.entries({
      name: client.description || client.name,
      login: client.name,
      expiry: showMoment(client.expiry, zone, 'date'),
      days: relativeDay(daysUntil(client.expiry, zone, now)),
      package: packageLabel(client.package_selection) ?? '',
    }),
  )
  return template.replace(/\{(\w+)\}/g, (typed, field: string) => values.get(field) ?? typed)
}

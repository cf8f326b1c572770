import { packageLabel } from '../../contract/packages.ts'
import type { DueClient } from '../../contract/shapes.ts'
import { tidy } from '../../contract/text.ts'
import { daysUntil, relativeDay, showMoment } from '../parts/time.ts'

const USUAL_REMINDER = 'Hello {name}, your TV ({login}) ends on {expiry}, {days}. Shall we renew it?'
/** The same for a client whose service has ended. */
const USUAL_ONCE_ENDED = 'Hello {name}, your TV ({login}) ended on {expiry}, {days}. Shall we renew it?'

/** Returns the text of a reminder for a client where the dealer has no own one. */
export function usualReminder({ expiry }: Pick<DueClient, 'expiry'>, now: Date): string {
  return Date.parse(expiry) < now.getTime() ? USUAL_ONCE_ENDED : USUAL_REMINDER
}

type Reminded = Pick<DueClient, 'name' | 'description' | 'expiry' | 'package_selection'>

/**
 * Fills the fields of a reminder's text for a client. What is in braces and no field stays as typed.
 * @param own the dealer's own text, if it has one
 */
export function remindingText(own: string | undefined, client: Reminded, zone: string, now: Date): string {
  const template = own || usualReminder(client, now)
  const values = new Map<string, string>(
    Object.entries({
      name: tidy(client.description) || client.name,
      login: client.name,
      expiry: showMoment(client.expiry, zone, 'date'),
      days: relativeDay(daysUntil(client.expiry, zone, now)),
      package: packageLabel(client.package_selection) ?? '',
    }),
  )
  return template.replace(
    /\{\s*(\w+)\s*\}/g,
    (typed, field: string) => values.get(field.toLowerCase()) ?? typed,
  )
}

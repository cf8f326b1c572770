import * as z from 'zod/mini'
import { MOST_CHOSEN } from '../clients.ts'
import { storable } from '../text.ts'

/** The name of something that should exist. Its limits are wide, so that an impossible name is a 404, not a 400. */
export const GivenName = z.string().check(z.maxLength(200), storable('There is no such name'))

export const ByName = z.strictObject({ name: GivenName })

/** The names of the clients of a call, each once. */
export function names() {
  return z.array(GivenName).check(
    z.minLength(1, 'Please select at least one client'),
    z.maxLength(MOST_CHOSEN, `At most ${MOST_CHOSEN} clients can be chosen at once`),
    z.superRefine((list, context) => {
      const seen = new Set<string>()
      const twice = list.findIndex((name) => seen.size === seen.add(name.toLowerCase()).size)
      if (twice >= 0) context.addIssue({ code: 'custom', path: [twice], message: 'A client is named twice' })
    }),
  )
}

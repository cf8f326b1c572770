import * as z from 'zod/mini'
import { MOST_CHOSEN } from '../clients.ts'
import { inDigits } from '../quantities.ts'
import { GivenName } from '../shapes.ts'

export const ByName = z.strictObject({ name: GivenName })

/** The names of the clients of a call, each once. */
export function names() {
  return z.array(GivenName).check(
    z.minLength(1, 'Please select at least one client'),
    z.maxLength(MOST_CHOSEN, `At most ${inDigits(MOST_CHOSEN)} clients can be chosen at once`),
    z.superRefine((list, context) => {
      const seen = new Set<string>()
      const twice = list.findIndex((name) => seen.size === seen.add(name.toLowerCase()).size)
      if (twice >= 0) context.addIssue({ code: 'custom', path: [twice], message: 'A client is named twice' })
    }),
  )
}

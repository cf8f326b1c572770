import * as z from 'zod/mini'
import { calls, type InputOf } from '../../contract/calls.ts'
import { Mac } from '../../contract/clients.ts'
import { shortage } from '../../contract/words.ts'

/** What the form of a new client holds. */
export type NewClientValues = Required<InputOf<typeof calls.clients.create>> & { stb_mac: string }

/**
 * Judges a new client as the call does, with two things besides: a MAC is judged whatever is still wrong with the
 * other fields, so that it can be said at once; and no more can be spent than `balance`, where it is known.
 */
export function newClientSchema(balance: number | null | undefined) {
  return z.pipe(
    z.custom<NewClientValues>(),
    z.transform((values, context) => {
      const whole = calls.clients.create.input.safeParse(values)
      const complaints = [...(whole.error?.issues ?? []), ...complaintsOf(values, balance)]
      if (whole.success && complaints.length === 0) return whole.data
      for (const { message, path } of complaints) {
        context.issues.push({ code: 'custom', input: values, path: [...path], message })
      }
      return z.NEVER
    }),
  )
}

/** What the months of a new client cost, and what is there to pay them. */
export function costOf(months: NewClientValues['months']): number {
  return months === '2d' ? 0 : months
}

function complaintsOf(values: NewClientValues, balance: number | null | undefined) {
  const mac = values.ministra ? undefined : Mac.safeParse(values.stb_mac)
  const short = balance != null && costOf(values.months) > balance
  return [
    ...(mac?.error?.issues.map(({ message }) => ({ message, path: ['stb_mac'] })) ?? []),
    ...(short ? [{ message: shortage(balance, costOf(values.months)), path: ['months'] }] : []),
  ]
}

import * as z from 'zod/mini'
import { calls, type InputOf } from '../../contract/calls.ts'
import { Mac } from '../../contract/clients.ts'
import { shortage } from '../../contract/quantities.ts'

/** The values of the form for a new client. */
export type NewClientValues = Required<InputOf<typeof calls.clients.create>> & { stb_mac: string }

/**
 * Validates a new client as the call does, with two additions. The MAC is validated even while other fields are
 * invalid, so that its error appears at once. The price must not exceed `balance`, if that is known.
 */
export function newClientSchema(balance: number | null | undefined) {
  return z.pipe(
    z.custom<NewClientValues>(),
    z.transform((values, context) => {
      const whole = calls.clients.create.input.safeParse(values)
      const errors = [...(whole.error?.issues ?? []), ...furtherErrors(values, balance)]
      if (whole.success && errors.length === 0) return whole.data
      for (const { message, path } of errors) {
        context.issues.push({ code: 'custom', input: values, path: [...path], message })
      }
      return z.NEVER
    }),
  )
}

/** Returns the price of a new client's months, in credits. */
export function startCost(months: NewClientValues['months']): number {
  return months === '2d' ? 0 : months
}

function furtherErrors(values: NewClientValues, balance: number | null | undefined) {
  const mac = values.ministra ? undefined : Mac.safeParse(values.stb_mac)
  const short = balance != null && startCost(values.months) > balance
  return [
    ...(mac?.error?.issues.map(({ message }) => ({ message, path: ['stb_mac'] })) ?? []),
    ...(short ? [{ message: shortage(balance, startCost(values.months)), path: ['months'] }] : []),
  ]
}

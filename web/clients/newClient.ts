import { calls, type InputOf } from '../../contract/calls.ts'
import { Mac } from '../../contract/clients.ts'
import { shortage } from '../../contract/words.ts'
import type { Schema } from '../parts/form/schema.ts'

/** What the form of a new client holds. */
export type NewClientValues = Required<InputOf<typeof calls.clients.create>> & { stb_mac: string }

type Judged = Schema<NewClientValues, InputOf<typeof calls.clients.create>>

/**
 * Judges a new client as the call does, with two things besides: a MAC is judged whatever is still wrong with the
 * other fields, so that it can be said at once; and no more can be spent than `balance`, where it is known.
 */
export function newClientSchema(balance: number | null | undefined): Judged {
  return { '~standard': { validate: (values) => judge(values as NewClientValues, balance) } }
}

/** What the months of a new client cost, and what is there to pay them. */
export function costOf(months: NewClientValues['months']): number {
  return months === '2d' ? 0 : months
}

function judge(values: NewClientValues, balance: number | null | undefined) {
  const whole = calls.clients.create.input.safeParse(values)
  const mac = values.ministra ? undefined : Mac.safeParse(values.stb_mac)
  const short = balance != null && costOf(values.months) > balance
  if (whole.success && !short) return { value: whole.data }
  return {
    issues: [
      ...(whole.error?.issues ?? []),
      ...(mac?.error?.issues.map(({ message }) => ({ message, path: ['stb_mac'] })) ?? []),
      ...(short ? [{ message: shortage(balance, costOf(values.months)), path: ['months'] }] : []),
    ],
  }
}

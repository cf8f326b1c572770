import * as z from 'zod/mini'
import { LEVEL_NAMES } from './levels.ts'
import { inCredits, inDigits } from './quantities.ts'
import { Moment } from './shapes.ts'
import { remark } from './text.ts'

/** What an account says when it asks for credits, or its parent when it declines. */
export const RequestNote = remark('Note', 200)

/** The newest requests that an account sees of its own. */
export const NEWEST_REQUESTS = 10

const REQUEST_STATES = ['open', 'granted', 'declined', 'withdrawn'] as const

/** A request for credits, as the account that asked sees it. */
export const OwnRequest = z.object({
  id: z.int(),
  created: Moment,
  credits: z.int(),
  note: z.string(),
  state: z.enum(REQUEST_STATES),
  /** The credits that came; null unless it was granted. */
  granted: z.nullable(z.int()),
  /** The parent's note on a declined request. */
  answer: z.string(),
  answered: z.nullable(Moment),
})
export type OwnRequest = z.output<typeof OwnRequest>

/** An open request of a child. */
export const ChildRequest = z.object({
  id: z.int(),
  created: Moment,
  name: z.string(),
  role: z.enum(LEVEL_NAMES),
  /** The child's present balance. */
  balance: z.int(),
  credits: z.int(),
  note: z.string(),
  /** Whether the child is suspended, so that nothing can be granted. */
  suspended: z.boolean(),
})
export type ChildRequest = z.output<typeof ChildRequest>

/** The sentence that refuses to grant more than was asked for. */
export function moreThanAsked({ name, credits }: Pick<ChildRequest, 'name' | 'credits'>): string {
  const fewer = credits === 1 ? '' : `: grant ${inDigits(credits)} or fewer`
  return `${name} asked for ${inCredits(credits)}${fewer}.`
}

/** A child's request that ended because the child was moved away or closed. */
export const EndedRequest = z.object({
  id: z.int(),
  answered: Moment,
  name: z.string(),
  credits: z.int(),
  /** Withdrawn where the child was moved away, and declined where it was closed. */
  state: z.enum(['declined', 'withdrawn']),
})
export type EndedRequest = z.output<typeof EndedRequest>

const MOST_BELOW = 1_000_000

/** The sentence that asks for a threshold. */
export const LOW_BELOW = `This must be a whole number from 1 to ${inDigits(MOST_BELOW)}`

/** The balance below which an account is marked as low; null for none. */
export const LowBelow = z.nullable(
  z.int(LOW_BELOW).check(z.minimum(1, LOW_BELOW), z.maximum(MOST_BELOW, LOW_BELOW)),
)

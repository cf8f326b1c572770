import * as z from 'zod/mini'
import { LEVEL_NAMES } from './levels.ts'
import type { Role } from './roles.ts'
import { Moment } from './shapes.ts'
import { remark } from './text.ts'

/** The roles that have accounts beneath them, from the lowest up. */
export const ABOVE = ['reseller', 'superreseller', 'admin'] as const satisfies readonly Role[]

/** Why an account is suspended, for who set it and those above that one; '' for others. */
export const SuspensionReason = remark('Reason', 200)

/** An account beneath the caller, as those above it see it. */
export const AccountBeneath = z.object({
  name: z.string(),
  role: z.enum(LEVEL_NAMES),
  parent: z.string(),
  credits: z.int(),
  low: z.boolean(),
  /** The parent's threshold for it, below which its balance is low; its own goes before. */
  low_below: z.nullable(z.int()),
  created: Moment,
  /** When it was closed; null while it is not. */
  closed: z.nullable(Moment),
  beneath: z.object({
    resellers: z.int(),
    dealers: z.int(),
    clients: z.int(),
    /** The clients that are served: not expired, not switched off, and stopped by no suspension. */
    served: z.int(),
  }),
  suspension: z.nullable(
    z.object({
      since: Moment,
      /** `UNNAMED` for somebody whom the caller may not know. */
      by: z.string(),
      reason: z.string(),
      service_too: z.boolean(),
      /** Whether the caller may lift it: who set it may, and everybody above that one. */
      liftable: z.boolean(),
    }),
  ),
  /** Whether one above it is suspended, so that it cannot sign in either. */
  suspended_above: z.boolean(),
  /** Whether the caller may not lift that, so that only somebody above the caller can move it away from there. */
  held_above: z.boolean(),
  /** Whether its clients are not served, because it or one above it is suspended with service. */
  service_stopped: z.boolean(),
  last_login: z.nullable(Moment),
  /** The names from the caller's child down to its parent. */
  path: z.array(z.string()),
})
export type AccountBeneath = z.output<typeof AccountBeneath>

/** A row of the tree: an account one level beneath another. */
export const TreeRow = z.object({
  name: z.string(),
  role: z.enum(LEVEL_NAMES),
  credits: z.int(),
  low: z.boolean(),
  resellers: z.int(),
  dealers: z.int(),
  /** All its clients, or those beneath it; and how many of them are in each state, active ones with the expiring. */
  clients: z.int(),
  active: z.int(),
  expiring: z.int(),
  expired: z.int(),
  /** The credits spent on them in the last 30 days, less those taken back. */
  used: z.int(),
  /**
   * How many days the balance lasts at that pace, or at that since the account, or the oldest dealer beneath it, was
   * created, where that is less than 30 days ago; null where nothing was used, on its first day, and once it is closed.
   */
  lasts: z.nullable(z.int()),
  last_login: z.nullable(Moment),
  suspended: z.boolean(),
  created: Moment,
  /** When it was closed; null while it is not. */
  closed: z.nullable(Moment),
})
export type TreeRow = z.output<typeof TreeRow>

/** A client as whoever may move it sees it. */
export const MovableClient = z.object({ name: z.string(), mac: z.nullable(z.string()), expiry: Moment })

import * as z from 'zod/mini'
import { TOLD_REFUSALS } from './box-refusals.ts'
import { pageQuery } from './page.ts'
import { Moment, Search } from './shapes.ts'

/** How many boxes say that they are of a type and have a version; both are empty where a box says nothing. */
export const BoxModel = z.object({
  stb_type: z.string(),
  version: z.string(),
  boxes: z.int(),
  online: z.int(),
})
export type BoxModel = z.output<typeof BoxModel>

/**
 * How many boxes were refused for a reason when they asked last, within the last 24 hours; 'unknown' are those of
 * nobody, counted among the newest `MOST_UNKNOWN_BOXES`.
 */
export const RefusedBoxes = z.object({ reason: z.enum(['unknown', ...TOLD_REFUSALS]), boxes: z.int() })
export type RefusedBoxes = z.output<typeof RefusedBoxes>

/** A client whose MAC differs from that of an unknown box in one or two digits. */
const SimilarClient = z.object({
  name: z.string(),
  mac: z.string(),
  dealer: z.string(),
  digits: z.int(),
})

/** A box that asks, and that no client has. */
export const UnknownBox = z.object({
  mac: z.string(),
  stb_type: z.string(),
  version: z.string(),
  /** From where it asked last; null where a proxy hid it. */
  address: z.nullable(z.string()),
  first_asked: Moment,
  asked: Moment,
  times: z.int(),
  similar: z.nullable(SimilarClient),
})
export type UnknownBox = z.output<typeof UnknownBox>

export const UNKNOWN_BOX_SORTS = ['mac', 'first_asked', 'asked', 'times'] as const

/** The unknown boxes that are kept: so many, for so many days. */
export const MOST_UNKNOWN_BOXES = 10_000
export const UNKNOWN_BOX_DAYS = 7

export const UnknownBoxQuery = z.strictObject({
  /** A plain substring of MAC, type, version or address. */
  search: z._default(Search, ''),
  sort: z._default(z.enum(UNKNOWN_BOX_SORTS), 'asked'),
  order: z._default(z.enum(['asc', 'desc']), 'desc'),
  // For each row the server looks up the 3,466 MACs that differ in at most two of its last six digits, in 7 ms.
  ...pageQuery({ rows: 10, most: 50 }),
})

import * as z from 'zod/mini'
import { BOX_REFUSALS } from './boxes.ts'
import { call, Nothing } from './call.ts'
import { Moment, Search, wholeInQuery } from './shapes.ts'

/** How many boxes say that they are of a type and have a version; both are empty where a box says nothing. */
const BoxModel = z.object({
  stb_type: z.string(),
  version: z.string(),
  boxes: z.int(),
  online: z.int(),
})
export type BoxModel = z.output<typeof BoxModel>

/** How many boxes were refused for a reason when they asked last, within the last 24 hours. */
const RefusedBoxes = z.object({ reason: z.enum(BOX_REFUSALS), boxes: z.int() })
export type RefusedBoxes = z.output<typeof RefusedBoxes>

/** A client whose MAC differs from that of an unknown box in one or two digits. */
const SimilarClient = z.object({
  name: z.string(),
  mac: z.string(),
  dealer: z.string(),
  digits: z.int(),
})

/** A box that asks, and that no client has. */
const UnknownBox = z.object({
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
  page: z._default(wholeInQuery(1_000_000), 1),
  per_page: z._default(wholeInQuery(50), 10),
})

const roles = ['admin'] as const

/** What the admin sees of the gateway. */
export const boxes = {
  overview: call({
    method: 'GET',
    path: '/admin/boxes',
    roles,
    summary:
      'How many boxes are online, were online in the last 24 hours, and were refused in them, by reason',
    input: Nothing,
    output: z.object({
      /** The clients' boxes that have signed in, and those of them that are online. */
      known: z.int(),
      online: z.int(),
      refused: z.array(RefusedBoxes),
      /** How many were online at each of these moments. */
      counts: z.object({ at: z.array(Moment), online: z.array(z.int()) }),
    }),
  }),
  models: call({
    method: 'GET',
    path: '/admin/boxes/models',
    roles,
    summary: 'How many boxes there are of each type and version, the 500 most frequent first',
    input: Nothing,
    output: z.object({ data: z.array(BoxModel) }),
  }),
  unknown: call({
    method: 'GET',
    path: '/admin/boxes/unknown',
    roles,
    summary:
      'The newest 10,000 boxes of nobody that asked within 7 days, each with the client whose MAC is nearly the same',
    input: UnknownBoxQuery,
    output: z.object({
      data: z.array(UnknownBox),
      count: z.int(),
      current_page: z.int(),
      per_page: z.int(),
      total_pages: z.int(),
    }),
  }),
}

import * as z from 'zod/mini'
import { BoxModel, RefusedBoxes, UnknownBox, UnknownBoxQuery } from '../boxes.ts'
import { call, Nothing } from '../call.ts'
import { pagePlace } from '../page.ts'
import { Moment } from '../shapes.ts'

const roles = ['admin'] as const

/** What the admin sees of the gateway. */
export const boxes = {
  overview: call({
    method: 'GET',
    path: '/admin/boxes',
    roles,
    summary:
      'How many boxes are online (counted once a minute), were online in the last 24 hours, and were refused in them, by reason',
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
    summary:
      'How many boxes there are of each type and version, the 500 most frequent first, counted once a minute, or of many once in five',
    input: Nothing,
    output: z.object({ data: z.array(BoxModel) }),
  }),
  unknown: call({
    method: 'GET',
    path: '/admin/boxes/unknown',
    roles,
    summary:
      'The newest 10,000 unknown boxes that asked within 7 days, each with the client whose MAC is nearly the same',
    input: UnknownBoxQuery,
    output: z.object({
      data: z.array(UnknownBox),
      count: z.int(),
      ...pagePlace,
    }),
  }),
}

/** Why a box may not play, in the order in which it is judged. */
export const BOX_REFUSALS = [
  'unknown',
  'switched_off',
  'suspended',
  'expired',
  'other_address',
  'other_box',
  'too_many_boxes',
] as const
export type BoxRefusal = (typeof BOX_REFUSALS)[number]

/** What happened to a client's box, as its history tells it. */
export const DEVICE_EVENTS = [
  'first seen',
  'serial number',
  'address',
  'taken over',
  'reset',
  'new MAC',
] as const

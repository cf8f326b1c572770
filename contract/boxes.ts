/** Why a box may not play, in the order in which it is judged. */
export type BoxRefusal =
  | 'unknown'
  | 'switched_off'
  | 'suspended'
  | 'expired'
  | 'other_address'
  | 'other_box'
  | 'too_many_boxes'

/** What happened to a client's box, as its history tells it. */
export const DEVICE_EVENTS = [
  'first seen',
  'serial number',
  'address',
  'taken over',
  'reset',
  'new MAC',
] as const

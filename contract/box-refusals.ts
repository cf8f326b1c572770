/** Why the box of a client may not play, in the order in which it is judged. */
export const BOX_REFUSALS = [
  'switched_off',
  'suspended',
  'expired',
  'other_address',
  'other_box',
  'too_many_boxes',
  'other_client',
  'no_trial',
] as const
export type BoxRefusal = (typeof BOX_REFUSALS)[number]

/**
 * What people and the screens of boxes are told: 'other_reason' is one that a later version, which runs on the same
 * database, has stored.
 */
export const TOLD_REFUSALS = [...BOX_REFUSALS, 'other_reason'] as const
export type ToldRefusal = (typeof TOLD_REFUSALS)[number]

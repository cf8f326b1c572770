/** Why a box may not play, in the order in which it is judged. */
export type BoxRefusal =
  | 'unknown'
  | 'switched_off'
  | 'suspended'
  | 'expired'
  | 'other_address'
  | 'other_box'
  | 'too_many_boxes'

import type { ToldRefusal } from '../../contract/box-refusals.ts'

/**
 * A box has to sign in anew: it has no token of ours, or may not play any more. Every app and firmware knows this text.
 */
export class Unauthorized extends Error {
  override message = 'Authorization failed.'
}

/** The database cannot be asked, and memory does not know, or knows too old a state. */
export class Away extends Error {}

/** What the screen of a refused box says. */
export const ON_SCREEN: Readonly<Record<ToldRefusal, string>> = {
  switched_off: 'Your service is switched off. Please contact your provider.',
  suspended: 'Your service is suspended. Please contact your provider.',
  expired: 'Your subscription has expired. Please contact your provider.',
  other_address: 'Your service is locked to another connection. Please contact your provider.',
  other_box: 'Your service is used on another box. Please contact your provider.',
  too_many_boxes: 'Your service was used on too many boxes. Please contact your provider.',
  other_client: 'This box is signed in to another service. Please contact your provider.',
  no_trial: 'This box cannot have another trial now. Please contact your provider.',
  other_reason: 'Your service cannot be used on this box. Please contact your provider.',
}

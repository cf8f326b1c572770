import type { BoxRefusal } from '../../contract/box-refusals.ts'

/** How long a refusal waits for the box to ask for it, in milliseconds, and the most that wait. */
const WAITS_FOR = 60_000
const MOST_WAITING = 10_000

/**
 * Why a right login was refused. `do_auth` is answered by yes or no, so that the box hears the reason at its next
 * `get_profile`, which it makes with the same token.
 */
export function openRefusedLogins(clock: () => Date) {
  const waiting = new Map<string, { refusal: BoxRefusal; at: number }>()
  return {
    note(token: string, refusal: BoxRefusal): void {
      waiting.delete(token)
      if (waiting.size >= MOST_WAITING) waiting.delete(waiting.keys().next().value ?? '')
      waiting.set(token, { refusal, at: clock().getTime() })
    },

    of(token: string): BoxRefusal | null {
      const noted = waiting.get(token)
      return noted && clock().getTime() - noted.at < WAITS_FOR ? noted.refusal : null
    },
  }
}

import type { AccountBeneath } from '../../contract/tree.ts'

/**
 * Whether only somebody above the person can move clients away from a dealer. A suspension of the dealer itself counts
 * only where it stops the service of its clients; one of an account above the dealer counts in any case.
 */
export function holdsClients({ held_above, suspension }: AccountBeneath): boolean {
  return held_above || (suspension?.service_too === true && !suspension.liftable)
}

/** Says what a suspension that the person cannot lift keeps in its place; empty where nothing. */
export function whyHeld(account: AccountBeneath): string {
  if (account.held_above)
    return 'An account above it is suspended, so that only somebody above you can move it away.'
  return account.role === 'dealer' && holdsClients(account)
    ? 'It is suspended with its service, so that only somebody above you can move its clients away.'
    : ''
}

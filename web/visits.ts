import type { DueClient } from '../contract/shapes.ts'
import { storeOf } from './parts/store.ts'

// How the person left each screen: what was searched, sorted and paged, and how far it was scrolled. Also the clients
// that they have selected, whichever screen is opened. A reload forgets it.

interface Visit {
  search: string
  y: number
}

const visits = new Map<string, Visit>()

export function keepVisit(pathname: string, visit: Visit): void {
  visits.set(pathname, visit)
}

/** Forgets it all, as the next who signs in here may be somebody else. */
export function forgetVisits(): void {
  visits.clear()
  selected.clients.set(NO_CLIENTS)
  selected.found.set(null)
  selected.due.set(NO_DUE)
}

export function lastVisit(pathname: string): Visit | undefined {
  return visits.get(pathname)
}

/** A search of clients, and the names of all that it has found. */
export interface Found {
  search: string
  filter: string
  names: readonly string[]
}

const NO_CLIENTS: ReadonlySet<string> = new Set()
const NO_DUE: ReadonlyMap<string, DueClient> = new Map()

export const selected = {
  clients: storeOf(NO_CLIENTS),
  /** What was found when all of it was selected. */
  found: storeOf<Found | null>(null),
  /** Those of the screen Due, by name. */
  due: storeOf(NO_DUE),
}

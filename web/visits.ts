import type { DueClient } from '../contract/shapes.ts'

// How the person left each screen: what was searched, sorted and paged, and how far it was scrolled. Also the clients that
// they have selected, whichever screen is opened. A reload forgets it.

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
  chosen = new Set()
  found = null
  chosenDue = new Map()
}

export function lastVisit(pathname: string): Visit | undefined {
  return visits.get(pathname)
}

/** A search of clients, and the names of all that it has found. */
interface Found {
  search: string
  filter: string
  names: readonly string[]
}

let chosen: ReadonlySet<string> = new Set()
let found: Found | null = null
let chosenDue: ReadonlyMap<string, DueClient> = new Map()

export function keepChosen(names: ReadonlySet<string>): void {
  chosen = names
}

export function lastChosen(): ReadonlySet<string> {
  return chosen
}

/** Keeps what was found when all of it was selected. */
export function keepFound(all: Found): void {
  found = all
}

export function lastFound(): Found | null {
  return found
}

/** Keeps the selected clients of the screen Due, by name. */
export function keepChosenDue(clients: ReadonlyMap<string, DueClient>): void {
  chosenDue = clients
}

export function lastChosenDue(): ReadonlyMap<string, DueClient> {
  return chosenDue
}

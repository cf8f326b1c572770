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
}

export function lastVisit(pathname: string): Visit | undefined {
  return visits.get(pathname)
}

let chosen: ReadonlySet<string> = new Set()

export function keepChosen(names: ReadonlySet<string>): void {
  chosen = names
}

export function lastChosen(): ReadonlySet<string> {
  return chosen
}

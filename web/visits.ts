// How the person left each screen: what was searched, sorted and paged, and how far it was scrolled.

interface Visit {
  search: string
  y: number
}

const visits = new Map<string, Visit>()

export function keepVisit(pathname: string, visit: Visit): void {
  visits.set(pathname, visit)
}

/** Forgets them all, as the next who signs in here may be somebody else. */
export function forgetVisits(): void {
  visits.clear()
}

export function lastVisit(pathname: string): Visit | undefined {
  return visits.get(pathname)
}

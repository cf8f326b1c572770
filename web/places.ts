// Where the person was on each screen: what was searched, sorted and paged, and how far it was scrolled.

interface Place {
  search: string
  y: number
}

const places = new Map<string, Place>()

export function leavePlace(pathname: string, place: Place): void {
  places.set(pathname, place)
}

export function placeOf(pathname: string): Place | undefined {
  return places.get(pathname)
}

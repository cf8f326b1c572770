/** Where a stream is on its server: the path, decoded, and what follows a `?`, as it came. */
export type StreamPath = { path: string; query: string }

/** Returns where the address of a channel leads; null where servers differ in how they read it. */
export function pathOf(address: string): StreamPath | null {
  // After a `|` stands what the player is told.
  return read(address.replace(/^[a-z]+:\/\/[^/?#|]*/i, '').replace(/[#|].*$/s, ''))
}

/** Returns what a viewer asked for, as nginx passes it on; null where servers differ in how they read it. */
export function askedPathOf(uri: string): StreamPath | null {
  // What stands after these is of the path for one server and not for another.
  return /^[^?]*[#|]/.test(uri) ? null : read(uri)
}

function read(address: string): StreamPath | null {
  const end = address.indexOf('?')
  const [path, query] = end === -1 ? [address, ''] : [address.slice(0, end), address.slice(end + 1)]
  try {
    const plain = decodeURIComponent(path)
    const isUnclear = /%2f|%5c/i.test(path) || /\/\.{0,2}(?:\/|$)|\\|\0/.test(plain.replace(/\/$/, ''))
    return isUnclear ? null : { path: plain, query }
  } catch {
    return null
  }
}

/**
 * Counts the addresses of channels that lead to each path and into each folder, however deep. Where an address is filled in
 * for a client, its hole counts. The host does not, because a server is asked for a path alone.
 */
export function countedPaths(addresses: Iterable<string>): Map<string, number> {
  const counts = new Map<string, number>()
  const count = (place: string) => counts.set(place, (counts.get(place) ?? 0) + 1)
  // A channel that is listed twice is one stream.
  for (const address of new Set(addresses)) {
    const path = pathOf(address)?.path ?? ''
    for (let end = path.indexOf('/'); end !== -1; end = path.indexOf('/', end + 1))
      count(path.slice(0, end + 1))
    if (!path.endsWith('/')) count(path)
  }
  return counts
}

/** A channel's address as it is in the playlist, and as it is filled in for a client. */
export type Own = { address: string; filled: string }

/**
 * Whether what was asked for is the channel: its own address, or where no other channel lies in its folder or below it
 * anything there, such as the segments of its stream.
 */
export function leadsTo(uri: string, { address, filled }: Own, counts: ReadonlyMap<string, number>): boolean {
  const [asked, own, place] = [askedPathOf(uri), pathOf(filled), pathOf(address)]
  if (asked === null || own === null || place === null) return false
  if (asked.path === own.path) return counts.get(place.path) === 1 || asked.query === own.query
  const folder = folderOf(own.path)
  return folder !== '/' && asked.path.startsWith(folder) && counts.get(folderOf(place.path)) === 1
}

/** Whether a stream's name, as Flussonic says it, is how the channel's address begins, and no other channel's does. */
export function isNamed(
  stream: string,
  { address, filled }: Own,
  counts: ReadonlyMap<string, number>,
): boolean {
  const [own, place] = [pathOf(filled), pathOf(address)]
  if (stream === '' || own === null || place === null) return false
  if (!`${own.path}/`.startsWith(`/${stream}/`)) return false
  const begin = place.path
    .split('/')
    .slice(0, stream.split('/').length + 1)
    .join('/')
  return (counts.get(begin) ?? 0) + (counts.get(`${begin}/`) ?? 0) === 1
}

function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/') + 1)
}

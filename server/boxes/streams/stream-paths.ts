/** Where a stream is on its server: the path, decoded, and what follows a `?`, as it came. */
type StreamPath = { path: string; query: string }

/** Returns where the address of a channel leads; null where servers differ in how they read it. */
export function streamPathOf(address: string): StreamPath | null {
  // After a `|` stands what the player is told.
  return read(address.replace(/^[a-z]+:\/\/[^/?#|]*/i, '').replace(/[#|].*$/s, ''))
}

/** Returns what a viewer asked for, as nginx passes it on; null where servers differ in how they read it. */
export function askedPathOf(uri: string): StreamPath | null {
  // Some servers take what follows a `#` or `|` for a part of the path, and others do not.
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

/** Where the addresses of channels lead, in order. Counting in it is a search, so that deep folders take no memory. */
export type SortedPaths = readonly string[]

/**
 * A placeholder such as {token} counts as it stands in the playlist. The host does not count, because a server is asked
 * for a path alone.
 */
export function sortedPathsOf(addresses: Iterable<string>): SortedPaths {
  // A channel that is listed twice is one stream.
  return [...new Set(addresses)].map((address) => streamPathOf(address)?.path ?? '').sort()
}

/** Counts the addresses that lead to a path; to a folder, which ends with a `/`, those in it, however deep. */
function countAt(paths: SortedPaths, path: string): number {
  // The `0` is the character after the `/`, and no path has a zero character.
  const end = path.endsWith('/') ? `${path.slice(0, -1)}0` : `${path}\0`
  return countBefore(paths, end) - countBefore(paths, path)
}

/** Counts the paths that come before a text. */
function countBefore(paths: SortedPaths, text: string): number {
  let [low, high] = [0, paths.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((paths[middle] ?? '') < text) low = middle + 1
    else high = middle
  }
  return low
}

/** A channel's address as it is in the playlist, and as it is filled in for a client. */
export type ChannelAddress = { address: string; filled: string }

/**
 * Whether what was asked for is the channel: its own address, or where no other channel lies in its folder or below it
 * anything there, such as the segments of its stream.
 */
export function leadsTo(uri: string, { address, filled }: ChannelAddress, paths: SortedPaths): boolean {
  const [asked, own, listed] = [askedPathOf(uri), streamPathOf(filled), streamPathOf(address)]
  if (asked === null || own === null || listed === null) return false
  if (asked.path === own.path) return countAt(paths, listed.path) === 1 || asked.query === own.query
  const folder = folderOf(own.path)
  return folder !== '/' && asked.path.startsWith(folder) && countAt(paths, folderOf(listed.path)) === 1
}

/** Whether a stream's name, as Flussonic says it, is how the channel's address begins, and no other channel's does. */
export function isNamed(stream: string, { address, filled }: ChannelAddress, paths: SortedPaths): boolean {
  const [own, listed] = [streamPathOf(filled), streamPathOf(address)]
  if (stream === '' || own === null || listed === null) return false
  if (!`${own.path}/`.startsWith(`/${stream}/`)) return false
  const begin = listed.path
    .split('/')
    .slice(0, stream.split('/').length + 1)
    .join('/')
  return countAt(paths, begin) + countAt(paths, `${begin}/`) === 1
}

function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/') + 1)
}

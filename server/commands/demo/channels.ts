import { gzipSync } from 'node:zlib'

const GROUPS: Record<string, number> = {
  Portugal: 48,
  Brasil: 36,
  Canada: 42,
  Sports: 30,
  Movies: 55,
  Kids: 18,
  News: 24,
  Music: 16,
  'Adults 18+': 12,
}

/** The packages whose channels a group belongs to, by their label. All others are for every package. */
const OF_SOME: Record<string, RegExp> = {
  Portugal: /^All|Portug/,
  Brasil: /^All|Bra[sz]il|Latin/,
  Canada: /^All|English|French/,
}

/** Returns whether a package of this label holds a group. */
export function isHeldBy(label: string, group: string): boolean {
  return OF_SOME[group]?.test(label) ?? true
}

/** The invented playlist, as the console sends a file. A few of its channels are not protected by a token. */
export const PLAYLIST = gzipSync(
  ['#EXTM3U', ...Object.entries(GROUPS).flatMap(([group, channels]) => entriesOf(group, channels))].join(
    '\n',
  ),
).toString('base64')

function entriesOf(group: string, channels: number): string[] {
  return Array.from({ length: channels }, (_, at) => {
    const id = `${group.toLowerCase().replaceAll(/\W+/g, '-')}-${at + 1}`
    const token = group === 'Music' ? '' : '?token={token}'
    return `#EXTINF:-1 tvg-id="${id}" group-title="${group}",${group} ${at + 1}\nhttp://streams.example/${id}/index.m3u8${token}`
  })
}

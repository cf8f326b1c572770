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

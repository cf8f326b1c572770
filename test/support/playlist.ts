import { createServer, type RequestListener } from 'node:http'
import { gzipSync } from 'node:zlib'
import { calls } from '../../contract/calls.ts'
import { listen } from './port.ts'
import type { World } from './world.ts'

/** A playlist of three channels in two groups. */
export const A_PLAYLIST = `#EXTM3U
#EXTINF:-1 tvg-id="one.pt" tvg-logo="http://logos.example/one.png" group-title="News",One
http://streams.example/one?who={login}&token={token}
#EXTINF:-1 tvg-id="two.pt" group-title="News",Two
http://streams.example/two/{mac}
#EXTINF:-1 tvg-id="three.pt" group-title="Sports",Three
http://streams.example/three?token={token}
`

/** Returns a playlist with so many channels, all in one group. */
export function playlistOf(channels: number, group = 'News'): string {
  const entries = Array.from(
    { length: channels },
    (_, at) =>
      `#EXTINF:-1 tvg-id="${group}-${at}" group-title="${group}",${group} ${at}\nhttp://streams.example/${at}`,
  )
  return `#EXTM3U\n${entries.join('\n')}\n`
}

/** Compresses a playlist as the console sends it. */
export function compressed(playlist: string | Uint8Array): string {
  return gzipSync(playlist).toString('base64')
}

/** Gives the boxes a playlist from a file, as the admin does on Channels. */
export async function givePlaylist({ admin }: World, playlist: string): Promise<void> {
  await admin.call(calls.channels.giveFile, { name: 'own.m3u', file: compressed(playlist) })
}

/** Lets a package hold the groups of these names, and none else of the playlist. */
export async function letHold({ admin }: World, holder: number, names: readonly string[]): Promise<void> {
  const { groups } = await admin.call(calls.channels.all)
  const pairs = (isNamed: boolean) => ({
    packages: [holder],
    groups: groups.filter(({ name }) => names.includes(name) === isNamed).map(({ id }) => id),
  })
  await admin.call(calls.channels.assign, { give: pairs(true), take: pairs(false) })
}

export type Served = {
  address: string
  /** What is answered from now on. */
  serve(what: string | RequestListener): void
  /** How many requests there were. */
  asked(): number
}

/** Serves a playlist on this machine until the tests end. */
export async function servePlaylist(first: string | RequestListener): Promise<Served> {
  let what = first
  let asked = 0
  const server = createServer((request, response) => {
    asked += 1
    if (typeof what === 'string') response.end(what)
    else what(request, response)
  })
  const port = await listen(server.unref())
  return {
    address: `http://127.0.0.1:${port}/get.php?username=u&password=hidden-word`,
    serve(next) {
      what = next
    },
    asked: () => asked,
  }
}

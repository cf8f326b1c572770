import { promisify } from 'node:util'
import { parentPort, workerData } from 'node:worker_threads'
import { gunzipSync, gzip } from 'node:zlib'
import type { Channel } from '../../../contract/channels.ts'
import { MOST_PLAYLIST } from '../../../contract/playlist-limits.ts'
import { parsePlaylist } from './parse-playlist.ts'
import type { Order, Read } from './read-in-thread.ts'

// Reads one playlist in a thread of its own, and ends. The parser changes String.prototype, which no other code sees
// here.

const { bytes, isCompressed, inUse, known, set } = workerData as Order
const sent = isCompressed ? unzip(bytes) : bytes
// A list that is a `.gz` file comes so, whatever else compresses it on the way.
const text = isGzip(sent) ? unzip(sent) : sent
const { channels, groups, skipped } = parsePlaylist(
  text,
  inUse === null ? [] : unpacked(inUse),
  new Set(known),
  set,
)
const packed = await promisify(gzip)(JSON.stringify(channels))
const read: Read = {
  keys: channels.map(({ key }) => key),
  groups,
  skipped,
  packed: packed.toString('base64'),
}
parentPort?.postMessage(read)

function isGzip(bytes: Uint8Array): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b
}

function unzip(bytes: Uint8Array): Uint8Array {
  return gunzipSync(bytes, { maxOutputLength: MOST_PLAYLIST })
}

function unpacked(packed: string): Channel[] {
  return JSON.parse(gunzipSync(Buffer.from(packed, 'base64')).toString())
}

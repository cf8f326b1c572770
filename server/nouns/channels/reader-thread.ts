import { promisify } from 'node:util'
import { parentPort, workerData } from 'node:worker_threads'
import { gunzipSync, gzip } from 'node:zlib'
import { type Channel, MOST_PLAYLIST } from '../../../contract/channels.ts'
import { parsePlaylist } from './parse-playlist.ts'
import type { Order, Read } from './read-in-thread.ts'

// Reads one playlist in a thread of its own, and ends. The parser changes String.prototype, which no other code sees
// here.

const { bytes, isCompressed, inUse, known, set } = workerData as Order
const text = isCompressed ? gunzipSync(bytes, { maxOutputLength: MOST_PLAYLIST }) : bytes
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

function unpacked(packed: string): Channel[] {
  return JSON.parse(gunzipSync(Buffer.from(packed, 'base64')).toString())
}

import { Worker } from 'node:worker_threads'
import { Refusal } from '../../refusal.ts'
import { Turns } from '../../turns.ts'
import type { GroupListing, SetGroup } from './parse-playlist.ts'

export type Order = {
  bytes: Uint8Array
  isCompressed: boolean
} & InUse

export type InUse = {
  /** The channels in use, packed like those that are read; null where there are none. */
  inUse: string | null
  /** The keys of a tvg-id alone that have an id. */
  known: string[]
  set: SetGroup[]
}

export type Read = {
  keys: string[]
  groups: GroupListing[]
  skipped: number
  /** Its channels: JSON, compressed, in base64. */
  packed: string
}

/** The heap of the thread that reads, in megabytes, and how long it may take, in milliseconds. */
const MOST_MEMORY_MB = 768
const MOST_MS = 60_000

const turns = new Turns<'playlist'>({
  atOnce: 1,
  each: 1,
  maxWait: { ms: 60_000, message: 'Another playlist is being read. Please try again in a minute.' },
})

/**
 * Reads a playlist in a thread, one at a time.
 * @param inUse is asked at its turn, when the one before may have been taken
 * @throws Refusal where it cannot be read
 */
export function read(
  { bytes, isCompressed }: Pick<Order, 'bytes' | 'isCompressed'>,
  inUse: () => Promise<InUse>,
): Promise<Read> {
  return turns.run('playlist', async () => readInThread({ bytes, isCompressed, ...(await inUse()) }))
}

async function readInThread(order: Order): Promise<Read> {
  const worker = new Worker(new URL('./reader-thread.ts', import.meta.url), {
    workerData: order,
    resourceLimits: { maxOldGenerationSizeMb: MOST_MEMORY_MB },
    stdout: true,
    stderr: true,
  })
  const { promise, resolve, reject } = Promise.withResolvers<Read>()
  const refuse = (sentence: string, cause?: unknown) =>
    reject(new Refusal('invalid_input', sentence, { cause }))
  const fail = (cause: unknown) => refuse('This cannot be read as a playlist of at most 64 MB.', cause)
  worker.once('message', resolve)
  worker.once('error', fail)
  worker.once('exit', (code) => fail(new Error(`The thread has ended with the code ${code}.`)))
  const limit = setTimeout(() => refuse('This playlist cannot be read within 60 seconds.'), MOST_MS)
  try {
    return await promise
  } finally {
    clearTimeout(limit)
    await worker.terminate()
  }
}

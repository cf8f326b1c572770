import { statfsSync } from 'node:fs'
import type { FastifyBaseLogger } from 'fastify'
import type { Call } from '../../contract/call.ts'
import { Refusal } from '../refusal.ts'

/** Reads how much space is free on the disk under the database, in bytes. */
export type FreeSpace = () => number

/** Keeps the last of the disk for what must go on: the database's own work, and people who look. */
export interface Disk {
  /** Whether there is room for changes. */
  hasRoom(): boolean
  /** Throws the 503 of a call that would change something while there is none. */
  admit(call: Call): void
}

/**
 * Watches a disk below whose `least` megabytes nothing is changed any more. `free` is null for an external database,
 * whose disk is not ours to look at. What can be read is what counts at each call, so that a disk with room again is
 * noticed at once.
 */
export function watchDisk(free: FreeSpace | null, leastMb: number, log: FastifyBaseLogger): Disk {
  let full = false
  const hasRoom = () => {
    if (free === null) return true
    const bytes = free()
    if (full !== bytes < leastMb * MB) {
      full = !full
      const figures = { free_mb: Math.floor(bytes / MB), least_mb: leastMb }
      if (full) log.warn(figures, 'the disk is nearly full: changes are refused until there is room')
      else log.info(figures, 'the disk has room again: changes are made')
    }
    return !full
  }
  return {
    hasRoom,
    admit(call) {
      if (!call.needsRoom || hasRoom()) return
      throw new Refusal('disk_full', SENTENCE, { retryAfter: 30 })
    },
  }
}

/** The free space under a folder, as far as others than root may use it. */
export function freeSpaceOf(folder: string): FreeSpace {
  return () => {
    // The disk under our own database is a local one, and answers sooner than another thread would begin to ask it.
    const { bavail, bsize } = statfsSync(folder)
    return bavail * bsize
  }
}

const MB = 2 ** 20

const SENTENCE =
  'The disk of the server is nearly full, so nothing was changed. Please ask whoever runs Boxtree to free space on it; everything can still be looked at.'

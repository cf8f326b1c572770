import { statfsSync } from 'node:fs'
import type { FastifyBaseLogger } from 'fastify'
import type { Call } from '../../contract/call.ts'
import { Refusal } from '../refusal.ts'

/** Reads how much space is free on the disk under the database, in bytes. */
export type FreeSpace = () => number

/** Keeps the last of the disk for what must go on: the database's own work, and people who sign in and look. */
export interface Disk {
  /** Whether there is room for changes. */
  hasRoom(): boolean
  /** Throws the 503 of a call that needs more room than there is. */
  admit(call: Call): void
}

/**
 * Watches a disk below whose `leastMb` megabytes nothing is changed any more, and below half of them nothing is written
 * but sessions. `free` is null for an external database, whose disk is not ours to look at. It is asked at each call, so
 * that a disk with room again is noticed at once.
 */
export function watchDisk(free: FreeSpace | null, leastMb: number, log: FastifyBaseLogger): Disk {
  let level = 0
  const freeMb = () => {
    const freeMb = free === null ? Number.POSITIVE_INFINITY : free() / MB
    const now = freeMb >= leastMb ? 0 : freeMb >= leastMb * LOWER_FLOOR ? 1 : 2
    if (now !== level) {
      level = now
      const figures = { free_mb: Math.floor(freeMb), least_mb: leastMb }
      if (level === 0) log.info(figures, TOLD[level])
      else log.warn(figures, TOLD[level])
    }
    return freeMb
  }
  return {
    hasRoom: () => freeMb() >= leastMb,
    admit(call) {
      if (call.room === 'none') return
      if (freeMb() >= (call.room === 'little' ? leastMb * LOWER_FLOOR : leastMb)) return
      throw new Refusal('disk_full', SENTENCE, { retryAfter: 30 })
    },
  }
}

/** Half of what is kept free is kept for signing in alone. */
const LOWER_FLOOR = 0.5

const TOLD = [
  'the disk has room again: changes are made',
  'the disk is nearly full: changes are refused until there is room',
  'the disk is all but full: only signing in and reading go on',
]

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

import type { FastifyBaseLogger } from 'fastify'
import type { Call } from '../../contract/call.ts'
import { diskFull } from './error-to-refusal.ts'

/** Returns how many bytes are free. */
export type FreeSpace = () => number

/** Keeps space free on the disk for the database's own work, and for people who sign in and read. */
export interface Disk {
  hasRoom(): boolean
  requireRoom(call: Call): void
}

/**
 * Below half of `leastMb` only signing in and out may write. `free` is null for an external database, whose disk is
 * unknown.
 */
export function watchDisk(free: FreeSpace | null, leastMb: number, log: FastifyBaseLogger): Disk {
  let shortage = 0
  /** Returns the free megabytes, and logs when what is refused has changed. */
  const look = () => {
    const mb = free === null ? Number.POSITIVE_INFINITY : free() / MB
    const level = mb >= leastMb ? 0 : mb >= leastMb * LOWER_FLOOR ? 1 : 2
    if (level !== shortage) {
      shortage = level
      const figures = { free_mb: Math.floor(mb), least_mb: leastMb }
      if (shortage === 0) log.info(figures, TOLD[shortage])
      else log.warn(figures, TOLD[shortage])
    }
    return mb
  }
  return {
    hasRoom: () => look() >= leastMb,
    requireRoom(call) {
      if (call.needsSpace === 'none') return
      if (look() >= (call.needsSpace === 'little' ? leastMb * LOWER_FLOOR : leastMb)) return
      throw diskFull('The disk of the server is nearly full')
    },
  }
}

const LOWER_FLOOR = 0.5

const TOLD = [
  'the disk has room again: changes are made',
  'the disk is nearly full: changes are refused until there is room',
  'the disk is all but full: only signing in and reading go on',
]

const MB = 2 ** 20

import { statSync } from 'node:fs'

/** What the console keeps free under its own database; null where the database runs elsewhere. */
export type Reserve = { folder: string; bytes: number }

/** Returns how many bytes of a folder's disk are kept free for the database; none where that is on another disk. */
export function reservedOn(folder: string, reserve: Reserve | null): number {
  return reserve && statSync(folder).dev === statSync(reserve.folder).dev ? reserve.bytes : 0
}

import { statSync } from 'node:fs'
import type { Config } from '../config.ts'

/** What the console keeps free under its own database. */
export type Reserve = { folder: string; bytes: number }

/** @param files the folder of the embedded database; null where it runs elsewhere */
export function reserveOf(files: string | null, { freeDiskMb }: Pick<Config, 'freeDiskMb'>): Reserve | null {
  return files === null ? null : { folder: files, bytes: freeDiskMb * 2 ** 20 }
}

/** Returns how many bytes of a folder's disk are kept free for the database; none where that is on another disk. */
export function reservedOn(folder: string, reserve: Reserve | null): number {
  return reserve && statSync(folder).dev === statSync(reserve.folder).dev ? reserve.bytes : 0
}

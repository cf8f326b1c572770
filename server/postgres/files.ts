import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  linkSync,
  lstatSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { codeOf } from './errors.ts'

/** Writes a new file that only its owner can read, and returns once it is on the disk. Throws where the file exists. */
export function writeDurably(file: string, text: string): void {
  const handle = openSync(file, 'wx', 0o600)
  try {
    // Unlike one write, which a disk that gets full cuts short without an error.
    writeFileSync(handle, text)
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}

/**
 * Renames a finished draft, a file or a folder, so that its name never shows half of it, even after a power cut.
 * 'first' keeps what has the name already and removes the draft; 'last' lets the draft replace it.
 */
export function putInPlace(draft: string, name: string, which: 'first' | 'last' = 'last'): void {
  if (lstatSync(draft).isDirectory()) syncFolder(draft)
  if (which === 'last') renameSync(draft, name)
  else {
    try {
      linkSync(draft, name)
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error
    } finally {
      rmSync(draft, { force: true })
    }
  }
  syncFolder(dirname(name))
}

/** Makes the names in a folder survive a power cut. */
function syncFolder(folder: string): void {
  const handle = openSync(folder, 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}

export const OWN_UID = process.getuid?.() ?? 0

/**
 * Reads a file in a folder that another user can write to. Returns null if the file does not exist, is a link or a
 * pipe, or belongs to anyone but `owner`: that user must not make root read another file or wait for a pipe.
 */
export function readOwned(file: string, owner: number): string | null {
  let handle: number
  try {
    handle = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  } catch {
    return null
  }
  try {
    const stat = fstatSync(handle)
    return stat.isFile() && stat.uid === owner ? readFileSync(handle, 'utf8') : null
  } finally {
    closeSync(handle)
  }
}

/** Returns how many bytes are free on a folder's disk. */
export function freeSpaceOf(folder: string): number {
  // Synchronous, because a local disk returns this faster than a task reaches another thread.
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize
}

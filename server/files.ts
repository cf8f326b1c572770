import { closeSync, fsyncSync, linkSync, lstatSync, openSync, renameSync, rmSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'

/** Writes a file that its owner alone reads, and answers once it is on the disk. One that is there is not written over. */
export function writeDurably(file: string, text: string): void {
  const handle = openSync(file, 'wx', 0o600)
  try {
    writeSync(handle, text)
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}

/**
 * Gives a finished draft, a file or a folder, its name, so that whoever finds the name finds all of it, after a power cut as well. 'first'
 * leaves what has that name already, and removes the draft; otherwise the draft takes its place.
 */
export function putInPlace(draft: string, name: string, which: 'first' | 'last' = 'last'): void {
  if (lstatSync(draft).isDirectory()) syncFolder(draft)
  if (which === 'last') renameSync(draft, name)
  else {
    try {
      linkSync(draft, name)
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
    } finally {
      rmSync(draft, { force: true })
    }
  }
  syncFolder(dirname(name))
}

/** Makes the names in a folder outlast a power cut. */
function syncFolder(folder: string): void {
  const handle = openSync(folder, 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}

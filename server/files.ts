import { closeSync, fsyncSync, linkSync, lstatSync, openSync, renameSync, rmSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'

/** Writes a new file that only its owner can read, and returns once it is on the disk. Throws where the file exists. */
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
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
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

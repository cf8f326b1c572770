import { randomBytes } from 'node:crypto'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type Config, decodeKey, StartFault } from '../config.ts'
import { putInPlace, writeDurably } from '../files.ts'
import { makeDataFolder } from '../postgres/data-folder.ts'

/**
 * The 32 bytes that clients' passwords are encrypted with: those configured, or those kept in the data folder,
 * made there at the first start.
 * @throws StartFault when the file holds something else
 */
export function readSecretKey(config: KeyPlace): Buffer {
  return findSecretKey(config) ?? keepSecretKey(config, randomBytes(32))
}

/** The same, where there is one; null where there is none yet. */
export function findSecretKey(config: KeyPlace): Buffer | null {
  return config.secretKey ?? readKeyFile(join(config.dataDir, 'secret-key'))
}

/** Puts a key into the data folder. Of two that do so at once the first counts, and that one is answered. */
export function keepSecretKey(config: KeyPlace, key: Buffer): Buffer {
  const file = join(config.dataDir, 'secret-key')
  makeDataFolder(config.dataDir)
  writeKeyFile(file, key)
  return readKeyFile(file) ?? key
}

type KeyPlace = Pick<Config, 'secretKey' | 'dataDir'>

/**
 * The key that a file holds; null where there is no file.
 * @throws StartFault when the file holds something else
 */
export function readKeyFile(file: string): Buffer | null {
  const kept = read(file)
  if (kept === undefined) return null
  const key = decodeKey(kept)
  if (key === null) throw new StartFault(`${file} does not hold a key; put the one from your backup there.`)
  return key
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if (isCode(error, 'ENOENT')) return undefined
    throw new StartFault(`${file} cannot be read; check its owner and its mode.`)
  }
}

/** The key appears under its name only when it is whole and on the disk; of two that make one, the first counts. */
export function writeKeyFile(file: string, key: Buffer): void {
  putInPlace(draftOf(file, key), file, 'first')
}

/** Where the key lies that a rotation is about to put in the place of the present one. */
export function nextKeyFile({ dataDir }: KeyPlace): string {
  return join(dataDir, 'secret-key.next')
}

/** Puts the key of a rotation that is done in the place of the one before. */
export function turnKeyOver(config: KeyPlace): void {
  putInPlace(nextKeyFile(config), join(config.dataDir, 'secret-key'))
}

function draftOf(file: string, key: Buffer): string {
  const draft = `${file}.${process.pid}`
  rmSync(draft, { force: true })
  writeDurably(draft, `${key.toString('base64')}\n`)
  return draft
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}

import { randomBytes } from 'node:crypto'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type Config, decodeKey, StartFault } from '../config.ts'
import { isInDataFolder, makeDataFolder } from '../postgres/data-folder.ts'
import { codeOf } from '../postgres/errors.ts'
import { OWN_UID, putInPlace, readOwned, writeDurably } from '../postgres/files.ts'

/**
 * Returns the key, which the first start makes in the data folder. @throws StartFault when the file there holds
 * something else
 */
export function findOrMakeSecretKey(config: KeyPlace): Buffer {
  return findSecretKey(config) ?? keepSecretKey(config, randomBytes(32))
}

export function findSecretKey(config: KeyPlace): Buffer | null {
  return config.secretKey ?? readKeyFile(keyFile(config))
}

/** Writes a key into the data folder, unless there is one. Returns the key that is there afterwards. */
export function keepSecretKey(config: KeyPlace, key: Buffer): Buffer {
  const file = keyFile(config)
  makeDataFolder(config.dataDir)
  writeKeyFile(file, key)
  return readKeyFile(file) ?? key
}

type KeyPlace = Pick<Config, 'secretKey' | 'dataDir'>

/** @throws StartFault when it is no file of this user, because another user may write to the folder, or holds no key */
export function readKeyFile(file: string): Buffer | null {
  if (!isInDataFolder(file)) return null
  const kept = readOwned(file, OWN_UID)
  if (kept === null) {
    throw new StartFault(
      `${file} must be a plain file that belongs to the user who starts Boxtree; check its owner, or put the one from your backup there.`,
    )
  }
  return decode(file, kept)
}

/** Returns the key in a file of a backup, whoever owns it. @throws StartFault when it cannot be read or holds no key */
export function readKeyOfBackup(file: string): Buffer | null {
  let kept: string
  try {
    kept = readFileSync(file, 'utf8')
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null
    throw new StartFault(`${file} cannot be read; check its owner and its mode.`)
  }
  return decode(file, kept)
}

function decode(file: string, kept: string): Buffer {
  const key = decodeKey(kept)
  if (key === null) throw new StartFault(`${file} does not hold a key; put the one from your backup there.`)
  return key
}

/** Writes a key file that has its name only once it is complete and on the disk. An existing file stays. */
export function writeKeyFile(file: string, key: Buffer): void {
  const draft = `${file}.${process.pid}`
  rmSync(draft, { force: true })
  writeDurably(draft, textOf(key))
  putInPlace(draft, file, 'first')
}

/**
 * Writes a key file into a folder that is just being made. It makes no hard link, which a disk for backups may not
 * have.
 */
export function writeNewKeyFile(file: string, key: Buffer): void {
  writeDurably(file, textOf(key))
}

function keyFile({ dataDir }: KeyPlace): string {
  return join(dataDir, 'secret-key')
}

/** Returns the path of the key that a rotation will put in the place of the present one. */
export function nextKeyFile({ dataDir }: KeyPlace): string {
  return join(dataDir, 'secret-key.next')
}

export function replaceKeyFile(config: KeyPlace): void {
  putInPlace(nextKeyFile(config), keyFile(config))
}

function textOf(key: Buffer): string {
  return `${key.toString('base64')}\n`
}

import { randomBytes } from 'node:crypto'
import { closeSync, fsyncSync, linkSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type Config, decodeKey, StartFault } from './config.ts'
import { makeDataFolder } from './data-folder.ts'

/**
 * The 32 bytes that clients' passwords are encrypted with: those configured, or those kept in the data folder,
 * made there at the first start.
 * @throws StartFault when the file holds something else
 */
export function readSecretKey(config: Pick<Config, 'secretKey' | 'dataDir'>): Buffer {
  if (config.secretKey) return config.secretKey
  const file = join(config.dataDir, 'secret-key')
  const kept = read(file) ?? make(file)
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
function make(file: string): string {
  const draft = `${file}.${process.pid}`
  makeDataFolder(dirname(file))
  rmSync(draft, { force: true })
  try {
    writeDurably(draft, `${randomBytes(32).toString('base64')}\n`)
    linkSync(draft, file)
    syncFolder(dirname(file))
  } catch (error) {
    if (!isCode(error, 'EEXIST')) throw error
  } finally {
    rmSync(draft, { force: true })
  }
  return readFileSync(file, 'utf8')
}

function writeDurably(file: string, text: string): void {
  const handle = openSync(file, 'wx', 0o600)
  try {
    writeSync(handle, text)
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}

function syncFolder(folder: string): void {
  const handle = openSync(folder, 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}

import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync } from 'node:fs'
import { basename, join } from 'node:path'
import { inject } from 'vitest'

/** Creates a folder that other users may traverse. The janitor removes it after the run. */
export function freshFolder(): string {
  const folder = mkdtempSync(join(inject('folder'), 'test-'))
  chmodSync(folder, 0o711)
  return folder
}

/**
 * Gives a data folder the empty cluster that a first start makes there, which takes a tenth of the time.
 * @returns the folder
 */
export function putCluster(dataDir: string): string {
  copyCluster(inject('cluster'), dataDir)
  return dataDir
}

/** Copies a cluster into a data folder. Returns its path there. */
export function copyCluster(cluster: string, dataDir: string): string {
  mkdirSync(dataDir, { recursive: true, mode: 0o711 })
  const copy = join(dataDir, basename(cluster))
  if (existsSync(copy)) throw new Error(`${copy} is there already`)
  // Node's own cpSync would leave all files to the user of this process.
  const { status, stderr } = spawnSync('cp', ['-a', cluster, copy], { encoding: 'utf8' })
  if (status !== 0) throw new Error(stderr)
  return copy
}

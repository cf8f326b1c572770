import { mkdirSync } from 'node:fs'
import { StartFault } from '../config.ts'

/**
 * Makes the data folder where there is none. Root's lets others pass through, though not look: the database in it
 * runs as another user, in a folder that is closed to all but that one.
 * @throws StartFault when it cannot be made
 */
export function makeDataFolder(dataDir: string): void {
  try {
    mkdirSync(dataDir, { recursive: true, mode: process.getuid?.() === 0 ? 0o711 : 0o700 })
  } catch {
    throw new StartFault(
      `DATA_DIR is ${dataDir}, which cannot be made; choose a folder that you may write to.`,
    )
  }
}

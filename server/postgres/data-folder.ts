import { mkdirSync } from 'node:fs'
import { StartFault } from '../config.ts'

/**
 * Makes the data folder if it is missing. Root's can be entered but not listed by others: the database runs as another
 * user, in a folder inside it that only that user can enter.
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

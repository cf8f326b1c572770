import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { StartFault } from '../../config.ts'
import { makeDataFolder } from '../../postgres/data-folder.ts'

/** The file by which a data folder is known as a demonstration's. */
const MARK = 'demonstration'

/**
 * Refuses to fill what may be a business's own: any database but its own, and a folder with the data of something else.
 * @throws StartFault
 */
export function refuseOwnData(env: Record<string, string | undefined>): void {
  const external = ['DATABASE_URL', 'DATABASE_OWNER_URL'].flatMap((name) => [name, `${name}_FILE`])
  const named = external.find((name) => env[name])
  if (named) throw new StartFault(`The demonstration has a database of its own. Run it without ${named}.`)
  const folder = env.DATA_DIR
  if (!folder || !existsSync(folder) || existsSync(join(folder, MARK)) || readdirSync(folder).length === 0)
    return
  throw new StartFault(
    `${folder} has data that is not of a demonstration. Run it without DATA_DIR, or with another one.`,
  )
}

/** Makes a data folder, if there is none, and marks it as a demonstration's. */
export function markAsDemonstration(folder: string): void {
  makeDataFolder(folder)
  writeFileSync(join(folder, MARK), '')
}

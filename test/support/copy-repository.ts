import { cpSync, readdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '../..')
/** The packages and the built console, which are large and which no copy changes. */
const LINKED = ['node_modules', 'dist']
const NOT_COPIED = new Set([...LINKED, '.git', 'data'])

/** Copies the repository into a folder, so that its files may be changed there. */
export function copyRepository(folder: string): void {
  for (const name of readdirSync(ROOT).filter((one) => !NOT_COPIED.has(one))) {
    cpSync(join(ROOT, name), join(folder, name), { recursive: true })
  }
  for (const name of LINKED) symlinkSync(join(ROOT, name), join(folder, name))
}

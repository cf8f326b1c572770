import { chmodSync, mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { inject } from 'vitest'

/** Creates a folder that other users may traverse. The janitor removes it after the run. */
export function freshFolder(): string {
  const folder = mkdtempSync(join(inject('folder'), 'test-'))
  chmodSync(folder, 0o711)
  return folder
}

import { chmodSync, mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { inject } from 'vitest'

/** A new folder of the test's own, which others may pass through; it goes when the run ends. */
export function freshFolder(): string {
  const folder = mkdtempSync(join(inject('folder'), 'test-'))
  chmodSync(folder, 0o711)
  return folder
}

import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PRESENT } from '../../server/postgres/schema.ts'
import { copyRepository } from '../support/copy.ts'

/** What the next version adds to the tables. */
const ADDED = 'alter table client add note text;\n'

/** Makes a version after this one, whose tables have a column more. Returns its folder. */
export function makeNextVersion(folder: string): string {
  const root = mkdtempSync(join(folder, 'next-'))
  copyRepository(root)
  appendFileSync(join(root, 'db/clients.sql'), `\n${ADDED}`)
  const steps = join(root, 'db/steps')
  mkdirSync(steps, { recursive: true })
  const number = String(PRESENT.step + 1).padStart(3, '0')
  writeFileSync(join(steps, `${number}-note.sql`), `-- Expands: a client has a note.\n${ADDED}`)
  // It knows this version's tables by their fingerprint, to bring them forward.
  const known = `{ files: [], fingerprint: '${PRESENT.fingerprint}', step: ${PRESENT.step} }`
  edit(
    join(root, 'server/postgres/schema.ts'),
    'before: [THIRTEEN_STEPS]',
    `before: [${known}, THIRTEEN_STEPS]`,
  )
  edit(join(root, 'package.json'), '"version": "', '"version": "next-after-')
  return root
}

function edit(file: string, from: string, to: string): void {
  const text = readFileSync(file, 'utf8')
  if (text.split(from).length !== 2) throw new Error(`${file} must contain exactly once: ${from}`)
  writeFileSync(file, text.replace(from, to))
}

import { appendFileSync, copyFileSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PRESENT } from '../../server/postgres/schema.ts'
import { copyRepository } from './copy-repository.ts'

/** What the next version adds to the tables. */
const ADDED = 'alter table client add note text;\n'

/** Makes a version after this one, whose tables have one more column. Returns its folder. */
export function makeNextVersion(folder: string): string {
  const root = mkdtempSync(join(folder, 'next-'))
  copyRepository(root)
  const db = join(root, 'db')
  keepReleased(db)
  appendFileSync(join(db, 'clients.sql'), `\n${ADDED}`)
  const steps = join(db, 'steps')
  mkdirSync(steps, { recursive: true })
  writeFileSync(
    join(steps, `${asNumber(PRESENT.step + 1)}-note.sql`),
    `-- Expands: a client has a note.\n${ADDED}`,
  )
  edit(join(root, 'package.json'), '"version": "', '"version": "next-after-')
  return root
}

/** Keeps the present files as those of a released version, whose databases and backups the next one brings forward. */
function keepReleased(db: string): void {
  const released = join(db, 'released', `${asNumber(PRESENT.step)}-before`)
  mkdirSync(released, { recursive: true })
  for (const { name } of PRESENT.files) copyFileSync(join(db, name), join(released, name))
}

function asNumber(step: number): string {
  return String(step).padStart(3, '0')
}

function edit(file: string, from: string, to: string): void {
  const text = readFileSync(file, 'utf8')
  if (text.split(from).length !== 2) throw new Error(`${file} must contain exactly once: ${from}`)
  writeFileSync(file, text.replace(from, to))
}

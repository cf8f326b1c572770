import { rmSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod/mini'
import { TEST_RESTORE_OUTCOMES } from '../../contract/system.ts'
import { codeOf } from '../postgres/errors.ts'
import { putInPlace, writeDurably } from '../postgres/files.ts'

/** What came of a test restore, into a cluster that is thrown away. */
export type TestRestore = z.output<typeof TestRestore>

const TestRestore = z.strictObject({
  at: z.string(),
  outcome: z.enum(TEST_RESTORE_OUTCOMES),
  sentence: z.string(),
})

/** A backup that Boxtree has made by itself. */
export type StoredBackup = {
  name: string
  taken: Date
  /** Null where the test restore was interrupted. */
  testRestore: TestRestore | null
}

/** The file with the result of a test restore. It keeps its name from earlier versions, whose results are read too. */
export const TEST_RESTORE_FILE = 'trial.json'

/** Other folders, such as those of `npm run backup`, are somebody's, and never removed. */
const NAME = /^auto-(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d)-(\d{3})Z(?:-[0-9a-f]{8})?$/

/** The mark in the name of a backup, of one that is being made, and of the cluster of a test restore. */
const MARKED = /^(?:auto-[^.]*Z|\.trial)-([0-9a-f]{8})(?:[-.]|$)/

/** @param mark that of the database, see `markOf` */
export function nameOf(moment: Date, mark: string): string {
  return `auto-${moment.toISOString().replace(/[:.]/g, '-')}-${mark}`
}

/** Returns the mark that a name has; undefined for what earlier versions have made. */
export function markIn(name: string): string | undefined {
  return MARKED.exec(name)?.[1]
}

/** Whether what lies in a folder of backups is of the database with this mark. */
export function isOf(mark: string, name: string): boolean {
  return (markIn(name) ?? mark) === mark
}

/** How far servers' readings of the time may be apart, in milliseconds. */
const TOLERANCE_MS = 60_000

/** Whether a moment lies in the future, because the clock was ahead then and was set back since. */
export function isAhead(moment: Date, now: Date): boolean {
  return moment.getTime() > now.getTime() + TOLERANCE_MS
}

/**
 * Returns the whole backups that Boxtree has made by itself of a database in a folder, the newest first. Those whose
 * names lie in the future are left out: they would be the newest until then, and keep others from being made.
 */
export async function storedIn(folder: string, now: Date, mark: string): Promise<StoredBackup[]> {
  const taken = (await namesIn(folder))
    .flatMap((name) => {
      const [, day, hour, minute, second, ms] = NAME.exec(name) ?? []
      if (day === undefined || !isOf(mark, name)) return []
      const taken = new Date(`${day}T${hour}:${minute}:${second}.${ms}Z`)
      return isAhead(taken, now) ? [] : [{ name, taken }]
    })
    .sort((a, b) => b.taken.getTime() - a.taken.getTime())
  const stored: StoredBackup[] = []
  // One after the other: a disk that does not answer keeps one thread of the process waiting, and not all of them.
  for (const one of taken)
    stored.push({ ...one, testRestore: await readTestRestore(join(folder, one.name, TEST_RESTORE_FILE)) })
  return stored
}

/** Returns the names in a folder; none where it is not there. */
async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder)
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return []
    throw error
  }
}

/** Returns the newest where it was taken after a moment, so that no other is needed. */
export function recentOf(kept: readonly StoredBackup[], after: Date): StoredBackup | null {
  const [newest] = kept
  return newest && newest.taken > after ? newest : null
}

/** Returns those that are no longer kept. The newest that was proved sound is kept, however many came after it. */
export function surplusOf(kept: readonly StoredBackup[], keep: number): StoredBackup[] {
  const proved = kept.find(({ testRestore }) => testRestore?.outcome === 'sound')
  return kept.slice(keep).filter((one) => one !== proved)
}

/** The file has its name once it is whole, and replaces one that a full disk has cut short. */
export function writeTestRestore(folder: string, result: TestRestore): void {
  const draft = join(folder, `${TEST_RESTORE_FILE}.draft`)
  rmSync(draft, { force: true })
  writeDurably(draft, `${JSON.stringify(result, null, 2)}\n`)
  putInPlace(draft, join(folder, TEST_RESTORE_FILE))
}

async function readTestRestore(file: string): Promise<TestRestore | null> {
  try {
    return TestRestore.parse(JSON.parse(await readFile(file, 'utf8')))
  } catch {
    return null
  }
}

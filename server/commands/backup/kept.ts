import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod/mini'
import { TRIAL_OUTCOMES } from '../../../contract/system.ts'

/** What came of restoring a backup into a cluster that was thrown away afterwards. */
export type Trial = z.output<typeof Trial>

const Trial = z.strictObject({
  at: z.string(),
  outcome: z.enum(TRIAL_OUTCOMES),
  /** Why, for whoever runs Boxtree. */
  sentence: z.string(),
})

/** A backup that Boxtree has made by itself. */
export type Kept = {
  /** The name of its folder. */
  name: string
  taken: Date
  /** Null where the trial was interrupted. */
  trial: Trial | null
}

export const TRIAL = 'trial.json'

/** Other folders, such as those of `npm run backup`, are somebody's, and never removed. */
const NAME = /^auto-(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d)-(\d{3})Z$/

export function nameOf(moment: Date): string {
  return `auto-${moment.toISOString().replace(/[:.]/g, '-')}`
}

/** Returns the whole backups that Boxtree has made by itself in a folder, the newest first. */
export function keptIn(folder: string): Kept[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder)
    .flatMap((name) => {
      const [, day, hour, minute, second, ms] = NAME.exec(name) ?? []
      if (day === undefined) return []
      const taken = new Date(`${day}T${hour}:${minute}:${second}.${ms}Z`)
      return [{ name, taken, trial: readTrial(join(folder, name, TRIAL)) }]
    })
    .sort((a, b) => b.taken.getTime() - a.taken.getTime())
}

/** Returns the newest where it was taken after a moment, so that no other is needed. */
export function recentOf(kept: readonly Kept[], after: Date): Kept | null {
  const [newest] = kept
  return newest && newest.taken > after ? newest : null
}

/** Returns those that are no longer kept. The newest that was proved sound is kept, however many came after it. */
export function surplusOf(kept: readonly Kept[], keep: number): Kept[] {
  const proved = kept.find(({ trial }) => trial?.outcome === 'sound')
  return kept.slice(keep).filter((one) => one !== proved)
}

function readTrial(file: string): Trial | null {
  try {
    return Trial.parse(JSON.parse(readFileSync(file, 'utf8')))
  } catch {
    return null
  }
}

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod/mini'
import { StartFault } from '../config.ts'
import { codeOf } from '../postgres/errors.ts'
import { fingerprintOf } from '../postgres/schema.ts'

/**
 * `manifest.json` of a backup, written last: a folder that has one is complete. Beside it is the text of COPY,
 * compressed, of each table, and `secret-key`.
 */
export type Manifest = z.output<typeof Manifest>

const Manifest = z.strictObject({
  format: z.literal(2),
  taken: z.string(),
  /** The TIME_ZONE on whose calendar the expiries were counted. */
  time_zone: z.string(),
  /** What its tables were made with: the fingerprint of a schema, and the last step where that schema has another. */
  schema: z.string(),
  tables: z.array(
    z.strictObject({
      name: z.string(),
      columns: z.array(z.string()),
      rows: z.int(),
      /** The digest of the compressed file. */
      sha256: z.string(),
    }),
  ),
  /** The number before the next one of each sequence that does not begin at 1. */
  sequences: z.array(z.strictObject({ name: z.string(), value: z.int() })),
})

/** The manifest of version 0.1, which lists the migrations that made the schema. */
const OldManifest = z.extend(z.omit(Manifest, { schema: true }), {
  format: z.literal(1),
  migrations: z.array(z.strictObject({ name: z.string(), checksum: z.string() })),
})

export const MANIFEST = 'manifest.json'
export const KEY = 'secret-key'

export function tableFile(folder: string, table: string): string {
  return join(folder, `${table}.copy.gz`)
}

/** @throws StartFault where the folder is not a complete backup */
export function readManifest(folder: string): Manifest {
  const file = join(folder, MANIFEST)
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    refuseUnreadable(folder, error)
    if (!existsSync(folder)) throw new StartFault(`There is no folder ${folder}.`)
    throw new StartFault(
      `${folder} is no whole backup: it has no ${MANIFEST}, which is written last. Use another one.`,
    )
  }
  try {
    return read(JSON.parse(text))
  } catch {
    throw new StartFault(
      `${file} is not as it was written, or a newer program wrote it; use another backup, or run the newer program.`,
    )
  }
}

/** A backup that this user may not read may be a good one. @throws StartFault for an error that says so */
export function refuseUnreadable(folder: string, error: unknown): void {
  if (!/^(EACCES|EPERM)$/.test(codeOf(error))) return
  throw new StartFault(
    `This user may not read ${folder}. As root, put it where the user that runs Boxtree may look (not into /root), and give it to that user: chown -R boxtree: ${folder}`,
  )
}

function read(json: unknown): Manifest {
  const old = OldManifest.safeParse(json)
  if (!old.success) return Manifest.parse(json)
  const { migrations, ...rest } = old.data
  return { ...rest, format: 2, schema: fingerprintOf(migrations) }
}

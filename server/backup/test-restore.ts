import { mkdtempSync, readdirSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { readKeyOfBackup } from '../access/secret-key.ts'
import { StartFault } from '../config.ts'
import { type Embedded, startEmbedded } from '../postgres/embedded.ts'
import { codeOf } from '../postgres/errors.ts'
import { freeSpaceOf } from '../postgres/files.ts'
import { removeFolder, SYSTEM_FOLDER } from '../postgres/home.ts'
import { migrate } from '../postgres/migrate.ts'
import { originOf } from '../postgres/schema.ts'
import { prove } from '../verify/proof.ts'
import { KEY, readManifest } from './archive.ts'
import { type Reserve, reservedOn } from './reserve.ts'
import { restoreBackup } from './restore.ts'
import { markIn, type TestRestore } from './stored.ts'

type TestRestoreOptions = {
  folder: string
  /** In bytes. */
  size: number
  reserve: Reserve | null
  signal: AbortSignal
  free?: (folder: string) => number
  start?: typeof startEmbedded
}

type Result = Omit<TestRestore, 'at'>

/** What earlier versions have left behind is named so too, and still removed. */
export const TEST_RESTORE_PREFIX = '.trial-'

/** A cluster needs as much as the database, and its log while it is filled. An empty one has so many bytes. */
const ROOM = 2
const EMPTY = 128 * 2 ** 20

/**
 * Restores a backup with the key that it brings into a cluster of its own, if the disk has room, and proves its ledger.
 * @throws the reason of the signal
 */
export async function testRestore(options: TestRestoreOptions): Promise<Result> {
  const shortage = shortageOf(options)
  if (shortage) return { outcome: 'left out', sentence: shortage }
  const { folder, signal, start = startEmbedded } = options
  const said: string[] = []
  try {
    const manifest = readManifest(folder)
    const key = readKeyOfBackup(join(folder, KEY))
    if (key === null)
      throw new StartFault(`There is no ${KEY} in the backup, so nothing can read its passwords.`)
    // This version does not know the tables, but runs on the database that has them: a newer version has changed them.
    if (originOf(manifest.schema) === null) return OF_NEWER_VERSION
    const mark = markIn(basename(folder))
    const place = join(dirname(folder), TEST_RESTORE_PREFIX + (mark === undefined ? '' : `${mark}-`))
    const code = await withCluster({ prefix: place, signal, start }, async (cluster) => {
      const { owner } = cluster
      await restoreBackup({ owner, key, folder, manifest, say: silent, onRestored: silent })
      await migrate({ ...cluster, say: silent })
      return prove(cluster, (line) => said.push(line))
    })
    return { outcome: code === 0 ? 'sound' : 'unsound', sentence: said.join(' ') }
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof NoPlace) return { outcome: 'left out', sentence: error.message }
    if (error instanceof StartFault) return { outcome: 'unsound', sentence: error.message }
    throw error
  }
}

const OF_NEWER_VERSION: Result = {
  outcome: 'left out',
  sentence:
    'The backup was not tried, because a newer version of Boxtree has changed the tables; that version tries its own.',
}

/** PostgreSQL cannot run on the disk of the backup, as on many shares, which says nothing of the backup. */
class NoPlace extends Error {
  constructor(prefix: string) {
    super(
      `The backup was not tried, because PostgreSQL cannot run on the disk of ${dirname(prefix)}, as on many network shares. Set BACKUP_DIR to a disk of this machine.`,
    )
  }
}

/** What a file system answers that knows no owners, modes or locks. */
const NOT_THERE: ReadonlySet<string> = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'])

type Place = { prefix: string; signal: AbortSignal; start: typeof startEmbedded }

/** Runs work on a new cluster in a folder of its own, which nobody else can enter, and removes both. */
async function withCluster<T>(
  { prefix, signal, start }: Place,
  work: (cluster: Embedded) => Promise<T>,
): Promise<T> {
  const dataDir = mkdtempSync(prefix)
  try {
    signal.throwIfAborted()
    // A share may give all files one mode, which PostgreSQL refuses.
    if ((statSync(dataDir).mode & 0o777) !== 0o700) throw new NoPlace(prefix)
    const cluster = await start({ dataDir, say: silent }).catch((error: unknown) => {
      throw NOT_THERE.has(codeOf(error)) ? new NoPlace(prefix) : error
    })
    let end: Promise<void> | null = null
    const stop = () => {
      end ??= throwAway(cluster, dataDir)
      return end
    }
    // Without its cluster, the work fails at its next statement.
    const interrupt = () => void stop().catch(silent)
    signal.addEventListener('abort', interrupt, { once: true })
    try {
      signal.throwIfAborted()
      return await work(cluster)
    } finally {
      signal.removeEventListener('abort', interrupt)
      await stop()
    }
  } finally {
    await removeFolder(dataDir)
  }
}

/** Removes what a killed test restore has left: its cluster is adopted, stopped and thrown away. */
export async function sweepTestRestore(dataDir: string): Promise<void> {
  try {
    if (readdirSync(dataDir).length > 0)
      await throwAway(await startEmbedded({ dataDir, say: silent }), dataDir)
  } catch (error) {
    // One that this version cannot start, as of another version of PostgreSQL, is removed as it lies.
    if (!(error instanceof StartFault)) throw error
  } finally {
    await removeFolder(dataDir)
  }
}

async function throwAway(cluster: Embedded, dataDir: string): Promise<void> {
  // A checkpoint could take longer than a stop of the console is given, and nothing of the files is kept.
  await cluster.stop('immediate')
  // Root's may lie elsewhere, in a folder of its own.
  if (!cluster.files.startsWith(dataDir)) await removeFolder(dirname(cluster.files))
}

/** Says which room is lacking, beside the backups or where root's clusters are; null where there is enough. */
function shortageOf({ folder, size, reserve, free = freeSpaceOf }: TestRestoreOptions): string | null {
  const beside = dirname(folder)
  for (const place of process.getuid?.() === 0 ? [beside, dirname(SYSTEM_FOLDER)] : [beside]) {
    const needed = ROOM * size + EMPTY + reservedOn(place, reserve)
    if (free(place) < needed)
      return `The backup was not tried, because the disk has less than the ${inMb(needed)} MB free that its test restore needs. Free space there, or set BACKUP_DIR to a larger disk.`
  }
  return null
}

function inMb(bytes: number): number {
  return Math.ceil(bytes / 2 ** 20)
}

function silent(): void {}

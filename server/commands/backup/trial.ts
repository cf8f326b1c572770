import { mkdtempSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { StartFault } from '../../config.ts'
import { freeSpaceOf } from '../../corridor/disk.ts'
import { type Embedded, startEmbedded } from '../../postgres/embedded.ts'
import { removeFolder, SHARED } from '../../postgres/home.ts'
import { migrate } from '../../postgres/migrate.ts'
import { isKnown } from '../../postgres/schema.ts'
import { report } from '../verify/report.ts'
import { readManifest } from './archive.ts'
import type { Trial } from './kept.ts'
import { restoreBackup } from './restore.ts'

export type TrialOptions = {
  /** The backup. */
  folder: string
  /** SECRET_KEY's 32 bytes. */
  key: Buffer
  /** The size of the database, in bytes. */
  size: number
  signal: AbortSignal
  /** By default what the disk has under the throwaway cluster. */
  free?: () => number
}

type Result = Omit<Trial, 'at'>

/** The beginning of the names of throwaway data folders, beside the backups. */
export const TRIAL_PREFIX = '.trial-'

/** A cluster needs as much as the database, and its log while it is filled. */
const ROOM = 2

/**
 * Restores a backup into a cluster of its own, proves its ledger and throws the cluster away. It is left out where the disk
 * has not twice the size of the database.
 * @throws the reason of the signal
 */
export async function tryBackup({
  folder,
  key,
  size,
  signal,
  free = () => leastFree(dirname(folder)),
}: TrialOptions): Promise<Result> {
  if (free() < ROOM * size) {
    return {
      outcome: 'left out',
      sentence: `The backup was not tried, because the disk has not twice the size of the database (${inMb(size)} MB) free.`,
    }
  }
  const said: string[] = []
  try {
    const manifest = readManifest(folder)
    // It was just made of a database on which this version runs, so it is of a newer one.
    if (!isKnown(manifest.schema)) return OF_NEWER_VERSION
    const code = await withCluster(dirname(folder), signal, async (cluster) => {
      const { owner } = cluster
      await restoreBackup({ owner, key, folder, manifest, say: silent, onRestored: silent })
      await migrate({ ...cluster, say: silent })
      return report(cluster.server, (line) => said.push(line))
    })
    return { outcome: code === 0 ? 'sound' : 'unsound', sentence: said.join(' ') }
  } catch (error) {
    signal.throwIfAborted()
    if (!(error instanceof StartFault)) throw error
    return { outcome: 'unsound', sentence: error.message }
  }
}

const OF_NEWER_VERSION: Result = {
  outcome: 'left out',
  sentence:
    'The backup was not tried, because a newer version of Boxtree has changed the tables; that version tries its own.',
}

/** Runs work on a new cluster in a folder of its own, which nobody else can enter, and removes both. */
async function withCluster<T>(
  parent: string,
  signal: AbortSignal,
  work: (cluster: Embedded) => Promise<T>,
): Promise<T> {
  const dataDir = mkdtempSync(join(parent, TRIAL_PREFIX))
  try {
    signal.throwIfAborted()
    const cluster = await startEmbedded({ dataDir, say: silent })
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

/** Removes what a killed trial has left: its cluster is adopted, stopped and thrown away. */
export async function sweepTrial(dataDir: string): Promise<void> {
  try {
    if (readdirSync(dataDir).length > 0)
      await throwAway(await startEmbedded({ dataDir, say: silent }), dataDir)
  } finally {
    await removeFolder(dataDir)
  }
}

async function throwAway(cluster: Embedded, dataDir: string): Promise<void> {
  await cluster.stop()
  // Root's may lie elsewhere, in a folder of its own.
  if (!cluster.files.startsWith(dataDir)) await removeFolder(dirname(cluster.files))
}

/** Returns the free bytes beside the backups, or where root's clusters are, whichever is less. */
function leastFree(folder: string): number {
  const places = process.getuid?.() === 0 ? [folder, dirname(SHARED)] : [folder]
  return Math.min(...places.map((place) => freeSpaceOf(place)()))
}

function inMb(bytes: number): number {
  return Math.ceil(bytes / 2 ** 20)
}

function silent(): void {}

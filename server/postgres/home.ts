import { createHash, randomBytes } from 'node:crypto'
import {
  chmodSync,
  cpSync,
  existsSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs'
import { join } from 'node:path'
import { StartFault } from '../config.ts'
import { type Binaries, MAJOR } from './binaries.ts'
import { makeDataFolder } from './data-folder.ts'
import { codeOf } from './errors.ts'
import { putInPlace, readOwned } from './files.ts'
import { programPath, type RunAs, run } from './run.ts'
import { chooseUsers, isRootsAlone, type Users } from './user.ts'

/** The paths of the server's programs and files, and the user that runs it. */
export interface Home {
  binaries: string
  /** The real path of the cluster's folder. */
  cluster: string
  runAs: RunAs
  /** Whether others may run as the same user, and so read the database. */
  shared: boolean
}

/** The folder for what PostgreSQL's user cannot reach in root's data folder. */
export const SYSTEM_FOLDER = '/var/lib/boxtree'

/**
 * Finds the cluster of a data folder, and makes its folder with `create` when there is none.
 *
 * PostgreSQL refuses to run as root, so root runs it as another user, who must reach its programs and files: when the
 * clone or the data lies in a folder that others may not enter, or that others may change, they are placed under
 * /var/lib/boxtree. What root then does inside the cluster's folder, it does as that user.
 * @throws StartFault when the folder is of another major version, or cannot be reached
 */
export async function findHome(
  dataDir: string,
  found: Binaries,
  create: (home: Home) => Promise<void>,
): Promise<Home> {
  makeDataFolder(dataDir)
  refuseOtherMajors(dataDir)
  const entry = join(dataDir, `postgres-${MAJOR}`)
  const isNew = lstatSync(entry, { throwIfNoEntry: false }) === undefined
  const users = chooseUsers(isNew ? null : statSync(realCluster(entry)).uid)
  const { runAs, shared } = users
  const binaries = await reachableBinaries(found, runAs)
  if (isNew) await createCluster(dataDir, entry, { binaries, users }, create)
  const home = { binaries, cluster: realCluster(entry), runAs, shared }
  refuseOtherVersion(home.cluster)
  await refuseUnreachable(home)
  return home
}

function refuseOtherMajors(dataDir: string): void {
  for (const name of readdirSync(dataDir)) {
    const major = /^postgres-(\d+)$/.exec(name)?.[1]
    if (major !== undefined && Number(major) !== MAJOR) {
      throw new StartFault(isOfOther(join(dataDir, name), major))
    }
  }
}

async function reachableBinaries(found: Binaries, runAs: RunAs): Promise<string> {
  if (runAs === null || (await canUse(found.folder, runAs))) return found.folder
  makeShared()
  const copy = join(SYSTEM_FOLDER, `postgres-${found.version}`)
  if (!existsSync(copy)) copyBinaries(found.folder, copy)
  if (!(await canUse(copy, runAs))) {
    throw new StartFault(
      `The user ${runAs.uid} cannot run PostgreSQL from ${copy}; start Boxtree as a plain user.`,
    )
  }
  return copy
}

async function canUse(binaries: string, runAs: RunAs): Promise<boolean> {
  const bki = join(binaries, 'share/postgresql/postgres.bki')
  const test = 'test -r "$1" && "$2" --version && "$3" --version'
  const programs = [programPath(binaries, 'postgres'), programPath(binaries, 'initdb')]
  return (await run('/bin/sh', ['-c', test, 'sh', bki, ...programs], runAs)).code === 0
}

/** Copies the programs. Of two starts that copy at once, the copy of the first to finish is kept. */
function copyBinaries(from: string, to: string): void {
  const draft = `${to}.${process.pid}`
  rmSync(draft, { recursive: true, force: true })
  cpSync(from, draft, { recursive: true, verbatimSymlinks: true })
  openToAll(draft)
  try {
    putInPlace(draft, to)
  } catch (error) {
    rmSync(draft, { recursive: true, force: true })
    if (!existsSync(to)) throw error
  }
}

/** @throws StartFault where others may write there, as into the state folder of a service of that name */
function makeShared(): void {
  mkdirSync(SYSTEM_FOLDER, { recursive: true, mode: 0o755 })
  if (!isRootsAlone(SYSTEM_FOLDER)) {
    throw new StartFault(
      `${SYSTEM_FOLDER} or a folder above it can be changed by others than root; start Boxtree as a plain user.`,
    )
  }
  // Where the umask has kept others out, now or at an earlier start.
  chmodSync(SYSTEM_FOLDER, (statSync(SYSTEM_FOLDER).mode & 0o777) | 0o011)
}

function openToAll(path: string): void {
  const stat = lstatSync(path)
  if (stat.isSymbolicLink()) return
  if (stat.isDirectory()) {
    chmodSync(path, 0o755)
    for (const name of readdirSync(path)) openToAll(join(path, name))
  } else {
    chmodSync(path, stat.mode & 0o100 ? 0o755 : 0o644)
  }
}

/**
 * Makes the cluster under a temporary name and renames it last, so that an interrupted start leaves none: a dangling
 * link always means lost data. It is made inside a gate, a folder of root's that only the user's group can enter, and
 * its ownership changes once, while no other process can be inside.
 */
async function createCluster(
  dataDir: string,
  entry: string,
  { binaries, users }: { binaries: string; users: Users },
  create: (home: Home) => Promise<void>,
): Promise<void> {
  const { runAs, maker, shared } = users
  await removeUnfinished(dataDir)
  const apart = runAs !== null && !(isRootsAlone(dataDir) && (await canEnter(dataDir, runAs)))
  const gate = apart ? sharedGate(dataDir) : join(dataDir, `.postgres-${MAJOR}.${process.pid}`)
  const cluster = join(gate, `postgres-${MAJOR}`)
  try {
    mkdirSync(gate, { mode: 0o700 })
    mkdirSync(cluster, { mode: 0o700 })
    if (maker) {
      lchownSync(cluster, maker.uid, maker.gid)
      lchownSync(gate, 0, maker.gid)
      chmodSync(gate, 0o710)
    }
    await create({ binaries, cluster, runAs: maker, shared })
    if (runAs && runAs !== maker) handOver(cluster, runAs)
    put(cluster, entry, apart)
  } finally {
    if (!leadsInto(entry, gate)) await removeFolder(gate)
  }
}

/** Changes the owner, inside the gate and after `initdb` ended: no process is left that could swap a file meanwhile. */
function handOver(path: string, to: { uid: number; gid: number }): void {
  const isFolder = lstatSync(path).isDirectory()
  if (isFolder) for (const name of readdirSync(path)) handOver(join(path, name), to)
  lchownSync(path, to.uid, to.gid)
}

async function removeUnfinished(dataDir: string): Promise<void> {
  for (const name of readdirSync(dataDir)) {
    const pid = /^\.postgres-\d+\.(\d+)$/.exec(name)?.[1]
    if (pid !== undefined && !isAlive(Number(pid))) await removeFolder(join(dataDir, name))
  }
}

/**
 * Removes an unfinished cluster, or one that was thrown away. The initdb of a killed start may still be writing there;
 * it fails when its folder is gone. A folder of another user is removed as that user, so that no link in it can mislead
 * root.
 */
export async function removeFolder(folder: string): Promise<void> {
  const inside = lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() ? readdirSync(folder) : []
  for (const path of [folder, ...inside.map((name) => join(folder, name))]) {
    const { uid, gid } = lstatSync(path, { throwIfNoEntry: false }) ?? { uid: 0, gid: 0 }
    if (process.getuid?.() === 0 && uid !== 0)
      await run('/bin/sh', ['-c', 'rm -rf "$1"', 'sh', path], { uid, gid })
  }
  rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
}

function isAlive(pid: number): boolean {
  try {
    return pid !== process.pid && process.kill(pid, 0)
  } catch (error) {
    return codeOf(error) === 'EPERM'
  }
}

async function canEnter(folder: string, runAs: RunAs): Promise<boolean> {
  return (await run('/bin/sh', ['-c', 'cd "$1"', 'sh', folder], runAs)).code === 0
}

function sharedGate(dataDir: string): string {
  makeShared()
  const hash = createHash('sha256').update(realpathSync(dataDir)).digest('hex').slice(0, 16)
  return join(SYSTEM_FOLDER, `${hash}-${randomBytes(4).toString('hex')}`)
}

/** Puts a new cluster in place. Of two first starts at once, the cluster of the first to do so is kept. */
function put(cluster: string, entry: string, apart: boolean): void {
  try {
    if (apart) symlinkSync(cluster, entry)
    else renameSync(cluster, entry)
  } catch (error) {
    if (lstatSync(entry, { throwIfNoEntry: false }) === undefined) throw error
  }
}

function leadsInto(entry: string, folder: string): boolean {
  return existsSync(entry) && realpathSync(entry).startsWith(`${realpathSync(folder)}/`)
}

function realCluster(entry: string): string {
  try {
    return realpathSync(entry)
  } catch {
    throw new StartFault(`${entry} leads to a folder that is not there; put it back, or restore a backup.`)
  }
}

function refuseOtherVersion(cluster: string): void {
  const version = readOwned(join(cluster, 'PG_VERSION'), statSync(cluster).uid)?.trim() ?? ''
  if (version === String(MAJOR)) return
  throw new StartFault(
    version === ''
      ? `${cluster} is not a whole database; restore a backup, or move it away.`
      : isOfOther(cluster, version),
  )
}

function isOfOther(cluster: string, version: string): string {
  return `${cluster} is a database of PostgreSQL ${version}, and this program opens ${MAJOR}: move your data over by backup and restore, or run the program that made it.`
}

/** PostgreSQL runs only as the owner of its folder, so the user is read from the folder. */
async function refuseUnreachable(home: Home): Promise<void> {
  const owner = statSync(home.cluster).uid
  const uid = home.runAs?.uid ?? process.getuid?.() ?? owner
  if (owner !== uid) {
    throw new StartFault(
      `${home.cluster} belongs to the user ${owner}, and PostgreSQL would run as ${uid}; start Boxtree as the user who made it.`,
    )
  }
  if (home.runAs && !(await canEnter(home.cluster, home.runAs))) {
    throw new StartFault(
      `The user ${home.runAs.uid}, whom PostgreSQL runs as, cannot enter ${home.cluster}; let others pass through the folders above it (chmod o+x).`,
    )
  }
}

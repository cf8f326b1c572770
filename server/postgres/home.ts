import { createHash, randomBytes } from 'node:crypto'
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { StartFault } from '../config.ts'
import { type Binaries, MAJOR } from './binaries.ts'
import { makeDataFolder } from './data-folder.ts'
import { programPath, type RunAs, run } from './run.ts'

/** Where the server's programs and files are, and who runs it. */
export interface Home {
  binaries: string
  /** The real path of the cluster's folder. */
  cluster: string
  runAs: RunAs
}

/** Where root keeps what the user that PostgreSQL runs as cannot reach in the data folder. */
const SHARED = '/var/lib/boxtree'

/**
 * Finds the cluster of a data folder, and makes its folder with `create` when there is none.
 *
 * PostgreSQL refuses to run as root, so root runs it as `nobody`, who must reach its programs and files: when the
 * clone or the data lies in a folder that nobody else may enter, they are placed under /var/lib/boxtree.
 * @throws StartFault when the folder is of another major version, or cannot be reached
 */
export async function findHome(
  dataDir: string,
  found: Binaries,
  create: (home: Home) => Promise<void>,
): Promise<Home> {
  makeDataFolder(dataDir)
  refuseOtherMajors(dataDir)
  const runAs = findUser()
  const binaries = await reachableBinaries(found, runAs)
  const entry = join(dataDir, `postgres-${MAJOR}`)
  if (lstatSync(entry, { throwIfNoEntry: false }) === undefined) {
    await createCluster(dataDir, entry, { binaries, runAs }, create)
  }
  const home = { binaries, cluster: realCluster(entry), runAs }
  refuseOtherVersion(home.cluster)
  await refuseUnreachable(home)
  return home
}

function refuseOtherMajors(dataDir: string): void {
  for (const name of readdirSync(dataDir)) {
    const major = /^postgres-(\d+)$/.exec(name)?.[1]
    if (major !== undefined && Number(major) !== MAJOR) {
      throw new StartFault(
        `${join(dataDir, name)} is a database of PostgreSQL ${major}, and this program opens ${MAJOR}: move your data over by backup and restore, or run the program that made it.`,
      )
    }
  }
}

function findUser(): RunAs {
  if (process.getuid?.() !== 0) return null
  const line = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find((entry) => entry.startsWith('nobody:'))
  const [, , uid, gid] = line?.split(':') ?? []
  if (!uid || !gid) {
    throw new StartFault(
      "PostgreSQL does not run as root and there is no user 'nobody' here; start Boxtree as a plain user.",
    )
  }
  return { uid: Number(uid), gid: Number(gid) }
}

async function reachableBinaries(found: Binaries, runAs: RunAs): Promise<string> {
  if (runAs === null || (await canUse(found.folder, runAs))) return found.folder
  const copy = join(SHARED, `postgres-${found.version}`)
  if (!existsSync(copy)) copyBinaries(found.folder, copy)
  if (!(await canUse(copy, runAs))) {
    throw new StartFault(
      `The user 'nobody' cannot run PostgreSQL from ${copy}; start Boxtree as a plain user.`,
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

/** Of two starts that copy at once, the first to finish counts. */
function copyBinaries(from: string, to: string): void {
  const draft = `${to}.${process.pid}`
  mkdirSync(SHARED, { recursive: true, mode: 0o755 })
  rmSync(draft, { recursive: true, force: true })
  cpSync(from, draft, { recursive: true, verbatimSymlinks: true })
  openToAll(draft)
  try {
    renameSync(draft, to)
  } catch (error) {
    rmSync(draft, { recursive: true, force: true })
    if (!existsSync(to)) throw error
  }
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
 * Makes the cluster beside its place and renames it, so that whatever stops the making leaves no half of one. Under
 * /var/lib/boxtree the folder has a random name and the link to it comes last: a link that leads nowhere therefore
 * means lost data, never an unfinished start.
 */
async function createCluster(
  dataDir: string,
  entry: string,
  place: Omit<Home, 'cluster'>,
  create: (home: Home) => Promise<void>,
): Promise<void> {
  removeUnfinished(dataDir)
  const apart = place.runAs !== null && !(await canEnter(dataDir, place.runAs))
  const draft = join(apart ? makeSharedFolder(dataDir) : dataDir, `.postgres-${MAJOR}.${process.pid}`)
  try {
    mkdirSync(draft, { mode: 0o700 })
    if (place.runAs) chownSync(draft, place.runAs.uid, place.runAs.gid)
    await create({ ...place, cluster: draft })
    put(draft, entry, apart)
  } finally {
    rmSync(apart ? unlessLinked(dirname(draft), entry) : draft, { recursive: true, force: true })
  }
}

function removeUnfinished(dataDir: string): void {
  for (const name of readdirSync(dataDir)) {
    const pid = /^\.postgres-\d+\.(\d+)$/.exec(name)?.[1]
    if (pid !== undefined && !isAlive(Number(pid))) remove(join(dataDir, name))
  }
}

/** The initdb of a start that was killed may still be writing there; it gives up when its folder is gone. */
function remove(folder: string): void {
  rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
}

function isAlive(pid: number): boolean {
  try {
    return pid !== process.pid && process.kill(pid, 0)
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

async function canEnter(folder: string, runAs: RunAs): Promise<boolean> {
  return (await run('/bin/sh', ['-c', 'cd "$1"', 'sh', folder], runAs)).code === 0
}

function makeSharedFolder(dataDir: string): string {
  const hash = createHash('sha256').update(realpathSync(dataDir)).digest('hex').slice(0, 16)
  const folder = join(SHARED, `${hash}-${randomBytes(4).toString('hex')}`)
  mkdirSync(folder, { recursive: true, mode: 0o711 })
  return folder
}

/** Of two first starts at once, the first to put its cluster counts. */
function put(draft: string, entry: string, apart: boolean): void {
  try {
    if (apart) {
      const cluster = join(dirname(draft), `postgres-${MAJOR}`)
      renameSync(draft, cluster)
      symlinkSync(cluster, entry)
    } else {
      renameSync(draft, entry)
    }
  } catch (error) {
    if (lstatSync(entry, { throwIfNoEntry: false }) === undefined) throw error
  }
}

/** The shared folder stays when the data folder leads to it; otherwise only its draft is named, which is gone. */
function unlessLinked(folder: string, entry: string): string {
  const linked = existsSync(entry) && realpathSync(entry).startsWith(`${realpathSync(folder)}/`)
  return linked ? join(folder, `.postgres-${MAJOR}.${process.pid}`) : folder
}

function realCluster(entry: string): string {
  try {
    return realpathSync(entry)
  } catch {
    throw new StartFault(`${entry} leads to a folder that is not there; put it back, or restore a backup.`)
  }
}

function refuseOtherVersion(cluster: string): void {
  const file = join(cluster, 'PG_VERSION')
  const version = existsSync(file) ? readFileSync(file, 'utf8').trim() : ''
  if (version === String(MAJOR)) return
  throw new StartFault(
    version === ''
      ? `${cluster} is not a whole database; restore a backup, or move it away.`
      : `${cluster} is a database of PostgreSQL ${version}, and this program opens ${MAJOR}: move your data over by backup and restore, or run the program that made it.`,
  )
}

/** PostgreSQL runs only as the owner of its folder; so the folder says who that must be. */
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
      `The user 'nobody', whom PostgreSQL runs as, cannot enter ${home.cluster}; let others pass through the folders above it (chmod o+x).`,
    )
  }
}

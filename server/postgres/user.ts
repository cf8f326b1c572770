import { lstatSync, readFileSync, realpathSync } from 'node:fs'
import { dirname } from 'node:path'
import { StartFault } from '../config.ts'
import type { RunAs } from './run.ts'

/** The users that run PostgreSQL and create its folder. Both are null unless the console runs as root. */
export type Users = {
  runAs: RunAs
  /** The user that runs `initdb`, which unlike the server requires a user with a name. */
  maker: RunAs
  /** Whether other programs may run as the same user, and so read the database. */
  shared: boolean
}

/** A uid that no account has: the usual ranges of Linux systems leave out 60,706 to 61,183. */
const OWN = 61_000

/**
 * Chooses the user that runs PostgreSQL when the console runs as root, because PostgreSQL refuses to run as root. For
 * an existing folder this is its owner. For a new one it is the account `boxtree`, if an operator has made that, else a
 * uid that no account has, else `nobody`.
 * @throws StartFault if there is no such user
 */
export function chooseUsers(owner: number | null): Users {
  if (process.getuid?.() !== 0) return { runAs: null, maker: null, shared: false }
  const accounts = readAccounts()
  const choices: Users[] = []
  const boxtree = accounts.get('boxtree')
  if (boxtree && boxtree.uid !== 0) choices.push({ runAs: boxtree, maker: boxtree, shared: false })
  const nobody = accounts.get('nobody')
  if (nobody && isFree(OWN, accounts)) {
    // No process has this group, so no other process of nobody can enter the folder.
    const maker = { uid: nobody.uid, gid: OWN }
    choices.push({ runAs: { uid: OWN, gid: OWN }, maker, shared: false })
  }
  if (nobody) choices.push({ runAs: nobody, maker: nobody, shared: true })
  const chosen = owner === null ? choices[0] : choices.find(({ runAs }) => runAs?.uid === owner)
  if (chosen) return chosen
  throw new StartFault(
    owner === null
      ? "PostgreSQL does not run as root and there is no user 'boxtree' or 'nobody' here; start Boxtree as a plain user."
      : `The database belongs to the user ${owner}; start Boxtree as that user.`,
  )
}

type Account = { uid: number; gid: number }

function readAccounts(): Map<string, Account> {
  const lines = readFileSync('/etc/passwd', 'utf8').split('\n')
  return new Map(
    lines.flatMap((line) => {
      const [name, , uid, gid] = line.split(':')
      return name && uid && gid ? [[name, { uid: idOf(uid), gid: idOf(gid) }] as const] : []
    }),
  )
}

/** Returns the id of a user or a group. macOS writes that of nobody as -2. */
function idOf(text: string): number {
  return Number(text) >>> 0
}

/** Whether no account has the uid, and the system can use it: a container may map only some uids. */
function isFree(uid: number, accounts: Map<string, Account>): boolean {
  for (const account of accounts.values()) if (account.uid === uid || account.gid === uid) return false
  return ['uid_map', 'gid_map'].every((map) =>
    (readIfThere(`/proc/self/${map}`) ?? '').split('\n').some((line) => {
      const [first = Number.NaN, , count = 0] = line.trim().split(/\s+/).map(Number)
      return uid >= first && uid < first + count
    }),
  )
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}

/** Whether only root can replace the folder or any folder above it. */
export function isRootsAlone(folder: string): boolean {
  for (let at = realpathSync(folder); ; at = dirname(at)) {
    const { uid, mode } = lstatSync(at)
    // In a sticky folder such as /tmp users cannot move each other's files.
    if (uid !== 0 || (mode & 0o022 && !(mode & 0o1000))) return false
    if (at === dirname(at)) return true
  }
}

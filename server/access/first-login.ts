import { randomInt } from 'node:crypto'
import { existsSync, rmSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from '../config.ts'
import { makeDataFolder } from '../postgres/data-folder.ts'
import { OWN_UID, putInPlace, readOwned, writeDurably } from '../postgres/files.ts'
import type { Sql } from '../postgres/pool.ts'
import { createFirstAdmin, hasAdmin } from './admin.ts'

/**
 * Creates the admin at the very first start. A password that is made here is in a file until somebody was told of it,
 * so that a start that fails later does not lose it.
 * @returns a function that returns the line to print at the end of the start, or null; `onTerminal` says whether the
 * line may hold the password
 */
export async function makeFirstLogin(
  sql: Sql,
  config: Config,
): Promise<(onTerminal: boolean) => Promise<Telling | null>> {
  const { adminLogin, adminPassword } = config
  if (adminPassword === null) {
    await keepFirstLogin(sql, config)
    return (onTerminal) => lineOfFirstLogin(sql, config, onTerminal)
  }
  const made = await createFirstAdmin(sql, adminLogin, adminPassword)
  const line = `First login: ${adminLogin}, with the ADMIN_PASSWORD that you gave`
  return async () => (made ? { line } : null)
}

/** A line to print, and what to do once it is printed, if anything. */
type Telling = { line: string; done?: () => Promise<void> }

const LETTERS = 'abcdefghjkmnpqrstuvwxyz23456789'

/** Returns four groups of four from 31 letters that cannot be mistaken for one another: 79 bits. */
export function generatePassword(): string {
  const group = () => Array.from({ length: 4 }, () => LETTERS[randomInt(LETTERS.length)]).join('')
  return Array.from({ length: 4 }, group).join('-')
}

/** Writes the password to the disk before the admin to the database, so that a kill in between loses neither. */
async function keepFirstLogin(sql: Sql, config: Config): Promise<void> {
  const file = firstLoginFile(config)
  const draft = `${file}.draft`
  const interrupted = readLogin(draft)
  // The draft is for the first start alone: later ones need no room on the disk.
  if (!interrupted && (await hasAdmin(sql))) return
  const { login, password } = interrupted ?? writeDraft(draft, config)
  const made = await createFirstAdmin(sql, login, password)
  if (made || interrupted) putInPlace(draft, file)
  else rmSync(draft)
}

type Login = { login: string; password: string }

/** Returns the login that a start left in a file; null where another user owns it, who then knows the password. */
function readLogin(file: string): Login | null {
  const [, login, password] = /^login: (.+)\npassword: (.+)\n$/.exec(readOwned(file, OWN_UID) ?? '') ?? []
  return login && password ? { login, password } : null
}

function writeDraft(draft: string, { dataDir, adminLogin: login }: Config): Login {
  const password = generatePassword()
  makeDataFolder(dataDir)
  rmSync(draft, { force: true })
  writeDurably(draft, `login: ${login}\npassword: ${password}\n`)
  return { login, password }
}

/**
 * Returns what to say of the first login; null where there is nothing to say. Where the admin has signed in already, a
 * file that is still here is removed: that sign-in was at another server. Lines that are printed end up in a log, but
 * not those on a terminal: only there the password itself is said, and the file is removed afterwards.
 */
async function lineOfFirstLogin(sql: Sql, config: Config, onTerminal: boolean): Promise<Telling | null> {
  const file = firstLoginFile(config)
  if (!existsSync(file)) return null
  const [signedIn] = await sql`
    select from sign_in s join account a on a.id = s.account
    where a.role = 'admin' and s.outcome = 'succeeded' limit 1`
  if (signedIn) {
    await forgetFirstLogin(config)
    return null
  }
  const login = onTerminal ? readLogin(file) : null
  if (!login) return { line: `First login: in ${file}` }
  const line = `First login: ${login.login}, password ${login.password}`
  return { line, done: () => forgetFirstLogin(config) }
}

/** Removes the file with the first login, whose password is somebody's own now, or no longer valid. */
export async function forgetFirstLogin(config: Pick<Config, 'dataDir'>): Promise<void> {
  await rm(firstLoginFile(config), { force: true })
}

function firstLoginFile(config: Pick<Config, 'dataDir'>): string {
  return join(config.dataDir, 'first-login')
}

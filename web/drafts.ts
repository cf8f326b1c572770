/**
 * What was typed into a form and not sent, as this tab keeps it for the account that typed it: over a reload, a way back
 * and the end of a session, until it is sent, discarded or signed out of. No password is ever given to it.
 */

export type Draft = object

export function draftOf(by: string, form: string): Draft | null {
  return readAll()[by]?.[form] ?? null
}

/** Keeps what is typed; nothing typed is no draft. False where this browser keeps nothing. */
export function keepDraft(by: string, form: string, draft: Draft | null): boolean {
  const { [by]: { [form]: _, ...others } = {}, ...all } = readAll()
  const mine = draft ? { ...others, [form]: draft } : others
  return write(Object.keys(mine).length > 0 ? { ...all, [by]: mine } : all)
}

/** The form of a client that there is. */
export function clientForm(login: string): string {
  return `client ${login.toLowerCase()}`
}

export const NEW_CLIENT = 'new client'

export function hasDrafts(by: string): boolean {
  return readAll()[by] !== undefined
}

/** Whoever signs out leaves nothing behind, of nobody. */
export function dropDrafts(): void {
  write({})
}

const KEY = 'drafts'

type Kept = Record<string, Record<string, Draft>>

function readAll(): Kept {
  try {
    return JSON.parse(sessionStorage.getItem(KEY) ?? '{}') as Kept
  } catch {
    return {}
  }
}

function write(all: Kept): boolean {
  try {
    if (Object.keys(all).length > 0) sessionStorage.setItem(KEY, JSON.stringify(all))
    else sessionStorage.removeItem(KEY)
    return true
  } catch {
    return false
  }
}

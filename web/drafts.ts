/**
 * Drafts are what a person typed into a form and has not sent. This tab keeps them for each account, over a reload,
 * Back and the end of a session, until the form is sent or discarded or the person signs out. Drafts contain no
 * passwords.
 */

export type Draft = object

export function draftOf<D extends Draft>(by: string, form: string): D | null {
  return (readAll()[by]?.[form] as D | undefined) ?? null
}

/** Stores a draft, or removes it when it is null. Returns false where the browser stores nothing. */
export function keepDraft(by: string, form: string, draft: Draft | null): boolean {
  const { [by]: { [form]: _, ...others } = {}, ...all } = readAll()
  const mine = draft ? { ...others, [form]: draft } : others
  return write(Object.keys(mine).length > 0 ? { ...all, [by]: mine } : all)
}

/**
 * Calls a listener with the name of each form whose draft was sent and answered: a form that was opened again before
 * the answer has restored it. Returns how to end that.
 */
export function onDraftSent(listener: (form: string) => unknown): () => void {
  sentListeners.add(listener)
  return () => sentListeners.delete(listener)
}

const sentListeners = new Set<(form: string) => unknown>()

function tellSent(form: string) {
  for (const listener of sentListeners) listener(form)
}

/**
 * Drops from a client's draft what a call has sent. What was typed since, or not sent, stays; the MAC of a client that
 * became one of Ministra is dropped, though it is never sent.
 */
export function dropSent(by: string, form: string, input: object): void {
  const draft = draftOf<{ typed?: object }>(by, form)
  const sent = new Map<string, unknown>(Object.entries(input))
  const isOver = ([field, value]: [string, unknown]) =>
    sent.has(field) ? sent.get(field) === value : field === 'stb_mac' && sent.get('ministra') === true
  const left = Object.entries(draft?.typed ?? {}).filter((entry) => !isOver(entry))
  keepDraft(by, form, left.length > 0 ? { ...draft, typed: Object.fromEntries(left) } : null)
  tellSent(form)
}

/** Removes a draft once it was sent, unless something else was typed into the form since. */
export function dropSentDraft(by: string, form: string, sent: Draft | null): void {
  if (JSON.stringify(draftOf(by, form)) !== JSON.stringify(sent)) return
  keepDraft(by, form, null)
  tellSent(form)
}

/** The names of the forms that ask the parent for credits, and that write the message to everybody. */
export const CREDIT_REQUEST = 'credit request'
export const MESSAGE = 'message'

/** Returns the name of the form that edits a client. */
export function clientForm(login: string): string {
  return `client ${login.toLowerCase()}`
}

/** Removes what was typed about clients that are no more. */
export function dropDraftsOf(by: string, logins: readonly string[]): void {
  for (const login of logins) keepDraft(by, clientForm(login), null)
}

export const NEW_CLIENT = 'new client'

/** Returns the titles of the screens on which an account has drafts. */
export function titlesOfDrafts(by: string): string[] {
  return Object.keys(readAll()[by] ?? {}).map(
    (form) => TITLES[form] ?? `Update Client: ${form.slice(clientForm('').length)}`,
  )
}

const TITLES: Record<string, string> = {
  [NEW_CLIENT]: 'New Client',
  [CREDIT_REQUEST]: 'Credit Requests',
  [MESSAGE]: 'Update Message',
}

/** Returns whether another tab has drafts; false where the browser cannot tell, as without HTTPS. */
export async function otherTabHasDrafts(): Promise<boolean> {
  try {
    const { held = [] } = await navigator.locks.query()
    // This tab may hold one for another account, whose session ended here.
    const ours = letGo === null ? 0 : 1
    return held.filter(({ name }) => name === LOCK).length > ours
  } catch {
    return false
  }
}

/** The name of a lock that each tab with drafts holds, so that the others know. A tab that is closed holds none. */
const LOCK = 'drafts'

let letGo: (() => void) | null = null

function tellOtherTabs(some: boolean) {
  if (some === (letGo !== null)) return
  letGo?.()
  letGo = null
  if (some) hold()
}

function hold() {
  const held = new Promise<void>((resolve) => {
    letGo = resolve
  })
  // The back/forward cache ends it.
  navigator.locks?.request(LOCK, { mode: 'shared' }, () => held).catch(() => {})
}

/** Holds the lock for the drafts that a reload has left, and again in a page from the back/forward cache. Called once. */
export function watchDrafts(): void {
  tellOtherTabs(Object.keys(readAll()).length > 0)
  window.addEventListener('pageshow', ({ persisted }) => {
    if (!persisted || letGo === null) return
    letGo()
    hold()
  })
}

/** Removes the drafts of every account, as signing out does. */
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
  const some = Object.keys(all).length > 0
  tellOtherTabs(some)
  try {
    if (some) sessionStorage.setItem(KEY, JSON.stringify(all))
    else sessionStorage.removeItem(KEY)
    return true
  } catch {
    return false
  }
}

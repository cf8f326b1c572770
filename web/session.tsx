import { createContext, type ReactNode, use } from 'react'
import type { User } from '../contract/calls/session.ts'
import { calls, type OutputOf } from '../contract/calls.ts'
import { ROLES, type Role } from '../contract/roles.ts'
import { send, setTokenSource } from './calls/api.ts'
import { forgetInputs } from './calls/unanswered.ts'
import { now } from './clock.ts'
import { dropDrafts } from './drafts.ts'
import { storeOf } from './parts/store.ts'
import { forgetPreferences, learnPreferences } from './preferences.ts'
import { keepSettings } from './settings.ts'
import { forgetVisits } from './visits.ts'
import { setZone } from './zone.ts'

export interface Session {
  token: string
  /** The account's name, which is also its username. */
  name: string
  role: Role
  expiry: string
  /** The business's time zone, in which every date is shown. */
  timeZone: string
  /** True from a login until the next reload, for the broadcast message. */
  justSignedIn: boolean
}

/** 'out' with `expired` means that the session ended by itself, and not by signing out. */
type SessionState =
  | { status: 'loading' }
  | { status: 'in'; session: Session }
  | { status: 'out'; expired: boolean }

/** Returns the session; only for components inside the shell. */
export function useSession(): Session {
  const session = use(SessionContext)
  if (!session) throw new Error('useSession is for what stands inside the shell')
  return session
}

/** Returns the name of the account that is signed in here; null without one. */
export function signedInAs(): string | null {
  const current = state.get()
  return current.status === 'in' ? current.session.name : null
}

export function useSessionState(): SessionState {
  return state.use()
}

export function ProvideSession({ session, children }: { session: Session; children: ReactNode }) {
  return <SessionContext value={session}>{children}</SessionContext>
}

const SessionContext = createContext<Session | null>(null)

/** Returns whether the browser lets this page store a session, or has one. Its storage may be blocked, or full. */
export function canStore(): boolean {
  try {
    if (localStorage.getItem('token') === null) {
      localStorage.setItem(ROOM, ROOM.repeat(100))
      localStorage.removeItem(ROOM)
    }
    return sessionStorage !== null
  } catch {
    return false
  }
}

const ROOM = 'room for a session'

/** Begins to restore the session that this browser stores. Returns it unless it is missing or expired. */
export function restore(): Session | null {
  const kept = readKept()
  if (kept) confirmKept(kept)
  else {
    if (isSignedOut()) forgetTyped()
    endSession({ expired: localStorage.getItem('token') !== null, comeBack: true })
  }
  return kept
}

/** Asks who is signed in until the server answers. Where it does not at once, the stored session is used meanwhile. */
async function confirmKept(kept: Session): Promise<void> {
  token = kept.token
  while (token === kept.token) {
    try {
      const user = await send(calls.session.user, {})
      if (token !== kept.token) return
      keepSettings(user.settings, signedInAs() === user.name)
      return beginSession(kept.token, user, false)
    } catch {
      // A 401 has already ended the session.
      if (token !== kept.token) return
      if (state.get().status === 'loading') setState({ status: 'in', session: kept })
      await new Promise((next) => setTimeout(next, ASKED_EVERY_MS))
    }
  }
}

/** The pause between two attempts to hear who is signed in. */
const ASKED_EVERY_MS = 3_000

/**
 * Opens a session, unless another tab has opened one meanwhile, which this tab then follows.
 * @throws NotStored where the browser does not store the session, of which nothing is left then
 */
export function openSession(answer: OutputOf<typeof calls.session.login>): void {
  try {
    if (isOvertaken(answer)) return
    token = answer.token
    keepSettings(answer.settings)
    beginSession(answer.token, answer, true)
  } catch {
    endOnServer(answer.token)
    token = null
    try {
      for (const key of KEYS) localStorage.removeItem(key)
    } catch {
      // Where it is blocked, nothing of it can be read either.
    }
    throw new NotStored()
  }
}

/** The browser's storage is full, or was blocked since the page was loaded. */
export class NotStored extends Error {
  constructor() {
    super(
      'This browser could not store your session. Please allow site data for this address, or delete it in the settings of the browser if its storage is full, and sign in again.',
    )
  }
}

/**
 * Replaces the session by a new one of the same account, without changing the screen, unless another tab has signed out
 * meanwhile, or in.
 * @throws NotStored where the browser does not store it; the session before goes on then
 */
export function replaceSession(answer: OutputOf<typeof calls.session.login>): void {
  const before = token
  try {
    if (isOvertaken(answer)) return
    beginSession(answer.token, answer, true)
    replaced = before
  } catch {
    endOnServer(answer.token)
    token = before
    throw new NotStored()
  }
}

/** Whether another tab has changed the session, of which this one has yet to hear: then it follows, and signs nobody in. */
function isOvertaken(answer: OutputOf<typeof calls.session.login>): boolean {
  // What is left of a session that has expired is nobody's.
  if (localStorage.getItem('token') === token || (token === null && readKept() === null)) return false
  endOnServer(answer.token)
  followStored()
  return true
}

/** Ends a session on the server if that can be reached, whichever is used here. */
export function endOnServer(token: string | null): void {
  send(calls.session.logout, {}, { token }).catch(() => {})
}

/** Ends the session here at once, and on the server if it can be reached. */
export function signOut(): void {
  endOnServer(token)
  try {
    // First, because the other tabs ask for it once they hear that the session is gone.
    localStorage.setItem(SIGNED_OUT, 'true')
  } catch {
    // There will be room for it.
  }
  endSession({ expired: false, comeBack: false })
  localStorage.setItem(SIGNED_OUT, 'true')
}

function endIfExpired(): void {
  const current = state.get()
  if (current.status === 'in' && isPast(current.session.expiry)) endOver()
}

/** Returns the username of the session that ended by itself, for the login page to fill in. */
export function lastUsername(): string {
  return sessionStorage.getItem(LAST) ?? ''
}

/** Returns the screen to open after a login: the one that the same person was on when the session ended. */
export function takeReturnPath(name: string): string {
  const kept = sessionStorage.getItem(RETURN_TO)
  sessionStorage.removeItem(RETURN_TO)
  const place = kept === null ? null : (JSON.parse(kept) as { name: string | null; path: string })
  return place && (place.name === null || place.name === name) ? place.path : '/'
}

/** Follows the session of the other tabs, and ends it when it expires. Called once. */
export function watchSession(): void {
  window.addEventListener('storage', follow)
  // A page from the back/forward cache has heard nothing of the other tabs.
  window.addEventListener('pageshow', ({ persisted }) => {
    if (persisted) followStored()
  })
  setInterval(endIfExpired, 30_000)
  // Browsers suspend timers in background tabs and on sleeping machines.
  document.addEventListener('visibilitychange', endIfExpired)
}

/** A key in the local storage: what is shown without a connection. It goes with the session. */
export const OFFLINE = 'offline'

const RETURN_TO = 'place'
const LAST = 'last'
/** A key in the local storage that tells the other tabs that the session ended by signing out. */
const SIGNED_OUT = 'signed_out'
/** The keys of the session in the local storage, in the order in which `readKept` takes them. */
const KEYS = ['token', 'role', 'expiry', 'name', 'time_zone']

const state = storeOf<SessionState>({ status: 'loading' })
let token: string | null = null
/** The token of the session that was replaced in place. Its calls and those of other tabs may still be under way. */
let replaced: string | null = null

setTokenSource({
  token: () => token,
  ended: (refused) => {
    if (refused === token) endOver()
  },
})

function setState(next: SessionState) {
  if (next.status === 'in') setZone(next.session.timeZone)
  state.set(next)
}

function beginSession(newToken: string, user: User, justSignedIn: boolean) {
  token = newToken
  if (localStorage.getItem('name') !== user.name) localStorage.removeItem(OFFLINE)
  localStorage.setItem('role', user.role)
  localStorage.setItem('expiry', user.expiry)
  localStorage.setItem('name', user.name)
  localStorage.setItem('time_zone', user.time_zone)
  // Last, because the other tabs follow once they hear of it.
  localStorage.setItem('token', newToken)
  localStorage.removeItem(SIGNED_OUT)
  // Not before all of it is stored: those of a session that could not be would be the next one's.
  learnPreferences(user.preferences)
  const { name, role, expiry, time_zone: timeZone } = user
  setState({ status: 'in', session: { token: newToken, name, role, expiry, timeZone, justSignedIn } })
}

/** Ends a session that is over, unless another tab has begun one since, which is followed. */
function endOver() {
  const kept = readKept()
  if (kept && kept.token !== token) followStored()
  else endSession({ expired: true, comeBack: true })
}

/** Ends the session in this tab. With `comeBack`, the next login opens the same screen, and drafts are kept. */
function endSession({ expired, comeBack }: { expired: boolean; comeBack: boolean }) {
  // Another tab that ended the session before has removed it from the local storage.
  const name = signedInAs() ?? localStorage.getItem('name')
  if (comeBack) rememberPath(name)
  else {
    sessionStorage.removeItem(RETURN_TO)
    forgetTyped()
    if (replaced) endOnServer(replaced)
    replaced = null
  }
  if (expired) keep(LAST, name ?? '')
  else if (!comeBack) sessionStorage.removeItem(LAST)
  window.history.replaceState(null, '', '/login')
  token = null
  forgetPreferences()
  forgetVisits()
  for (const key of [...KEYS, OFFLINE]) localStorage.removeItem(key)
  setState({ status: 'out', expired })
}

/** Forgets what was typed, also into forms whose submit has no answer. */
function forgetTyped() {
  dropDrafts()
  forgetInputs()
}

/** `name` is the account of the session, or null without one. */
function rememberPath(name: string | null) {
  const { pathname, search } = window.location
  if (pathname === '/login') return
  // Who asks for the dashboard is led there, and not to what an earlier session has left.
  if (pathname === '/') sessionStorage.removeItem(RETURN_TO)
  else keep(RETURN_TO, JSON.stringify({ name, path: pathname + search }))
}

/** Keeps a text for the next login; where this tab's storage is full, that begins at the dashboard. */
function keep(key: string, text: string) {
  try {
    sessionStorage.setItem(key, text)
  } catch {
    sessionStorage.removeItem(key)
  }
}

/** Follows another tab that signed out, signed in again, or signed in with another account. */
function follow({ key }: StorageEvent) {
  if (key !== 'token' && key !== null) return
  // The other tab writes several keys; by then all of them are written.
  setTimeout(followStored, 50)
}

/** Takes on the session that the browser stores now. */
function followStored() {
  const kept = readKept()
  if (!kept) {
    if (token !== null) endSession({ expired: !isSignedOut(), comeBack: !isSignedOut() })
    return
  }
  if (kept.token === token) return
  const name = signedInAs()
  if (name !== null && name !== kept.name) {
    forgetInputs()
    return window.location.assign('/')
  }
  confirmKept(kept)
  setState({ status: 'in', session: kept })
}

function isSignedOut(): boolean {
  return localStorage.getItem(SIGNED_OUT) !== null
}

/** Returns the session that the browser stores; null without one, and where it has expired. */
function readKept(): Session | null {
  const [keptToken, role, expiry, name, timeZone] = KEYS.map((key) => localStorage.getItem(key))
  const known = ROLES.find((one) => one === role)
  if (!keptToken || !known || !expiry || isPast(expiry)) return null
  return {
    token: keptToken,
    name: name ?? '',
    role: known,
    expiry,
    timeZone: timeZone ?? 'UTC',
    justSignedIn: false,
  }
}

function isPast(expiry: string): boolean {
  // An invalid date counts as past as well.
  return !(Date.parse(expiry) > now().getTime())
}

import { createContext, type ReactNode, use, useSyncExternalStore } from 'react'
import { DEFAULT_SETTINGS, Settings } from '../contract/appearance.ts'
import { calls, type OutputOf, type User } from '../contract/calls.ts'
import { ROLES, type Role } from '../contract/roles.ts'
import { keepSession, send } from './api.ts'
import { now } from './clock.ts'
import { dropDrafts } from './drafts.ts'
import { setZone } from './zone.ts'

/** Who is signed in. */
export interface Session {
  token: string
  /** The account's name, which is also its login. */
  name: string
  role: Role
  /** When the session ends. */
  expiry: string
  /** The business's zone, in which every moment is shown. */
  timeZone: string
  /** True from a login until the next reload: the time to show the broadcast message. */
  justSignedIn: boolean
}

/** 'in' has a session; 'out' says why there is none, where it is not by choice. */
export type SessionState =
  | { status: 'loading' }
  | { status: 'in'; session: Session }
  | { status: 'out'; expired: boolean }

/** The session of whoever looks at a page inside the shell. */
export function useSession(): Session {
  const session = use(SessionContext)
  if (!session) throw new Error('useSession is for what stands inside the shell')
  return session
}

export function useSessionState(): SessionState {
  return useSyncExternalStore(subscribe, () => state)
}

/** How the console looks; it stays after a logout, for the login page. */
export function useSettings(): Settings {
  return useSyncExternalStore(subscribe, () => settings)
}

export function ProvideSession({ session, children }: { session: Session; children: ReactNode }) {
  return <SessionContext value={session}>{children}</SessionContext>
}

const SessionContext = createContext<Session | null>(null)

/** Whether the console looks otherwise than was last saved. */
export function useUnsavedSettings(): boolean {
  return useSyncExternalStore(subscribe, () => settings !== kept)
}

/** Shows other settings, on this page only; `keepSettings` is for those that the server has taken. */
export function showSettings(next: Settings): void {
  settings = isSameLook(next, kept) ? kept : next
  tell()
}

export function keepSettings(next: Settings): void {
  write('settings', JSON.stringify(next))
  followSettings(next)
}

/** Shows again what was last saved. */
export function discardSettings(): void {
  showSettings(kept)
}

function followSettings(next: Settings): void {
  kept = next
  showSettings(next)
}

function isSameLook(one: Settings, other: Settings): boolean {
  return one.mode === other.mode && one.layout === other.layout && one.preset === other.preset
}

/** Begins to bring back the session that this browser keeps, if it still lasts; answers it where there is one. */
export function restore(): Session | null {
  const kept = readKept()
  if (kept) confirmKept(kept)
  else {
    if (isSignedOut()) dropDrafts()
    leave({ expired: localStorage.getItem('token') !== null, comeBack: true })
  }
  return kept?.session ?? null
}

async function confirmKept(kept: { token: string; session: Session }): Promise<void> {
  become({ status: 'loading' })
  token = kept.token
  try {
    const user = await send(calls.session.user, {})
    keepSettings(user.settings)
    begin(kept.token, user, false)
  } catch {
    // A 401 has ended it already. Where nobody answered, what is kept goes on until somebody does.
    if (token === kept.token) become({ status: 'in', session: kept.session })
  }
}

/** Begins the session of a login. */
export function signIn(answer: OutputOf<typeof calls.session.login>): void {
  keepSettings(answer.settings)
  begin(answer.token, answer, true)
}

/** Begins the next hour of the same person in place: nothing on the screen changes. */
export function signInAgain(answer: OutputOf<typeof calls.session.login>): void {
  begin(answer.token, answer, false)
}

/** Ends the session here and on the server, which need not answer. */
export function signOut(): void {
  send(calls.session.logout, {}).catch(() => {})
  write(SIGNED_OUT, 'true')
  leave({ expired: false, comeBack: false })
}

/** Ends the session when its hour is over. */
export function endIfExpired(): void {
  if (state.status === 'in' && isPast(state.session.expiry)) leave({ expired: true, comeBack: true })
}

/** Who was here until the session ended by itself: they need not type their name again. */
export function lastName(): string {
  return sessionStorage.getItem(LAST) ?? ''
}

/** The screen to go to after a login: the one that was left, unless somebody else left it. */
export function takePlace(name: string): string {
  const kept = sessionStorage.getItem(PLACE)
  sessionStorage.removeItem(PLACE)
  const place = kept === null ? null : (JSON.parse(kept) as { name: string | null; path: string })
  return place && (place.name === null || place.name === name) ? place.path : '/'
}

/** Follows what the other tabs do, and the clock. Called once. */
export function watchSession(): void {
  window.addEventListener('storage', follow)
  setInterval(endIfExpired, 30_000)
  // Timers sleep in the background, and machines sleep altogether.
  document.addEventListener('visibilitychange', endIfExpired)
}

const PLACE = 'place'
const LAST = 'last'
/** Tells the other tabs that the session ended by choice. */
const SIGNED_OUT = 'signed_out'
const KEYS = ['token', 'role', 'expiry', 'name', 'time_zone']

let state: SessionState = { status: 'loading' }
/** As last saved, and as shown. */
let kept = readSettings()
let settings = kept
let token: string | null = null
const listeners = new Set<() => void>()

keepSession({
  token: () => token,
  ended: (refused) => {
    if (refused === token) leave({ expired: true, comeBack: true })
  },
})

function subscribe(listener: () => void) {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

function tell() {
  for (const listener of listeners) listener()
}

function become(next: SessionState) {
  state = next
  if (next.status === 'in') setZone(next.session.timeZone)
  tell()
}

function begin(next: string, user: User, justSignedIn: boolean) {
  token = next
  write('token', next)
  write('role', user.role)
  write('expiry', user.expiry)
  write('name', user.name)
  write('time_zone', user.time_zone)
  localStorage.removeItem(SIGNED_OUT)
  const { name, role, expiry, time_zone: timeZone } = user
  become({ status: 'in', session: { token: next, name, role, expiry, timeZone, justSignedIn } })
}

/**
 * Ends the session here; with `comeBack` the screen on view is the one to begin with after the next login, and what was
 * typed into it is kept.
 */
function leave({ expired, comeBack }: { expired: boolean; comeBack: boolean }) {
  const name = localStorage.getItem('name')
  if (comeBack) rememberPlace(name)
  else {
    sessionStorage.removeItem(PLACE)
    dropDrafts()
  }
  if (expired) sessionStorage.setItem(LAST, name ?? '')
  else if (!comeBack) sessionStorage.removeItem(LAST)
  window.history.replaceState(null, '', '/login')
  token = null
  for (const key of KEYS) localStorage.removeItem(key)
  become({ status: 'out', expired })
}

/** `name` is who was here, if anybody was. */
function rememberPlace(name: string | null) {
  const { pathname, search } = window.location
  if (pathname === '/login' || pathname === '/') return
  sessionStorage.setItem(PLACE, JSON.stringify({ name, path: pathname + search }))
}

/** Another tab signed out, signed in again, or signed in as somebody else. */
function follow({ key }: StorageEvent) {
  if (key === 'settings' || key === null) followSettings(readSettings())
  if (key !== 'token' && key !== null) return
  // The other tab writes its keys one after the other; by the next turn they are all there.
  setTimeout(() => {
    const kept = readKept()
    if (!kept)
      return token === null ? undefined : leave({ expired: !isSignedOut(), comeBack: !isSignedOut() })
    if (kept.token === token) return
    if (state.status === 'in' && state.session.name !== kept.session.name) return window.location.assign('/')
    token = kept.token
    become({ status: 'in', session: kept.session })
  }, 50)
}

function isSignedOut(): boolean {
  return localStorage.getItem(SIGNED_OUT) !== null
}

function readKept(): { token: string; session: Session } | null {
  const [kept, role, expiry, name, zone] = KEYS.map((key) => localStorage.getItem(key))
  const known = ROLES.find((one) => one === role)
  if (!kept || !known || !expiry || isPast(expiry)) return null
  const session = {
    token: kept,
    name: name ?? '',
    role: known,
    expiry,
    timeZone: zone ?? 'UTC',
    justSignedIn: false,
  }
  return { token: kept, session }
}

function readSettings(): Settings {
  try {
    return Settings.parse(JSON.parse(localStorage.getItem('settings') ?? ''))
  } catch {
    return DEFAULT_SETTINGS
  }
}

function isPast(expiry: string): boolean {
  // What is no moment at all is past too.
  return !(Date.parse(expiry) > now().getTime())
}

function write(key: string, value: string) {
  localStorage.setItem(key, value)
}

import { useEffect } from 'react'
import { createRoot } from 'react-dom/client'
import { probe } from './calls/api.ts'
import { watchDrafts } from './drafts.ts'
import { fetchPageAt } from './fetchPage.tsx'
import { loadAhead } from './parts/captcha/solving.ts'
import { chunk, useBeforeUse, useChunk } from './parts/chunk.ts'
import { leaveHeldKeys } from './parts/focus.ts'
import { watchPreferences } from './preferences.ts'
import { canStore, ProvideSession, restore, useSessionState, watchSession } from './session.tsx'
import { useSettings, watchSettings } from './settings.ts'
import { askCaptcha } from './shell/askCaptcha.ts'
import { Boundary } from './shell/Boundary.tsx'
import { Loading } from './shell/Loading.tsx'
import { Offline } from './shell/Offline.tsx'
import { Themed } from './shell/Themed.tsx'

// A visitor without a session loads the login page alone; router, tables and dialogs load while they type. Whoever has
// a session loads the login page, with all that forms need, once they turn to a control.
const login = chunk(async () => (await import('./pages/Login.tsx')).Login)
const screens = chunk(async () => (await import('./routes.tsx')).Screens)

const root = document.getElementById('root')
if (!root) throw new Error('The page has no root')
if (canStore()) start(root)
else {
  root.innerHTML = `<p class="late">This browser lets Boxtree store nothing, so nobody can sign in. Please allow cookies and
    site data for this address, make room if its storage is full, and <a href="">reload</a>.</p>`
  root.querySelector('p')?.style.setProperty('visibility', 'visible')
}

function start(root: HTMLElement) {
  watchSession()
  watchDrafts()
  watchSettings()
  watchPreferences()
  leaveHeldKeys()
  // A script that cannot be loaded may be the first sign of a lost connection.
  window.addEventListener('part-lost', probe)
  // The session is restored before the first render, so that both can run at the same time.
  const kept = restore()
  if (kept) {
    screens.load().catch(() => {})
    fetchPageAt(window.location.pathname, kept.role)
  } else {
    login.load().catch(() => {})
    loadAhead(askCaptcha)
  }
  fontOrLimit().then(() => createRoot(root).render(<Console />))
}

/**
 * Waits for the font, which is preloaded, for at most a second: text that is drawn without it moves when it arrives.
 */
function fontOrLimit(): Promise<unknown> {
  const font = document.fonts.load('1em "Inter Variable"').catch(() => {})
  return Promise.race([font, new Promise((resolve) => setTimeout(resolve, 1_000))])
}

function Console() {
  const { mode, preset } = useSettings()
  return (
    <Themed mode={mode} preset={preset}>
      <Boundary>
        <Who />
      </Boundary>
      <Offline />
    </Themed>
  )
}

/** Shows the login page without a session, and afterwards the screen that was asked for. */
function Who() {
  const state = useSessionState()
  const Login = useChunk(login, state.status === 'out')
  const Screens = useChunk(screens, state.status === 'in')
  useBeforeUse(login.load)
  useEffect(() => {
    if (state.status !== 'out') return
    const timer = setTimeout(() => screens.load().catch(() => {}), 1_000)
    return () => clearTimeout(timer)
  }, [state.status])
  switch (state.status) {
    case 'loading':
      return <Loading />
    case 'out':
      return Login ? <Login /> : <Loading />
    case 'in':
      if (!Screens) return <Loading />
      return (
        // Nothing that the screens hold outlasts the person, whatever takes the place of their session.
        <ProvideSession key={state.session.name} session={state.session}>
          <Screens />
        </ProvideSession>
      )
  }
}

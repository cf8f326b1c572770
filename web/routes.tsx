import { QueryClientProvider, useQueryClient } from '@tanstack/react-query'
import { memo, useEffect, useState } from 'react'
import { createBrowserRouter, Navigate, Outlet, type RouteObject, redirect, useLocation } from 'react-router'
import { RouterProvider } from 'react-router/dom'
import type { Role } from '../contract/roles.ts'
import { openCache } from './calls/cache.ts'
import { connection } from './calls/connection.ts'
import { useReloadOnChange, useReloadOnReconnect } from './calls/useReload.ts'
import { useUnansweredSubmits } from './calls/useUnansweredSubmits.ts'
import { fetchPage, fetchPointedAt, isLinePoor } from './fetchPage.tsx'
import { installWorker } from './installWorker.ts'
import { isKept } from './parts/chunk.ts'
import { Hints } from './parts/Hints.tsx'
import { Notices } from './parts/notices/Notices.tsx'
import { SessionRouter } from './parts/useHasLeft.ts'
import { RememberTables, useLearnOnReturn } from './remembered.tsx'
import { type ConsoleScreen, everyScreen, to } from './screens.ts'
import { takeReturnPath, useSession } from './session.tsx'
import { Broken } from './shell/Broken.tsx'
import { Loading } from './shell/Loading.tsx'
import { NotFound, WrongRole } from './shell/NoPage.tsx'
import { Shell } from './shell/Shell.tsx'
import { SignInAgain } from './shell/SignInAgain.tsx'
import { useScreen } from './shell/useScreen.ts'

/** The screens behind the login. Router and query cache exist only as long as the session. */
export function Screens() {
  const [cache] = useState(openCache)
  return (
    <QueryClientProvider client={cache}>
      <Routed />
      <UpToDate />
      <SignInAgain />
      <Notices />
      <Hints />
    </QueryClientProvider>
  )
}

function Routed() {
  const { name, role } = useSession()
  const [router] = useState(() => openRouter(name))
  useEffect(() => () => router.dispose(), [router])
  useUnansweredSubmits()
  usePreloadedPages(role)
  useOffline(name)
  return (
    <RememberTables>
      <SessionRouter value={router}>
        <RouterProvider router={router} />
      </SessionRouter>
    </RememberTables>
  )
}

/**
 * Keeps the numbers of a page that stays open, and what the person chose elsewhere, up to date. It renders each minute,
 * and so is not part of anything else.
 */
function UpToDate() {
  useReloadOnReconnect()
  useReloadOnChange()
  useLearnOnReturn()
  return null
}

/**
 * Loads a page as soon as a link to it is pointed at or has the focus. Shortly after the first page it loads those that
 * most visits go to next, and every other one once a service worker keeps them for a time without a connection: not
 * over a line that is slow or paid for by the byte.
 */
function usePreloadedPages(role: Role) {
  useEffect(() => {
    const stop = fetchPointedAt(role)
    const fetchNext = () => {
      if (isLinePoor()) return
      for (const one of everyScreen) {
        if ((one.next || isKept()) && one.roles.includes(role)) fetchPage(one).catch(() => {})
      }
    }
    const timer = setTimeout(fetchNext, 2_000)
    return () => {
      stop()
      clearTimeout(timer)
    }
  }, [role])
}

/** Keeps what is shown without a connection, the console and its data, and shows it at once where there is none. */
function useOffline(name: string) {
  const cache = useQueryClient()
  useEffect(() => {
    let stop = () => {}
    let gone = false
    const start = async () => {
      const { keepForOffline } = await import('./calls/offline.ts')
      if (gone) return
      stop = keepForOffline(cache, name)
      installWorker()
    }
    const timer = setTimeout(() => start().catch(() => {}), connection.lost.get() ? 0 : 2_000)
    return () => {
      gone = true
      clearTimeout(timer)
      stop()
    }
  }, [cache, name])
}

/** Creates the router, starting at the screen that was asked for before the login. */
function openRouter(name: string) {
  if (window.location.pathname === '/login') window.history.replaceState(null, '', takeReturnPath(name))
  return createBrowserRouter([
    { path: '/login', loader: () => redirect('/') },
    {
      Component: ForRole,
      ErrorBoundary: Broken,
      HydrateFallback: Loading,
      // The error of a page that cannot be loaded is shown only by a route above it, so there is one around the pages.
      children: [
        {
          ErrorBoundary: Broken,
          children: [...everyScreen.map(routeOf), { path: '*', Component: NotFound }],
        },
      ],
    },
  ])
}

function routeOf(screen: ConsoleScreen): RouteObject {
  // Memoised: a page that does not read the URL is not rendered again when a list changes its parameters.
  const still = async () => memo(await fetchPage(screen))
  return { path: screen.path, handle: screen, lazy: { Component: still } }
}

/** Shows the page if it is for this role. The address `/` shows each role's own dashboard. */
function ForRole() {
  const { role } = useSession()
  const { pathname } = useLocation()
  const screen = useScreen()
  const mine = !screen || screen.roles.includes(role)
  if (!mine && pathname === '/') return <Navigate to={to.home[role]()} replace />
  return <Shell>{mine ? <Outlet /> : <WrongRole />}</Shell>
}

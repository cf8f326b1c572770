import { QueryClientProvider, useQueryClient } from '@tanstack/react-query'
import { memo, useEffect, useState } from 'react'
import { createBrowserRouter, Navigate, Outlet, type RouteObject, redirect, useLocation } from 'react-router'
import { RouterProvider } from 'react-router/dom'
import type { Role } from '../contract/roles.ts'
import { connection } from './api.ts'
import { openCache } from './cache.ts'
import { fetchPage } from './fetchPage.tsx'
import { Hints } from './parts/Hints.tsx'
import { Notices } from './parts/notices/Notices.tsx'
import { useReloadOnReconnect, useUnansweredSubmits } from './queries.ts'
import { RememberTables } from './remembered.tsx'
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
  useReloadOnReconnect()
  usePreloadedPages(role)
  useOffline(name)
  return (
    <RememberTables>
      <RouterProvider router={router} />
    </RememberTables>
  )
}

/** Loads the role's other pages shortly after the first one, so that a menu item opens at once. */
function usePreloadedPages(role: Role) {
  useEffect(() => {
    const fetchAll = () =>
      everyScreen.filter(({ roles }) => roles.includes(role)).map((one) => fetchPage(one).catch(() => {}))
    const timer = setTimeout(fetchAll, 2_000)
    return () => clearTimeout(timer)
  }, [role])
}

/** Keeps what is shown without a connection, and shows it at once where there is none. */
function useOffline(name: string) {
  const cache = useQueryClient()
  useEffect(() => {
    let stop = () => {}
    let gone = false
    const start = async () => {
      const { keepForOffline } = await import('./offline.ts')
      if (!gone) stop = keepForOffline(cache, name)
    }
    const timer = setTimeout(() => start().catch(() => {}), connection.isLost() ? 0 : 2_000)
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
      children: [...everyScreen.map(routeOf), { path: '*', Component: NotFound }],
    },
  ])
}

function routeOf(screen: ConsoleScreen): RouteObject {
  // Memoised: a page that does not read the URL is not rendered again when a list changes its parameters.
  const still = async () => memo(await fetchPage(screen))
  return { path: screen.path, handle: screen, lazy: { Component: still }, ErrorBoundary: Broken }
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

import { QueryClientProvider } from '@tanstack/react-query'
import { memo, useEffect, useState } from 'react'
import {
  createBrowserRouter,
  Navigate,
  Outlet,
  type RouteObject,
  redirect,
  useLocation,
  useMatches,
} from 'react-router'
import { RouterProvider } from 'react-router/dom'
import { ROLE, type Role } from '../contract/roles.ts'
import { openCache } from './cache.ts'
import { WrongRole } from './pages/WrongRole.tsx'
import { Hints } from './parts/Hints.tsx'
import { Notices } from './parts/notices/Notices.tsx'
import { useInterrupted, useReturn } from './queries.ts'
import { type ConsoleScreen, screens } from './screens.tsx'
import { takePlace, useSession } from './session.tsx'
import { Broken } from './shell/Broken.tsx'
import { Loading } from './shell/Loading.tsx'
import { Shell } from './shell/Shell.tsx'
import { SignInAgain } from './shell/SignInAgain.tsx'

/** All that needs a session; there is a router, and a memory of what was loaded, only while there is one. */
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
  useInterrupted()
  useReturn()
  useAhead(role)
  return <RouterProvider router={router} />
}

/** Fetches the other pages of the role in a quiet moment, so that a menu item opens at once. */
function useAhead(role: Role) {
  useEffect(() => {
    const fetchAll = () =>
      screens.filter(({ roles }) => roles.includes(role)).map(({ page }) => page().catch(() => {}))
    const timer = setTimeout(fetchAll, 2_000)
    return () => clearTimeout(timer)
  }, [role])
}

/** Begins at the screen that was asked for before the login. */
function openRouter(name: string) {
  if (window.location.pathname === '/login') window.history.replaceState(null, '', takePlace(name))
  return createBrowserRouter([
    { path: '/login', loader: () => redirect('/') },
    {
      Component: ForRole,
      ErrorBoundary: Broken,
      HydrateFallback: Loading,
      children: [...screens.map(routeOf), { path: '*', lazy: { Component: notFound } }],
    },
  ])
}

function routeOf({ path, roles, page }: ConsoleScreen): RouteObject {
  // A page that has not asked for the URL is not drawn anew with it: a page turn of a list changes only the list.
  const still = async () => memo(await page())
  return { path, handle: { roles }, lazy: { Component: still }, ErrorBoundary: Broken }
}

async function notFound() {
  return (await import('./pages/NotFound.tsx')).NotFound
}

/** The page, if it is for this role. At `/` everybody finds their own dashboard. */
function ForRole() {
  const { role } = useSession()
  const { pathname } = useLocation()
  const roles = useMatches().flatMap(
    ({ handle }) => (handle as Pick<ConsoleScreen, 'roles'> | undefined)?.roles ?? [],
  )
  const mine = roles.length === 0 || roles.includes(role)
  if (!mine && pathname === '/') return <Navigate to={ROLE[role].home} replace />
  return <Shell>{mine ? <Outlet /> : <WrongRole />}</Shell>
}

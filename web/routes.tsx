import { type ComponentType, useEffect, useState } from 'react'
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
import { WrongRole } from './pages/WrongRole.tsx'
import { Hints } from './parts/Hints.tsx'
import { Notices } from './parts/Notices.tsx'
import { useInterrupted } from './queries.ts'
import { takePlace, useSession } from './session.tsx'
import { Broken } from './shell/Broken.tsx'
import { Loading } from './shell/Loading.tsx'
import { SignInAgain } from './shell/SignInAgain.tsx'

interface Screen {
  path: string
  /** Who can use it; everybody else is told that it is not for them. */
  roles: readonly Role[]
  /** Fetches the page's own script when it is first gone to. */
  page: () => Promise<ComponentType>
}

/** Every screen inside the shell. A page is one line here and one file in `pages`. */
const screens: Screen[] = []

/** All that needs a session; there is a router only while there is one. */
export function Screens() {
  const { name } = useSession()
  const [router] = useState(() => openRouter(name))
  useEffect(() => () => router.dispose(), [router])
  useInterrupted()
  return (
    <>
      <RouterProvider router={router} />
      <SignInAgain />
      <Notices />
      <Hints />
    </>
  )
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

function routeOf({ path, roles, page }: Screen): RouteObject {
  return { path, handle: { roles }, lazy: { Component: page }, ErrorBoundary: Broken }
}

async function notFound() {
  return (await import('./pages/NotFound.tsx')).NotFound
}

/** The page, if it is for this role. At `/` everybody finds their own dashboard. */
function ForRole() {
  const { role } = useSession()
  const { pathname } = useLocation()
  const roles = useMatches().flatMap(
    ({ handle }) => (handle as Pick<Screen, 'roles'> | undefined)?.roles ?? [],
  )
  if (roles.length === 0 || roles.includes(role)) return <Outlet />
  return pathname === '/' ? <Navigate to={ROLE[role].home} replace /> : <WrongRole />
}

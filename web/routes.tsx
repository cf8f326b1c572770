import { QueryClientProvider } from '@tanstack/react-query'
import { type ComponentType, memo, useEffect, useState } from 'react'
import {
  createBrowserRouter,
  matchPath,
  Navigate,
  Outlet,
  type RouteObject,
  redirect,
  useLocation,
  useMatches,
} from 'react-router'
import { RouterProvider } from 'react-router/dom'
import { LEVEL_NAMES, LEVELS, type LevelName } from '../contract/levels.ts'
import { ROLE, type Role } from '../contract/roles.ts'
import { openCache } from './cache.ts'
import { WrongRole } from './pages/WrongRole.tsx'
import { Hints } from './parts/Hints.tsx'
import { Notices } from './parts/Notices.tsx'
import { useInterrupted, useReturn } from './queries.ts'
import { takePlace, useSession } from './session.tsx'
import { Broken } from './shell/Broken.tsx'
import { Loading } from './shell/Loading.tsx'
import { Shell } from './shell/Shell.tsx'
import { SignInAgain } from './shell/SignInAgain.tsx'

interface Screen {
  path: string
  /** Who can use it; everybody else is told that it is not for them. */
  roles: readonly Role[]
  /** Fetches the page's own script when it is first gone to. */
  page: () => Promise<ComponentType>
}

/** Every screen inside the shell. A page is one line here and one file in `pages`. */
const screens: Screen[] = [
  { path: '/', roles: ['dealer'], page: async () => (await import('./pages/Home.tsx')).Home },
  {
    path: '/admin',
    roles: ['admin'],
    page: async () => (await import('./pages/AdminDashboard.tsx')).AdminDashboard,
  },
  branch('superreseller'),
  branch('reseller'),
  ...LEVEL_NAMES.flatMap(accountScreens),
  { path: '/clients', roles: ['dealer'], page: async () => (await import('./pages/Clients.tsx')).Clients },
  {
    path: '/new-client',
    roles: ['dealer'],
    page: async () => (await import('./pages/NewClient.tsx')).NewClient,
  },
  {
    path: '/update-client/:clientName',
    roles: ['dealer'],
    page: async () => (await import('./pages/UpdateClient.tsx')).UpdateClient,
  },
  {
    path: '/admin/clients',
    roles: ['admin'],
    page: async () => (await import('./pages/AllClients.tsx')).AllClients,
  },
  {
    path: '/admin/delete-mac',
    roles: ['admin'],
    page: async () => (await import('./pages/DeleteMac.tsx')).DeleteMac,
  },
  {
    path: '/admin/message',
    roles: ['admin'],
    page: async () => (await import('./pages/Message.tsx')).Message,
  },
]

function branch(role: Role): Screen {
  const page = async () => (await import('./pages/BranchDashboard.tsx')).BranchDashboard
  return { path: ROLE[role].home, roles: [role], page }
}

/** The three screens of a level, for its owner. */
function accountScreens(level: LevelName): Screen[] {
  const { owner, paths } = LEVELS[level]
  const at = (path: string, load: () => Promise<ComponentType<{ level: LevelName }>>): Screen => ({
    path,
    roles: [owner],
    page: async () => {
      const Page = await load()
      return () => <Page level={level} />
    },
  })
  return [
    at(paths.list, async () => (await import('./pages/Accounts.tsx')).Accounts),
    at(paths.add, async () => (await import('./pages/AddAccount.tsx')).AddAccount),
    at(`${paths.update}/:name`, async () => (await import('./pages/UpdateAccount.tsx')).UpdateAccount),
  ]
}

// The page that was asked for comes while the session is still being brought back.
screens
  .find(({ path }) => matchPath(path, window.location.pathname))
  ?.page()
  .catch(() => {})

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

function routeOf({ path, roles, page }: Screen): RouteObject {
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
    ({ handle }) => (handle as Pick<Screen, 'roles'> | undefined)?.roles ?? [],
  )
  const mine = roles.length === 0 || roles.includes(role)
  if (!mine && pathname === '/') return <Navigate to={ROLE[role].home} replace />
  return <Shell>{mine ? <Outlet /> : <WrongRole />}</Shell>
}

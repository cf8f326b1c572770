import type { ComponentType } from 'react'
import { LEVEL_NAMES, LEVELS, type LevelName } from '../contract/levels.ts'
import { ROLE, type Role } from '../contract/roles.ts'

export interface ConsoleScreen {
  path: string
  /** Who can use it; everybody else is told that it is not for them. */
  roles: readonly Role[]
  /** Fetches the page's own script when it is first gone to. */
  page: () => Promise<ComponentType>
}

/** Every screen inside the shell. A page is one line here and one file in `pages`. */
export const screens: readonly ConsoleScreen[] = [
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

function branch(role: Role): ConsoleScreen {
  const page = async () => (await import('./pages/BranchDashboard.tsx')).BranchDashboard
  return { path: ROLE[role].home, roles: [role], page }
}

/** The three screens of a level, for its owner. */
function accountScreens(level: LevelName): ConsoleScreen[] {
  const { owner, paths } = LEVELS[level]
  const at = (path: string, load: () => Promise<ComponentType<{ level: LevelName }>>): ConsoleScreen => ({
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

/** Fetches the page of an address ahead of the router, which comes at the same time. */
export function fetchPage(pathname: string, role: Role): void {
  const path = pathname === '/' ? ROLE[role].home : pathname
  const screen = screens.find((one) => one.roles.includes(role) && patternOf(one.path).test(path))
  screen?.page().catch(() => {})
}

function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replace(/:\w+/g, '[^/]+')}/?$`)
}

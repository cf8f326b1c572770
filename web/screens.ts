import {
  ArrowLeftRight,
  CalendarClock,
  Eraser,
  HandCoins,
  KeyRound,
  LayoutDashboard,
  ListVideo,
  type LucideIcon,
  Megaphone,
  MonitorPlay,
  Network,
  Server,
  Tv,
  UserPlus,
  Users,
} from 'lucide-react'
import type { LevelName } from '../contract/levels.ts'
import { ROLES, type Role } from '../contract/roles.ts'
import { levels } from './levels.ts'

/** The declaration of a screen. Menu, guards, links and the gallery of screenshots derive from it. */
export interface ConsoleScreen {
  /** The path; `:name` stands for the name of the account or client. */
  path: string
  /** The roles that can use it. All others are told that the page is not for their role. */
  roles: readonly Role[]
  /** The component that renders it, exported by the file of the same name in `pages`. */
  page: string
  /** The level, for the screens that exist once for each level. */
  level?: LevelName
  /** Whether most visits go there next. It is then fetched ahead, and others once a link to them is pointed at. */
  next?: true
  item?: { label: string; icon: LucideIcon }
  /** The screen whose menu item is highlighted while this one is shown. */
  under?: ConsoleScreen
}

const clients = declare({
  path: '/clients',
  roles: ['dealer'],
  page: 'Clients',
  next: true,
  item: { label: 'Clients', icon: Tv },
})

const tree = declare({
  path: '/tree',
  roles: ['admin', 'superreseller', 'reseller'],
  page: 'Tree',
  item: { label: 'Tree', icon: Network },
})

const admin = dashboard('admin', '/admin', 'AdminDashboard')

/** Every screen inside the shell. The menu lists them in this order. */
export const screens = {
  /** The dashboards. The path `/` leads each role to its own. */
  home: {
    admin,
    superreseller: dashboard('superreseller', '/superreseller', 'BranchDashboard'),
    reseller: dashboard('reseller', '/reseller', 'BranchDashboard'),
    dealer: dashboard('dealer', '/', 'DealerDashboard'),
  },
  level: {
    superreseller: accounts('superreseller', {
      list: '/super-resellers',
      add: '/add-super-reseller',
      update: '/update-super-reseller/:name',
    }),
    reseller: accounts('reseller', {
      list: '/resellers',
      add: '/add-reseller',
      update: '/update-reseller/:name',
    }),
    dealer: accounts('dealer', { list: '/dealers', add: '/add-dealer', update: '/update-dealer/:name' }),
  },
  newClient: declare({
    path: '/new-client',
    roles: ['dealer'],
    page: 'NewClient',
    item: { label: 'New Client', icon: UserPlus },
  }),
  clients,
  due: declare({ path: '/due', roles: ['dealer'], page: 'Due', item: { label: 'Due', icon: CalendarClock } }),
  client: declare({ path: '/update-client/:name', roles: ['dealer'], page: 'UpdateClient', under: clients }),
  allClients: declare({ path: '/admin/clients', roles: ['admin'], page: 'AllClients', under: admin }),
  message: declare({
    path: '/admin/message',
    roles: ['admin'],
    page: 'Message',
    item: { label: 'Message', icon: Megaphone },
  }),
  deleteMac: declare({
    path: '/admin/delete-mac',
    roles: ['admin'],
    page: 'DeleteMac',
    item: { label: 'Delete Mac', icon: Eraser },
  }),
  channels: declare({
    path: '/admin/channels',
    roles: ['admin'],
    page: 'Channels',
    item: { label: 'Channels', icon: ListVideo },
  }),
  boxes: declare({
    path: '/admin/boxes',
    roles: ['admin'],
    page: 'Boxes',
    item: { label: 'Boxes', icon: MonitorPlay },
  }),
  tree,
  branch: declare({ path: '/tree/:name', roles: tree.roles, page: 'Tree', under: tree }),
  transactions: declare({
    path: '/transactions',
    roles: ROLES,
    page: 'Transactions',
    item: { label: 'Transactions', icon: ArrowLeftRight },
  }),
  creditRequests: declare({
    path: '/credit-requests',
    roles: ROLES,
    page: 'CreditRequests',
    item: { label: 'Credit Requests', icon: HandCoins },
  }),
  signIns: declare({
    path: '/sign-ins',
    roles: ROLES,
    page: 'SignIns',
    item: { label: 'Sign-ins', icon: KeyRound },
  }),
  system: declare({
    path: '/admin/system',
    roles: ['admin'],
    page: 'System',
    item: { label: 'System', icon: Server },
  }),
}

function declare<const Declared extends ConsoleScreen>(declared: Declared): Declared {
  return declared
}

function dashboard(role: Role, path: string, page: string) {
  return declare({ path, roles: [role], page, item: { label: 'Dashboard', icon: LayoutDashboard } })
}

function accounts(level: LevelName, at: { list: string; add: string; update: `${string}/:name` }) {
  const { owner, title, plural } = levels[level]
  const shared = { roles: [owner], level }
  const list = declare({
    ...shared,
    path: at.list,
    page: 'Accounts',
    next: true,
    item: { label: plural, icon: Users },
  })
  const item = { label: `Add ${title}`, icon: UserPlus }
  return {
    add: declare({ ...shared, path: at.add, page: 'AddAccount', item }),
    list,
    update: declare({ ...shared, path: at.update, page: 'UpdateAccount', under: list }),
  }
}

/** Every screen, in the order declared. */
export const everyScreen: readonly ConsoleScreen[] = flat(screens)

/** Builds the address of each screen: `to.client('tv100')`, `to.clients({ filter: 'expired' })`. */
export const to = linksTo(screens) as Links<typeof screens>

type ItemOfMenu = ConsoleScreen & Required<Pick<ConsoleScreen, 'item'>>

export function menuOf(role: Role): readonly ItemOfMenu[] {
  return everyScreen.filter((one): one is ItemOfMenu => one.item !== undefined && one.roles.includes(role))
}

/** Returns the screen at an address, if the role can use one there. */
export function screenAt(pathname: string, role: Role): ConsoleScreen | undefined {
  const path = pathname === '/' ? to.home[role]() : pathname
  return everyScreen.find((one) => one.roles.includes(role) && patternOf(one).test(path))
}

function patternOf({ path }: ConsoleScreen): RegExp {
  return new RegExp(`^${path.replace(':name', '[^/]+')}/?$`, 'i')
}

type ScreenTree = { readonly [name: string]: ConsoleScreen | ScreenTree }

type Links<Of> = {
  readonly [Name in keyof Of]: Of[Name] extends ConsoleScreen ? Link<Of[Name]['path']> : Links<Of[Name]>
}

type Link<Path extends string> = Path extends `${string}:name`
  ? (name: string) => string
  : (query?: Record<string, string>) => string

function flat(tree: ScreenTree): ConsoleScreen[] {
  return Object.values(tree).flatMap((one) => (isScreen(one) ? [one] : flat(one)))
}

function linksTo(tree: ScreenTree): object {
  return Object.fromEntries(
    Object.entries(tree).map(([name, one]) => [name, isScreen(one) ? linkTo(one) : linksTo(one)]),
  )
}

function linkTo({ path }: ConsoleScreen) {
  return (given: string | Record<string, string> = {}) => {
    if (typeof given === 'string') return path.replace(':name', encodeURIComponent(given))
    const query = new URLSearchParams(given).toString()
    return query === '' ? path : `${path}?${query}`
  }
}

function isScreen(one: ConsoleScreen | ScreenTree): one is ConsoleScreen {
  return typeof one.path === 'string'
}

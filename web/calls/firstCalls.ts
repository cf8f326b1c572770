import type { Call } from '../../contract/call.ts'
import { calls } from '../../contract/calls.ts'
import { LEVEL_NAMES } from '../../contract/levels.ts'
import { ROLES, type Role } from '../../contract/roles.ts'
import { to } from '../screens.ts'
import { addressOf } from './api.ts'

/** A page of clients, as a list asks for it that nobody has arranged otherwise. */
const FIRST_CLIENTS = { page: 1, per_page: 10, search: '', sort: 'name', order: 'asc', filter: 'all' }

/**
 * Returns the addresses of what screens ask for first, by role and path. The page asks for it before its scripts have
 * come (`shell/boot.js`), and whoever makes such a call takes that answer (`api.ts`).
 */
export function firstCalls(): Record<string, Record<string, string[]>> {
  return Object.fromEntries(ROLES.map((role) => [role, Object.fromEntries(screensOf(role))]))
}

function screensOf(role: Role): [path: string, urls: string[]][] {
  const dashboard = asked(urlOf(calls.transactions.list))
  const own = LEVEL_NAMES.filter((level) => calls.level[level].list.roles.includes(role))
  return [
    ['/', dashboard],
    [to.home[role](), dashboard],
    ...own.map((level): [string, string[]] => [
      to.level[level].list(),
      asked(urlOf(calls.level[level].list), urlOf(calls.tree.list)),
    ]),
    ...(role === 'dealer' ? [clients(to.clients(), calls.clients.list)] : []),
    ...(role === 'admin' ? [clients(to.allClients(), calls.admin.clients)] : []),
  ]
}

function clients(path: string, call: Call): [string, string[]] {
  return [path, asked(addressOf(call, FIRST_CLIENTS).url)]
}

/** Every screen waits for who is signed in. */
function asked(...urls: string[]): string[] {
  return [urlOf(calls.session.user), ...urls]
}

function urlOf(call: Call): string {
  return addressOf(call, {}).url
}

import { randomUUID } from 'node:crypto'
import { calls } from '../contract/calls.ts'

// What the dealers of the mixed life do.

export const READS = ['page', 'search', 'find', 'client', 'history', 'credits'] as const
export const WRITES = ['renewal', 'new client', 'correction'] as const
export const LONG = ['file', 'multi-renewal'] as const
export type What = (typeof READS)[number] | (typeof WRITES)[number] | (typeof LONG)[number]

/** How many clients a multi-renewal renews. */
export const MANY = 1_000

const PAGES = ['', '?sort=expiry&filter=expiring&per_page=25', '?page=2', '?filter=expired&per_page=50']

/** What a dealer does about one of its clients. */
export type Act = (by: Working, name: string) => Promise<unknown>

/** How a dealer at work makes a call. */
interface Working {
  get(what: What, path: string): Promise<string>
  post(what: What, call: { path: string }, input: object): Promise<string>
}

/** What dealers do, with how often of a hundred times. An act makes one call or two, one after the other. */
const ACTS: readonly (readonly [number, Act])[] = [
  [38, (by) => by.get('page', calls.clients.list.path + oneOf(PAGES))],
  [20, (by, name) => by.get('search', `${calls.clients.list.path}?search=${name.slice(0, 6)}`)],
  [10, (by, name) => by.get('find', `${calls.clients.find.path}?search=${name}`)],
  [10, look],
  [6, (by) => by.get('credits', calls.credits.dealer.path)],
  [12, (by, name) => by.post('renewal', calls.clients.renew, { name, months: 1 })],
  [4, create],
]

async function look(by: Working, name: string): Promise<void> {
  await by.get('client', calls.clients.detail.path.replace('{name}', name))
  await by.get('history', calls.clients.history.path.replace('{name}', name))
}

async function create(by: Working): Promise<void> {
  const login = `m${randomUUID().replaceAll('-', '').slice(0, 14)}`
  const client = { login, password: 'secret-tv', ministra: true, months: 1, package_selection: 1 }
  await by.post('new client', calls.clients.create, client)
  await by.post('correction', calls.clients.save, { login, phone: '2125550123' })
}

const DRAWN = ACTS.flatMap(([share, act]) => Array<Act>(share).fill(act))

/** Returns an act by chance. */
export function takeAct(): Act {
  return oneOf(DRAWN)
}

export function oneOf<Thing>(things: readonly Thing[]): Thing {
  return things[Math.floor(Math.random() * things.length)] as Thing
}

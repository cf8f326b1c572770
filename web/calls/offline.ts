import type { Query, QueryClient } from '@tanstack/react-query'
import { calls, type InputOf, type OutputOf } from '../../contract/calls.ts'
import { type ClientFilter, expiryState, searchedDigits, searchedMac } from '../../contract/clients.ts'
import { pageOf, sliceOf } from '../../contract/page.ts'
import { DAY_MS } from '../../contract/time.ts'
import { ahead, now } from '../clock.ts'
import { searchable } from '../parts/searchable.ts'
import { showMoment } from '../parts/time.ts'
import { OFFLINE } from '../session.tsx'
import { zone } from '../zone.ts'
import type { ApiError } from './api.ts'
import { connection } from './connection.ts'

// What is shown without a connection: the dashboard, Due and the last page of clients, as they were answered last. It
// is kept in this browser for the account that is signed in, shown for a day at most, and erased when its session ends:
// after the page was closed, when it is opened next.

/** An answer, with the key of its query and when it came, in milliseconds of the server's time. */
interface Kept {
  key: readonly unknown[]
  data: unknown
  at: number
}

/** Keeps the answers of a session, and shows them where a call is not answered. */
export function keepForOffline(cache: QueryClient, by: string): () => void {
  const stop = cache.getQueryCache().subscribe(({ type, query, ...event }) => {
    if (type === 'updated' && 'action' in event) {
      if (event.action.type === 'success' && !event.action.manual) write(by, query)
      if (event.action.type === 'error') show(cache, by, query)
    }
    tellMoment(cache)
  })
  const showAll = () => {
    for (const query of cache.getQueryCache().getAll()) show(cache, by, query)
    tellMoment(cache)
  }
  const stopToo = connection.lost.subscribe(showAll)
  for (const query of cache.getQueryCache().getAll()) if (query.state.status === 'success') write(by, query)
  showAll()
  return () => {
    stop()
    stopToo()
    // Whoever sees the next page, such as the login, sees nothing that was kept.
    connection.asOf.set('')
  }
}

const LIST = calls.clients.list.name
const TRANSACTIONS = calls.transactions.list.name
const DUE = calls.clients.dueClients.name

/** The calls of the dashboards and of Due. None has a password, and none is of one client. */
const CALLS: ReadonlySet<string> = new Set([
  LIST,
  TRANSACTIONS,
  DUE,
  ...[calls.clients.due, calls.clients.forecast, calls.clients.spent].map(callName),
  ...[...Object.values(calls.credits), calls.tree.growth, calls.admin.totals].map(callName),
  ...Object.values(calls.desk).map((desk) => desk.transactions.name),
  ...Object.values(calls.level).map((level) => level.list.name),
])

function callName({ name }: { name: string }): string {
  return name
}

function write(by: string, { queryKey: key, state: { data, dataUpdatedAt: at } }: Query) {
  const [name, input] = key
  // Another window may have signed out meanwhile.
  if (!CALLS.has(String(name)) || data === undefined || localStorage.getItem('name') !== by) return
  // The page of a dashboard, and none that was filtered or turned to.
  if (name === TRANSACTIONS && !isSame(input, {})) return
  if (isPage(key) && !isWorthKeeping(input as ListQuery, data as ListPage)) return
  // Of Due, what it begins with: each key of a search would be one more.
  if (name === DUE && !isBeginning(input as DueQuery)) return
  // Of the clients, only the last page is kept.
  const others = readAll(by).filter((one) => !isSame(one.key, key) && !(isPage(key) && isPage(one.key)))
  const kept = name === LIST ? withFewFields(data as ListPage) : data
  try {
    // The cache has its moments by the clock of the machine.
    const one = { key, data: kept, at: at + ahead() }
    localStorage.setItem(OFFLINE, JSON.stringify({ by, kept: [...others, one] }))
  } catch {
    // The browser has no room, or stores nothing.
    localStorage.removeItem(OFFLINE)
  }
}

type ListPage = OutputOf<typeof calls.clients.list>
type ListQuery = InputOf<typeof calls.clients.list>
type DueQuery = InputOf<typeof calls.clients.dueClients>

/** A dashboard asks for one client, to have the counts. */
function isPage([name, input]: Kept['key']): boolean {
  return name === LIST && (input as ListQuery).per_page !== 1
}

/** A search that finds one client, or none, must not replace a page of many. */
function isWorthKeeping({ search = '', filter = 'all' }: ListQuery, { data }: ListPage): boolean {
  return data.length > 1 || (search === '' && filter === 'all')
}

function isBeginning({ search = '', page = 1 }: DueQuery): boolean {
  return search === '' && page === 1
}

/** Of a client, its name, MAC, expiry and phone are kept. */
function withFewFields(page: ListPage) {
  return {
    ...page,
    data: page.data.map(({ name, mac, expiry, phone }) => ({ name, mac, expiry, phone, description: '' })),
  }
}

/**
 * Shows what was kept of a query that got no answer, while the connection is lost: where others are answered, what is
 * old must not look new. Clients are searched, filtered, sorted and turned over on the page that was kept.
 */
function show(cache: QueryClient, by: string, query: Query) {
  const { queryKey: key, state } = query
  if (
    !connection.lost.get() ||
    state.data !== undefined ||
    (state.error as ApiError | null)?.code !== 'offline'
  )
    return
  const all = readAll(by)
  const page = isPage(key) ? all.find((one) => isPage(one.key)) : undefined
  const kept = all.find((one) => isSame(one.key, key)) ?? (page && narrowed(page, key[1] as ListQuery))
  if (!kept) return
  cache.setQueryData(key, kept.data, { updatedAt: kept.at - ahead() })
}

/**
 * Tells the oldest moment of the answers that are on the screen while the connection is lost: of those that were kept,
 * and of those that came before on a page that stays open.
 */
function tellMoment(cache: QueryClient) {
  const onScreen = connection.lost.get()
    ? cache.getQueryCache().findAll({ type: 'active', predicate: ({ state }) => state.data !== undefined })
    : []
  const moments = onScreen.map(({ state }) => state.dataUpdatedAt)
  connection.asOf.set(moments.length > 0 ? new Date(Math.min(...moments) + ahead()).toISOString() : '')
}

function narrowed(page: Kept, query: ListQuery): Kept | undefined {
  const all = page.data as ListPage
  const { search = '', filter = 'all' } = query
  // Whose box is online now is not known.
  if (filter === 'online') return undefined
  const found = all.data.filter((client) => matches(client, searchable(search).trim()))
  const data = inOrder(
    found.filter((client) => isIn(client, filter)),
    query,
  )
  // How many of all clients a search finds in each state is not known.
  const under = page.key[1] as ListQuery
  const counts = search === '' && !under.search ? all.counts : undefined
  const isAll = !under.search && (under.filter ?? 'all') === 'all'
  const isWhole = isAll && all.count === all.data.length && !all.count_capped
  const asked = { page: Number(query.page ?? 1), per_page: Number(query.per_page ?? all.data.length) }
  const { offset, limit } = sliceOf(asked, data.length)
  const rows = pageOf(data.slice(offset, offset + limit), data.length, asked)
  return { ...page, data: { ...all, counts, ...rows, count_capped: !isWhole && data.length > 0 } }
}

type Row = ListPage['data'][number]

/** The text by which a column sorts the kept clients; equal ones are sorted by name. */
const SORTED_BY: Partial<Record<NonNullable<ListQuery['sort']>, (client: Row) => string>> = {
  name: () => '',
  expiry: ({ expiry }) => expiry,
  // Those without a MAC come last.
  mac: ({ mac }) => mac ?? '~',
}

/** Sorts by code points, as the server does. A column that is not kept leaves the order as it was. */
function inOrder(clients: Row[], { sort = 'name', order = 'asc' }: ListQuery): Row[] {
  const by = SORTED_BY[sort]
  if (!by) return clients
  const keyOf = (client: Row) => `${by(client)} ${client.name.toLowerCase()}`
  const sign = order === 'asc' ? 1 : -1
  return [...clients].sort((one, other) => (keyOf(one) < keyOf(other) ? -sign : sign))
}

/** Searches as the server does, in the fields that are kept. */
function matches({ name, mac, expiry, phone }: Row, term: string): boolean {
  const day = showMoment(expiry, zone(), 'date')
  const fields = [name, phone, day, mac ?? '', mac?.replaceAll(':', '') ?? '']
  if (fields.some((field) => searchable(field).includes(term))) return true
  const [digits, pairs] = [searchedDigits(term), searchedMac(term)]
  return (digits !== '' && phone.includes(digits)) || (pairs !== null && mac?.includes(pairs) === true)
}

function isIn({ expiry }: { expiry: string }, filter: ClientFilter): boolean {
  const state = expiryState(expiry, now())
  return filter === 'all' || filter === state || (filter === 'active' && state === 'expiring')
}

function readAll(by: string): Kept[] {
  try {
    const stored = JSON.parse(localStorage.getItem(OFFLINE) ?? '') as { by: string; kept: Kept[] }
    return stored.by === by ? stored.kept.filter(({ at }) => now().getTime() - at < DAY_MS) : []
  } catch {
    return []
  }
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}

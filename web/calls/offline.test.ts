import { QueryObserver } from '@tanstack/react-query'
import { expect, test, vi } from 'vitest'
import { calls } from '../../contract/calls.ts'
import { DAY_MS, HOUR_MS } from '../../contract/time.ts'
import { setClock } from '../clock.ts'
import { ApiError, probe } from './api.ts'
import { openCache } from './cache.ts'
import { connection } from './connection.ts'
import { keepForOffline } from './offline.ts'

vi.mock('../session.tsx', () => ({ OFFLINE: 'offline' }))

const NOW = Date.now()
const DUE = [calls.clients.due.name, {}]
const FORECAST = [calls.clients.forecast.name, {}]

/** Finds in a page of clients that was kept, while nothing answers. */
async function openKept(kept: () => object[]) {
  vi.stubGlobal('localStorage', { getItem: () => JSON.stringify({ by: 'mia', kept: kept() }) })
  vi.stubGlobal('fetch', () => Promise.reject(new TypeError('away')))
  await probe()
  const cache = openCache()
  const stop = keepForOffline(cache, 'mia')
  const found = async (query: object) => {
    const queryFn = () => Promise.reject(new ApiError('Lost', { code: 'offline', status: 0 }))
    const observer = new QueryObserver(cache, { queryKey: listOf(query), queryFn, retry: false })
    const leave = observer.subscribe(() => {})
    await expect.poll(() => observer.getCurrentResult().data).toBeDefined()
    leave()
    return observer.getCurrentResult().data as unknown
  }
  return { found, stop }
}

test('a filter without a connection counts all clients as they were, and says that there may be more in it', async () => {
  const client = (name: string, expiry: number) => ({
    ...{ name, mac: name === 'there' ? '00:1A:79:AB:20:74' : null, phone: '', description: '' },
    expiry: new Date(NOW + expiry).toISOString(),
  })
  const counts = { all: 187, active: 165, expiring: 12, expired: 22 }
  const data = {
    data: [client('gone', -HOUR_MS), client('there', 40 * DAY_MS)],
    ...{ counts, count: 187, count_capped: false, current_page: 1, total_pages: 94 },
  }
  let under = {}
  const kept = () => [{ key: listOf(under), data, at: NOW }]
  const { found, stop } = await openKept(kept)
  expect(await found({ filter: 'expired' })).toMatchObject({
    data: [{ name: 'gone' }],
    counts,
    count_capped: true,
  })
  expect(await found({ search: 'the' })).toMatchObject({
    ...{ data: [{ name: 'there' }], counts: undefined, count_capped: true },
  })
  expect(await found({ search: 'ab 20 74' })).toMatchObject({ data: [{ name: 'there' }] })
  expect(await found({ search: 'nobody' })).toMatchObject({ data: [], count: 0, count_capped: false })
  // What was kept of a search is not all that there is.
  under = { search: 'e' }
  expect(await found({ filter: 'active' })).toMatchObject({ counts: undefined, count_capped: true })
  stop()
})

test('a list without a connection is in the order that is asked for, as far as it is kept, and has the pages that it says', async () => {
  const client = (name: string, days: number, mac: string | null) => ({
    ...{ name, mac, phone: '', description: '' },
    expiry: new Date(NOW + days * DAY_MS).toISOString(),
  })
  const [anna, Bea, carl] = ['00:1A:79:00:00:02', null, '00:1A:79:00:00:01'] as const
  const data = {
    // As the list was: by expiry.
    data: [client('carl', 1, carl), client('anna', 2, anna), client('Bea', 3, Bea)],
    ...{ counts: undefined, count: 3, count_capped: false, current_page: 1, per_page: 50, total_pages: 1 },
  }
  const { found, stop } = await openKept(() => [
    { key: listOf({ per_page: 50, sort: 'expiry' }), data, at: NOW },
  ])
  const names = async (query: object) =>
    ((await found(query)) as typeof data).data.map(({ name }) => name).join(' ')
  expect(await names({ per_page: 10, sort: 'name' })).toBe('anna Bea carl')
  expect(await names({ per_page: 10, sort: 'name', order: 'desc' })).toBe('carl Bea anna')
  expect(await names({ per_page: 10, sort: 'mac' })).toBe('carl anna Bea')
  expect(await names({ per_page: 10, sort: 'expiry', order: 'desc' })).toBe('Bea anna carl')
  expect(await names({ per_page: 10, sort: 'status' })).toBe('carl anna Bea')
  expect(await found({ per_page: 2, page: 2 })).toMatchObject({
    data: [{ name: 'carl' }],
    ...{ count: 3, count_capped: false, current_page: 2, total_pages: 2 },
  })
  stop()
})

const listOf = (query: object) => [calls.clients.list.name, query]

test('where other calls are answered, what was kept is not shown for one that is not, until the connection is lost', async () => {
  const kept = [{ key: FORECAST, data: 'forecast', at: NOW - HOUR_MS }]
  vi.stubGlobal('localStorage', { getItem: () => JSON.stringify({ by: 'mia', kept }) })
  vi.stubGlobal('fetch', () => Promise.resolve(new Response('{}')))
  await probe()
  const cache = openCache()
  const stop = keepForOffline(cache, 'mia')
  const queryFn = () => Promise.reject(new ApiError('Lost', { code: 'offline', status: 0 }))
  const observer = new QueryObserver(cache, { queryKey: FORECAST, queryFn, retry: false })
  const leave = observer.subscribe(() => {})
  await expect.poll(() => observer.getCurrentResult().status).toBe('error')
  expect(observer.getCurrentResult().data).toBeUndefined()
  vi.stubGlobal('fetch', () => Promise.reject(new TypeError('away')))
  await probe()
  await expect.poll(() => observer.getCurrentResult().data).toBe('forecast')
  expect(connection.asOf.get()).toBe(new Date(NOW - HOUR_MS).toISOString())
  // The login page, which is next, shows nothing of it.
  stop()
  expect(connection.asOf.get()).toBe('')
  leave()
})

test('what was kept is as old, and shown for as long, as by the server, where the clock of the machine is wrong', async () => {
  const ago = (ms: number) => NOW + 3 * HOUR_MS - ms
  const kept = [
    { key: FORECAST, data: 'forecast', at: ago(HOUR_MS) },
    { key: DUE, data: 'due', at: ago(DAY_MS) },
  ]
  const storage = {
    getItem: (name: string) => (name === 'name' ? 'mia' : JSON.stringify({ by: 'mia', kept })),
    setItem: vi.fn(),
  }
  vi.stubGlobal('localStorage', storage)
  vi.stubGlobal('fetch', () => Promise.reject(new TypeError('away')))
  setClock(new Date(ago(0)).toISOString(), NOW, NOW)
  try {
    await probe()
    const cache = openCache()
    const stop = keepForOffline(cache, 'mia')
    const queryFn = () => Promise.reject(new ApiError('Lost', { code: 'offline', status: 0 }))
    const [forecast, due] = [FORECAST, DUE].map((queryKey) => {
      const observer = new QueryObserver(cache, { queryKey, queryFn, retry: false })
      observer.subscribe(() => {})
      return observer
    })
    await expect.poll(() => forecast?.getCurrentResult().data).toBe('forecast')
    expect(connection.asOf.get()).toBe(new Date(ago(HOUR_MS)).toISOString())
    await expect.poll(() => due?.getCurrentResult().status).toBe('error')
    expect(due?.getCurrentResult().data).toBeUndefined()
    await cache.fetchQuery({ queryKey: DUE, queryFn: () => Promise.resolve('due') })
    const stored = JSON.parse(storage.setItem.mock.lastCall?.[1]) as { kept: { key: unknown; at: number }[] }
    const at = stored.kept.find(({ key }) => JSON.stringify(key) === JSON.stringify(DUE))?.at ?? 0
    expect(Math.abs(at - Date.now() - 3 * HOUR_MS)).toBeLessThan(HOUR_MS)
    stop()
  } finally {
    setClock(new Date(NOW).toISOString(), NOW, NOW)
  }
})

test('what is shown without a connection is as of the oldest answer on the screen', async () => {
  const kept = [
    { key: FORECAST, data: 'forecast', at: NOW - HOUR_MS },
    { key: DUE, data: 'due', at: NOW },
  ]
  vi.stubGlobal('localStorage', { getItem: () => JSON.stringify({ by: 'mia', kept }) })
  vi.stubGlobal('fetch', () => Promise.reject(new TypeError('away')))
  await probe()
  const cache = openCache()
  const stop = keepForOffline(cache, 'mia')

  const leave = await show(FORECAST, 'forecast')
  await show(DUE, 'due')
  expect(connection.asOf.get()).toBe(new Date(NOW - HOUR_MS).toISOString())
  leave()
  await show(DUE, 'due')
  expect(connection.asOf.get()).toBe(new Date(NOW).toISOString())
  await show(FORECAST, 'forecast')
  expect(connection.asOf.get()).toBe(new Date(NOW - HOUR_MS).toISOString())

  // With a connection what was kept is loaded anew, and no banner tells of it, also at the next loss.
  vi.stubGlobal('fetch', () => Promise.resolve(new Response('{}')))
  await probe()
  expect(connection.asOf.get()).toBe('')
  const again = await show(FORECAST, 'forecast')
  expect(connection.asOf.get()).toBe('')
  again()
  stop()

  /** Puts on the screen what gets no answer, waits until it is there, and returns how to leave it. */
  async function show(queryKey: readonly unknown[], data: string) {
    const queryFn = () => Promise.reject(new ApiError('Lost', { code: 'offline', status: 0 }))
    const observer = new QueryObserver(cache, { queryKey, queryFn, retry: false })
    const leave = observer.subscribe(() => {})
    await expect.poll(() => observer.getCurrentResult().data).toBe(data)
    return leave
  }
})

test('what was answered before the connection was lost is dated too, on a page that stays open', async () => {
  vi.stubGlobal('localStorage', { getItem: () => '', setItem: () => {} })
  vi.stubGlobal('fetch', () => Promise.resolve(new Response('{}')))
  await probe()
  const cache = openCache()
  const stop = keepForOffline(cache, 'mia')
  const show = (queryKey: readonly unknown[], answeredAt: number) => {
    cache.setQueryData(queryKey, 'answer', { updatedAt: answeredAt })
    const queryFn = () => Promise.reject(new ApiError('Lost', { code: 'offline', status: 0 }))
    const observer = new QueryObserver(cache, { queryKey, queryFn, retry: false, staleTime: DAY_MS })
    return observer.subscribe(() => {})
  }
  const leaveList = show(listOf({}), NOW - HOUR_MS)
  // Nothing of a client's page is kept, and it stays on the screen all the same.
  const leaveClient = show([calls.clients.detail.name, { name: 'anna' }], NOW - 2 * HOUR_MS)
  expect(connection.asOf.get()).toBe('')
  vi.stubGlobal('fetch', () => Promise.reject(new TypeError('away')))
  await probe()
  expect(connection.asOf.get()).toBe(new Date(NOW - 2 * HOUR_MS).toISOString())
  leaveClient()
  expect(connection.asOf.get()).toBe(new Date(NOW - HOUR_MS).toISOString())
  leaveList()
  expect(connection.asOf.get()).toBe('')
  stop()
})

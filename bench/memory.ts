import { randomUUID } from 'node:crypto'
import { startConsole } from '../test/support/console.ts'
import { Connection } from './connection.ts'
import { type Figure, growthOf } from './figure.ts'
import type { Folders } from './fill.ts'
import { openSessions, type People, withDatabaseOf } from './people.ts'
import { timed } from './timed.ts'
import { watchMemory } from './watch.ts'

const CONNECTIONS = 32
const WARM_UP = 20_000
const REQUESTS = 100_000
const PERIODS = 10

/** Measures the server's memory under requests of all kinds over 32 connections. */
export async function* memoryFigures({ million }: Folders): AsyncGenerator<Figure> {
  const console = await startConsole({ dataDir: million })
  try {
    const people = await withDatabaseOf(million, openSessions)
    const work = await requests(console.url, people)
    const memory = watchMemory(console.process.pid)
    await make(console.url, work, WARM_UP)
    const warm = memory.samples.length
    const seconds = (await timed(() => make(console.url, work, REQUESTS))) / 1000
    const { peak } = memory.stop()
    // Garbage collection makes the memory rise and fall; the minimum of a period is what is really in use.
    const [start, ...rest] = memory.samples
    const measured = rest.slice(warm - 1)
    const tenth = Math.ceil(measured.length / PERIODS)
    const least = Array.from({ length: PERIODS }, (_, at) =>
      Math.min(...measured.slice(at * tenth, (at + 1) * tenth)),
    )
    const { value, spread } = growthOf(least)
    const all = PERIODS - 1
    yield {
      what: `Requests of all kinds, ${CONNECTIONS} connections`,
      value: REQUESTS / seconds,
      limit: null,
      unit: '/s',
    }
    yield {
      what: 'Highest memory of the server under them',
      value: peak,
      limit: 250,
      unit: 'MB',
      absolute: `${(peak / (start ?? peak)).toFixed(1)} times that before them`,
    }
    yield {
      what: `Memory grown over ${REQUESTS.toLocaleString('en-US')} of them`,
      value: value * all,
      spread: { low: spread.low * all, high: spread.high * all },
      limit: 5,
      unit: 'MB',
    }
  } finally {
    await console.stop()
  }
}

type Request = (connection: Connection) => Promise<unknown>

/** A typical mixture of requests: mostly pages and searches, some lists of a thousand rows, some changes. */
async function requests(url: string, people: People): Promise<Request[]> {
  const { admin, superreseller, reseller, dealer } = people
  const connection = await Connection.open(url)
  const page = await connection.get('/v1/api/clients?per_page=100&filter=active', dealer.token)
  connection.close()
  const names = (JSON.parse(page) as { data: { name: string }[] }).data.map(({ name }) => name)
  const name = () => names[Math.floor(Math.random() * names.length)] ?? ''
  const read =
    (token: string, path: string): Request =>
    (connection) =>
      connection.get(path, token)
  return [
    read(dealer.token, '/v1/api/clients'),
    read(dealer.token, '/v1/api/clients?sort=expiry&filter=expiring&per_page=25'),
    read(dealer.token, '/v1/api/clients?page=400'),
    (connection) => connection.get(`/v1/api/clients?search=${name()}`, dealer.token),
    (connection) => connection.get(`/v1/api/client/${name()}`, dealer.token),
    (connection) => connection.get(`/v1/api/history/${name()}`, dealer.token),
    read(dealer.token, '/v1/api/credits'),
    read(dealer.token, '/v1/api/user'),
    read(dealer.token, '/v1/api/transactions'),
    read(reseller.token, '/v1/reseller/list'),
    read(superreseller.token, '/v1/superreseller/list'),
    read(admin.token, '/v1/admin/clients'),
    read(admin.token, '/v1/admin/list'),
    (connection) =>
      connection.post(
        '/v1/api/saveclient',
        dealer.token,
        JSON.stringify({ login: name(), desc: 'Moved' }),
        randomUUID(),
      ),
    (connection) =>
      connection.post(
        '/v1/api/quote',
        dealer.token,
        JSON.stringify({ clients: names.slice(0, 10), months: 1 }),
      ),
  ]
}

async function make(url: string, work: readonly Request[], count: number): Promise<void> {
  let made = 0
  await Promise.all(
    Array.from({ length: CONNECTIONS }, async () => {
      const connection = await Connection.open(url)
      while (made < count) {
        made += 1
        await work[made % work.length]?.(connection)
      }
      connection.close()
    }),
  )
}

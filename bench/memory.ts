import { randomUUID } from 'node:crypto'
import { calls } from '../contract/calls.ts'
import { startConsole } from '../test/support/console.ts'
import { Connection } from './connection.ts'
import { withDatabaseOf } from './database.ts'
import { type Figure, grouped, growthOf } from './figure.ts'
import type { Folders } from './fill.ts'
import { openSessions, type People } from './people.ts'
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
      what: `Memory grown over ${grouped(REQUESTS)} of them`,
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
  const { clients } = calls
  const connection = await Connection.open(url)
  const page = await connection.get(`${clients.list.path}?per_page=100&filter=active`, dealer.token)
  connection.close()
  const names = (JSON.parse(page) as { data: { name: string }[] }).data.map(({ name }) => name)
  const name = () => names[Math.floor(Math.random() * names.length)] ?? ''
  const read =
    (token: string, path: string): Request =>
    (connection) =>
      connection.get(path, token)
  return [
    read(dealer.token, clients.list.path),
    read(dealer.token, `${clients.list.path}?sort=expiry&filter=expiring&per_page=25`),
    read(dealer.token, `${clients.list.path}?page=400`),
    (connection) => connection.get(`${clients.list.path}?search=${name()}`, dealer.token),
    (connection) => connection.get(clients.detail.path.replace('{name}', name()), dealer.token),
    (connection) => connection.get(clients.history.path.replace('{name}', name()), dealer.token),
    read(dealer.token, calls.credits.dealer.path),
    read(dealer.token, calls.session.user.path),
    read(dealer.token, calls.desk.dealer.transactions.path),
    read(reseller.token, calls.level.dealer.list.path),
    read(superreseller.token, calls.level.reseller.list.path),
    read(admin.token, calls.admin.clients.path),
    read(admin.token, calls.level.superreseller.list.path),
    (connection) =>
      connection.post(
        clients.save.path,
        dealer.token,
        JSON.stringify({ login: name(), desc: 'Moved' }),
        randomUUID(),
      ),
    (connection) =>
      connection.post(
        clients.quote.path,
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

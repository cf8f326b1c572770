import { randomUUID } from 'node:crypto'
import { statfsSync } from 'node:fs'
import { calls } from '../contract/calls.ts'
import { startConsole } from '../test/support/console.ts'
import { newClient } from '../test/support/world.ts'
import { Connection } from './connection.ts'
import { type Figure, median } from './figure.ts'
import { FILLS, filled, rootFolder } from './fill.ts'
import { withDatabaseOf } from './people.ts'
import { measure } from './reads.ts'
import { renewersOf } from './renewers.ts'

/** The highest exponent: a hundred times as many clients may make a call five times as slow. */
const MOST = 0.35
/** What five million clients take on the disk, with what the filling needs meanwhile, in bytes. */
const ROOM = 40e9
const WRITES = 40

/** A call's milliseconds by the number of clients. */
type Costs = Map<string, { clients: number; ms: number }[]>

/**
 * Measures every call that reads, a renewal and a new client on ten thousand, a million and five million clients, and
 * fits each call's cost to a power of the number of clients. Exports are left out: they are as long as what they hold.
 */
export async function* growthFigures(
  _folders: unknown,
  say: (line: string) => void,
): AsyncGenerator<Figure | string> {
  const costs: Costs = new Map()
  for (const name of ['tenthousand', 'million', 'fivemillion'] as const) {
    if (name === 'fivemillion' && !hasRoom()) {
      yield 'The disk has no room for five million clients, so the growth is told up to one million.'
      continue
    }
    const folder = await filled(name, say)
    for (const { key, median } of await measure(folder)) add(costs, callOf(key), FILLS[name].clients, median)
    for (const [call, ms] of await timeWrites(folder)) add(costs, call, FILLS[name].clients, ms)
  }
  const grown = [...costs].map(([call, points]) => ({ call, points, exponent: exponentOf(points) }))
  for (const { call, points, exponent } of grown.sort((a, b) => b.exponent - a.exponent)) {
    yield {
      what: `Growth of ${call}`,
      value: exponent,
      limit: MOST,
      unit: '',
      absolute: `${points.map(({ ms }) => ms.toFixed(1)).join(', ')} ms`,
    }
  }
}

function hasRoom(): boolean {
  const { bavail, bsize } = statfsSync(rootFolder())
  return bavail * bsize > ROOM
}

/** Returns the call of a case: a list's sort and search without its direction, filter and end. */
function callOf(key: string): string {
  return key.replace(/ (asc|desc) .*$/, '')
}

/** Keeps the slowest case of each call. */
function add(costs: Costs, call: string, clients: number, ms: number): void {
  const points = costs.get(call) ?? []
  costs.set(call, points)
  const known = points.find((point) => point.clients === clients)
  if (known) known.ms = Math.max(known.ms, ms)
  else points.push({ clients, ms })
}

async function timeWrites(dataDir: string): Promise<[string, number][]> {
  const console = await startConsole({ dataDir })
  const connection = await Connection.open(console.url)
  try {
    const [by] = await withDatabaseOf(dataDir, (sql) => renewersOf(sql, { dealers: 1, clients: WRITES }))
    if (!by) throw new Error('There is no dealer')
    const renew = async (nr: number) => {
      const body = JSON.stringify({ name: by.clients[nr], months: 1 })
      await connection.post(`/v1${calls.clients.renew.path}`, by.token, body, randomUUID())
    }
    const create = async () => {
      const body = JSON.stringify(newClient({ ministra: true, months: 1 }))
      await connection.post(`/v1${calls.clients.create.path}`, by.token, body, randomUUID())
    }
    return [
      ['clients.renew', await medianOf(renew)],
      ['clients.create', await medianOf(create)],
    ]
  } finally {
    connection.close()
    await console.stop()
  }
}

async function medianOf(work: (nr: number) => Promise<void>): Promise<number> {
  const times: number[] = []
  for (let nr = 0; nr < WRITES; nr += 1) {
    const began = performance.now()
    await work(nr)
    times.push(performance.now() - began)
  }
  return median(times)
}

/** Returns the power of the number of clients with which a cost grows: the slope of its logarithms' line. */
function exponentOf(points: readonly { clients: number; ms: number }[]): number {
  const x = points.map(({ clients }) => Math.log(clients))
  const y = points.map(({ ms }) => Math.log(ms))
  const [meanX, meanY] = [mean(x), mean(y)]
  const across = x.reduce((sum, one, at) => sum + (one - meanX) * ((y[at] ?? 0) - meanY), 0)
  return across / x.reduce((sum, one) => sum + (one - meanX) ** 2, 0)
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, one) => sum + one, 0) / values.length
}

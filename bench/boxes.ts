import { fork } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { constants, setPriority, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { calls } from '../contract/calls.ts'
import { createSeal } from '../server/access/seal.ts'
import { findOrMakeSecretKey } from '../server/access/secret-key.ts'
import { readConfig } from '../server/config.ts'
import type { Sql } from '../server/postgres/pool.ts'
import { type Console, startConsole } from '../test/support/console.ts'
import type { Bytes, Listening } from './bare-poll-server.ts'
import { type Boxes, letAllIn, POLL, readBox, writeBoxes } from './box-file.ts'
import type { Asked, Order, Work } from './box-process.ts'
import { Connection } from './connection.ts'
import { openDatabaseOf } from './database.ts'
import { type Figure, grouped, median, quantile, type Round, ratioOf } from './figure.ts'
import type { Folders } from './fill.ts'
import { openSessions, type Person } from './people.ts'
import { startProcess } from './run-process.ts'
import { countStatements, statementsSoFar } from './statements.ts'
import { timed } from './timed.ts'
import { highestMemory, processorTime } from './watch.ts'

const CONNECTIONS = 64
const ROUNDS = 7
/** As long as from one writing of presence to the next, so that each round has one. */
const ROUND_MS = 10_000
/** A round of what people wait for takes turns with and without polls, so that both see the machine's moods alike. */
const TURNS = 8
const TURN_MS = 5_000
/** The least rate of polls, beside a bare Fastify. */
const LEAST = 0.5

/**
 * Measures the gateway in the process that serves the console too: polls beside a bare Fastify that answers the same
 * bytes, what they cost the database, the memory and the console, and how soon boxes are in that all come back at once.
 * What asks runs on the same cores, and takes its part of them from both sides.
 */
export async function* boxFigures({ million }: Folders): AsyncGenerator<Figure | string> {
  const stopCounting = countStatements(million)
  const folder = mkdtempSync(join(tmpdir(), 'boxtree-bench-'))
  let console: Console | null = null
  try {
    console = await startConsole({ dataDir: million })
    const boxes = yield* whileRunning(million, console, join(folder, 'boxes'))
    await console.stop()
    console = yield* comingBack(million, console.url, boxes)
  } finally {
    stopCounting()
    await console?.stop()
    rmSync(folder, { recursive: true })
  }
}

/** Measures all that needs no restart. Returns the boxes. */
async function* whileRunning(dataDir: string, console: Console, file: string): AsyncGenerator<Figure, Boxes> {
  const { sql, close } = await openDatabaseOf(dataDir, 'superuser')
  try {
    await letAllIn(sql)
    const boxes = await writeBoxes(
      sql,
      createSeal(findOrMakeSecretKey(readConfig({ DATA_DIR: dataDir }))),
      file,
    )
    const { dealer } = await openSessions(sql)
    await sql`create extension if not exists pg_stat_statements`
    await sql`select pg_stat_statements_reset()`
    const began = performance.now()
    yield* firstPolls(console, boxes)
    const bareRate = yield* besideBare(console, boxes)
    yield* besideConsole(console, boxes, dealer, (bareRate * LEAST) / 3)
    yield* costOf(sql, console, performance.now() - began)
    return boxes
  } finally {
    await sql`drop extension if exists pg_stat_statements`
    await close()
  }
}

/** Has each box poll once, by which the server gets to know it. */
async function* firstPolls(console: Console, { file, all }: Boxes): AsyncGenerator<Figure> {
  const order = { url: console.url, file, first: 0, boxes: all, connections: CONNECTIONS }
  const { milliseconds } = await ask({ ...order, work: { kind: 'each polls once' } }).asked
  yield {
    what: `First polls of ${grouped(all)} boxes after a start`,
    value: (1000 * all) / milliseconds,
    limit: null,
    unit: '/s',
  }
  yield memoryOf(console, `once it knows ${grouped(all)} boxes`)
}

/** Returns the median of what the bare Fastify answered in a second. */
async function* besideBare(console: Console, boxes: Boxes): AsyncGenerator<Figure, number> {
  const bare = await startProcess<Listening>('bare-poll-server.ts', await bytesOf(console.url, boxes))
  const order = { file: boxes.file, boxes: boxes.playing, connections: CONNECTIONS }
  const work: Work = { kind: 'poll', milliseconds: ROUND_MS, perSecond: null }
  const rates: Round[] = []
  const times: Round[] = []
  try {
    for (let round = 0; round < ROUNDS; round += 1) {
      const sides = { ours: console, theirs: { url: bare.answer.url, process: bare.process } }
      const rate = { ours: 0, theirs: 0 }
      const time = { ours: 0, theirs: 0 }
      for (const side of ['theirs', 'ours'] as const) {
        const { url, process } = sides[side]
        const before = processorTime(process.pid as number)
        const { quiet, milliseconds } = quietly(await ask({ ...order, url, first: 0, work }).asked)
        rate[side] = (1000 * quiet) / milliseconds
        time[side] = (1000 * (processorTime(process.pid as number) - before)) / quiet
      }
      rates.push(rate)
      times.push(time)
    }
  } finally {
    bare.process.kill()
  }
  const what = `Polls of ${grouped(boxes.playing)} boxes, beside a bare Fastify`
  yield ratioOf(rates, { what, limit: LEAST, atLeast: true, absolute: '/s' })
  yield ratioOf(times, {
    what: 'Processor time of the server, a poll, beside it',
    limit: null,
    absolute: 'µs',
  })
  return median(rates.map(({ theirs }) => theirs))
}

/**
 * Measures what people wait for at the console, with and without boxes that poll. The process that polls stays busy in
 * both cases, so that the figures differ by the server's work alone: real boxes are on other machines.
 */
async function* besideConsole(
  console: Console,
  boxes: Boxes,
  dealer: Person,
  perSecond: number,
): AsyncGenerator<Figure> {
  const connection = await Connection.open(console.url)
  const paths = await pathsOf(connection, dealer)
  const rounds = new Map<string, Round[]>(Object.keys(paths).map((what) => [what, []]))
  const order = { url: console.url, file: boxes.file, boxes: boxes.playing, connections: CONNECTIONS }
  const during = async (work: Work, times: Times) => {
    const asking = ask({ ...order, first: 0, work })
    await Promise.race([asking.begun, asking.asked])
    await look(connection, dealer, paths, times, asking.asked)
    return quietly(await asking.asked).quiet
  }
  let polled = 0
  for (let round = 0; round < ROUNDS; round += 1) {
    const alone: Times = new Map()
    const beside: Times = new Map()
    for (let turn = 0; turn < TURNS; turn += 1) {
      await during({ kind: 'stay awake', milliseconds: TURN_MS }, alone)
      polled += await during({ kind: 'poll', milliseconds: TURN_MS, perSecond }, beside)
    }
    for (const [what, times] of rounds) times.push({ ours: p95(beside, what), theirs: p95(alone, what) })
  }
  connection.close()
  const rate = Math.round((1000 * polled) / (ROUNDS * TURNS * TURN_MS))
  for (const [what, times] of rounds) {
    yield ratioOf(times, {
      what: `p95 of ${what}, with ${grouped(rate)} polls a second beside none`,
      limit: 2,
      absolute: 'ms',
    })
  }
}

/** Returns what a dealer often looks at. */
async function pathsOf(connection: Connection, { token }: Person): Promise<Record<string, string>> {
  const { data } = JSON.parse(await connection.get(calls.clients.list.path, token)) as {
    data: { name: string }[]
  }
  const name = data[0]?.name ?? ''
  return {
    'a page of clients': `${calls.clients.list.path}?sort=expiry&filter=active`,
    'a search': `${calls.clients.list.path}?search=${name}`,
    'a client': calls.clients.detail.path.replace('{name}', name),
    'the credits': calls.credits.dealer.path,
  }
}

/** How long each call took, in milliseconds. */
type Times = Map<string, number[]>

/** Makes these calls in turn until `end`, and notes in `times` how long each took. */
async function look(
  connection: Connection,
  { token }: Person,
  paths: Record<string, string>,
  times: Times,
  end: Promise<unknown>,
): Promise<void> {
  let isOver = false
  const over = () => {
    isOver = true
  }
  end.then(over, over)
  while (!isOver) {
    for (const [what, path] of Object.entries(paths)) {
      const time = await timed(() => connection.get(path, token))
      const before = times.get(what)
      if (before) before.push(time)
      else times.set(what, [time])
    }
  }
}

function p95(times: Times, what: string): number {
  return quantile(times.get(what) ?? [], 0.95)
}

async function* costOf(sql: Sql, console: Console, milliseconds: number): AsyncGenerator<Figure> {
  const { presence, presenceMs, all } = await statementsSoFar(sql)
  yield {
    what: 'Statements that write presence, in 10 s',
    // The first one may be written at any moment, and the others each 10 s after it.
    value: (presence - 1) / (milliseconds / 10_000),
    limit: 1,
    unit: '',
    absolute: `${presence} of ${grouped(all)} statements in ${Math.round(milliseconds / 1000)} s; ${Math.round(presenceMs)} ms each`,
  }
  yield memoryOf(console, 'under all of this')
}

const COMING_BACK = 100_000
/** How long the boxes find no server. */
const OUTAGE_MS = 3_000
/** Fewer connections than one address may have. */
const SIGNING_IN = 300

/** Starts the server again, while boxes look for it since it was stopped. Returns the server. */
async function* comingBack(dataDir: string, url: string, boxes: Boxes): AsyncGenerator<Figure, Console> {
  const count = Math.min(COMING_BACK, boxes.withMac)
  const order = { url, file: boxes.file, first: 0, boxes: count, connections: SIGNING_IN }
  const { asked } = ask({ ...order, work: { kind: 'sign in' } })
  await pause(OUTAGE_MS)
  const console = await startConsole({ dataDir, env: { PORT: new URL(url).port } })
  const began = performance.now()
  const { again } = quietly(await asked)
  const seconds = (performance.now() - began) / 1000
  yield {
    what: `All of ${grouped(count)} boxes that come back at once have signed in and polled`,
    value: seconds,
    limit: 120,
    unit: 's',
    absolute: `${Math.round(count / seconds)} a second, each over a connection of its own; ${grouped(again)} tries failed`,
  }
  yield memoryOf(console, 'after that')
  return console
}

function memoryOf({ process }: Console, when: string): Figure {
  return {
    what: `Highest memory of the server, ${when}`,
    value: highestMemory(process.pid as number),
    limit: 400,
    unit: 'MB',
  }
}

/** Asks in a process of its own, which has started and read the boxes once it has `begun`. */
function ask(order: Order): { begun: Promise<void>; asked: Promise<Asked> } {
  const child = fork(join(import.meta.dirname, 'box-process.ts'))
  // Real boxes run on other machines, so this process gets a low priority where it need not ask as fast as it can.
  const hurries =
    order.work.kind !== 'stay awake' && !(order.work.kind === 'poll' && order.work.perSecond !== null)
  if (!hurries) setPriority(child.pid as number, constants.priority.PRIORITY_LOW)
  const begun = new Promise<void>((resolve) => child.once('message', () => resolve()))
  const asked = new Promise<Asked>((resolve, reject) => {
    child.on('message', (message: Asked | 'begun') => message !== 'begun' && resolve(message))
    child.once('exit', (code) => reject(new Error(`What asks ended with ${code}`)))
    child.send(order)
  })
  return { begun, asked }
}

/** @throws Error where a poll was answered by anything but having nothing to tell */
function quietly(asked: Asked): Asked {
  if (asked.others > 0)
    throw new Error(`${asked.others} polls were answered otherwise, the last by ${asked.other}`)
  return asked
}

/** Returns the answer to a poll, without the headers that Fastify sends by itself. */
async function bytesOf(url: string, { file }: Boxes): Promise<Bytes> {
  const { mac, token } = readBox(readFileSync(file), 0)
  const answer = await fetch(`${url}/portal.php?${POLL}`, {
    headers: { cookie: `mac=${mac}`, authorization: `Bearer ${token}` },
  })
  const headers = Object.fromEntries(answer.headers)
  for (const name of ['connection', 'content-length', 'date', 'keep-alive']) delete headers[name]
  return { headers, body: await answer.text() }
}

import { randomUUID } from 'node:crypto'
import type { Call } from '../contract/call.ts'
import { calls } from '../contract/calls.ts'
import type { Embedded } from '../server/postgres/embedded.ts'
import type { Connect, Sql } from '../server/postgres/pool.ts'
import { Connection } from './connection.ts'
import { openDatabaseOf } from './database.ts'
import { type Figure, median, ofRounds, quantile, type Round, ratioOf } from './figure.ts'
import type { Folders } from './fill.ts'
import { startLoggedConsole } from './logged-console.ts'
import { MISSING, makeBareLedger, pgbench, removeBareLedger } from './pgbench.ts'
import { captureStatements, replay, type Statement } from './renewal-replay.ts'
import { expiredOf, openRenewals, type Renewer, renewersOf } from './renewers.ts'
import { openSilentApp } from './silent-app.ts'
import { timed } from './timed.ts'

const CONNECTIONS = [8, 32]
const WARM_UP_MS = 5_000
const MEASURED_MS = 3_000
/** pgbench and the renewals take turns, so that both bear the machine's ups and downs, and each checkpoint. */
const ROUNDS = 7
const MANY = 1_000
const TIMES = 5
/** Fewer are deleted, because they do not come back. */
const FEWER = MANY / TIMES

/**
 * Measures renewals of many dealers through the whole server, beside the least transaction of a ledger by pgbench over
 * as many connections; and a renewal of a thousand clients beside its own statements.
 */
export async function* writeFigures({ million }: Folders): AsyncGenerator<Figure | string> {
  const console = await startLoggedConsole(million)
  const { database, sql, close } = await openDatabaseOf(million, 'server')
  try {
    const renewers = await renewersOf(sql)
    if (MISSING) yield MISSING
    else yield* besideLeast(database, console.url, renewers)
    yield* renewalOfMany(
      console.url,
      sql,
      await statementsOf(million, database.server, renewers[0] as Renewer),
    )
  } finally {
    await close()
    await console.stop()
  }
}

async function* besideLeast(database: Embedded, url: string, renewers: Renewer[]): AsyncGenerator<Figure> {
  await makeBareLedger(database, renewers.length)
  const renewals = openRenewals()
  try {
    for (const connections of CONNECTIONS) {
      const least = { connections, dealers: renewers.length, seconds: MEASURED_MS / 1000 }
      const order = { url, connections, renewers, milliseconds: MEASURED_MS }
      await renewals.renew({ ...order, milliseconds: WARM_UP_MS })
      const rounds: Round[] = []
      const slowest: number[] = []
      const medians: number[] = []
      for (let round = 0; round < ROUNDS; round += 1) {
        const theirs = await pgbench(database, least)
        const { times, milliseconds } = await renewals.renew(order)
        rounds.push({ ours: (1000 * times.length) / milliseconds, theirs })
        medians.push(median(times))
        slowest.push(quantile(times, 0.99) / median(times))
      }
      const what = `Renewals over ${connections} connections`
      yield ratioOf(rounds, {
        what: `${what}, beside pgbench's least transaction`,
        limit: 0.2,
        atLeast: true,
        absolute: '/s',
      })
      yield {
        what: `${what}: the slowest percent, beside the median`,
        ...ofRounds(slowest),
        limit: connections === 32 ? 4 : null,
        unit: '',
        absolute: `a median of ${median(medians).toFixed(1)} ms`,
      }
    }
  } finally {
    renewals.close()
    await removeBareLedger(database)
  }
}

/** Captures the statements that the server sends for a renewal that shares its transaction with no other. */
function statementsOf(dataDir: string, to: Connect, by: Renewer): Promise<Statement[]> {
  return captureStatements(to, async (sql) => {
    const app = await openSilentApp(dataDir, to, sql)
    return async () => {
      const answer = await app.inject({
        method: 'POST',
        url: `/v1${calls.clients.multirenew.path}`,
        headers: { 'access-token': by.token, 'idempotency-key': randomUUID() },
        payload: { clients: by.clients.slice(0, 1), months: 1 },
      })
      if (answer.statusCode !== 200) throw new Error(answer.body)
    }
  })
}

async function* renewalOfMany(
  url: string,
  sql: Sql,
  statements: readonly Statement[],
): AsyncGenerator<Figure> {
  const [by] = (await renewersOf(sql, { dealers: 1, clients: MANY })) as [Renewer]
  const { clients } = by
  const { multirenew, multisave, multiquote, multiremove } = calls.clients
  const connection = await Connection.open(url)
  const post = ({ path }: Call, input: object) =>
    timed(() => connection.post(path, by.token, JSON.stringify(input), randomUUID()))
  const expired = await expiredOf(sql, by, TIMES * FEWER)
  const rounds = {
    bare: [] as Round[],
    changed: [] as Round[],
    quoted: [] as Round[],
    removed: [] as Round[],
  }
  for (let time = 0; time < TIMES; time += 1) {
    // First, because an expired client cannot be changed.
    const renewed = await post(multirenew, { clients, months: 1 })
    rounds.changed.push({
      ours: await post(multisave, { clients, package_selection: time % 2 ? 1 : 2 }),
      theirs: renewed,
    })
    rounds.quoted.push({ ours: await post(multiquote, { clients }), theirs: renewed })
    rounds.bare.push({ ours: renewed, theirs: await timed(() => replay(sql, statements, by, clients)) })
    rounds.removed.push({
      ours: await post(multiremove, { clients: expired.slice(time * FEWER, (time + 1) * FEWER) }),
      theirs: await post(multirenew, { clients: clients.slice(0, FEWER), months: 1 }),
    })
  }
  connection.close()
  const beside = (what: string, rounds: readonly Round[], limit: number) =>
    ratioOf(rounds, { what, limit, absolute: 'ms' })
  yield beside(`A renewal of ${MANY} clients, beside its bare SQL`, rounds.bare, 2)
  yield beside(`Another package for ${MANY} clients, beside a renewal of them`, rounds.changed, 1)
  yield beside(`Looking at ${MANY} clients before a change, beside a renewal of them`, rounds.quoted, 1)
  yield beside(`Deleting ${FEWER} expired clients, beside a renewal of as many`, rounds.removed, 2)
}

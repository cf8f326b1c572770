import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { calls } from '../contract/calls.ts'
import type { Role } from '../contract/roles.ts'
import { startEmbedded } from '../server/postgres/embedded.ts'
import { openPool, type Sql } from '../server/postgres/pool.ts'
import type { Folders } from './fill.ts'
import { openSessions, type People } from './people.ts'
import { openSilentApp } from './silent-app.ts'

/** The most frequent calls, made by the busiest account of a role, and a summary of their plans. */
const CALLS: readonly { file: string; role: Role; summary: string; path: string; body?: object }[] = [
  {
    file: '01-a-page-of-clients',
    role: 'dealer',
    summary:
      'The page is the first ten entries of one index; the counts are sums of a kept count for each day of expiry.',
    path: calls.clients.list.path,
  },
  {
    file: '02-the-deepest-page',
    role: 'dealer',
    summary: 'The same index is read from its other end, so the last page costs as much as the first.',
    path: `${calls.clients.list.path}?page=10000`,
  },
  {
    file: '03-a-page-by-expiry',
    role: 'dealer',
    summary: 'The clients that expire soon are one range of the index by expiry, in the order of the list.',
    path: `${calls.clients.list.path}?sort=expiry&filter=expiring`,
  },
  {
    file: '04-a-search-that-finds-few',
    role: 'dealer',
    summary:
      'A first statement estimates the number of matches; the trigram index then finds them, and they are counted and sorted at once.',
    path: `${calls.clients.list.path}?search={part}`,
  },
  {
    file: '05-a-search-that-finds-nearly-all',
    role: 'dealer',
    summary:
      "The estimate is so high that the counts scan all of the dealer's clients, which takes nearly all of the time; the page is found at once in the order of the list.",
    path: `${calls.clients.list.path}?search=00:1a:79`,
  },
  {
    file: '06-a-page-of-all-clients',
    role: 'admin',
    summary:
      'The page is ten entries of one index; nearly all of the time goes into the sum of the kept counts, one for each day of each superreseller.',
    path: calls.admin.clients.path,
  },
  {
    file: '07-a-client',
    role: 'dealer',
    summary:
      "One index finds the client by its dealer and name, one its box by the client's id, and one its purchases.",
    path: calls.clients.detail.path,
  },
  {
    file: '08-the-latest-transactions',
    role: 'dealer',
    summary: 'The newest thousand of ten million rows are read from the end of one index.',
    path: calls.desk.dealer.transactions.path,
  },
  {
    file: '09-the-dashboard-of-the-admin',
    role: 'admin',
    summary:
      'No client is read: nearly all of the time goes into the sums of the kept counts of each superreseller.',
    path: calls.level.superreseller.list.path,
  },
  {
    file: '10-a-renewal',
    role: 'dealer',
    summary: 'Every statement finds its rows by one index, and reads no more rows than it changes.',
    path: calls.clients.renew.path,
    body: { months: 1 },
  },
]

/** PostgreSQL plans a prepared statement for its values five times, and may then use one generic plan. */
const TIMES = 7
const FOLDER = join(import.meta.dirname, 'plans')

/**
 * Writes the plans of each call's statements, as PostgreSQL executed them for the server, into one file per call.
 * Yields the files.
 */
export async function* writePlans({ million: dataDir }: Folders): AsyncGenerator<string> {
  const database = await startEmbedded({ dataDir, say: () => {} })
  const sql = openPool(database.superuser, { max: 1, isLong: true })
  const explained = openPool(database.superuser, { max: 1, isLong: true })
  try {
    const people = await openSessions(sql)
    const client = await oneClient(sql, people)
    await explained`load 'auto_explain'`
    await explained`
      select set_config('auto_explain.' || name, value, false) from (values
        ('log_min_duration', '0'), ('log_analyze', 'on'), ('log_buffers', 'on'), ('log_nested_statements', 'on'),
        ('log_parameter_max_length', '0')
      ) as setting (name, value)`
    const app = await openSilentApp(dataDir, database.superuser, explained)
    mkdirSync(FOLDER, { recursive: true })
    for (const { file, role, summary, path, body } of CALLS) {
      const call = async () => {
        const answer = await app.inject({
          method: body ? 'POST' : 'GET',
          url: `/v1${path.replace('{name}', client).replace('{part}', client.slice(-6))}`,
          headers: { 'access-token': people[role].token },
          ...(body && { payload: { ...body, name: client } }),
        })
        if (answer.statusCode !== 200) throw new Error(`${path}: ${answer.body}`)
      }
      for (let time = 1; time < TIMES; time += 1) await call()
      const before = readLog(database.files).length
      await call()
      const plans = plansIn(readLog(database.files).slice(before))
      writeFileSync(join(FOLDER, `${file}.txt`), [summary, ...plans].join('\n\n'))
      yield `bench/plans/${file}.txt`
    }
    await app.close()
  } finally {
    await Promise.all([sql.end(), explained.end()])
    await database.stop()
  }
}

/** Picks an active client of the dealer, for the renewals. */
async function oneClient(sql: Sql, { dealer }: People): Promise<string> {
  const [client] = await sql<{ name: string }[]>`
    select c.name from client c join service s on s.client = c.id
    where c.dealer = ${dealer.id} and s.expiry > now() order by c.id desc limit 1`
  return client?.name ?? ''
}

/** Reads the newest log file, into which PostgreSQL writes the plans. */
function readLog(cluster: string): string {
  const files = readdirSync(join(cluster, 'log')).map((name) => join(cluster, 'log', name))
  const newest = files.sort((a, b) => statSync(a).mtimeMs - statSync(b).mtimeMs).at(-1)
  return newest ? readFileSync(newest, 'utf8') : ''
}

/** Returns the plans in a log, without its timestamps and without the statements that begin and end every call. */
function plansIn(log: string): string[] {
  return log
    .split(/^\d{4}-\d\d-\d\d .*?LOG: {2}/m)
    .map((entry) => entry.replaceAll(/^\t/gm, '').trim())
    .filter(
      (entry) => entry.startsWith('duration:') && !/(from|join) session s|Query Text: select 1$/m.test(entry),
    )
}

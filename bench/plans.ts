import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pino } from 'pino'
import type { Role } from '../contract/roles.ts'
import { readSecretKey } from '../server/access/secret.ts'
import { openApp } from '../server/app.ts'
import { readConfig } from '../server/config.ts'
import { startEmbedded } from '../server/postgres/embedded.ts'
import { openPool, type Sql } from '../server/postgres/pool.ts'
import type { Folders } from './fill.ts'
import { admitPeople, type People } from './people.ts'

/** The calls that are made most, each as the busiest of a role makes it, and what is read in its plan. */
const CALLS: readonly { file: string; role: Role; read: string; path: string; body?: object }[] = [
  {
    file: '01-a-page-of-clients',
    role: 'dealer',
    read: 'The page is the first ten entries of one index; the counts add up what is kept for each day on which clients end.',
    path: '/api/clients',
  },
  {
    file: '02-the-deepest-page',
    role: 'dealer',
    read: 'The same index, read from its other end: the last page is as near as the first.',
    path: '/api/clients?page=10000',
  },
  {
    file: '03-a-page-by-expiry',
    role: 'dealer',
    read: 'What expires soon is one range of the index by expiry, in the order of the list.',
    path: '/api/clients?sort=expiry&filter=expiring',
  },
  {
    file: '04-a-search-that-finds-few',
    role: 'dealer',
    read: 'How many to expect is asked first; then the trigrams of the directory find them, and they are counted and sorted at once.',
    path: '/api/clients?search={part}',
  },
  {
    file: '05-a-search-that-finds-nearly-all',
    role: 'dealer',
    read: 'So many are expected that each of the dealer is looked at for the counts, which is nearly all of the time; the page is met at once in its order.',
    path: '/api/clients?search=00:1a:79',
  },
  {
    file: '06-a-page-of-all-clients',
    role: 'admin',
    read: 'The page is ten entries of one index; nearly all of the time adds up the kept counts, one for each day of each superreseller.',
    path: '/admin/clients',
  },
  {
    file: '07-a-client',
    role: 'dealer',
    read: 'One row by its dealer and name, its box by its number, its purchases by one index.',
    path: '/api/client/{name}',
  },
  {
    file: '08-the-latest-transactions',
    role: 'dealer',
    read: 'The newest thousand of ten million, from the end of one index.',
    path: '/api/transactions',
  },
  {
    file: '09-the-dashboard-of-the-admin',
    role: 'admin',
    read: 'No client is looked at: nearly all of the time adds up the kept counts of each superreseller.',
    path: '/admin/list',
  },
  {
    file: '10-a-renewal',
    role: 'dealer',
    read: 'Every statement finds its rows by one index, and looks at no more than it changes.',
    path: '/api/renew',
    body: { months: 1 },
  },
]

/** A statement is planned anew five times, and from then on as a plan for all values may do. */
const TIMES = 7
const FOLDER = join(import.meta.dirname, 'plans')

/**
 * Writes the plan of each statement of these calls, as PostgreSQL ran it for the server, into a file for each call.
 * Answers the files.
 */
export async function* writePlans({ million: dataDir }: Folders): AsyncGenerator<string> {
  const config = readConfig({ DATA_DIR: dataDir })
  const database = await startEmbedded({ dataDir, say: () => {} })
  const sql = openPool(database.superuser, { max: 1, patient: true, lasting: true })
  const explained = openPool(database.superuser, { max: 1, patient: true, lasting: true })
  try {
    const people = await admitPeople(sql)
    const client = await oneClient(sql, people)
    await explained`load 'auto_explain'`
    await explained`
      select set_config('auto_explain.' || name, value, false) from (values
        ('log_min_duration', '0'), ('log_analyze', 'on'), ('log_buffers', 'on'), ('log_nested_statements', 'on'),
        ('log_parameter_max_length', '0')
      ) as setting (name, value)`
    const log = pino({ level: 'silent' })
    const app = await openApp({
      config,
      database: database.superuser,
      sql: explained,
      secretKey: readSecretKey(config),
      log,
      freeSpace: null,
    })
    mkdirSync(FOLDER, { recursive: true })
    for (const { file, role, read, path, body } of CALLS) {
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
      writeFileSync(
        join(FOLDER, `${file}.txt`),
        `${read}\n\n${plansIn(readLog(database.files).slice(before))}`,
      )
      yield `bench/plans/${file}.txt`
    }
    await app.close()
  } finally {
    await Promise.all([sql.end(), explained.end()])
    await database.stop()
  }
}

/** A client whose dealer can pay for the renewals. */
async function oneClient(sql: Sql, { dealer }: People): Promise<string> {
  const [client] = await sql<{ name: string }[]>`
    select c.name from client c join service s on s.client = c.id
    where c.dealer = ${dealer.id} and s.expiry > now() order by c.id desc limit 1`
  return client?.name ?? ''
}

/** The file of today, to which the server writes each plan. */
function readLog(cluster: string): string {
  const files = readdirSync(join(cluster, 'log')).map((name) => join(cluster, 'log', name))
  const newest = files.sort((a, b) => statSync(a).mtimeMs - statSync(b).mtimeMs).at(-1)
  return newest ? readFileSync(newest, 'utf8') : ''
}

/** The plans without the time and process that wrote them, and without what every call begins and ends with. */
function plansIn(log: string): string[] {
  return log
    .split(/^\d{4}-\d\d-\d\d .*?LOG: {2}/m)
    .map((entry) => entry.replaceAll(/^\t/gm, '').trim())
    .filter((entry) => entry.startsWith('duration:') && !/from session s|Query Text: select 1$/m.test(entry))
}

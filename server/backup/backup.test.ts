import { createHash } from 'node:crypto'
import {
  appendFileSync,
  chmodSync,
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { calls } from '../../contract/calls.ts'
import { proveTheBooks } from '../../test/support/books.ts'
import { type FreshDatabase, freshDatabase } from '../../test/support/database.ts'
import { freshFolder } from '../../test/support/folder.ts'
import { holdOpen, somebodyWaits } from '../../test/support/hold.ts'
import { openPostgresProxy } from '../../test/support/postgres-proxy.ts'
import { SECRET_KEY, startServer } from '../../test/support/server.ts'
import { sealUnbound } from '../../test/support/unbound-password.ts'
import { newClient, openWorld, PASSWORD, Person, storedIn, type World } from '../../test/support/world.ts'
import { StartFault } from '../config.ts'
import { begin } from '../postgres/begin.ts'
import { migrate } from '../postgres/migrate.ts'
import { type Sql, withPool } from '../postgres/pool.ts'
import { BEFORE_020, makeSchema } from '../postgres/schema.ts'
import { noteTimeZone } from '../postgres/time-zone.ts'
import { verify } from '../verify/verify.ts'
import { type Manifest, readManifest } from './archive.ts'
import { restoreBackup } from './restore.ts'
import { type TakeOptions, takeBackup } from './take.ts'

const silent = () => {}

let parent: string
let folder: string
let target: FreshDatabase
beforeEach(async () => {
  parent = freshFolder()
  folder = join(parent, 'backup')
  target = await freshDatabase({ migrated: false })
})
afterEach(async () => {
  await target.drop()
  rmSync(parent, { recursive: true, force: true })
})

/** Does something as a user that root's rights do not help. */
function asNobody(act: () => void): void {
  const isRoot = process.geteuid?.() === 0
  if (isRoot) process.seteuid?.(65_534)
  try {
    act()
  } finally {
    if (isRoot) process.seteuid?.(0)
  }
}

type Restoring = { key?: Buffer; manifest?: Manifest; say?: (line: string) => void }

async function restore(more: Restoring = {}): Promise<void> {
  const { key = SECRET_KEY, manifest = readManifest(folder), say = silent } = more
  await restoreBackup({ owner: target.owner, key, folder, manifest, say, onRestored: silent })
  await migrate({ ...target, say: silent })
}

function take({ owner }: Pick<FreshDatabase, 'owner'>, more: Partial<TakeOptions> = {}) {
  return takeBackup({ owner, key: SECRET_KEY, timeZone: 'UTC', folder, say: silent, ...more })
}

async function isEmpty({ ownerSql }: FreshDatabase): Promise<boolean> {
  const tables =
    await ownerSql`select from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'`
  return tables.length === 0
}

describe('a backup', () => {
  let world: World
  let dealer: Person
  beforeAll(async () => {
    world = await openWorld()
    dealer = (await world.family({ credits: 500 })).dealer
    await world.admin.call(calls.admin.setMessage, { message: 'A line\nand a \\ tab\t, ünïcode 🎉' })
    await world.client(dealer, { months: 2, password: 'pass-wörd', desc: 'Caf\u00e9, "quoted" \\N' })
  })
  afterAll(() => world.close())

  test('restored into an empty database has the same rows in every table, except sessions and tickets', async () => {
    await dealer.call(calls.clients.export, { format: 'csv' })
    await take(world.server.database)
    await restore()
    const [copy, original] = await Promise.all([target, world.server].map((one) => storedIn(one)))
    // The table `setup` belongs to a database, and is not backed up.
    copy?.delete('setup')
    original?.delete('setup')
    for (const table of ['session', 'export_ticket']) {
      expect(original?.get(table), table).not.toBe('')
      expect(copy?.get(table), table).toBe('')
      original?.delete(table)
      copy?.delete(table)
    }
    expect(copy).toEqual(original)
    const numbers = ({ ownerSql }: Pick<FreshDatabase, 'ownerSql'>) => ownerSql`
      select sequencename, last_value from pg_sequences where last_value is not null order by 1`
    expect(await numbers(target)).toEqual(await numbers(world.server))
  })

  test('of tables whose next number was set ahead is restored with it, and one that lacks it goes on after its rows', async () => {
    const source = await openWorld()
    try {
      await source.family({ credits: 5 })
      const { ownerSql } = source.server.database
      for (const table of ['suspension', 'holding', 'account'])
        await ownerSql.unsafe(`alter table ${table} alter id restart with 1001`)
      await take(source.server.database)
      await restore()
      const next = (database: FreshDatabase) => database.ownerSql`
        select last_value + is_called::int as next from account_id_seq
        union all select last_value + is_called::int from suspension_id_seq`
      expect(await next(target)).toEqual([{ next: 1001 }, { next: 1001 }])
      await target.drop()
      target = await freshDatabase({ migrated: false })
      // As earlier versions have left it out.
      await restore({ manifest: { ...readManifest(folder), sequences: [] } })
      const [highest] = await target.ownerSql`select max(id) + 1 as next from account`
      expect(await next(target)).toEqual([highest, { next: 1 }])
    } finally {
      await source.close()
    }
  })

  test('is a snapshot even while people work: its ledger is sound and every password readable', async () => {
    const passwords = new Map<string, string>()
    const before = await addClient('before')
    const proxy = await openPostgresProxy(world.server.database.owner)
    // The snapshot is of a moment before it, and all that a new client changes is copied after it.
    const atClients = proxy.keepBack('copy "client"')
    let working = true
    const work = Array.from({ length: 4 }, async (_, hand) => {
      // No more than one page of the list, and than the dealer has credits for; half of them after the snapshot.
      for (let round = 0; working && round < 100; round += 1) {
        if (round === 50) await atClients
        await addClient(`${hand}-${round}`)
      }
    })
    const taking = take({ owner: proxy.url })
    const sendOn = await atClients
    const late = await addClient('late')
    sendOn()
    const { tables } = await taking
    working = false
    await Promise.all(work)
    await proxy.close()
    await restore()
    expect(await verify(target.sql, 'boxtree_server')).toMatchObject({ first: null, others: [] })
    await proveTheBooks(target.ownerSql)
    const server = await startServer({ database: target, clock: () => world.clock.now })
    try {
      // A restore brings no session back.
      expect((await world.at(server, dealer).fetch('GET', '/v1/api/user')).status).toBe(401)
      const { id, name, role } = dealer
      const login = { login_username: name, login_password: PASSWORD }
      const { token } = await world.at(server, world.nobody()).call(calls.session.login, login)
      const there = new Person(server, { id, name, role, token })
      const { data } = await there.call(calls.clients.list, { per_page: 500 })
      const names = data.map(({ name }) => name)
      expect([names.includes(before), names.includes(late)]).toEqual([true, false])
      expect(tables.find(({ name }) => name === 'client')?.rows).toBe(data.length)
      for (const { name } of data) {
        const { password } = await there.call(calls.clients.detail, { name })
        expect(password).toBe(passwords.get(name) ?? 'pass-wörd')
      }
      // The sequences continue where they were.
      await there.call(calls.clients.create, newClient({ months: 1 }))
      await proveTheBooks(target.ownerSql)
    } finally {
      await server.close()
    }

    async function addClient(word: string): Promise<string> {
      const password = `secret-${word}`
      const input = newClient({ months: 1, password })
      passwords.set(input.login, password)
      await dealer.call(calls.clients.create, input)
      return input.login
    }
  })

  test('can be read only by its owner, and contains the key besides the tables', async () => {
    await take(world.server.database)
    expect(lstatSync(folder).mode & 0o777).toBe(0o700)
    for (const name of readdirSync(folder))
      expect(lstatSync(join(folder, name)).mode & 0o777, name).toBe(0o600)
    expect(readFileSync(join(folder, 'secret-key'), 'utf8')).toBe(`${SECRET_KEY.toString('base64')}\n`)
  })

  test('says in which time zone its days were counted, also where its command is told another one', async () => {
    const { database } = world.server
    await noteTimeZone(database.owner, 'Europe/Lisbon')
    expect((await take(database)).time_zone).toBe('Europe/Lisbon')
    await noteTimeZone(database.owner, 'UTC')
  })

  test('that was killed keeps a temporary name, and is refused by a restore', async () => {
    await take(world.server.database)
    rmSync(join(folder, 'manifest.json'))
    expect(() => readManifest(folder)).toThrow('is no whole backup')
    renameSync(folder, `${folder}.partial`)
    expect(() => readManifest(`${folder}.partial`)).toThrow('is no whole backup')
    expect(() => readManifest(folder)).toThrow(new StartFault(`There is no folder ${folder}.`))
  })

  test('that this user may not read is not called a bad one', async () => {
    await take(world.server.database)
    chmodSync(folder, 0)
    const sentence = `This user may not read ${folder}. As root, put it where`
    asNobody(() => expect(() => readManifest(folder)).toThrow(sentence))
    chmodSync(folder, 0o700)
    await restore()
  })

  test('is not written into the folder of another backup, complete or under way', async () => {
    await take(world.server.database)
    await expect(take(world.server.database)).rejects.toThrow('is there already; name another folder')
    expect(readManifest(folder).format).toBe(2)
    const inFile = join(folder, 'manifest.json', 'backup')
    await expect(take(world.server.database, { folder: inFile })).rejects.toThrow('cannot be made')
    rmSync(folder, { recursive: true })
    const [first, second] = await Promise.allSettled([
      take(world.server.database),
      take(world.server.database),
    ])
    expect([first.status, second.status].sort()).toEqual(['fulfilled', 'rejected'])
  })

  test('with a wrong key is refused before anything is written, and so is its restore', async () => {
    const key = Buffer.alloc(32, 'another')
    await expect(take(world.server.database, { key })).rejects.toThrow('is not the key of this database')
    expect(readdirSync(parent)).toEqual([])
    await take(world.server.database)
    await expect(restore({ key })).rejects.toThrow(
      `Put the key that it was made with into ${folder} as secret-key.`,
    )
    expect(await isEmpty(target)).toBe(true)
    await restore()
  })

  test.each([
    ['cut short', (file: string) => truncateSync(file, lstatSync(file).size - 20)],
    ['longer', (file: string) => appendFileSync(file, 'more')],
    ['changed', (file: string) => writeFileSync(file, readFileSync(file).reverse())],
    ['gone', (file: string) => rmSync(file)],
    [
      'made of rows that PostgreSQL cannot read',
      (file: string) => writeFileSync(file, gzipSync(`one\t${gunzipSync(readFileSync(file))}`)),
    ],
  ])('with a table that is %s is refused, and the database stays empty', async (_, damage) => {
    await take(world.server.database)
    damage(join(folder, 'transfer.copy.gz'))
    await expect(restore()).rejects.toThrow('transfer.copy.gz is not as it was written')
    expect(await isEmpty(target)).toBe(true)
  })

  test('with one table from another backup is refused', async () => {
    await take(world.server.database)
    await world.client(dealer, { months: 1 })
    const manifest = readManifest(folder)
    rmSync(folder, { recursive: true })
    await take(world.server.database)
    await expect(restore({ manifest })).rejects.toThrow('is not as it was written')
  })

  test('that is not damaged but has two rows of one key says so, and quotes none of them', async () => {
    await take(world.server.database)
    const file = join(folder, 'transfer.copy.gz')
    const rows = gunzipSync(readFileSync(file)).toString()
    writeFileSync(file, gzipSync(rows + rows))
    const sha256 = createHash('sha256').update(readFileSync(file)).digest('hex')
    const taken = readManifest(folder)
    const tables = taken.tables.map((table) =>
      table.name === 'transfer' ? { ...table, rows: 2 * table.rows, sha256 } : table,
    )
    await expect(restore({ manifest: { ...taken, tables } })).rejects.toThrow(
      new StartFault(
        'The backup cannot be restored: duplicate key value violates unique constraint "transfer_pkey". Nothing was restored. Use another backup.',
      ),
    )
    expect(await isEmpty(target)).toBe(true)
  })

  test('of a schema that this program does not know is refused in one sentence', async () => {
    await take(world.server.database)
    const manifest = { ...readManifest(folder), schema: 'another' }
    await expect(restore({ manifest })).rejects.toThrow(
      new StartFault(
        'This version of Boxtree does not know the tables of the backup; restore it with the version that made it.',
      ),
    )
    expect(await isEmpty(target)).toBe(true)
  })

  test('has no limit for its transaction, also where the role of the tables has one', async () => {
    const { database } = world.server
    const { ownerSql } = database
    const [row] = await ownerSql<{ name: string }[]>`select current_database() as name`
    const limitTo = (limit: string) =>
      ownerSql.unsafe(`alter role boxtree_owner in database ${row?.name} set transaction_timeout = ${limit}`)
    await limitTo("'500ms'")
    const release = await holdOpen(ownerSql, (sql) => sql`lock table client`)
    const taking = take(database).then(
      () => 'made',
      (error) => error,
    )
    const waiting = (sql: Sql) => sql`
      select from pg_locks join pg_stat_activity using (pid)
      where not granted and relation = 'client'::regclass and now() - xact_start > interval '600ms'`
    try {
      await withPool(database.superuser, { max: 1 }, (sql) => {
        return expect.poll(async () => (await waiting(sql)).length).toBe(1)
      })
    } finally {
      await release()
      await limitTo('default')
    }
    expect(await taking).toBe('made')
  })

  test('leaves out the tables that others have made in the database, and says which', async () => {
    const { database } = world.server
    await withPool(database.superuser, { max: 1 }, async (sql) => {
      await sql`create extension hstore`
      await sql`create table of_an_extension (text text)`
      await sql`alter extension hstore add table of_an_extension`
      await sql`create table of_another (text text)`
    })
    await database.ownerSql`create table of_the_operator (id serial, text text)`
    await database.ownerSql`insert into of_the_operator (text) values ('kept elsewhere')`
    const said: string[] = []
    const { tables, sequences } = await take(database, { say: (line) => said.push(line) })
    await withPool(database.superuser, { max: 1 }, async (sql) => {
      await sql`drop extension hstore`
      await sql`drop table of_another, of_the_operator`
    })
    expect([...tables, ...sequences].filter(({ name }) => name.startsWith('of_'))).toEqual([])
    expect(said.filter((line) => line.includes('of_'))).toEqual([
      "The backup leaves out the tables that are not Boxtree's: of_another, of_the_operator. Back those up separately.",
    ])
    await restore()
  })

  test('of an earlier version, which took the tables of others along, is restored without them', async () => {
    const { tables, sequences, ...rest } = await take(world.server.database)
    const note = { name: 'of_the_operator', columns: ['id'], rows: 1, sha256: '' }
    const manifest = {
      ...rest,
      tables: [...tables, note],
      sequences: [...sequences, { name: 'of_the_operator_id_seq', value: 1 }],
    }
    const said: string[] = []
    await restore({ manifest, say: (line) => said.push(line) })
    expect(said).toContain("The restore leaves out the tables that are not Boxtree's: of_the_operator.")
  })

  test('of a database that knows other small letters is sound where it is restored', async () => {
    const { ownerSql } = world.server
    await world.client(dealer, { desc: 'GÜNTHER' })
    // As the locale C leaves it.
    await ownerSql`update directory set text = replace(text, 'ü', 'Ü')`
    await take(world.server.database)
    await ownerSql`update directory set text = replace(text, 'Ü', 'ü')`
    await restore()
    expect(await verify(target.sql, 'boxtree_server')).toMatchObject({ first: null, others: [] })
  })

  test('can only be restored into an empty database', async () => {
    await take(world.server.database)
    await restore()
    const [before] = await target.ownerSql`select count(*) from client`
    await expect(restore()).rejects.toThrow('The database is not empty, and nothing was changed in it')
    expect(await target.ownerSql`select count(*) from client`).toEqual([before])
  })

  test('that is interrupted in the middle of a table leaves no file', async () => {
    await world.server.ownerSql`
      insert into audit (at, event, detail)
      select now(), 'long', jsonb_build_object('words', repeat('word ', 20)) from generate_series(1, 100000)`
    const interrupted = new AbortController()
    // The audit is copied soon after the accounts, and takes long enough to be interrupted.
    const say = (line: string) => {
      if (line.startsWith('account')) setTimeout(() => interrupted.abort(), 10)
    }
    await expect(take(world.server.database, { signal: interrupted.signal, say })).rejects.toThrow('abort')
    expect(readdirSync(parent)).toEqual([])
    await take(world.server.database)
  })

  test('that is interrupted while it waits for a table that a migration has locked ends at once', async () => {
    const interrupted = new AbortController()
    const { ownerSql, database } = world.server
    const release = await holdOpen(ownerSql, (sql) => sql`lock table client in access exclusive mode`)
    const taking = take(database, { signal: interrupted.signal })
    taking.catch(() => {})
    await somebodyWaits(world.server.sql)
    interrupted.abort()
    await expect(taking).rejects.toThrow('abort')
    await release()
    expect(readdirSync(parent)).toEqual([])
  })

  test('that is interrupted before the rows of a table have come, as over a slow network, waits for none', async () => {
    const interrupted = new AbortController()
    const proxy = await openPostgresProxy(world.server.database.owner)
    const atClients = proxy.keepBack('copy "client"')
    const taking = take({ owner: proxy.url }, { signal: interrupted.signal })
    taking.catch(() => {})
    await atClients
    interrupted.abort()
    await expect(taking).rejects.toThrow('abort')
    await proxy.close()
    expect(readdirSync(parent)).toEqual([])
  })

  test('of a database without tables is refused', async () => {
    await expect(take(target)).rejects.toThrow('There is nothing to back up yet')
    expect(existsSync(folder)).toBe(false)
  })
})

/** Writes rows as version 0.1 did: credits passed down the tree, a client with paid months, and a deleted one. */
async function writeOldBusiness(sql: Sql): Promise<void> {
  const [at, trial, three, two] = ['09:00:00', '23:59:59', '23:59:59', '23:59:59'].map(
    (time, month) => `2026-${['01', '01', '04', '03'][month]}-10 ${time}+00`,
  ) as [string, string, string, string]
  await sql`
    insert into account (name, role, parent, superreseller, reseller, password, settings, created) values
      ('admin', 'admin', null, null, null, '', '{}', ${at}), ('north', 'superreseller', 1, null, null, '', '{}', ${at}),
      ('city', 'reseller', 2, 2, null, '', '{}', ${at}), ('corner', 'dealer', 3, 2, 3, '', '{}', ${at})`
  await sql`insert into broadcast (message) values ('Welcome')`
  await sql`insert into audit (at, event, account, detail) values (${at}, 'session.login', 1, '{}')`
  const sealed = sealUnbound('readable', SECRET_KEY)
  await sql`
    insert into client (dealer, name, password, mac, ministra, phone, description, package_selection, created, deleted)
    values (4, 'livingroom', ${sealed}, '00:1A:79:00:00:01', false, '', 'upstairs', 1, ${at}, null),
      (4, 'bedroom', null, null, true, '', '', 1, ${at}, ${at})`
  await sql`insert into service (client, dealer, name, expiry) values (1, 4, 'livingroom', ${two})`
  await sql`insert into device (client, stb_sn) values (1, 'serial')`
  await sql`
    insert into transfer (created, type, credits, source, destination, source_balance, destination_balance,
      superreseller, reseller, dealer, client, actor, login, description, expiry, expiry_before, counted_from)
    values (${at}, 'ADD', 7, 1, 2, -7, 7, 2, null, null, null, 1, 'north', '', null, null, null),
      (${at}, 'ADD', 7, 2, 3, 0, 7, 2, 3, null, null, 2, 'city', '', null, null, null),
      (${at}, 'ADD', 7, 3, 4, 0, 7, 2, 3, 4, null, 3, 'corner', '', null, null, null),
      (${at}, 'TRIAL', 0, null, null, null, null, 2, 3, 4, 1, 4, 'livingroom', '', ${trial}, null, null),
      (${at}, 'USED', 3, 4, 5, 4, 3, 2, 3, 4, 1, 4, 'livingroom', '', ${three}, ${trial}, '2026-01-10'),
      (${at}, 'RETRIEVED', 1, 5, 4, 2, 5, 2, 3, 4, 1, 4, 'livingroom', '', ${two}, null, null),
      (${at}, 'TRIAL', 0, null, null, null, null, 2, 3, 4, 2, 4, 'bedroom', '', ${trial}, null, null),
      (${at}, 'DELETE', 0, null, null, null, null, 2, 3, 4, 2, 1, 'bedroom', '', ${trial}, null, null),
      (${at}, 'REMOVE', 1, 4, 3, 4, 1, 2, 3, 4, null, 3, 'corner', '', null, null, null)`
  await sql`
    insert into statistic (superreseller, day, ended, credits, resellers, dealers, clients)
    values (2, '2026-01-10', '2026-01-11T00:00:00Z', 0, 1, 1, 1)`
  await sql`insert into installation (key, value) values ('canary', ${sealUnbound('boxtree', SECRET_KEY)})`
}

describe('a database of the schema before 0.2.0', () => {
  let old: FreshDatabase
  beforeEach(async () => {
    old = await freshDatabase({ migrated: false })
    await begin(old.ownerSql, (sql) => makeSchema(sql, BEFORE_020))
    await writeOldBusiness(old.ownerSql)
  })
  afterEach(() => old.drop())

  test('is upgraded with all its rows', async () => {
    const before = await rowsOf(old)
    await migrate({ ...old, say: silent })
    await expectKept(old, before)
  })

  test('is upgraded when its backup, of this version or of its own, is restored', async () => {
    const before = await rowsOf(old)
    const { schema: _, ...manifest } = await take(old)
    await restore()
    await expectKept(target, before)

    const migrations = BEFORE_020.files.map(({ name, checksum }) => ({ name, checksum }))
    writeFileSync(join(folder, 'manifest.json'), JSON.stringify({ ...manifest, format: 1, migrations }))
    await target.drop()
    target = await freshDatabase({ migrated: false })
    await restore()
    await expectKept(target, before)
  })

  /**
   * Returns all rows of every table that is not empty, with their columns by name, but for those that are null. The
   * counts of clients are left out, which other tables have now: `verify` compares them with the clients.
   */
  async function rowsOf({ ownerSql }: FreshDatabase): Promise<Record<string, string[]>> {
    const tables = await ownerSql<{ name: string }[]>`
      select relname as name from pg_class
      where relnamespace = 'public'::regnamespace and relkind = 'r' and relname <> all (${OF_ONE_SCHEMA}::text[])`
    const rows: Record<string, string[]> = {}
    for (const { name } of tables) {
      const found = await ownerSql<
        { row: object }[]
      >`select jsonb_strip_nulls(to_jsonb(t)) as row from ${ownerSql(name)} t`
      if (found.length > 0) rows[name] = found.map(({ row }) => JSON.stringify(row)).sort()
    }
    return rows
  }

  /** Expects the same rows in the columns that they had; new columns have their defaults. */
  async function expectKept(database: FreshDatabase, before: Record<string, string[]>): Promise<void> {
    const after = Object.entries(await rowsOf(database)).map(([name, rows]) => {
      const columns = new Set((before[name] ?? []).flatMap((row) => Object.keys(JSON.parse(row))))
      const kept = (row: string) => Object.entries(JSON.parse(row)).filter(([column]) => columns.has(column))
      return [name, rows.map((row) => JSON.stringify(Object.fromEntries(kept(row)))).sort()]
    })
    expect(Object.fromEntries(after)).toEqual(before)
    await proveTheBooks(database.ownerSql)
    expect(await verify(database.sql, 'boxtree_server')).toMatchObject({
      first: null,
      others: [],
      transactions: 9,
    })
  }
})

/** Tables that only the old schema or only the present one has. */
const OF_ONE_SCHEMA = [
  'setup',
  'migration',
  'dealer_clients',
  'superreseller_clients',
  'settled_count',
  'settled_total',
  'settled_month',
  'count_change',
  'switched_off',
]

import {
  appendFileSync,
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { calls } from '../../../contract/calls.ts'
import { proveTheBooks } from '../../../test/support/books.ts'
import { type FreshDatabase, freshDatabase } from '../../../test/support/database.ts'
import { freshFolder } from '../../../test/support/folder.ts'
import { SECRET_KEY, startServer } from '../../../test/support/server.ts'
import { newClient, openWorld, type Person, storedIn, type World } from '../../../test/support/world.ts'
import { createSeal } from '../../access/seal.ts'
import { StartFault } from '../../config.ts'
import { apply, type Migration, migrate, prepare, split } from '../../postgres/migrate.ts'
import type { Sql } from '../../postgres/pool.ts'
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

async function restore(more: { key?: Buffer; manifest?: Manifest } = {}): Promise<void> {
  const { key = SECRET_KEY, manifest = readManifest(folder) } = more
  await restoreBackup({ owner: target.owner, key, folder, manifest, say: silent, onRestored: silent })
  await migrate({ ...target, say: silent })
}

function take({ owner }: FreshDatabase, more: Partial<TakeOptions> = {}) {
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

  test('restored into an empty database is the same in every row of every table', async () => {
    await take(world.server.database)
    await restore()
    const [copy, original] = await Promise.all([target, world.server].map(storedIn))
    // These say when they were applied.
    copy?.delete('migration')
    original?.delete('migration')
    expect(copy).toEqual(original)
  })

  test('taken while people work is one moment of it: sound, and every password is readable again', async () => {
    const passwords = new Map<string, string>()
    const before = await addClient('before')
    let working = true
    const work = Array.from({ length: 4 }, async (_, hand) => {
      for (let round = 0; working; round += 1) await addClient(`${hand}-${round}`)
    })
    const { tables } = await take(world.server.database)
    working = false
    await Promise.all(work)
    await restore()
    expect(await verify(target.sql, 'boxtree_server')).toMatchObject({ first: null, others: [] })
    await proveTheBooks(target.ownerSql)
    const server = await startServer({ database: target, clock: () => world.clock.now })
    try {
      const there = world.at(server, dealer)
      const { data } = await there.call(calls.clients.list, { per_page: 500 })
      expect(data.map(({ name }) => name)).toContain(before)
      expect(tables.find(({ name }) => name === 'client')?.rows).toBe(data.length)
      for (const { name } of data) {
        const { password } = await there.call(calls.clients.detail, { name })
        expect(password).toBe(passwords.get(name) ?? 'pass-wörd')
      }
      // Numbers go on where they were.
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

  test('is for nobody else to read, and holds the key beside the tables', async () => {
    await take(world.server.database)
    expect(lstatSync(folder).mode & 0o777).toBe(0o700)
    for (const name of readdirSync(folder))
      expect(lstatSync(join(folder, name)).mode & 0o777, name).toBe(0o600)
    expect(readFileSync(join(folder, 'secret-key'), 'utf8')).toBe(`${SECRET_KEY.toString('base64')}\n`)
  })

  test('that was killed has another name, and is taken for none', async () => {
    await take(world.server.database)
    rmSync(join(folder, 'manifest.json'))
    expect(() => readManifest(folder)).toThrow('is no whole backup')
    expect(() => readManifest(`${folder}.partial`)).toThrow('is no whole backup')
  })

  test('does not write over another, nor beside one that is under way', async () => {
    await take(world.server.database)
    await expect(take(world.server.database)).rejects.toThrow('is there already; name another folder')
    expect(readManifest(folder).format).toBe(1)
    rmSync(folder, { recursive: true })
    const [first, second] = await Promise.allSettled([
      take(world.server.database),
      take(world.server.database),
    ])
    expect([first.status, second.status].sort()).toEqual(['fulfilled', 'rejected'])
  })

  test('under another key is refused before anything is written, and restoring one leaves the database empty', async () => {
    const key = Buffer.alloc(32, 'another')
    await expect(take(world.server.database, { key })).rejects.toThrow('SECRET_KEY is not the key')
    expect(readdirSync(parent)).toEqual([])
    await take(world.server.database)
    await expect(restore({ key })).rejects.toThrow('SECRET_KEY is not the key')
    expect(await isEmpty(target)).toBe(true)
    await restore()
  })

  test.each([
    ['cut short', (file: string) => truncateSync(file, lstatSync(file).size - 20)],
    ['longer', (file: string) => appendFileSync(file, 'more')],
    ['changed', (file: string) => writeFileSync(file, readFileSync(file).reverse())],
    ['gone', (file: string) => rmSync(file)],
  ])('with a table that is %s is refused, and the database stays empty', async (_, damage) => {
    await take(world.server.database)
    damage(join(folder, 'transfer.copy.gz'))
    await expect(restore()).rejects.toThrow('transfer.copy.gz is not as it was written')
    expect(await isEmpty(target)).toBe(true)
  })

  test('with one table of another moment is refused', async () => {
    await take(world.server.database)
    await world.client(dealer, { months: 1 })
    const manifest = readManifest(folder)
    rmSync(folder, { recursive: true })
    await take(world.server.database)
    await expect(restore({ manifest })).rejects.toThrow('is not as it was written')
  })

  test('of a newer program is refused in one sentence', async () => {
    await take(world.server.database)
    const manifest = readManifest(folder)
    manifest.migrations.push({ name: '999-later.sql', checksum: '' })
    await expect(restore({ manifest })).rejects.toThrow(
      new StartFault(
        'The backup is newer than this program: it holds the migration 999-later.sql. Run the newer program, or restore an older backup.',
      ),
    )
    expect(await isEmpty(target)).toBe(true)
  })

  test('is not restored over anything', async () => {
    await take(world.server.database)
    await restore()
    const [before] = await target.ownerSql`select count(*) from client`
    await expect(restore()).rejects.toThrow('The database is not empty, and nothing was changed in it')
    expect(await target.ownerSql`select count(*) from client`).toEqual([before])
  })

  test('that is interrupted in the middle of a table leaves nothing', async () => {
    await world.server.ownerSql`
      insert into audit (at, event, detail)
      select now(), 'long', jsonb_build_object('words', repeat('word ', 20)) from generate_series(1, 100000)`
    const interrupted = new AbortController()
    // The audit comes soon after the accounts, and takes its time.
    const say = (line: string) => {
      if (line.startsWith('account')) setTimeout(() => interrupted.abort(), 10)
    }
    await expect(take(world.server.database, { signal: interrupted.signal, say })).rejects.toThrow('abort')
    expect(readdirSync(parent)).toEqual([])
    await take(world.server.database)
  })

  test('of a database without tables is refused', async () => {
    await expect(take(target)).rejects.toThrow('There is nothing to back up yet')
    expect(existsSync(folder)).toBe(false)
  })
})

/** What a program could have written of the tables that each of the first migrations makes. */
const WRITTEN: Record<string, (sql: Sql) => Promise<unknown>> = {
  '001-accounts.sql': async (sql) => {
    await sql`
      insert into account (name, role, parent, superreseller, reseller, password, settings, created) values
        ('admin', 'admin', null, null, null, '', '{}', now()), ('north', 'superreseller', 1, null, null, '', '{}', now()),
        ('city', 'reseller', 2, 2, null, '', '{}', now()), ('corner', 'dealer', 3, 2, 3, '', '{}', now())`
    await sql`insert into broadcast (message) values ('Welcome')`
    await sql`insert into audit (at, event, account, detail) values (now(), 'session.login', 1, '{}')`
  },
  '002-clients.sql': async (sql) => {
    await sql`
      insert into client (dealer, name, password, mac, ministra, expiry, phone, description, package_selection, created)
      values (4, 'livingroom', ${createSeal(SECRET_KEY).close('readable')}, '00:1A:79:00:00:01', false, now(), '', '', 1, now())`
    await sql`insert into device (client, stb_sn) values (1, 'serial')`
  },
  '003-ledger.sql': async (sql) => {
    const steps = [
      { login: 'north', source: 1, destination: 2, left: -7, reseller: null, dealer: null },
      { login: 'city', source: 2, destination: 3, left: 0, reseller: 3, dealer: null },
      { login: 'corner', source: 3, destination: 4, left: 0, reseller: 3, dealer: 4 },
    ]
    for (const { login, source, destination, left, reseller, dealer } of steps) {
      await sql`
        insert into transfer (created, type, credits, source, destination, source_balance, destination_balance,
          superreseller, reseller, dealer, actor, login, description)
        values (now(), 'ADD', 7, ${source}, ${destination}, ${left}, 7, 2, ${reseller}, ${dealer}, ${source}, ${login}, '')`
    }
    await sql`
      insert into transfer (created, type, credits, superreseller, reseller, dealer, client, actor, login, mac,
        description, expiry)
      select now(), 'TRIAL', 0, 2, 3, 4, id, 4, name, mac, '', expiry from client`
  },
}

const MIGRATIONS = split([], 'database').pending.map(({ name }) => name)

describe.each(MIGRATIONS.map((name, at) => [name, at + 1] as const))('a database at %s', (name, count) => {
  let old: FreshDatabase
  beforeEach(async () => {
    old = await freshDatabase({ migrated: false })
    await prepare(old.ownerSql)
    const made = split([], 'database').pending.slice(0, count)
    for (const [at, migration] of made.entries()) {
      // Written once those before the ledger are there, and carried through every later one.
      await apply(old.ownerSql, migration)
      if (at + 1 === Math.min(count, Object.keys(WRITTEN).length)) await write(made.slice(0, at + 1))
    }
    await old.ownerSql`insert into installation (key, value) values ('canary', ${createSeal(SECRET_KEY).close('boxtree')})`
  })
  afterEach(() => old.drop())

  test('migrates with what was written in it, from its backup as well', async () => {
    await take(old)
    await migrate({ ...old, say: silent })
    await expectKept(old)
    await restore()
    await expectKept(target)
  })

  async function write(made: Migration[]): Promise<void> {
    for (const { name } of made) await WRITTEN[name]?.(old.ownerSql)
  }

  async function expectKept({ ownerSql, sql }: FreshDatabase): Promise<void> {
    expect((await ownerSql`select name from migration order by name`).map((row) => row.name)).toEqual(
      MIGRATIONS,
    )
    expect(await ownerSql`select name from account order by id`).toHaveLength(4)
    expect(await ownerSql`select message from broadcast`).toEqual([{ message: 'Welcome' }])
    if (name >= '002') {
      const [client] = await ownerSql<{ password: Buffer }[]>`select password from client`
      expect(createSeal(SECRET_KEY).open(client?.password ?? Buffer.alloc(0))).toBe('readable')
    }
    if (name >= '003') {
      await proveTheBooks(ownerSql)
      expect(await verify(sql, 'boxtree_server')).toMatchObject({ first: null, others: [], transactions: 4 })
    }
  }
})

import { execFile } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { calls } from '../../contract/calls.ts'
import { INHERITED, startConsole } from '../../test/support/console.ts'
import { type FreshDatabase, freshDatabase } from '../../test/support/database.ts'
import { freshFolder, putCluster } from '../../test/support/folder.ts'
import { holdOpen, waitersOf } from '../../test/support/hold.ts'
import { makeNextVersion } from '../../test/support/next-version.ts'
import { SECRET_KEY, startServer } from '../../test/support/server.ts'
import { newClient, openWorld } from '../../test/support/world.ts'
import { restoreBackup } from '../backup/restore.ts'
import { takeBackup } from '../backup/take.ts'
import { testRestore } from '../backup/test-restore.ts'
import { StartFault } from '../config.ts'
import { prove } from '../verify/proof.ts'
import { begin } from './begin.ts'
import { startEmbedded } from './embedded.ts'
import { migrate } from './migrate.ts'
import { openPool, type Sql } from './pool.ts'
import {
  BEFORE_020,
  fingerprintOf,
  makeSchema,
  makeTablesOf,
  originOf,
  PRESENT,
  RELEASE,
  type Release,
  stepOf,
} from './schema.ts'

// The version after this one, made for the test: what it changes of the present tables, step by step.

const NOTES = `-- Expands: what people note about an account.
create table note (account bigint not null, text text not null, constraint note_account_fk foreign key (account) references account (id));
alter table client add colour text;
`
const INDEXES = `-- Expands: notes and clients are found.
drop index concurrently if exists note_text;
create unique index concurrently note_text on note (text);
drop index concurrently if exists client_colour;
create index concurrently client_colour on client (colour);
`
const CONTRACTION = `-- Contracts: the ends of days are in another table.
alter table statistic drop column ended;
`

const NEXT = versionOf([NOTES, INDEXES])
const AFTER_NEXT = versionOf([NOTES, INDEXES, CONTRACTION], [NEXT])

/** A version with these steps, whose own files say the same at once. */
function versionOf(texts: readonly string[], others: readonly Release[] = []): Release {
  const text = texts.join('').replaceAll(' concurrently', '')
  const files = [...PRESENT.files, { name: 'next.sql', text, checksum: `of ${texts.length} steps` }]
  return {
    schema: { files, fingerprint: fingerprintOf(files), step: PRESENT.step + texts.length },
    steps: [...RELEASE.steps, ...texts.map((text, at) => stepAfter(at + 1, text))],
    before: [PRESENT, BEFORE_020, ...others.map(({ schema }) => schema)],
    grants: `${RELEASE.grants}; grant insert on note to :server_role`,
  }
}

function stepAfter(nr: number, text: string) {
  const number = PRESENT.step + nr
  return stepOf(`${String(number).padStart(3, '0')}-next.sql`, text, number)
}

/** The number of a step after those of the present tables, as a database notes it. */
const noted = (nr: number) => String(PRESENT.step + nr)

const run = promisify(execFile)

let database: FreshDatabase
let said: string[]
beforeEach(async () => {
  database = await freshDatabase()
  said = []
})
afterEach(() => database.drop())

function start(release: Release, on = database): Promise<void> {
  return migrate({ server: on.server, owner: on.owner, say: (line) => said.push(line), release })
}

/** Returns what a database notes of its schema, and which of the next version's indexes are there and whole. */
async function look({ ownerSql } = database) {
  const setup = await ownerSql<{ key: string; value: string }[]>`select key, value from setup`
  const indexes = await ownerSql<{ name: string; whole: boolean }[]>`
    select relname as name, indisvalid as whole from pg_index join pg_class on oid = indexrelid
    where relname in ('note_text', 'client_colour') order by 1`
  return {
    setup: Object.fromEntries(setup.map(({ key, value }) => [key, value])),
    indexes: indexes.map(({ name, whole }) => `${name} ${whole ? 'whole' : 'broken'}`),
  }
}

const FORWARD = 'Bringing the tables of the older version forward'
const WHOLE = ['client_colour whole', 'note_text whole']

describe('a version with steps', () => {
  test('brings a database forward once, to what it makes anew', async () => {
    await start(NEXT)
    await start(NEXT)
    expect(said).toEqual([FORWARD])
    const fresh = await freshDatabase({ migrated: false })
    try {
      await start(NEXT, fresh)
      expect(await look()).toEqual(await look(fresh))
    } finally {
      await fresh.drop()
    }
    const { fingerprint } = NEXT.schema
    expect(await look()).toEqual({
      setup: { schema: fingerprint, step: noted(2), needs: '0' },
      indexes: WHOLE,
    })
  })

  test('brings forward the tables of one role that owns them and runs the console', async () => {
    const one = await freshDatabase({ migrated: false })
    const alone = { ...one, server: one.owner }
    try {
      await start(RELEASE, alone)
      // As versions before this one left them.
      await one.ownerSql`revoke insert, update, delete on all tables in schema public from current_user`
      await start(NEXT, alone)
      expect(await look(alone)).toMatchObject({ setup: { step: noted(2) }, indexes: WHOLE })
    } finally {
      await one.drop()
    }
  })

  test('is started by two programs at once, of which one applies the steps', async () => {
    await Promise.all([start(NEXT), start(NEXT)])
    // One says that it waits, where the other takes long.
    expect(said.filter((line) => !line.startsWith('Waiting'))).toEqual([FORWARD])
  })

  test('waits for tables that are in use for a moment at a time, and goes on once they are free', async () => {
    const release = await holdOpen(database.ownerSql, (sql) => sql`select from client`)
    const starting = start(NEXT)
    await expect.poll(() => said).toEqual([FORWARD, expect.stringContaining('Waiting')])
    // It gives way to those who came after it.
    expect(await database.sql`select from client`).toHaveLength(0)
    await Promise.all([release(), starting])
    expect((await look()).indexes).toEqual(WHOLE)
  })

  test('takes a step again where that and a change of a server waited for each other', async () => {
    const goOn = Promise.withResolvers<void>()
    const acted = Promise.withResolvers<void>()
    const serving = begin(database.ownerSql, async (sql) => {
      await sql`select from client`
      acted.resolve()
      await goOn.promise
      return sql`update account set name = name where false`
    })
    await acted.promise
    // A step that first locks accounts.
    const starting = start(versionOf([NOTES]))
    await expect.poll(() => waitersOf(database.sql, 'client')).toHaveLength(1)
    goOn.resolve()
    // PostgreSQL lets the one fail that waited first.
    await Promise.all([serving, starting])
    expect(said).toEqual([FORWARD, 'Waiting for another program that uses the tables'])
    expect((await look()).setup).toMatchObject({ step: noted(1) })
  })

  test('says in a sentence that the database was lost meanwhile, and leaves it as it was', async () => {
    const before = await look()
    const lost = versionOf(['-- Expands: nothing.\nselect pg_terminate_backend(pg_backend_pid());\n'])
    const fault = await start(lost).catch((error) => error)
    expect(fault).toBeInstanceOf(StartFault)
    expect(fault).toMatchObject({
      message: expect.stringContaining('The connection was lost while the tables'),
    })
    expect(await look()).toEqual(before)
  })

  test('makes an index anew that an interrupted start has left broken', async () => {
    await start(versionOf([NOTES]))
    const { ownerSql } = database
    await ownerSql`insert into account (name, role, password, settings, created) values ('admin', 'admin', '', '{}', now())`
    await ownerSql`insert into note select id, 'twice' from account, generate_series(1, 2)`
    const next = versionOf([NOTES, INDEXES], [versionOf([NOTES])])
    await expect(start(next)).rejects.toThrow('could not create unique index')
    expect(await look()).toMatchObject({ setup: { step: noted(1) }, indexes: ['note_text broken'] })
    await ownerSql`truncate note`
    await start(next)
    expect(await look()).toMatchObject({ setup: { step: noted(2) }, indexes: WHOLE })
  })

  describe('that makes indexes without locking the tables', () => {
    const next = versionOf([NOTES, INDEXES], [versionOf([NOTES])])
    const broken = { setup: { step: noted(1) }, indexes: ['client_colour broken', 'note_text whole'] }
    const WAITING = 'Waiting for another program that uses the tables'
    const change = (sql: Pick<Sql, 'unsafe'>) => sql.unsafe('update client set name = name where false')

    beforeEach(async () => {
      await start(versionOf([NOTES]))
      said = []
    })

    test('waits for a transaction of another program as long as for tables, and then says so', async () => {
      const release = await holdOpen(database.ownerSql, change)
      await expect(start(next)).rejects.toThrow(
        new StartFault(
          'The tables cannot be brought forward while another program uses them; stop every console of this database, and start again.',
        ),
      )
      expect(said).toEqual([FORWARD, WAITING])
      await release()
      expect(await look()).toMatchObject(broken)
      await start(next)
      expect(await look()).toMatchObject({ setup: { step: noted(2) }, indexes: WHOLE })
    })

    test('ends that wait when it is told to stop', async () => {
      const release = await holdOpen(database.ownerSql, change)
      const stopping = new AbortController()
      const say = (line: string) => {
        if (line === WAITING) stopping.abort()
      }
      const { server, owner } = database
      const starting = migrate({ server, owner, say, stopping: stopping.signal, release: next })
      await expect(starting).rejects.toThrow('aborted')
      await release()
      expect(await look()).toMatchObject(broken)
    })

    test('waits for the end of a backup, also between two of its tables', async () => {
      const release = await holdOpen(database.ownerSql, async (sql) => {
        await change(sql)
        for await (const _ of await sql`copy client to stdout`.readable());
      })
      const starting = start(next)
      await expect.poll(() => said).toContain('Waiting until the backup that is being made is complete')
      await Promise.all([release(), starting])
      expect((await look()).indexes).toEqual(WHOLE)
    })
  })

  test('that has taken something away is refused, in one sentence, by those that need it', async () => {
    await start(NEXT)
    await start(AFTER_NEXT)
    expect((await look()).setup).toMatchObject({ step: noted(3), needs: noted(3) })
    for (const older of [RELEASE, NEXT])
      await expect(start(older)).rejects.toThrow(
        new StartFault(
          'A newer version of Boxtree has removed from the tables what this one needs; start the newer one.',
        ),
      )
  })

  test.each([
    ['2-note.sql', NOTES],
    ['001-note.sql', 'create table note ()'],
  ])('has no step that is named or begins otherwise: %s', (name, text) => {
    expect(() => stepOf(name, text, 1)).toThrow()
  })
})

describe('the version before', () => {
  test('serves on while the tables are brought forward, and starts and serves on them afterwards', async () => {
    const world = await openWorld()
    const on = world.server.database
    const { dealer } = await world.family({ credits: 1_000 })
    let isForward = false
    let made = 0
    const serving = (async () => {
      for (; !isForward && made < 900; made += 1) {
        await dealer.call(calls.clients.create, newClient({ months: 1 }))
        await dealer.call(calls.clients.list)
      }
    })()
    await expect.poll(() => made).toBeGreaterThan(2)
    await start(NEXT, on)
    isForward = true
    await serving
    await start(RELEASE, on)
    expect(said.at(-1)).toBe('The tables are those of a newer version, on which this one can run')
    const before = await startServer({ database: on, clock: () => world.clock.now })
    try {
      const there = world.at(before, dealer)
      await there.call(calls.clients.create, newClient({ months: 1 }))
      expect((await there.call(calls.clients.list)).count).toBe(made + 1)
    } finally {
      await before.close()
    }
    // The newer version's rights are still there, for its servers run beside this one.
    const [right] = await on.sql`select has_table_privilege('note', 'insert') as stands`
    expect(right).toEqual({ stands: true })
    await world.close()
  })

  test('starts as a console on the tables that the newer one has made in its data folder', async () => {
    const dataDir = putCluster(freshFolder())
    const cluster = await startEmbedded({ dataDir, say: () => {} })
    await migrate({ ...cluster, say: () => {}, release: NEXT })
    await cluster.stop()
    const console = await startConsole({ dataDir })
    try {
      expect(console.output()).toContain('those of a newer version, on which this one can run')
      // A disk that stands still for a second makes it say that no change can be made.
      const ready = async () => (await fetch(`${console.url}/v1/ready`)).json()
      await expect.poll(ready).toEqual({ status: 'OK', writes: true })
    } finally {
      await console.stop()
      rmSync(dataDir, { recursive: true, force: true })
    }
  })

  test.each([
    ['a newer', NEXT],
    ['an older', null],
  ])('leaves the proof of the ledger on the tables of %s one to that version', async (which, next) => {
    const other = await freshDatabase({ migrated: next !== null })
    try {
      if (next) await start(next, other)
      else await begin(other.ownerSql, (sql) => makeSchema(sql, BEFORE_020))
      await expect(
        prove({ server: other.owner, owner: other.owner }, (line) => said.push(line)),
      ).rejects.toThrow(
        new StartFault(
          `The tables are those of ${which} version of Boxtree; run npm run verify of that version.`,
        ),
      )
    } finally {
      await other.drop()
    }
  })

  test('makes backups of them, and leaves their trial to the newer version', async () => {
    await start(NEXT)
    const world = await startServer({ database, admin: true })
    await world.close()
    const parent = freshFolder()
    const folder = join(parent, 'one')
    const { owner } = database
    const backup = { owner, key: SECRET_KEY, timeZone: 'UTC', folder, say: () => {} }
    const { schema, tables } = await takeBackup(backup)
    expect(schema).toBe(`${NEXT.schema.fingerprint}+${noted(2)}`)
    for (const newer of [NEXT, AFTER_NEXT])
      expect(originOf(schema, newer)).toEqual({ schema: NEXT.schema, steps: [] })
    expect(tables.map(({ name }) => name)).toContain('note')
    const { signal } = new AbortController()
    const tried = await testRestore({ folder, size: 1, reserve: null, signal })
    expect(tried).toMatchObject({ outcome: 'left out', sentence: expect.stringContaining('a newer version') })
    rmSync(parent, { recursive: true, force: true })
  })
})

describe('the version after this one', () => {
  test('restores a backup that this one has made between two of its steps', async () => {
    const server = await startServer({ database, admin: true })
    await server.close()
    const failing = '-- Expands: nothing, because it fails.\nselect 1 / 0;\n'
    await expect(start(versionOf([NOTES, failing]))).rejects.toThrow('division by zero')
    await database.ownerSql`insert into note select id, 'kept' from account`
    const parent = freshFolder()
    const folder = join(parent, 'one')
    const backup = { owner: database.owner, key: SECRET_KEY, folder, say: () => {} }
    const manifest = await takeBackup({ ...backup, timeZone: 'UTC' })
    const { signal } = new AbortController()
    expect(await testRestore({ ...backup, size: 1, reserve: null, signal })).toMatchObject({
      outcome: 'left out',
      sentence: expect.stringContaining('a newer version'),
    })
    const target = await freshDatabase({ migrated: false })
    const restore = (release: Release) =>
      restoreBackup({ ...backup, owner: target.owner, manifest, onRestored: () => {}, release })
    try {
      await expect(restore(RELEASE)).rejects.toThrow('does not know the tables of the backup')
      await restore(NEXT)
      const { fingerprint } = PRESENT
      expect((await look(target)).setup).toEqual({ schema: fingerprint, step: noted(1), needs: '0' })
      await start(NEXT, target)
      expect(await look(target)).toMatchObject({ setup: { step: noted(2) }, indexes: WHOLE })
      expect(await target.ownerSql`select text from note`).toEqual([{ text: 'kept' }])
    } finally {
      await target.drop()
      rmSync(parent, { recursive: true, force: true })
    }
  })

  test('makes the tables of a backup with both of its steps like those that it makes anew', async () => {
    const target = await freshDatabase({ migrated: false })
    const origin = { schema: PRESENT, steps: NEXT.steps.slice(-2) }
    expect(originOf(`${PRESENT.fingerprint}+${noted(2)}`, NEXT)).toEqual(origin)
    try {
      await begin(target.ownerSql, (sql) => makeTablesOf(sql, origin, NEXT))
      await start(NEXT)
      expect(await look(target)).toEqual(await look())
    } finally {
      await target.drop()
    }
  })

  test("restores this version's backup and brings its tables forward", async () => {
    const { owner } = database
    const server = await startServer({ database, admin: true })
    await server.close()
    const parent = freshFolder()
    const folder = join(parent, 'backup')
    await takeBackup({ owner, key: SECRET_KEY, timeZone: 'UTC', folder, say: () => {} })
    const dataDir = join(parent, 'data')
    const { stdout, stderr } = await run(process.execPath, ['server/commands/restore.ts', folder], {
      cwd: makeNextVersion(parent),
      env: { ...INHERITED, DATA_DIR: dataDir },
    })
    expect(stdout + stderr).toContain(FORWARD)
    const restored = await startEmbedded({ dataDir, say: () => {} })
    const sql = openPool(restored.owner, { max: 1 })
    try {
      expect(await sql`select name from account`).toEqual([{ name: 'admin' }])
      // The column that only the next version's clients have.
      expect(await sql`select note from client`).toEqual([])
    } finally {
      await sql.end()
      await restored.stop()
      rmSync(parent, { recursive: true, force: true })
    }
  })
})

import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type FreshDatabase, freshDatabase } from '../../test/support/database.ts'
import { freshFolder } from '../../test/support/folder.ts'
import { migrate } from './migrate.ts'

let database: FreshDatabase
let folder: string
let said: string[]

beforeEach(async () => {
  database = await freshDatabase({ migrated: false })
  folder = freshFolder()
  said = []
  put('grants.sql', 'grant select on all tables in schema public to :server_role;')
  put('001-note.sql', 'create table note (id int);\ninsert into note values (1);')
})

afterEach(async () => {
  await database.drop()
  rmSync(folder, { recursive: true })
})

describe('migrating', () => {
  test('applies each file once, in order, and states the rights of the server', async () => {
    put('002-more.sql', 'insert into note values (2)')
    await run()
    await run()
    expect(said).toEqual(['Migrating: 001-note.sql', 'Migrating: 002-more.sql'])
    expect(await database.sql`select id from note order by id`).toEqual([{ id: 1 }, { id: 2 }])
    await expect(database.sql`delete from note`).rejects.toThrow('permission denied')
  })

  test('of two programs at once is done by one', async () => {
    await Promise.all([run(), run()])
    expect(said).toEqual(['Migrating: 001-note.sql'])
  })

  test('leaves nothing of a migration that fails', async () => {
    put('002-wrong.sql', 'insert into note values (2); select 1 / 0')
    await expect(run()).rejects.toThrow('division by zero')
    expect(await database.ownerSql`select id from note`).toEqual([{ id: 1 }])
  })

  test('refuses a database that is newer than the program', async () => {
    put('002-more.sql', 'insert into note values (2)')
    await run()
    rmSync(join(folder, '002-more.sql'))
    await expect(run()).rejects.toThrow(
      'The database is newer than this program: it holds the migration 002-more.sql',
    )
  })

  test('refuses a migration that was changed after it was applied', async () => {
    await run()
    put('001-note.sql', 'create table note (id bigint)')
    await expect(run()).rejects.toThrow('001-note.sql was changed')
  })

  test('refuses a migration that is numbered below one that is applied', async () => {
    put('003-later.sql', 'select 1')
    await run()
    put('002-between.sql', 'select 1')
    await expect(run()).rejects.toThrow('002-between.sql comes before 003-later.sql')
  })

  test('warns where the console would run as the owner', async () => {
    await migrate({ server: database.owner, owner: database.owner, say: (line) => said.push(line), folder })
    expect(said.at(-1)).toMatch(/^Warning: the console runs as boxtree_owner/)
  })
})

function put(name: string, text: string): void {
  writeFileSync(join(folder, name), text)
}

function run(): Promise<void> {
  return migrate({ server: database.server, owner: database.owner, say: (line) => said.push(line), folder })
}

import { beforeEach, expect, inject, test, vi } from 'vitest'
import { connectAs } from '../../test/support/global-setup.ts'
import { suiteWorld } from '../../test/support/world.ts'
import { StartFault } from '../config.ts'
import { TRIGGERS_OFF } from './after-a-copy.ts'
import { refuseUnfit } from './fit.ts'
import { openPool, withPool } from './pool.ts'

const world = await suiteWorld()

const say = vi.fn<(sentence: string) => void>()
beforeEach(() => say.mockReset())

test('a time zone that the database does not know is refused at the start, and one that it knows is not', async () => {
  const { server } = world.server.database
  await refuseUnfit(server, 'UTC', say)
  await refuseUnfit(server, 'America/Argentina/Buenos_Aires', say)
  const refused = refuseUnfit(server, 'Mars/Olympus', say)
  await expect(refused).rejects.toThrow('PostgreSQL does not know the TIME_ZONE Mars/Olympus.')
  await expect(refused).rejects.toBeInstanceOf(StartFault)
})

test('a database whose triggers are switched off, as for an import, is refused at the start', async () => {
  const { server, superuser } = world.server.database
  await withPool(superuser, { max: 1 }, async (sql) => {
    const [database] = await sql<{ name: string }[]>`select current_database() as name`
    const name = database?.name ?? ''
    await sql`alter database ${sql(name)} set session_replication_role = 'replica'`
    const refused = refuseUnfit(server, 'UTC', say)
    await expect(refused).rejects.toThrow(TRIGGERS_OFF)
    await expect(refused).rejects.toBeInstanceOf(StartFault)
    await sql`alter database ${sql(name)} reset session_replication_role`
  })
  await refuseUnfit(server, 'UTC', say)
})

test.each([
  ['another encoding than UTF8', 'WIN1251'],
  ['a locale that knows no small letter of É', 'UTF8'],
])('a database with %s is refused at the start', async (_what, encoding) => {
  const postgres = inject('postgres')
  const superuser = openPool(postgres, { max: 1 })
  await superuser.unsafe(`
    create database boxtree_other template template0 encoding '${encoding}' locale_provider libc locale 'C'`)
  try {
    const database = connectAs(postgres, 'postgres', 'boxtree_other')
    await expect(refuseUnfit(database, 'UTC', say)).rejects.toThrow(
      'The database must have the encoding UTF8',
    )
    // A business that stands there already is served.
    await withPool(database, { max: 1 }, (sql) => sql`create table setup (key text, value text)`)
    const served = refuseUnfit(database, 'UTC', say)
    if (encoding === 'UTF8') await served
    else await expect(served).rejects.toBeInstanceOf(StartFault)
    expect(say.mock.calls).toEqual(
      encoding === 'UTF8' ? [[expect.stringContaining('A search misses words with letters such as É.')]] : [],
    )
  } finally {
    await superuser`drop database boxtree_other`
    await superuser.end()
  }
})

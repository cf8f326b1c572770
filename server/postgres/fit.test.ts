import { expect, inject, test } from 'vitest'
import { connectAs } from '../../test/support/global-setup.ts'
import { suiteWorld } from '../../test/support/world.ts'
import { StartFault } from '../config.ts'
import { refuseUnfit } from './fit.ts'
import { openPool } from './pool.ts'

const world = await suiteWorld()

test('a time zone that the database does not know is refused at the start, and one that it knows is not', async () => {
  const { server } = world.server.database
  await refuseUnfit(server, 'UTC')
  await refuseUnfit(server, 'America/Argentina/Buenos_Aires')
  const refused = refuseUnfit(server, 'Mars/Olympus')
  await expect(refused).rejects.toThrow('PostgreSQL does not know the TIME_ZONE Mars/Olympus.')
  await expect(refused).rejects.toBeInstanceOf(StartFault)
})

test('a database without the encoding UTF8 is refused at the start', async () => {
  const postgres = inject('postgres')
  const superuser = openPool(postgres, { max: 1 })
  await superuser`create database boxtree_latin template template0 encoding 'LATIN1' locale 'C'`
  try {
    await expect(refuseUnfit(connectAs(postgres, 'postgres', 'boxtree_latin'), 'UTC')).rejects.toThrow(
      'The database must have the encoding UTF8',
    )
  } finally {
    await superuser`drop database boxtree_latin`
    await superuser.end()
  }
})

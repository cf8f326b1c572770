import { expect, test } from 'vitest'
import { freshDatabase } from '../../test/support/database.ts'
import { holdOpen } from '../../test/support/hold.ts'
import { openLog } from '../log.ts'
import { watchPrimary } from './primary.ts'

test('a reading that a stop interrupts is not reported as a lost database, but one that failed before the stop is', async () => {
  const logged: string[] = []
  const log = openLog({ write: (line) => logged.push(line) }, 'info')
  const database = await freshDatabase({ connections: 1 })
  const release = await holdOpen(database.sql, (sql) => sql`select 1`)
  const { read, stop } = watchPrimary(database.sql, log)
  const reading = read()
  stop()
  await Promise.all([database.sql.end({ timeout: 0 }), release().catch(() => {})])
  await reading
  expect(logged).toEqual([])

  const another = watchPrimary(database.sql, log)
  await another.read()
  another.stop()
  expect(logged).toEqual([expect.stringContaining('the database cannot be reached')])
  await database.drop()
})

import { expect, test } from 'vitest'
import { calls } from '../../contract/calls.ts'
import { proveTheBooks } from '../../test/support/books.ts'
import { suiteWorld } from '../../test/support/world.ts'
import { begin } from '../postgres/begin.ts'
import { findAccount } from '../tree/account.ts'
import { clientOf } from '../tree/client.ts'
import { renew } from './purchases.ts'

const world = await suiteWorld()

test('a renewal that names one client twice is refused, whichever call asks for it', async () => {
  const { sql } = world.server
  const { dealer } = await world.family({ credits: 10 })
  const { name, expiry } = await world.client(dealer)
  const account = await findAccount(sql, sql`a.id = ${dealer.id}`)
  if (!account) throw new Error('the dealer is not there')
  const renewing = begin(sql, async (sql) => {
    const client = await clientOf({ sql, account }, name, 'lock')
    const business = { zone: 'UTC', trialsPerDay: 20 }
    return renew({ sql, account, now: world.clock.now, business }, [client, client], 1)
  })
  await expect(renewing).rejects.toMatchObject({ code: 'invalid_input', message: 'A client is named twice.' })
  expect(await dealer.call(calls.clients.detail, { name })).toMatchObject({ expiry })
  expect((await dealer.call(calls.credits.dealer)).credits).toBe(10)
  await proveTheBooks(sql)
})

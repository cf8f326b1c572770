import { expect, test } from 'vitest'
import { calls } from '../../../contract/calls.ts'
import { PASSWORD, suiteWorld } from '../../../test/support/world.ts'
import type { Business } from '../../context.ts'
import { Stage } from './stage.ts'

const world = await suiteWorld()

test('a call of each kind is played, in a transaction of its own and in that of a day', async () => {
  const { reseller, dealer } = await world.family({ credits: 3 })
  const { name } = await world.client(dealer, { months: 1 })
  const stage = new Stage(world.server.sql, { zone: 'UTC', trialsPerDay: 100 } as Business)
  await stage.act(reseller.name, 'level.dealer.create', { login: 'played-dealer', password: PASSWORD })
  await stage.act(dealer.name, 'clients.renew', { name, months: 1 })
  await stage.during('2026-05-01T00:00:00Z', () =>
    stage.act(dealer.name, 'clients.renew', { name, months: 1 }),
  )
  expect((await dealer.call(calls.credits.dealer)).credits).toBe(0)
  const { data } = await reseller.call(calls.level.dealer.list)
  expect(data.map((one) => one.name)).toContain('played-dealer')
})

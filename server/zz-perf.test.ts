import { test } from 'vitest'
import { calls } from '../contract/calls.ts'
import { openWorld } from '../test/support/world.ts'

test('perf', { timeout: 600_000 }, async () => {
  const world = await openWorld()
  const { dealer } = await world.family({ credits: 100_000 })
  await world.plantClients(dealer, { last: 100_000, digits: 6, description: 'kitchen' })
  await world.server.ownerSql`
    update service set expiry = date_trunc('day', ${world.clock.now}::timestamptz) + (client % 400 - 60) * interval '1 day' + interval '23:59:59'
    where dealer = ${dealer.id}`
  await world.server.ownerSql`analyze`
  for (let n = 0; n < 30; n += 1) {
    const { data } = await dealer.call(calls.clients.dueClients, { within: 'month', per_page: 500 })
    await dealer.call(calls.clients.multirenew, { clients: data.map((d) => d.name), months: (n % 3) + 1 })
  }
  await world.server
    .ownerSql`update service set expiry = date_trunc('day', ${world.clock.now}::timestamptz) + (client % 40) * interval '1 day' + interval '23:59:59'
    where dealer = ${dealer.id} and client % 3 = 0`
  await world.server.ownerSql`analyze`
  const time = async (what: string, run: () => Promise<unknown>) => {
    const times = []
    for (let n = 0; n < 7; n += 1) {
      const began = performance.now()
      await run()
      times.push(performance.now() - began)
    }
    times.sort((a, b) => a - b)
    process.stdout.write(`${what}: median ${times[3]?.toFixed(1)} max ${times[6]?.toFixed(1)} ms\n`)
  }
  for (const search of ['many-0500', 'many', 'a', 'kitchen', '0999', 'qzzq', '00:1a:79', '7', '2026-05'])
    await time(`find ${search}`, () => dealer.call(calls.clients.find, { search }))
  await time('due', () => dealer.call(calls.clients.due, {}))
  await time('dueClients 10', () => dealer.call(calls.clients.dueClients, {}))
  await time('dueClients 500', () =>
    dealer.call(calls.clients.dueClients, { within: 'month', per_page: 500 }),
  )
  await time('forecast', () => dealer.call(calls.clients.forecast, {}))
  await time('spent', () => dealer.call(calls.clients.spent, {}))
  await time('list', () => dealer.call(calls.clients.list, {}))
  process.stdout.write(JSON.stringify(await dealer.call(calls.clients.forecast, {})) + '\n')
  await world.close()
})

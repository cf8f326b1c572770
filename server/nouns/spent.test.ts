import { describe, expect, test } from 'vitest'
import { calls } from '../../contract/calls.ts'
import { suiteWorld } from '../../test/support/world.ts'

const { spent, renew, retrieve, save, remove } = calls.clients

// A zone whose month begins four hours later than that of UTC.
const world = await suiteWorld({ env: { TIME_ZONE: 'America/Toronto' } })

const NOTHING = { used: 0, retrieved: 0, spent: 0, trials: 0, packages: [] }

describe('what a dealer has spent', () => {
  test('is nothing at first, in the months of the business', async () => {
    const { dealer } = await world.family()
    world.clock.set('2026-06-01T03:59:59.999Z')
    expect(await dealer.call(spent)).toEqual({
      this_month: { month: '2026-05', ...NOTHING },
      last_month: { month: '2026-04', ...NOTHING },
    })
    world.clock.set('2026-06-01T04:00:00.000Z')
    expect(await dealer.call(spent)).toMatchObject({ this_month: { month: '2026-06' } })
  })

  test('is used less retrieved, month by month, also for clients that are gone', async () => {
    world.clock.set('2026-06-01T03:59:59.000Z')
    const { dealer } = await world.family({ credits: 100 })
    // In May, of which nothing is told in July.
    await world.client(dealer, { months: 7 })
    world.clock.set('2026-06-10T12:00:00.000Z')
    const stranger = await world.family({ credits: 10 })
    await world.client(stranger.dealer, { months: 4 })
    const one = await world.client(dealer, { months: 5, package_selection: 13 })
    const other = await world.client(dealer, { months: 1, package_selection: 2 })
    await world.client(dealer, { months: 0, package_selection: 2 })
    world.clock.set('2026-07-01T03:59:59.000Z')
    await dealer.call(renew, { name: other.name, months: 2 })
    world.clock.set('2026-07-01T04:00:00.000Z')
    await dealer.call(retrieve, { login: one.name, credits: 3 })
    const july = { month: '2026-07', used: 0, retrieved: 3, spent: -3, trials: 0 }
    const june = { month: '2026-06', used: 8, retrieved: 0, spent: 8, trials: 1 }
    expect(await dealer.call(spent)).toEqual({
      this_month: {
        ...july,
        packages: [{ package_selection: 13, used: 0, retrieved: 3, spent: -3, trials: 0 }],
      },
      last_month: {
        ...june,
        packages: [
          { package_selection: 13, used: 5, retrieved: 0, spent: 5, trials: 0 },
          { package_selection: 2, used: 3, retrieved: 0, spent: 3, trials: 1 },
        ],
      },
    })
    await world.setExpiry(other.name, '2026-06-30T03:59:59.000Z')
    await dealer.call(remove, { name: other.name })
    await dealer.call(save, { login: one.name, package_selection: 7 })
    expect(await dealer.call(spent)).toMatchObject({
      this_month: { ...july, packages: [{ package_selection: 7 }] },
      last_month: { ...june, packages: [{ package_selection: 7 }, { package_selection: 2 }] },
    })
    expect(await stranger.dealer.call(spent)).toMatchObject({ last_month: { used: 4 } })
  })

  test('tells nothing of the package of a client that was moved to another dealer', async () => {
    const { reseller, dealer } = await world.family({ credits: 5 })
    const other = await world.child(reseller)
    const { name } = await world.client(dealer, { months: 2, package_selection: 13 })
    await reseller.call(calls.tree.moveClients, { from: dealer.name, to: other.name, clients: [name] })
    await other.call(save, { login: name, package_selection: 7 })
    const { this_month } = await dealer.call(spent)
    expect(this_month).toMatchObject({ used: 2, packages: [{ package_selection: null, used: 2 }] })
    expect((await other.call(spent)).this_month).toMatchObject({ used: 0, packages: [] })
  })
})

import { describe, expect, test } from 'vitest'
import { calls } from '../../contract/calls.ts'
import { type Person, suiteWorld } from '../../test/support/world.ts'

const { due, dueClients, forecast, remind, renew, retrieve, save, remove } = calls.clients

// A zone that is a day ahead of UTC in the evening.
const world = await suiteWorld({ env: { TIME_ZONE: 'Asia/Karachi', TRIALS_PER_DAY: '1000' } })

/** The last second of a day in Karachi. */
const end = (day: string) => new Date(Date.parse(`${day}T23:59:59.000+05:00`)).toISOString()

/** A dealer with one client for each expiry, named after it. */
async function dealerOf(expiries: Record<string, string>, credits = 100): Promise<Person> {
  // In Karachi it is 15 May, one in the morning.
  world.clock.set('2026-05-14T20:00:00.000Z')
  const { dealer } = await world.family({ credits })
  for (const [login, expiry] of Object.entries(expiries)) {
    await world.client(dealer, { login })
    await world.setExpiry(login, expiry)
  }
  return dealer
}

async function names(dealer: Person, within: 'today' | 'tomorrow' | 'week' | 'month' | 'lapsed') {
  const { data } = await dealer.call(dueClients, { within, per_page: 100 })
  return data.map(({ name }) => name)
}

describe('clients that are due', () => {
  test('are counted and listed by the calendar of the business, first expiry first', async () => {
    const dealer = await dealerOf({
      'long-gone': end('2026-04-14'),
      'lapsed-30': end('2026-04-15'),
      'lapsed-01': end('2026-05-14'),
      'due-now-1': '2026-05-14T20:00:00.000Z',
      'due-today': end('2026-05-15'),
      'due-tomorrow': end('2026-05-16'),
      'due-in-week': end('2026-05-21'),
      'due-week-later': end('2026-05-22'),
      'due-in-month': end('2026-06-13'),
      'due-later': end('2026-06-14'),
    })
    expect(await dealer.call(due)).toEqual({
      counts: { today: 2, tomorrow: 1, week: 4, month: 6, lapsed: 2 },
      credits: 100,
    })
    expect(await names(dealer, 'today')).toEqual(['due-now-1', 'due-today'])
    expect(await names(dealer, 'tomorrow')).toEqual(['due-tomorrow'])
    expect(await names(dealer, 'week')).toEqual(['due-now-1', 'due-today', 'due-tomorrow', 'due-in-week'])
    expect(await names(dealer, 'month')).toEqual([
      'due-now-1',
      'due-today',
      'due-tomorrow',
      'due-in-week',
      'due-week-later',
      'due-in-month',
    ])
    expect(await names(dealer, 'lapsed')).toEqual(['lapsed-30', 'lapsed-01'])
    const { data, ...page } = await dealer.call(dueClients, { within: 'month', page: 2, per_page: 2 })
    expect(data.map(({ name }) => name)).toEqual(['due-tomorrow', 'due-in-week'])
    expect(page).toEqual({ count: 6, current_page: 2, per_page: 2, total_pages: 3 })
    const found = await dealer.call(dueClients, { within: 'month', search: 'IN-', order: 'desc' })
    expect([found.count, ...found.data.map(({ name }) => name)]).toEqual([2, 'due-in-month', 'due-in-week'])
  })

  test('are none that are switched off, renewed, deleted or another dealer’s', async () => {
    const dealer = await dealerOf({ 'is-off-1': end('2026-05-15'), 'is-paid-1': end('2026-05-15') })
    await dealerOf({ 'is-others': end('2026-05-15') })
    await dealer.call(save, { login: 'is-off-1', status: false })
    await dealer.call(renew, { name: 'is-paid-1', months: 12 })
    expect((await dealer.call(due)).counts).toEqual({ today: 0, tomorrow: 0, week: 0, month: 0, lapsed: 0 })
    expect(await names(dealer, 'week')).toEqual([])
  })

  test('tell what their dealer needs to call and renew them', async () => {
    const dealer = await dealerOf({ 'has-facts': end('2026-05-16') })
    await dealer.call(save, { login: 'has-facts', phone: '4165550123', desc: 'Hall', package_selection: 13 })
    const { data } = await dealer.call(dueClients, {})
    expect(data).toMatchObject([
      {
        name: 'has-facts',
        description: 'Hall',
        phone: '4165550123',
        package_selection: 13,
        expiry: end('2026-05-16'),
        last_months: 1,
        has_paid: false,
        reminded: null,
        reminded_by: null,
      },
    ])
  })
})

describe('the months of last time', () => {
  test('are those of the newest purchase that was not taken back, or what is left of it', async () => {
    const dealer = await dealerOf({ 'last-time': end('2026-05-16') })
    const name = 'last-time'
    const last = async () => (await dealer.call(dueClients, { within: 'week' })).data[0]
    const months = async () => (await last())?.last_months
    const dueAgain = () => world.setExpiry(name, end('2026-05-16'))
    await dealer.call(renew, { name, months: 3 })
    await dealer.call(renew, { name, months: 6 })
    await dealer.call(retrieve, { login: name, credits: 2 })
    await dueAgain()
    expect(await last()).toMatchObject({ last_months: 4, has_paid: true })
    await world.setExpiry(name, end('2026-12-16'))
    await dealer.call(retrieve, { login: name, credits: 4 })
    await dueAgain()
    expect(await months()).toBe(3)
    await dealer.call(renew, { name, months: 2 })
    await dueAgain()
    expect(await months()).toBe(2)
  })
})

describe('the forecast', () => {
  test('counts each client once, by the months of last time, and says when the balance runs out', async () => {
    const dealer = await dealerOf(
      {
        'f-today': end('2026-05-15'),
        'f-day-14': end('2026-05-28'),
        'f-day-15': end('2026-05-29'),
        'f-day-30': end('2026-06-13'),
        'f-day-31': end('2026-06-14'),
        'f-expired': end('2026-05-14'),
        'f-off': end('2026-05-15'),
      },
      8,
    )
    await dealer.call(save, { login: 'f-off', status: false })
    await dealer.call(renew, { name: 'f-day-15', months: 5 })
    await world.setExpiry('f-day-15', end('2026-05-29'))
    expect(await dealer.call(forecast)).toEqual({
      credits: 3,
      fortnight: { clients: 2, months: 2 },
      month: { clients: 4, months: 8 },
      runs_out: '2026-05-29',
    })
    await dealer.call(renew, { name: 'f-day-15', months: 1 })
    expect(await dealer.call(forecast)).toEqual({
      credits: 2,
      fortnight: { clients: 2, months: 2 },
      month: { clients: 3, months: 3 },
      runs_out: '2026-06-13',
    })
    const rich = await dealerOf({ 'f-rich': end('2026-05-15') })
    expect(await rich.call(forecast)).toMatchObject({ runs_out: null })
  })
})

test('the forecast names the day of the business on which the balance runs out, whose last hours are the next day in UTC', async () => {
  const dealer = await dealerOf({ 'f-toronto': '2026-05-21T03:59:59.000Z' }, 0)
  const server = await world.another({ env: { TIME_ZONE: 'America/Toronto' } })
  expect(await world.at(server, dealer).call(forecast)).toMatchObject({ runs_out: '2026-05-20' })
  await server.close()
})

describe('a reminder', () => {
  test('is noted with its moment and author, replaced by the next, and can be taken back', async () => {
    const dealer = await dealerOf({ 'is-reminded': end('2026-05-16') })
    const name = 'is-reminded'
    const noted = async () => (await dealer.call(dueClients, {})).data[0]
    const first = world.clock.now.toISOString()
    expect(await dealer.call(remind, { name, reminded: true })).toEqual({ status: 'OK', reminded: first })
    expect(await noted()).toMatchObject({ reminded: first, reminded_by: dealer.name })
    world.clock.pass({ minutes: 5 })
    const { reminded } = await dealer.call(remind, { name, reminded: true })
    expect(await noted()).toMatchObject({ reminded })
    await dealer.call(remind, { name, reminded: false })
    await dealer.call(remind, { name, reminded: false })
    expect(await noted()).toMatchObject({ reminded: null, reminded_by: null })
  })

  test('goes with its client', async () => {
    const dealer = await dealerOf({ 'goes-away': end('2026-05-14') })
    await dealer.call(remind, { name: 'goes-away', reminded: true })
    await dealer.call(remove, { name: 'goes-away' })
    expect(
      await world.server.sql`select from reminder r join client c on c.id = r.client
      where c.name = 'goes-away'`,
    ).toHaveLength(0)
  })
})

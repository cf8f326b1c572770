import type { Page, Route } from 'playwright-core'
import { describe } from 'vitest'
import { calls } from '../../contract/calls.ts'
import { ROLES } from '../../contract/roles.ts'
import { firstCalls } from '../../web/calls/firstCalls.ts'
import { to } from '../../web/screens.ts'
import { THOROUGH } from '../laws/runs.ts'
import {
  expect,
  fill,
  holdBack,
  noticesOn,
  pager,
  press,
  readNotice,
  rows,
  signIn,
  table,
  test,
  typeIn,
} from '../support/browser.ts'
import { type Person, uniqueMac, type World } from '../support/world.ts'

const FAULT = { status: 'ERROR', code: 'internal', message: 'Something went wrong on our side.' }

/** What a dashboard shows of its transactions first, and all that it searches, sorts and pages. */
const FIRST_TRANSACTIONS = '**/v1/transactions'
const NEWEST_TRANSACTIONS = '**/v1/api/transactions'

describe('a failed load', () => {
  test('keeps the rows of a list, and says that they are outdated', async ({ open, world }) => {
    const page = await open({ as: await dealerOfThree(world), at: '/clients' })
    await expect(rows(page, 'Clients')).toHaveCount(3)
    await page.route('**/v1/api/clients?**', fail)
    await renewOne(page, 'client-1')
    const said = page.getByText(`Error: ${FAULT.message}`)
    await expect(said).toBeVisible()
    await expect(rows(page, 'Clients')).toHaveCount(3)
    // On a phone the sentence keeps away from the edge of its ground, and has the button beside it.
    await page.setViewportSize({ width: 390, height: 844 })
    const retry = page.getByRole('button', { name: 'Retry' })
    await expect
      .poll(async () => {
        const [text, button, ground] = [
          await said.boundingBox(),
          await retry.boundingBox(),
          await page.getByRole('alert').filter({ has: said }).boundingBox(),
        ]
        if (!text || !button || !ground) return undefined
        return { above: text.y - ground.y >= 12, beside: text.x + text.width <= button.x }
      })
      .toEqual({ above: true, beside: true })
    await page.setViewportSize({ width: 1440, height: 900 })
    await page.unrouteAll()
    await press(page, 'Retry')
    await expect(said).toHaveCount(0)
    await expect(rows(page, 'Clients')).toHaveCount(3)
  })

  test.for([
    ['/clients', '**/v1/api/clients?**', async (world: World) => dealerOfThree(world)],
    ['/dealers', '**/v1/reseller/list', async (world: World) => (await world.family()).reseller],
  ] as const)(
    'is announced anew where another try fails too: %s',
    async ([at, url, who], { open, world }) => {
      const page = await open({ as: await who(world) })
      await page.route(url, fail)
      await page.goto(at)
      const said = page.getByRole('alert').getByText(`Error: ${FAULT.message}`)
      await said.waitFor()
      // A screen reader tells of what is new in an alert.
      await said.evaluate((sentence) => sentence.setAttribute('data-heard', ''))
      await page.unrouteAll()
      const asked = Promise.withResolvers<void>()
      const answer = Promise.withResolvers<void>()
      await page.route(url, async (route) => {
        asked.resolve()
        await answer.promise
        await fail(route)
      })
      await press(page, 'Retry')
      await asked.promise
      await expect(page.locator('[data-heard]')).toHaveCount(1)
      answer.resolve()
      await expect(page.locator('[data-heard]')).toHaveCount(0)
      await expect(said).toBeVisible()
      await expect(page.getByRole('button', { name: 'Retry' })).toBeFocused()
    },
  )

  test('keeps the transactions of a dashboard', async ({ open, world }) => {
    const page = await open({ as: await dealerOfThree(world) })
    const name = 'Latest Dealer Transactions'
    await expect(rows(page, name).first()).toContainText('client-')
    const before = await rows(page, name).count()
    await page.route(FIRST_TRANSACTIONS, fail)
    await page.clock.install()
    await leaveTheDashboard(page)
    await page.getByRole('link', { name: 'Dashboard' }).click()
    await expect(page.getByText(`Error: ${FAULT.message}`)).toBeVisible()
    await expect(rows(page, name)).toHaveCount(before)
  })

  test('is not announced before it has failed: rows that are loaded again stay readable', async ({
    open,
    world,
  }) => {
    const page = await open({ as: await dealerOfThree(world) })
    const name = 'Latest Dealer Transactions'
    await expect(rows(page, name).first()).toContainText('client-')
    await page.clock.install()
    await leaveTheDashboard(page)
    await page.route(FIRST_TRANSACTIONS, () => {})
    const asked = page.waitForRequest(FIRST_TRANSACTIONS)
    await page.getByRole('link', { name: 'Dashboard' }).click()
    await asked
    const list = page.locator('[aria-busy]', { has: table(page, name) })
    await expect(list).toHaveAttribute('aria-busy', 'false')
  })

  test('of a chart leaves what is typed beside it, and the chart comes by Retry', async ({ open, world }) => {
    const { name } = await world.child(world.admin)
    const page = await open({ as: world.admin, at: '/super-resellers' })
    await page.route('**/assets/Plot*', (route) => route.abort())
    await page.goto(`/update-super-reseller/${name}`)
    await page.getByRole('region', { name: 'Clients History' }).scrollIntoViewIfNeeded()
    await expect(page.getByText('Error: The chart could not be loaded.')).toBeVisible()
    const password = page.getByLabel('New Password', { exact: true })
    await password.fill('typed-and-kept')
    await page.unrouteAll()
    await press(page, 'Retry')
    await expect(page.locator('canvas')).toBeVisible()
    await expect(password).toHaveValue('typed-and-kept')
  })

  test('of the tree beside a list of accounts is loaded again by Retry', async ({ open, world }) => {
    const { reseller, dealer } = await world.family()
    const page = await open({ as: reseller, at: '/add-dealer' })
    await page.route('**/v1/tree', fail)
    await page.goto('/dealers')
    await expect(page.getByText(`Error: ${FAULT.message}`)).toBeVisible()
    await page.unrouteAll()
    await press(page, 'Retry')
    await expect(rows(page, 'Dealers')).toHaveText([new RegExp(dealer.name)])
  })

  test('of the message, or of what a card says of an account, is told there and loaded again by Retry', async ({
    open,
    world,
  }) => {
    const { reseller, dealer } = await world.family()
    await world.admin.call(calls.admin.setMessage, { message: 'Closed on Sunday' })
    const page = await open({ as: world.admin })
    await page.route('**/v1/admin/message', fail)
    await page.goto(to.message())
    await expect(page.getByRole('main').getByText(`Error: ${FAULT.message}`)).toBeVisible()
    await page.unrouteAll()
    await press(page, 'Retry')
    await expect(page.locator('blockquote')).toHaveText('Closed on Sunday')

    const own = await open({ as: reseller })
    await own.route(`**/v1/tree/${dealer.name}`, fail)
    await own.goto(`/update-dealer/${dealer.name}`)
    for (const name of ['Access', 'Place in the tree']) {
      await expect(own.getByRole('region', { name })).toContainText(`Error: ${FAULT.message}`)
    }
    await own.unrouteAll()
    await press(own.getByRole('region', { name: 'Access' }), 'Retry')
    await expect(own.getByRole('button', { name: 'Suspend' })).toBeVisible()
    await expect(own.getByRole('button', { name: 'Close', exact: true })).toBeVisible()
  })

  test('of the transactions and their sums is told of both, and one Retry loads both again', async ({
    open,
    world,
  }) => {
    const page = await open({ as: await dealerOfThree(world), at: '/clients' })
    const sums = page.getByLabel('Sums')
    const retries = page.getByRole('main').getByRole('button', { name: 'Retry' })
    for (const [url, failed] of [
      [/\/v1\/transactions\/sums/, 1],
      [/\/v1\/transactions/, 2],
    ] as const) {
      await page.route(url, fail)
      await page.goto(to.transactions())
      await expect(retries).toHaveCount(failed)
      await expect(sums).toHaveCount(0)
      await page.unrouteAll()
      await retries.last().click()
      await expect(sums).toContainText('ADD')
      await expect(sums).toContainText('in 1 transaction')
      await expect(sums).toContainText('Change of balance+9 credits')
      await expect(rows(page, 'Transactions').first()).toContainText('client-')
      await expect(retries).toHaveCount(0)
    }
  })

  test('of the credits shows a dash instead of loading forever', async ({ open, world }) => {
    const dealer = await dealerOfThree(world)
    const page = await open({ as: dealer, at: '/clients' })
    await page.route('**/v1/api/credits', fail)
    await page.goto('/')
    const tile = page.getByRole('listitem').filter({ hasText: 'Credits Remaining' })
    await expect(tile).toHaveAttribute('aria-busy', 'false')
    await expect(tile).toHaveText('Credits Remaining–')
  })

  test('of one card hides nothing beneath it while it is tried again, and takes no focus', async ({
    open,
    world,
  }) => {
    const { dealer } = await world.family({ credits: 1 })
    const { name } = await world.client(dealer, { months: 1 })
    const page = await open({ as: dealer, at: '/clients' })
    await page.route('**/v1/api/told/**', fail)
    await page.clock.install()
    await page.goto(`/update-client/${name}`)
    const sent = page.getByRole('region', { name: 'Sent to the box' })
    await expect(sent.getByRole('button', { name: 'Retry' })).toBeVisible()
    const release = await holdBack(page, '**/v1/api/told/**')
    const beneath = page.getByRole('searchbox', { name: 'Search transactions' })
    await beneath.focus()
    // It is polled.
    const again = page.waitForRequest('**/v1/api/told/**')
    await page.clock.fastForward(31_000)
    await again
    await expect(sent.locator('[aria-busy]')).toHaveAttribute('aria-busy', 'true')
    await expect(beneath).toBeFocused()
    await page.keyboard.type('typed on')
    await expect(beneath).toHaveValue('typed on')
    const retry = sent.getByRole('button', { name: 'Retry' })
    await retry.focus()
    await page.keyboard.press('Enter')
    await expect(retry).toBeFocused()
    release()
    await expect(retry).toHaveCount(0)
    await expect(page.locator(':focus')).toHaveCount(1)
  })

  test('of a search is reported as a lost connection, without the promise about submits', async ({
    open,
    world,
  }) => {
    const page = await open({ as: world.admin, at: '/admin/delete-mac' })
    await page.route('**/v1/admin/searchmac/**', (route) => route.abort())
    await page.getByLabel('MAC Address').fill('00:1A:79:00:00:01')
    await press(page, 'Search')
    await readNotice(
      page,
      'Error searching MAC. Please try again.',
      'The connection to Boxtree is lost. Please try again.',
    )
  })
})

describe('the transactions of a dashboard', () => {
  const name = 'Latest Dealer Transactions'
  const openThirty = async (open: (visit: { as: Person }) => Promise<Page>, world: World) => {
    const page = await open({ as: await dealerOfThirty(world) })
    const latest = rows(page, name)
    await expect(latest.first()).toContainText('client-29')
    return { page, latest }
  }

  test('come as one page, and all once the person turns to them', async ({ open, world }) => {
    const { page, latest } = await openThirty(open, world)
    await expect(latest).toHaveCount(10)
    await expect(pager(page, name)).toContainText('1–10 of 30')
    const whole = page.waitForRequest(NEWEST_TRANSACTIONS)
    const box = page.getByRole('searchbox', { name: 'Search Transactions' })
    await box.focus()
    await whole
    await typeIn(box, 'client-17')
    await expect(latest).toHaveCount(1)
    await box.fill('')
    // At once, before the search counts.
    for (const [shown, first] of [
      ['11–20 of 30', 'client-19'],
      ['21–30 of 30', 'client-9'],
    ] as const) {
      await press(pager(page, name), 'Next page')
      await expect(pager(page, name)).toContainText(shown)
      await expect(latest.first()).toContainText(first)
    }
    // The address is written after the rows are painted.
    await expect(page).toHaveURL(/page=3/)
    await page.reload()
    await expect(latest.first()).toContainText('client-9')
  })

  test('stay on the screen, dimmed, until those that a search or a page needs have come', async ({
    open,
    world,
  }) => {
    const { page, latest } = await openThirty(open, world)
    const release = await holdBack(page, NEWEST_TRANSACTIONS)
    await press(pager(page, name), 'Next page')
    const list = page.locator('[aria-busy]', { has: table(page, name) })
    await expect(list).toHaveAttribute('aria-busy', 'true')
    await expect(latest).toHaveCount(10)
    release()
    await expect(latest.first()).toContainText('client-19')
    await expect(list).toHaveAttribute('aria-busy', 'false')
  })

  test('are shown again after a failed search is cleared, and the search can be tried again', async ({
    open,
    world,
  }) => {
    const { page, latest } = await openThirty(open, world)
    await page.route(NEWEST_TRANSACTIONS, fail)
    const box = page.getByRole('searchbox', { name: 'Search Transactions' })
    await box.fill('client-17')
    await expect(page.getByText(`Error: ${FAULT.message}`)).toBeVisible()
    await box.fill('')
    await expect(latest).toHaveCount(10)
    await expect(page.getByText(`Error: ${FAULT.message}`)).toHaveCount(0)
    await page.unrouteAll()
    await box.fill('client-17')
    await press(page, 'Retry')
    await expect(latest).toHaveCount(1)
  })
})

describe('what a screen shows first is asked for before its scripts have come', () => {
  // The lists and dashboards of the two between have the same code.
  test.for(THOROUGH ? ROLES : (['admin', 'dealer'] as const))(
    'once, and shown: every list and dashboard of the %s',
    async (role, { open, world }) => {
      const people = { admin: world.admin, ...(await world.family({ credits: 3 })) }
      await world.client(people.dealer)
      const page = await open({ as: people[role], at: '/sign-ins' })
      const calls: string[] = []
      page.on('request', (request) => calls.push(new URL(request.url()).pathname))
      let held = Promise.withResolvers<void>()
      await page.route('**/assets/*.js', async (route) => {
        await held.promise
        await route.continue()
      })
      for (const [path, urls] of Object.entries(firstCalls()[role] ?? {})) {
        const asked = urls.map((url) => new URL(url, 'http://any').pathname).sort()
        held = Promise.withResolvers<void>()
        // The page before asks for nothing more.
        await page.goto('/icon.svg')
        calls.length = 0
        await page.goto(path, { waitUntil: 'commit' })
        await expect.poll(() => calls.filter((call) => call.startsWith('/v1/')).sort()).toEqual(asked)
        held.resolve()
        await expect(page.locator('[aria-busy=false] tbody tr').first()).toBeVisible()
        for (const one of asked)
          expect(
            calls.filter((call) => call === one),
            `${path} ${one}`,
          ).toEqual([one])
        // What this screen asks later must not be counted with the next one's.
        await page.waitForLoadState('networkidle')
      }
    },
  )

  test('and is asked for again where it was refused', async ({ open, world }) => {
    const page = await open({ as: await dealerOfThree(world), at: '/due' })
    await page.route(FIRST_TRANSACTIONS, fail, { times: 1 })
    await page.goto('/')
    await expect(rows(page, 'Latest Dealer Transactions').first()).toContainText('client-')
  })
})

describe('what is loaded while a change is made', () => {
  test('is loaded again, also where it was being loaded for the first time', async ({ open, world }) => {
    const page = await open({ as: await dealerOfThree(world), at: '/clients' })
    const answered = Promise.withResolvers<void>()
    const released = Promise.withResolvers<void>()
    const hold = async (route: Route) => {
      const response = await route.fetch()
      answered.resolve()
      await released.promise
      // The page may have given this request up.
      await route.fulfill({ response }).catch(() => {})
    }
    await page.route('**/v1/api/clients?*search=client*', hold, { times: 1 })
    await page.getByRole('searchbox').fill('client')
    await answered.promise
    await renewOne(page, 'client-1')
    await readNotice(page, 'Successfully renewed 1 month(s) for client-1')
    released.resolve()
    await expect(page.locator('[aria-busy]', { has: table(page, 'Clients') })).toHaveAttribute(
      'aria-busy',
      'false',
    )
    await expect(rows(page, 'Clients').filter({ hasText: 'client-1' })).toContainText('2026-06-15')
  })
})

describe('a link that is followed', () => {
  test('opens, though a search was typed right before', async ({ open, world }) => {
    const page = await open({ as: await dealerOfThree(world), at: '/clients' })
    await followWhenDue(page, 'Transactions', 250)
    await page.getByRole('searchbox').fill('client-1')
    await expect(page).toHaveURL('/transactions')
    await expect(table(page, 'Transactions')).toBeVisible()
    await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn, 100))))
    await expect(page).toHaveURL('/transactions')
  })

  test('opens, though the form before it leads elsewhere once it is saved', async ({ open, world }) => {
    const page = await open({ as: await dealerOfThree(world), at: '/update-client/client-1' })
    await fill(page, { Description: 'called twice' })
    await followWhenDue(page, 'Transactions', 2_000)
    await press(page, 'Update Client')
    await readNotice(page, 'Client client-1 updated successfully!')
    await expect(page).toHaveURL('/transactions')
    await expect(table(page, 'Transactions')).toBeVisible()
  })

  test('opens, though the card of a new client gives way to the list in that moment', async ({
    open,
    world,
  }) => {
    const { dealer } = await world.family()
    const page = await open({ as: dealer, at: '/new-client' })
    await fill(page, { 'Login Name': 'client-1', Password: 'tv-1234' })
    await typeIn(page.getByLabel('MAC Address'), 'A1B2C3')
    await followWhenDue(page, 'Transactions', 3_000)
    await press(page, 'Submit')
    await expect(page).toHaveURL('/transactions')
    await expect(table(page, 'Transactions')).toBeVisible()
  })

  test('leads from the card of a new client to the form of another one', async ({ open, world }) => {
    const { dealer } = await world.family()
    const page = await open({ as: dealer, at: '/new-client' })
    await fill(page, { 'Login Name': 'client-1', Password: 'tv-1234' })
    await typeIn(page.getByLabel('MAC Address'), 'A1B2C3')
    await press(page, 'Submit')
    await expect(page.getByText('The clients open in')).toBeVisible()
    await follow(page, 'New Client')
    await expect(page.getByLabel('Login Name')).toHaveValue('')
    await page.clock.install()
    await page.clock.runFor(5_000)
    await expect(page).toHaveURL('/new-client')
  })

  test('stays open when the form that was left is saved after that', async ({ open, world }) => {
    const page = await open({ as: await dealerOfThree(world), at: '/update-client/client-1' })
    const release = await holdBack(page, '**/v1/api/saveclient')
    await fill(page, { Description: 'called twice' })
    await press(page, 'Update Client')
    await follow(page, 'Transactions')
    await expect(table(page, 'Transactions')).toBeVisible()
    await page.clock.install()
    release()
    await readNotice(page, 'Client client-1 updated successfully!')
    await page.clock.runFor(5_000)
    await expect(page).toHaveURL('/transactions')
  })
})

test('a list that was left searched is opened as at first after an account was added, which it shows', async ({
  open,
  world,
}) => {
  const { reseller } = await world.family()
  const page = await open({ as: reseller, at: '/dealers?search=nobody' })
  await expect(page.getByRole('searchbox')).toHaveValue('nobody')
  // To add one is the next step only where there is none.
  const empty = page.locator('[aria-busy]').filter({ hasText: 'No dealers found' })
  await expect(empty.getByRole('link')).toHaveCount(0)
  await press(empty, 'Clear the search')
  await expect(rows(page, 'Dealers')).toHaveCount(1)
  await expect(page.getByRole('searchbox')).toBeFocused()
  await typeIn(page.getByRole('searchbox'), 'nobody')
  await expect(page).toHaveURL('/dealers?search=nobody')
  await page.getByRole('navigation').getByRole('link', { name: 'Add Dealer' }).click()
  await fill(page, { Login: 'the-newest', Password: 'a-password' })
  await press(page, 'Add Dealer')
  await expect(page).toHaveURL('/dealers')
  await expect(rows(page, 'Dealers').filter({ hasText: 'the-newest' })).toHaveCount(1)
})

test('a page that was opened again stays, though what was sent from it before is saved only then', async ({
  open,
  world,
}) => {
  const { reseller } = await world.family()
  const page = await open({ as: reseller, at: '/add-dealer' })
  const release = await holdBack(page, '**/v1/reseller/dealer')
  await fill(page, { Login: 'the-first', Password: 'a-password' })
  await press(page, 'Add Dealer')
  await follow(page, 'Dealers')
  await expect(table(page, 'Dealers')).toBeVisible()
  await page.goBack()
  await fill(page, { Login: 'the-second' })
  await page.clock.install()
  release()
  await readNotice(page, 'Dealer added successfully!')
  await page.clock.runFor(5_000)
  await expect(page).toHaveURL('/add-dealer')
  await expect(page.getByLabel('Login', { exact: true })).toHaveValue('the-second')
})

test('a page that was past the end once opens once it is there again', async ({ open, world }) => {
  const { dealer } = await world.family({ credits: 5 })
  await world.plantClients(dealer, { last: 11, digits: 2 })
  await world.setExpiry('many-11', '2026-05-14T23:59:59.000Z')
  const page = await open({ as: dealer, at: '/clients' })
  await press(page, 'Next page')
  await press(page, 'Delete many-11')
  await press(page.getByRole('alertdialog'), 'Delete')
  await expect(rows(page, 'Clients')).toHaveCount(10)
  await readNotice(page, 'Successfully deleted client many-11')
  await page.getByRole('link', { name: 'New Client' }).first().click()
  await fill(page, { 'Login Name': 'zebra', Password: 'tv-1234', 'MAC Address': '00:1A:79:12:34:56' })
  await press(page, 'Submit')
  await page.getByRole('link', { name: 'Show all clients' }).click()
  await expect(page.getByText('1–10 of 11')).toBeVisible()
  await press(page, 'Next page')
  await expect(rows(page, 'Clients')).toHaveText([/zebra/])
})

test('two filters that are changed one right after the other both count', async ({ open, world }) => {
  const { dealer } = await world.family({ credits: 5 })
  await world.client(dealer, { login: 'client-1', months: 1 })
  const page = await open({ as: dealer, at: '/transactions' })
  await expect(rows(page, 'Transactions')).toHaveCount(2)
  await page.getByLabel('Client', { exact: true }).focus()
  await page.keyboard.type('client-1')
  // Both before React has rendered the first one's address.
  await page.keyboard.press('Tab')
  await page.keyboard.press('ArrowDown')
  await expect(page).toHaveURL('/transactions?client=client-1&type=ADD')
  await expect(page.getByLabel('Client', { exact: true })).toHaveValue('client-1')
})

test('a page of transactions stays after a reload, and the last one says how older transactions are found, as that of many clients does', async ({
  open,
  world,
}) => {
  const { dealer } = await world.family({ credits: 60 })
  await world.plantClients(dealer, { prefix: 'page-', last: 60 })
  const clients = Array.from({ length: 60 }, (_, at) => `page-${at + 1}`)
  await dealer.call(calls.clients.multirenew, { clients, months: 1 })
  const page = await open({ as: dealer, at: '/transactions?page=3' })
  const pages = page.getByRole('navigation', { name: 'Pages of Transactions' })
  await expect(pages).toContainText('51–61 of 61')
  await page.reload()
  await expect(pages).toContainText('51–61 of 61')
  await expect(page).toHaveURL('/transactions?page=3')
  await page.goto('/transactions?page=1e400')
  await expect(pages).toContainText('51–61 of 61')
  // As the server answers where more than 10,000 match: its pages end there, and the sums count all.
  await page.route('**/v1/transactions?*', async (route) => {
    const answer = await route.fetch()
    const json = { ...(await answer.json()), count: 50, count_capped: true, total_pages: 2 }
    await route.fulfill({ response: answer, json })
  })
  await page.goto('/transactions?page=4')
  await expect(pages).toContainText('26–50 of 61. For the rest, filter or export.')
  await expect(rows(page, 'Transactions')).toHaveCount(25)
  await expect(pages.getByRole('button', { name: 'Next page' })).toHaveAttribute('aria-disabled', 'true')
  const sorted = page.getByText('Only the newest 10,000 are sorted: choose days for others.')
  await expect(sorted).toHaveCount(0)
  await page.getByRole('button', { name: 'Type' }).click()
  await expect(rows(page, 'Transactions').first()).toContainText('ADD')
  await expect(sorted).toBeVisible()

  // A search of clients ends in the same way.
  const found = await dealer.call(calls.clients.list, { search: 'page', per_page: 25 })
  const json = { ...found, count: 50, count_capped: true, total_pages: 2 }
  await page.route('**/v1/api/clients?*', (route) => route.fulfill({ json }))
  const pagesOfClients = pager(page, 'Clients')
  const rest = 'For the rest, search more closely or export.'
  await page.goto('/clients?search=page&perPage=25')
  await expect(pagesOfClients).toContainText('1–25 of more than 50')
  await expect(pagesOfClients).not.toContainText(rest)
  await press(pagesOfClients, 'Next page')
  await expect(pagesOfClients).toContainText(`26–50 of more than 50. ${rest}`)
})

test('a description in Arabic loses its end in a narrow column, as one in English does, and is typed from the right, where the arrow to the left renews', async ({
  open,
  world,
}) => {
  const { dealer } = await world.family({ credits: 3 })
  const words = 'محمد علي الحسن صالون الطابق الثالث شقة رقم سبعة عشر'
  await world.client(dealer, { login: 'arabic', desc: `${words}، ${words}`.slice(0, 100) })
  const page = await open({ as: dealer, at: '/clients', width: 1024 })
  const cell = rows(page, 'Clients').getByText('محمد')
  await expect(cell).toBeVisible()
  const { all, first, last } = await cell.evaluate((element) => {
    const text = element.firstChild as Text
    const edgesOf = (from: number, to: number) => {
      const range = document.createRange()
      range.setStart(text, from)
      range.setEnd(text, to)
      const { left, right } = range.getBoundingClientRect()
      return { left, right }
    }
    const { left, right } = element.getBoundingClientRect()
    return { all: { left, right }, first: edgesOf(0, 4), last: edgesOf(text.length - 4, text.length) }
  })
  expect(first.left).toBeGreaterThanOrEqual(all.left)
  expect(first.right).toBeLessThanOrEqual(all.right + 1)
  expect(last.right).toBeLessThan(all.left)
  for (const field of [page.getByRole('searchbox'), page.getByRole('combobox', { name: /^Find/ })]) {
    await expect(field).toHaveCSS('direction', 'ltr')
    await field.fill(words)
    await expect(field).toHaveCSS('direction', 'rtl')
  }
  await expect(page.getByRole('option').first()).toContainText('arabic')
  await expect(page.getByText('Enter opens, ← renews')).toBeVisible()
  await page.keyboard.press('ArrowRight')
  const find = page.getByRole('combobox', { name: /^Find/ })
  expect(await find.evaluate((input: HTMLInputElement) => input.selectionStart)).toBe(words.length - 1)
  await page.keyboard.press('ArrowLeft')
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await page.keyboard.press('ArrowLeft')
  await expect(page.getByRole('dialog', { name: 'Renew arabic' })).toBeVisible()
  await page.keyboard.press('Escape')
  await page.getByRole('link', { name: 'arabic' }).click()
  await expect(page.getByLabel('Description')).toHaveCSS('direction', 'rtl')
  await expect(page.getByLabel('Description')).toBeEnabled()
})

describe('a text that is too long', () => {
  test('is reported at the search box, pasted, typed or in the URL, and the list stays', async ({
    open,
    world,
  }) => {
    const dealer = await dealerOfThree(world)
    await world.plantClients(dealer, { prefix: 'more-', last: 3, digits: 1 })
    const page = await open({ as: dealer, at: '/clients?perPage=5' })
    const box = page.getByRole('searchbox')
    const fault = page.getByText('Search takes at most 100 characters')
    await box.fill('x'.repeat(101))
    await expect(fault).toBeVisible()
    await expect(box).toHaveValue('x'.repeat(101))
    await expect(rows(page, 'Clients')).toHaveCount(5)
    await press(page, 'Next page')
    await expect(rows(page, 'Clients')).toHaveCount(1)
    await box.press('End')
    await box.press('Backspace')
    await expect(fault).toHaveCount(0)
    await expect(page.getByText('No clients found')).toBeVisible()
    await box.press('x')
    await expect(fault).toBeVisible()
    await expect(page.getByText('No clients found')).toBeVisible()
    await page.goto(`/clients?search=${'x'.repeat(101)}`)
    await expect(rows(page, 'Clients')).toHaveCount(6)
  })

  test('is reported at the fields of an account, and is not cut off', async ({ open, world }) => {
    const { reseller } = await world.family()
    const page = await open({ as: reseller, at: '/add-dealer' })
    const login = page.getByLabel('Login', { exact: true })
    await typeIn(login, 'a'.repeat(33))
    await typeIn(page.getByLabel('Password', { exact: true }), 'b'.repeat(129))
    await expect(login).toHaveValue('a'.repeat(33))
    await expect(page.getByText('Login should be between 3 and 32 characters')).toBeVisible()
    await press(page, 'Add Dealer')
    await expect(page.getByText('Password should be between 8 and 128 characters')).toBeVisible()
    await expect(login).toBeFocused()
  })
})

describe('a notice', () => {
  test('of a repeated failure is shown once, and a success closes it', async ({ open, world }) => {
    const dealer = await dealerOfThree(world)
    const page = await open({ as: dealer, at: '/clients' })
    await page.route('**/v1/api/renew', (route) =>
      route.fulfill({ status: 400, json: { ...FAULT, code: 'invalid_input', message: 'Not like this.' } }),
    )
    await renewOne(page, 'client-1')
    await expect(page.getByText('Error renewing credits. Please try again.')).toBeVisible()
    await expect(page.getByText('Not like this.')).toHaveCount(1)
    await page.unrouteAll()
    await press(page, 'Renew for 1 credit')
    await expect(page.getByText('Successfully renewed 1 month(s) for client-1')).toBeVisible()
    await expect(page.getByText('Error renewing credits. Please try again.')).toHaveCount(0)
  })

  test('of a failure stays when something else succeeds', async ({ open, world }) => {
    const page = await open({ as: await dealerOfThree(world), at: '/update-client/client-1' })
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.route('**/v1/api/saveclient', fail)
    const dialog = page.getByRole('dialog')
    // Opened before, it comes at once, while the notice is there.
    await press(page, 'Credentials')
    await press(dialog, 'Close')
    await fill(page, { Description: 'called twice' })
    await press(page, 'Update Client')
    // A notice beneath the pointer stays.
    await noticesOn(page).filter({ hasText: FAULT.message }).hover()
    await page.getByRole('button', { name: 'Credentials', exact: true }).press('Enter')
    await dialog.getByRole('button', { name: 'Copy all', exact: true }).press('Enter')
    await expect(page.getByText('Copied')).toBeVisible()
    await expect(page.getByText(FAULT.message)).toBeVisible()
  })

  test('of a failed search closes when the next search succeeds', async ({ open, world }) => {
    const { mac } = await world.client(await dealerOfThree(world))
    const page = await open({ as: world.admin, at: '/admin/delete-mac' })
    await page.route('**/v1/admin/searchmac/**', fail)
    await page.getByLabel('MAC Address').fill(mac)
    await press(page, 'Search')
    await expect(page.getByText('Error searching MAC. Please try again.')).toBeVisible()
    await page.unrouteAll()
    await press(page, 'Search')
    await expect(rows(page, 'Search result')).toHaveCount(1)
    await expect(page.getByText('Error searching MAC. Please try again.')).toHaveCount(0)
  })
})

describe('the focus in a list', () => {
  test('moves to the next row after a deletion, and to the search after the last one', async ({
    open,
    world,
  }) => {
    const dealer = await dealerOfThree(world)
    for (const at of [1, 2, 3]) await world.setExpiry(`client-${at}`, '2026-05-14T23:59:59.000Z')
    const page = await open({ as: dealer, at: '/clients' })
    for (const [gone, next] of [
      ['client-2', 'client-3'],
      ['client-3', 'client-1'],
    ] as const) {
      await press(page, `Delete ${gone}`)
      await press(page.getByRole('alertdialog'), 'Delete')
      await expect(page.getByRole('link', { name: next })).toBeFocused()
      await readNotice(page, `Successfully deleted client ${gone}`)
    }
    await press(page, 'Delete client-1')
    await press(page.getByRole('alertdialog'), 'Delete')
    await expect(page.getByText('No clients found')).toBeVisible()
    await expect(page.getByRole('searchbox')).toBeFocused()
  })

  test('moves to the next row, and not to another client, where a dialog closes whose client somebody else has deleted', async ({
    open,
    world,
  }) => {
    const dealer = await dealerOfThree(world)
    for (const at of [4, 5, 6]) await world.client(dealer, { login: `client-${at}` })
    const page = await open({ as: dealer, at: '/clients?perPage=5' })
    await page.getByRole('button', { name: 'Renew client-2' }).press('Enter')
    await expect(page.getByRole('button', { name: 'Renew for 1 credit' })).toBeEnabled()
    await world.admin.call(calls.admin.remove, { name: 'client-2' })
    await press(page.getByRole('dialog'), 'Renew for 1 credit')
    // Another client has come into the list, and into the row's element.
    await expect(page.getByText('client-6')).toHaveCount(1)
    await page.keyboard.press('Escape')
    await expect(page.getByRole('dialog')).toHaveCount(0)
    await expect(page.getByRole('link', { name: 'client-3' })).toBeFocused()
  })

  test('moves to the next row after a deletion by keyboard from a full page', async ({ open, world }) => {
    const { dealer } = await world.family()
    for (let nr = 10; nr < 22; nr += 1) await world.client(dealer, { login: `client-${nr}` })
    for (const nr of [11, 12]) await world.setExpiry(`client-${nr}`, '2026-05-14T23:59:59.000Z')
    const page = await open({ as: dealer, at: '/clients' })
    for (const [gone, next] of [
      ['client-11', 'client-12'],
      ['client-12', 'client-13'],
    ] as const) {
      await page.getByRole('button', { name: `Delete ${gone}` }).focus()
      await page.keyboard.press('Enter')
      await expect(page.getByRole('alertdialog').getByRole('button', { name: 'Cancel' })).toBeFocused()
      await page.keyboard.press('Tab')
      await page.keyboard.press('Enter')
      await expect(page.getByRole('link', { name: next })).toBeFocused()
      await readNotice(page, `Successfully deleted client ${gone}`)
    }
  })

  test("moves to the page's checkbox after many clients were renewed", async ({ open, world }) => {
    const page = await open({ as: await dealerOfThree(world), at: '/clients' })
    await page.getByLabel('Select this page').check()
    await press(page, 'Renew selected')
    await press(page, 'Renew 3 clients for 3 credits')
    await expect(page.getByRole('dialog')).toHaveCount(0)
    await expect(page.getByLabel('Select this page')).toBeFocused()
    await readNotice(page, 'Successfully renewed 1 month(s) for 3 clients')
  })
})

test('a deletion refuses a client that was replaced since the page loaded', async ({ open, world }) => {
  const dealer = await dealerOfThree(world)
  const { mac } = await world.client(dealer, { login: 'was-here' })
  await world.setExpiry('was-here', '2026-05-14T23:59:59.000Z')
  const list = await open({ as: dealer, at: '/clients' })
  const all = await open({ as: world.admin, at: '/admin/clients' })
  for (const page of [list, all]) await press(page, 'Delete was-here')
  // Somebody else deletes the client and creates a new one with the same login.
  await dealer.call(calls.clients.remove, { name: 'was-here', mac })
  const other = uniqueMac()
  await world.client(dealer, { login: 'was-here', stb_mac: other, months: 1 })
  const reason = `The MAC address of was-here is ${other} now.`
  for (const page of [list, all]) {
    await press(page.getByRole('alertdialog'), 'Delete')
    await readNotice(page, 'Error deleting client. Please try again.', reason)
    // What was asked of the client before can never be done.
    await expect(page.getByRole('alertdialog')).toHaveCount(0)
  }
  expect((await dealer.call(calls.clients.list)).count).toBe(4)
  // The refusal says that the rows on the page are of the client before.
  await expect(rows(list, 'Clients').filter({ hasText: 'was-here' })).toContainText('2026-06-15')
  await press(all, 'Delete was-here')
  await expect(all.getByRole('alertdialog')).toContainText('It is served until 2026-06-15')
  await press(all.getByRole('alertdialog'), 'Delete')
  await readNotice(all, 'Successfully deleted client was-here')
  expect((await dealer.call(calls.clients.list)).count).toBe(3)
})

test('a deletion that finds its client gone closes, and the list goes on without it', async ({
  open,
  world,
}) => {
  const dealer = await dealerOfThree(world)
  const { mac } = await world.client(dealer, { login: 'was-here' })
  await world.setExpiry('was-here', '2026-05-14T23:59:59.000Z')
  const page = await open({ as: dealer, at: '/clients' })
  await press(page, 'Delete was-here')
  await dealer.call(calls.clients.remove, { name: 'was-here', mac })
  await press(page.getByRole('alertdialog'), 'Delete')
  await expect(page.getByText('Error deleting client. Please try again.')).toBeVisible()
  await expect(page.getByRole('alertdialog')).toHaveCount(0)
  await expect(rows(page, 'Clients')).toHaveCount(3)
})

test('the button that deletes a client is free from the minute in which its chip says Expired', async ({
  open,
  world,
}) => {
  const dealer = await dealerOfThree(world)
  world.clock.set('2026-05-15T23:59:20.000Z')
  const page = await open({ as: dealer, at: '/due' })
  await page.clock.install()
  await page.goto('/clients')
  const remove = page.getByRole('button', { name: 'Delete client-1' })
  await expect(rows(page, 'Clients').first()).toContainText('Expiring')
  await expect(remove).toHaveAttribute('aria-disabled', 'true')
  world.clock.pass({ minutes: 1 })
  await page.clock.fastForward(61_000)
  await expect(rows(page, 'Clients').first()).toContainText('Expired')
  await expect(remove).not.toHaveAttribute('aria-disabled', 'true')
  await remove.press('Enter')
  await press(page.getByRole('alertdialog'), 'Delete')
  await readNotice(page, 'Successfully deleted client client-1')
})

test('the login page fills in the username after the session has expired, and focuses the password', async ({
  open,
  world,
}) => {
  const { reseller } = await world.family()
  const page = await open()
  await signIn(page, reseller.name)
  await world.server.ownerSql`delete from session where account = ${reseller.id}`
  await page.reload()
  for (const again of [false, true]) {
    if (again) await page.reload()
    await expect(page.getByLabel('Username')).toHaveValue(reseller.name)
    await expect(page.getByLabel('Password', { exact: true })).toBeFocused()
  }
  await signIn(page, reseller.name)
  await press(page, 'Logout')
  await expect(page.getByLabel('Username')).toHaveValue('')
})

/** Leaves the dashboard for so long that its lists are loaded again when it is next opened. */
async function leaveTheDashboard(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Clients', exact: true }).click()
  await expect(table(page, 'Clients')).toBeVisible()
  await page.clock.fastForward(3_000)
}

async function renewOne(page: Page, name: string): Promise<void> {
  await press(page, `Renew ${name}`)
  await fill(page, { Months: '1' })
  await press(page, 'Renew for 1 credit')
}

function follow(page: Page, link: string): Promise<void> {
  return page.getByRole('link', { name: link, exact: true }).click()
}

/**
 * Follows a link in the very moment in which the page's next timer of so many milliseconds ends, just before its work.
 */
async function followWhenDue(page: Page, link: string, ms: number): Promise<void> {
  await page.getByRole('link', { name: link, exact: true }).evaluate((link: HTMLElement, ms) => {
    const { setTimeout } = window
    const follows = (work: () => void, after?: number) => {
      if (after !== ms) return setTimeout(work, after)
      Object.assign(window, { setTimeout })
      return setTimeout(() => {
        link.click()
        work()
      }, after)
    }
    Object.assign(window, { setTimeout: follows })
  }, ms)
}

function fail(route: Route): Promise<void> {
  return route.fulfill({ status: 500, json: FAULT })
}

/** A dealer who has 30 transactions: its credits, and a client of each of the 29 minutes after. */
async function dealerOfThirty(world: World): Promise<Person> {
  const { dealer } = await world.family({ credits: 29 })
  for (let at = 1; at <= 29; at += 1) {
    world.clock.pass({ minutes: 1 })
    await world.client(dealer, { login: `client-${at}`, months: 1 })
  }
  return dealer
}

async function dealerOfThree(world: World): Promise<Person> {
  const { dealer } = await world.family({ credits: 9 })
  for (const at of [1, 2, 3]) await world.client(dealer, { login: `client-${at}` })
  return dealer
}

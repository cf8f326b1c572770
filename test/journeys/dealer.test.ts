import { readFileSync } from 'node:fs'
import type { Locator, Page, Route } from 'playwright-core'

import { describe } from 'vitest'
import { calls } from '../../contract/calls.ts'
import { PACKAGES } from '../../contract/packages.ts'
import { START_OPTIONS } from '../../web/clients/startOptions.ts'
import { Box } from '../support/box.ts'
import {
  choose,
  drawn,
  expect,
  expectColumns,
  expectPageSizes,
  expectSorted,
  fill,
  holdBack,
  liveOf,
  noticesOn,
  pager,
  press,
  readNotice,
  rows,
  signIn,
  stopClock,
  test,
  typeIn,
} from '../support/browser.ts'
import type { Family, Person, World } from '../support/world.ts'
import { CLIENTS, OF_A_CLIENT, OF_A_DEALER } from './columns.ts'

describe("a dealer's dashboard", () => {
  test('shows the menu, the balance and the clients by state', async ({ open, world }) => {
    const { dealer } = await world.family({ credits: 10 })
    await world.client(dealer, { login: 'active-one', months: 3 })
    await world.client(dealer, { login: 'active-two', months: 2 })
    await world.client(dealer, { login: 'ends-soon', months: 0 })
    await world.client(dealer, { login: 'is-over', months: 1 })
    await world.setExpiry('is-over', '2026-05-14T23:59:59.000Z')
    const page = await open()
    await signIn(page, dealer.name)
    await expect(page).toHaveURL('/')
    await expect(page.getByRole('banner')).toContainText('Dealer Panel')
    const menu = page.getByRole('navigation', { name: 'Main' }).getByRole('listitem')
    await expect(menu).toHaveText([
      'Dashboard',
      'New Client',
      'Clients',
      'Due',
      'Transactions',
      'Credit Requests',
      'Sign-ins',
      'Logout',
    ])
    const tiles = page.getByRole('main').getByRole('list').first().getByRole('listitem')
    await expect(tiles).toHaveText([
      'Credits Remaining4',
      'All Clients4',
      'Active Clients375 %',
      'Expired Clients125 %',
      'Expiring Soon125 %',
    ])
    const name = 'Latest Dealer Transactions'
    await expectColumns(page, name, OF_A_DEALER)
    await expectSorted(page, name, 'Date', 'descending')
    await expectPageSizes(page, name, [5, 10, 25])
    await page.getByRole('button', { name: 'Credits' }).click()
    await page.getByRole('button', { name: 'Credits' }).click()
    await expectSorted(page, name, 'Credits', 'descending')
    await expect(rows(page, name).first()).toContainText(/ADD10/)
    for (const [tile, filter] of ['all', 'active', 'expired', 'expiring'].entries()) {
      await tiles.nth(tile + 1).click()
      await expect(page).toHaveURL(filter === 'all' ? /\/clients/ : `/clients?filter=${filter}`)
      await expect(rows(page, 'Clients')).toHaveCount([4, 3, 1, 1][tile] as number)
      await page.goBack()
    }
  })

  test('says that there are no clients and no transactions yet', async ({ open, world }) => {
    const { dealer } = await world.family()
    const page = await open({ as: dealer })
    const latest = page.getByRole('region', { name: 'Latest Dealer Transactions' })
    await expect(latest).toContainText('No dealer transactions found')
    await expect(latest.getByRole('link', { name: 'Create the first client' })).toBeVisible()
    await expect(page.getByRole('main').getByRole('listitem').nth(2)).toHaveText('Active Clients00 %')
    await page.goto('/clients')
    await expect(page.getByText('No clients found')).toBeVisible()
    await page.getByRole('link', { name: 'New Client' }).last().click()
    await expect(page).toHaveURL('/new-client')
  })
})

describe("a dealer's list of clients", () => {
  test('is searched, filtered, sorted and paged by the server, the URL keeps all four, and where nobody is found offers to show all', async ({
    open,
    world,
  }) => {
    const page = await open({ as: await dealerOfTwelve(world), at: '/clients' })
    const name = 'Clients'
    await expectColumns(page, name, ['', ...CLIENTS])
    await expectSorted(page, name, 'Name', 'ascending')
    await expectPageSizes(page, name, [5, 10, 25, 50])
    await expect(rows(page, name)).toHaveCount(10)
    await expect(rows(page, name).first()).toHaveText(/client-01Box 1.*2026-05-15Expiringtoday.*Active/)
    const filters = page.getByRole('group', { name: 'Filter' })
    await expect(filters).toHaveText(/All ?12.*Active ?11.*Expiring Soon ?11.*Expired ?1/)
    await filters.getByRole('radio', { name: 'Expired' }).check()
    await expect(page).toHaveURL('/clients?filter=expired')
    await expect(rows(page, name)).toHaveText([/client-07/])
    await filters.getByRole('radio', { name: 'All' }).check()
    await page.getByRole('searchbox').fill('box 1')
    await expect(rows(page, name)).toHaveCount(4)
    await expect(filters).toHaveText(/All ?4/)
    // As the server answers where a search finds exactly 10,000, and where it finds more.
    for (const [search, count_capped, shown] of [
      ['box', false, /All ?10,000Active ?10,000Expiring/],
      ['box ', true, /All ?10,000\+Active ?10,000\+Expiring/],
    ] as const) {
      const many = async (route: Route) => {
        const answer = await route.fetch()
        const counts = { all: 10_000, active: 10_000, expiring: 3, expired: 0 }
        await route.fulfill({ response: answer, json: { ...(await answer.json()), count_capped, counts } })
      }
      await page.route('**/v1/api/clients?*', many, { times: 1 })
      await page.getByRole('searchbox').fill(search)
      await expect(filters).toHaveText(shown)
    }
    await page.getByRole('searchbox').fill('box 1')
    await page.getByRole('button', { name: 'Name' }).click()
    await expect(rows(page, name).first()).toContainText('client-12')
    await expect(page).toHaveURL(/search=box\+1.*order=desc/)
    await page.reload()
    await expect(rows(page, name)).toHaveCount(4)
    await expectSorted(page, name, 'Name', 'descending')
    await page.getByRole('searchbox').fill('')
    await pager(page, name).getByRole('button', { name: 'Next page' }).click()
    await expect(rows(page, name)).toHaveCount(2)
    await page.goBack()
    await expect(rows(page, name)).toHaveCount(10)
    await page.getByRole('searchbox').fill('nobody')
    await expect(page.getByText('No clients found')).toBeVisible()
    await press(page, 'Show all clients')
    await expect(rows(page, name)).toHaveCount(10)
    await page.getByRole('switch', { name: 'Dense' }).uncheck()
    await expect(rows(page, name).first().locator('td').nth(1)).toHaveCSS('height', /5\d/)
  })

  test('says why it could not be loaded, and loads again at each visit', async ({ open, world }) => {
    const dealer = await dealerOfTwelve(world)
    const page = await open({ as: dealer })
    const json = { status: 'ERROR', code: 'internal', message: 'Something went wrong on our side.' }
    await page.route('**/v1/api/clients?**', (route) => route.fulfill({ status: 500, json }))
    await page.getByRole('link', { name: 'Clients', exact: true }).click()
    await expect(page.getByText(`Error: ${json.message}`)).toBeVisible()
    await page.unrouteAll()
    await press(page, 'Retry')
    await expect(rows(page, 'Clients').first()).toContainText('Box 1')
    await page.clock.install()
    await dealer.call(calls.clients.save, { login: 'client-01', desc: 'Moved' })
    await page.getByRole('link', { name: 'Dashboard' }).click()
    await expect(page.getByText('Credits Remaining')).toBeVisible()
    await page.clock.fastForward(3_000)
    await page.getByRole('link', { name: 'Clients', exact: true }).click()
    await expect(rows(page, 'Clients').first()).toContainText('Moved')
  })

  test('renews one client after showing the price and the new expiry', async ({ open, world }) => {
    const dealer = await dealerOfTwelve(world)
    const page = await open({ as: dealer, at: '/clients' })
    await press(page, 'Renew client-01')
    const dialog = page.getByRole('dialog', { name: 'Renew client-01' })
    await fill(dialog, { Months: '3' })
    await expect(dialog).toContainText(/Cost3 credits.*Balance5 credits.*Balance after2 credits/)
    await expect(dialog).toContainText('2026-05-15 → 2026-08-15')
    await press(dialog, 'Renew for 3 credits')
    await readNotice(page, 'Successfully renewed 3 month(s) for client-01')
    await expect(rows(page, 'Clients').first()).toContainText('2026-08-15Active')
    await expect(page.getByRole('complementary')).toContainText('2 credits')
    await press(page, 'Renew client-02')
    await fill(page, { Months: '3' })
    await expect(page.getByText('You have 2 credits; this needs 3.')).toBeVisible()
    await expect(page.getByRole('button', { name: 'Renew for 3 credits' })).toBeDisabled()
  })

  test('says what was done even where the next dialog is open', async ({ open, world }) => {
    const page = await open({ as: await dealerOfTwelve(world), at: '/clients' })
    await press(page, 'Renew client-01')
    // A screen reader tells of what comes into a region that is there already.
    const announced = page.locator('slot > [aria-live="polite"]')
    await expect(announced).toHaveText('')
    await press(page, 'Renew for 1 credit')
    const notice = noticesOn(page).filter({ hasText: 'Successfully renewed 1 month(s) for client-01' })
    // A notice beneath the pointer stays, however long the next dialog takes.
    await notice.hover()
    await expect(announced).toContainText('Successfully renewed 1 month(s) for client-01')
    await page.getByRole('button', { name: 'Renew client-02' }).press('Enter')
    await expect(page.getByRole('dialog', { name: 'Renew client-02' })).toBeVisible()
    // Found by its role, it is not hidden from those who listen.
    await expect(page.getByRole('button', { name: 'Close this notice' })).toBeVisible()
    await expect(page.getByRole('heading', { level: 1 })).toHaveCount(0)
  })

  test('renews many clients at once, on other pages as well, and is told what is under way while that takes long', async ({
    open,
    world,
  }) => {
    const dealer = await dealerOfTwelve(world, 12)
    const page = await open({ as: dealer, at: '/clients?perPage=5' })
    const selection = page.getByRole('group', { name: 'Selection' })
    await page.getByLabel('Select client-02').check()
    await expect(selection).toContainText('1 selected')
    await page.getByLabel('Select this page').check()
    await expect(selection).toContainText('5 selected')
    await press(page, 'Select all 12')
    await expect(selection).toContainText('12 selected')
    await press(page, 'Renew selected')
    const dialog = page.getByRole('dialog', { name: 'Renew 12 clients' })
    await expect(dialog.getByRole('listitem')).toHaveCount(12)
    const release = await holdBack(page, '**/v1/api/multirenew')
    await page.clock.install()
    await press(dialog, 'Renew 12 clients for 12 credits')
    await page.clock.fastForward(1_000)
    await expect(dialog.getByRole('progressbar', { name: 'Renewing 12 clients' })).toBeVisible()
    release()
    await readNotice(page, 'Successfully renewed 1 month(s) for 12 clients')
    await expect(selection).toHaveCount(0)
    await expect(page.getByRole('complementary')).toContainText('0 credits')
  })

  test('selects nobody again who was let go while all were still loading, nor all of another filter than is shown', async ({
    open,
    world,
  }) => {
    const dealer = await dealerOfTwelve(world)
    await world.setExpiry('client-01', '2026-05-14T23:59:59.000Z')
    const page = await open({ as: dealer, at: '/clients?perPage=5' })
    const selection = page.getByRole('group', { name: 'Selection' })
    await page.getByLabel('Select this page').check()
    const release = await holdBack(page, '**/v1/api/clients?*per_page=500*')
    await press(page, 'Select all 12')
    await page.getByLabel('Select client-02').uncheck()
    release()
    await expect(selection).toContainText('4 selected')
    await page.getByLabel('Select client-02').check()
    await expect(page.getByRole('button', { name: 'Select all 12' })).toBeVisible()
    const show = await holdBack(page, '**/v1/api/clients?*filter=active*')
    await page.getByRole('radio', { name: 'Active' }).check()
    await expect(page.getByRole('button', { name: 'Select all 12' })).toHaveCount(0)
    show()
    await expect(rows(page, 'Clients').first()).toContainText('client-02')
  })

  test('selects nobody whom it was still loading when the selection was cleared, and tells readers what is selected', async ({
    open,
    world,
  }) => {
    const page = await open({ as: await dealerOfTwelve(world), at: '/clients?perPage=5' })
    const said = page.getByRole('status').filter({ hasText: 'selected' })
    await expect(page.getByRole('main').locator('[role=status]:empty')).not.toHaveCount(0)
    await page.getByLabel('Select this page').check()
    await expect(said).toHaveText('5 selected')
    const release = await holdBack(page, '**/v1/api/clients?*per_page=500*')
    await press(page, 'Select all 12')
    await press(page, 'Clear the selection')
    await page.getByLabel('Select this page').check()
    await press(page, 'Select all 12')
    // Another screen is visited meanwhile.
    await page.getByRole('link', { name: 'Dashboard', exact: true }).click()
    await expect(page).toHaveURL('/')
    await page.getByRole('link', { name: 'Clients', exact: true }).click()
    await press(page, 'Clear the selection')
    release()
    await page.getByLabel('Select client-02').check()
    await expect(said).toHaveText('1 selected')
    await page.evaluate(() => new Promise((passed) => setTimeout(passed, 1_000)))
    await expect(said).toHaveText('1 selected')
  })

  test('shows that somebody else has renewed a client first, and asks again', async ({ open, world }) => {
    const dealer = await dealerOfTwelve(world)
    const page = await open({ as: dealer, at: '/clients' })
    await press(page, 'Renew client-01')
    await expect(page.getByText('2026-05-15 → 2026-06-15')).toBeVisible()
    await dealer.call(calls.clients.renew, { name: 'client-01', months: 1 })
    await press(page, 'Renew for 1 credit')
    await readNotice(
      page,
      'Error renewing credits. Please try again.',
      'The expiry of client-01 has changed in the meantime. Please look again.',
    )
    await press(page, 'Reload')
    await expect(page.getByText('2026-06-15 → 2026-07-15')).toBeVisible()
    await press(page, 'Renew for 1 credit')
    await readNotice(page, 'Successfully renewed 1 month(s) for client-01')
  })

  test('says nothing of the client before in a renewal that is opened while the last one still fades', async ({
    open,
    world,
  }) => {
    const page = await open({ as: await dealerOfTwelve(world), at: '/clients?perPage=5' })
    await page.emulateMedia({ reducedMotion: 'no-preference' })
    await page.getByLabel('Select this page').check()
    await page.getByRole('button', { name: 'Renew client-01' }).focus()
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog')
    const price = dialog.getByText('2026-05-15 → 2026-06-15')
    await expect(price).toBeVisible()
    await fill(dialog, { Months: '12' })
    await expect(dialog.getByText('2026-05-15 → 2027-05-15')).toBeVisible()
    const release = await holdBack(page, '**/v1/api/quote')
    for (const key of ['Escape', 'ArrowDown', 'Enter']) await page.keyboard.press(key)
    await expect(dialog).toContainText('Renew client-02')
    await expect(dialog).not.toContainText('left out')
    await expect(price).toHaveCount(0)
    release()
    await expect(price).toBeVisible()
    await expect(dialog.getByLabel('Months')).toBeFocused()
    await page.keyboard.press('Escape')
    await expect(page.getByRole('group', { name: 'Selection' })).toContainText('5 selected')
  })

  test('says why a price that was there is gone, and shows it again after Retry', async ({ open, world }) => {
    const page = await open({ as: await dealerOfTwelve(world, 3), at: '/clients' })
    await page.clock.install()
    await press(page, 'Renew client-01')
    const dialog = page.getByRole('dialog', { name: 'Renew client-01' })
    const renew = dialog.getByRole('button', { name: 'Renew for 1 credit' })
    await expect(renew).toBeEnabled()
    await page.route('**/v1/api/quote', (route) =>
      route.fulfill({ status: 500, json: { status: 'ERROR', code: 'internal', message: 'Not now.' } }),
    )
    await page.clock.fastForward(5_000)
    await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange', { bubbles: true })))
    await expect(dialog.getByRole('alert').filter({ hasText: 'Not now.' })).toBeVisible()
    await expect(renew).toBeDisabled()
    await page.unrouteAll()
    await press(dialog, 'Retry')
    await expect(dialog).toContainText('2026-05-15 → 2026-06-15')
    await expect(renew).toBeEnabled()
  })

  test('deletes only clients that have expired', async ({ open, world }) => {
    const page = await open({ as: await dealerOfTwelve(world), at: '/clients' })
    const remove = page.getByRole('button', { name: 'Delete client-01' })
    await expect(remove).toHaveAttribute('aria-disabled', 'true')
    await remove.focus()
    await expect(page.getByRole('tooltip')).toHaveText('Only an expired client can be deleted')
    await press(page, 'Delete client-07')
    const question = page.getByRole('alertdialog', { name: 'Delete client-07?' })
    await expect(question.getByRole('button', { name: 'Cancel' })).toBeFocused()
    await page.keyboard.press('Escape')
    await expect(question).toHaveCount(0)
    await press(page, 'Delete client-07')
    await press(question, 'Delete')
    await readNotice(page, 'Successfully deleted client client-07')
    await expect(page.getByText('1–10 of 11')).toBeVisible()
  })

  test('is exported as a CSV or a PDF of the clients that match the filter', async ({ open, world }) => {
    const page = await open({ as: await dealerOfTwelve(world), at: '/clients?filter=expired' })
    await expect(rows(page, 'Clients')).toHaveCount(1)
    for (const format of ['CSV', 'PDF']) {
      await press(page, 'Export')
      const download = page.waitForEvent('download')
      await page.getByRole('menuitem', { name: `Export as ${format}` }).click()
      const file = await download
      expect(file.suggestedFilename()).toMatch(format === 'CSV' ? /\.csv$/ : /\.pdf$/)
      const text = readFileSync(await file.path(), 'latin1')
      if (format === 'PDF') expect(text).toMatch(/^%PDF-/)
      else expect(text.trim().split('\n')).toHaveLength(2)
    }
  })
})

test('an export that is under way is ended with a notice where its page is left', async ({ open, world }) => {
  const page = await open({ as: await dealerOfTwelve(world), at: '/clients' })
  await page.route('**/v1/exports/*', () => {})
  await choose(page, 'Export', 'Export as PDF')
  await expect(page.getByRole('button', { name: 'Export, 0 kB' })).toBeVisible()
  await page.getByRole('link', { name: 'Dashboard' }).click()
  await readNotice(page, 'The export was stopped because its page was left.')
  await page.getByRole('link', { name: 'Clients', exact: true }).click()
  await choose(page, 'Export', 'Export as PDF')
  await choose(page, 'Export, 0 kB', 'Stop the export')
  await page.getByRole('link', { name: 'Dashboard' }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Dashboard')
  await drawn(page)
  await expect(page.getByText('The export was stopped')).toHaveCount(0)
})

describe('a new client', () => {
  test('is validated field by field before it can be submitted', async ({ open, world }) => {
    const { dealer } = await world.family({ credits: 1 })
    const page = await open({ as: dealer, at: '/new-client' })
    const submit = page.getByRole('button', { name: 'Submit' })
    await expect(submit).toBeDisabled()
    await expect(page.getByLabel('Credits').locator('option')).toHaveText(
      START_OPTIONS.map(({ label }) => label),
    )
    await expect(page.getByLabel('Package').locator('option')).toHaveText(PACKAGES.map(({ label }) => label))
    await fill(page, { 'Login Name': 'tom', Password: 'tv', Description: 'x'.repeat(101) })
    await typeIn(page.getByLabel('MAC Address'), 'a1b2')
    await typeIn(page.getByLabel('Phone Number'), '4165550123')
    await expect(page.getByLabel('Phone Number')).toHaveValue('(416) 555-0123')
    for (const fault of [
      'Login should be between 5 and 15 characters',
      'Password should be between 5 and 15 characters',
      'Description cannot exceed 100 characters',
      'MAC address should be 17 characters long',
    ]) {
      await expect(page.getByText(fault)).toBeVisible()
    }
    await fill(page, { 'Login Name': 'tom.silva', Password: 'tv-1234', Description: 'Attic' })
    await expect(submit).toBeDisabled()
    await page.getByLabel('Ministra').check()
    await expect(page.getByLabel('MAC Address')).toHaveCount(0)
    await expect(submit).toBeEnabled()
    await page.getByLabel('Ministra').uncheck()
    await expect(page.getByLabel('MAC Address')).toHaveValue('00:1A:79:A1:B2')
    await page.getByLabel('MAC Address').fill('')
    await typeIn(page.getByLabel('MAC Address'), 'a1b2c3')
    await expect(page.getByLabel('MAC Address')).toHaveValue('00:1A:79:A1:B2:C3')
    await expect(submit).toBeEnabled()
    await fill(page, { Credits: '2' })
    await expect(page.getByText('You have 1 credit; this needs 2.')).toBeVisible()
    await expect(submit).toBeDisabled()
  })

  test('keeps what is said of its MAC after Enter until the MAC is edited', async ({ open, world }) => {
    const { dealer } = await world.family()
    const { name, mac } = await world.client(dealer)
    const page = await open({ as: dealer, at: '/new-client' })
    await fill(page, { 'Login Name': 'is-new', Password: 'tv-1234' })
    const field = page.getByLabel('MAC Address')
    await typeIn(field, mac ?? '')
    await field.press('Enter')
    const reason = `This MAC address is taken by your client ${name}.`
    const fault = page.getByRole('main').getByText(reason)
    await readNotice(page, reason)
    await expect(fault).toBeVisible()
    await field.press('Tab')
    await expect(field).not.toBeFocused()
    await expect(fault).toBeVisible()
    await field.press('End')
    await field.press('Backspace')
    await expect(fault).toHaveCount(0)
  })

  test('is created for paid months, and the list opens then', async ({ open, world }) => {
    const { dealer } = await world.family({ credits: 5 })
    await world.client(dealer, { login: 'was-here' })
    const page = await open({ as: dealer, at: '/new-client' })
    await fill(page, { 'Login Name': 'was-here', Password: 'tv-1234', Credits: '2', Package: '13' })
    await typeIn(page.getByLabel('MAC Address'), 'A1B2C3')
    await press(page, 'Submit')
    await expect(page.getByLabel('Login Name')).toBeFocused()
    await readNotice(page, 'This login is taken by your client was-here.')
    await fill(page, { 'Login Name': 'is-new' })
    await press(page, 'Submit')
    await readNotice(page, 'Client is-new created successfully!')
    await expect(page).toHaveURL('/clients')
    await expect(rows(page, 'Clients').first()).toHaveText(/is-new00:1A:79:A1:B2:C32026-07-15Active/)
    await expect(page.getByRole('complementary')).toContainText('3 credits')
  })
})

describe('a client', () => {
  test('is changed field by field, and the list opens then', async ({ open, world }) => {
    const dealer = await dealerOfTwelve(world)
    const page = await open({ as: dealer, at: '/clients' })
    await page.getByRole('link', { name: 'client-02' }).click()
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Update Client: client-02')
    await expect(page.getByLabel('Password', { exact: true })).toHaveValue('secret-tv')
    const all = page.getByText('of the newest 1,000').getByRole('link', { name: 'all' })
    await expect(all).toHaveAttribute('href', '/transactions?client=client-02')
    await press(page, 'Show password')
    await expect(page.getByLabel('Password', { exact: true })).toHaveAttribute('type', 'text')
    await page.getByRole('switch', { name: 'Active' }).uncheck()
    await page.getByRole('switch', { name: 'IP Lock' }).check()
    await fill(page, { Description: 'Upstairs', 'Add months': '1', Package: '33' })
    await expect(page.getByText('Costs 1 credit; you have 5 credits. New expiry 2026-06-15.')).toBeVisible()
    const request = page.waitForRequest('**/v1/api/saveclient')
    await press(page, 'Update Client')
    expect((await request).postDataJSON()).toEqual({
      login: 'client-02',
      status: false,
      locked: true,
      desc: 'Upstairs',
      months: 1,
      expiry: '2026-05-15T23:59:59.000Z',
      package_selection: 33,
    })
    await readNotice(page, 'Client client-02 updated successfully!')
    await expect(page).toHaveURL('/clients')
    await expect(rows(page, 'Clients').nth(1)).toContainText(/Upstairs.*2026-06-15.*Active.*Inactive/)
  })

  test('has all of its transactions on a screen of their own, and nobody else’s', async ({ open, world }) => {
    const { dealer } = await world.family({ credits: 9 })
    await world.client(dealer, { login: 'maria', months: 2 })
    await world.client(dealer, { login: 'maria.costa', months: 1 })
    const page = await open({ as: dealer, at: '/update-client/maria' })
    await page.getByText('of the newest 1,000').getByRole('link', { name: 'all' }).click()
    await expect(page).toHaveURL('/transactions?client=maria')
    await expect(rows(page, 'Transactions')).toHaveText([/USED−2maria/])
    const client = page.getByLabel('Client', { exact: true })
    await expect(client).toHaveValue('maria')
    // Copied text may have marks around it that nobody sees.
    await client.fill('\u200emaria.costa\u200e')
    await client.press('Enter')
    await expect(rows(page, 'Transactions')).toHaveText([/USED−1maria\.costa/])
    await client.fill('nobody')
    await client.blur()
    await expect(page.getByText('There is nothing of this name here.')).toBeVisible()
    await expect(page.getByRole('button', { name: 'Retry' })).toHaveCount(0)
    await press(page, 'Show all transactions')
    await expect(page).toHaveURL('/transactions')
    await expect(rows(page, 'Transactions')).toHaveCount(3)
  })

  test('keeps a dialog that is opened soon after a change, and leaves for the list once it is closed', async ({
    open,
    world,
  }) => {
    const dealer = await dealerOfTwelve(world)
    const page = await open({ as: dealer, at: '/update-client/client-02' })
    await fill(page, { Description: 'Upstairs' })
    // Its time stands still, so that it does not leave before the dialog is opened.
    await stopClock(page)
    await press(page, 'Update Client')
    await expect(page.getByText('Client client-02 updated successfully!')).toBeVisible()
    await press(page, 'Credentials')
    const dialog = page.getByRole('dialog', { name: 'Credentials of client-02' })
    await expect(dialog).toBeVisible()
    await page.clock.runFor(2_500)
    await expect(dialog).toBeVisible()
    await page.clock.resume()
    await press(dialog, 'Close')
    await expect(page).toHaveURL('/clients')
  })

  test('has credits taken back after a question that names the new expiry', async ({ open, world }) => {
    const { dealer } = await world.family({ credits: 5 })
    await world.client(dealer, { login: 'rich-client', months: 3 })
    const page = await open({ as: dealer, at: '/update-client/rich-client' })
    const card = page.getByRole('region', { name: 'Retrieve Credits' })
    await expect(card).toContainText('Up to 3 credits can be retrieved')
    await press(card, 'Retrieve Credits')
    await readNotice(page, 'Please select credits to retrieve')
    await fill(card, { Credits: '2' })
    await press(card, 'Retrieve Credits')
    const question = page.getByRole('alertdialog', { name: 'Retrieve 2 credits?' })
    await expect(question).toContainText('Its service ends on 2026-06-15 instead of 2026-08-15.')
    await press(question, 'Retrieve')
    await readNotice(page, 'Successfully retrieved 2 credits')
    await expect(page.getByRole('region', { name: 'Client', exact: true })).toContainText('2026-06-15')
    await expectColumns(page, 'Transactions', OF_A_CLIENT)
    await expectPageSizes(page, 'Transactions', [5, 10, 25])
    await expect(rows(page, 'Transactions')).toHaveText([/RETRIEVED2.*2026-06-15/, /USED3.*2026-08-15/])
    await expect(page.getByRole('complementary')).toContainText('4 credits')
  })

  test('shows the data of its box, which a button clears', async ({ open, world }) => {
    const { dealer } = await world.family({ credits: 5 })
    await world.client(dealer, { login: 'has-a-box', months: 3 })
    const { now } = world.clock
    await world.server.ownerSql`
      with seen as (
        insert into presence (client, polled, answered, address, watching)
        select id, ${now}, ${now}, '203.0.113.7', 'RTP 2' from client where name = 'has-a-box')
      insert into device (client, stb_sn, stb_type, version, time_last_play_tv, time_last_play_video,
        last_played_tv_content, last_played_vod_content)
      select id, '012010N', 'MAG322', '5.6.1', ${now}, ${new Date(now.getTime() - 90_000_000)}, 'RTP 1', 'Ouro'
      from client where name = 'has-a-box'`
    const page = await open({ as: dealer, at: '/update-client/has-a-box' })
    const card = page.getByRole('region', { name: 'Device Information' })
    await expect(card.locator('dl > div')).toHaveText([
      'STB serial number012010N',
      'STB typeMAG322',
      'Version5.6.1',
      'OnlineOnline',
      'Plays nowRTP 2',
      'Last active2026-05-15 10:00:00',
      'Last address203.0.113.7',
      'Last watched TVRTP 1 2026-05-15 10:00:00',
      'Last watched VODOuro 2026-05-14 09:00:00',
      'Locked to IPN/A',
    ])
    world.clock.pass({ minutes: 6 })
    await page.reload()
    await expect(card).toContainText('OnlineOffline')
    await expect(card).toContainText('Plays nowN/A')
    await press(card, 'Reset')
    await press(page.getByRole('alertdialog'), 'Reset')
    await readNotice(page, 'Client reset successfully')
    await expect(card).toContainText('STB serial numberN/A')
  })

  test('shows that its box came on without a reload, and keeps what is being typed', async ({
    open,
    world,
  }) => {
    const { dealer } = await world.family({ credits: 5 })
    await world.client(dealer, { login: 'is-called', months: 1 })
    const page = await open({ as: dealer })
    await page.clock.install()
    await page.goto('/update-client/is-called')
    const card = page.getByRole('region', { name: 'Device Information' })
    await expect(card).toContainText('OnlineOffline')
    await page.getByLabel('Description').fill('rings at noon')
    const { now } = world.clock
    await world.server.ownerSql`
      insert into presence (client, polled, answered) select id, ${now}, ${now} from client where name = 'is-called'`
    await page.clock.fastForward(15_000)
    await expect(card).toContainText('OnlineOnline')
    await expect(page.getByLabel('Description')).toHaveValue('rings at noon')
  })

  test('shows what was changed elsewhere meanwhile, but for what is being typed', async ({ open, world }) => {
    const { dealer } = await world.family({ credits: 5 })
    const { mac } = await world.client(dealer, { login: 'of-two-tabs', months: 1 })
    const page = await open({ as: dealer })
    await page.clock.install()
    await page.goto('/update-client/of-two-tabs')
    await page.getByLabel('Description').fill('rings at noon')
    const client = { login: 'of-two-tabs' }
    const other = { stb_mac: '00:1A:79:AB:CD:EF', package_selection: 13, desc: 'of the other tab' }
    await dealer.call(calls.clients.save, { ...client, ...other, o_mac: mac })
    await page.clock.fastForward(15_000)
    await expect(page.getByLabel('MAC Address')).toHaveValue(other.stb_mac)
    await expect(page.getByLabel('Package')).toHaveValue('13')
    await expect(page.getByLabel('Description')).toHaveValue('rings at noon')
    await press(page, 'Update Client')
    await readNotice(page, 'Client of-two-tabs updated successfully!')
    expect(await dealer.call(calls.clients.detail, { name: client.login })).toMatchObject({
      mac: other.stb_mac,
      package_selection: 13,
      description: 'rings at noon',
    })
  })

  test('keeps its page and what is typed on it, and says so, where it was deleted elsewhere meanwhile', async ({
    open,
    world,
  }) => {
    const { dealer } = await world.family({ credits: 5 })
    const { mac } = await world.client(dealer, { login: 'soon-gone', months: 1 })
    const page = await open({ as: dealer })
    await page.clock.install()
    await page.goto('/update-client/soon-gone')
    await page.getByLabel('Description').fill('rings at noon')
    await world.admin.call(calls.admin.remove, { name: 'soon-gone', mac })
    await page.clock.fastForward(15_000)
    const gone = 'There is no client of this name.'
    await expect(page.getByText(`Error: ${gone} This is what was there before.`)).toBeVisible()
    await expect(page.getByLabel('Description')).toHaveValue('rings at noon')
    const all = page.getByRole('link', { name: 'Show all clients' })
    await expect(all).toBeVisible()
    await page.evaluate(() => sessionStorage.clear())
    await page.reload()
    await all.focus()
    // What stands there instead of the client stays while it is looked for again.
    const asked = await holdBack(page, '**/v1/api/client/*')
    await page.clock.fastForward(15_000)
    await new Promise((passed) => setTimeout(passed, 500))
    await expect(all).toBeFocused()
    asked()
  })

  test('is marked and found while it is online', async ({ open, world }) => {
    const { dealer } = await world.family({ credits: 5 })
    for (const login of ['away-one', 'here-one']) await world.client(dealer, { login })
    const { now } = world.clock
    await world.server.sql`
      insert into presence (client, polled, answered) select id, ${now}, ${now} from client where name = 'here-one'`
    const page = await open({ as: dealer, at: '/clients' })
    await expect(rows(page, 'Clients')).toHaveText([/away-one/, /here-one/])
    const marks = page.getByRole('img', { name: 'Online' })
    await expect(marks).toHaveCount(1)
    await expect(rows(page, 'Clients').nth(1).getByRole('img', { name: 'Online' })).toBeVisible()
    await page.getByRole('radio', { name: /^Online/ }).check()
    await expect(rows(page, 'Clients')).toHaveText([/here-one/])
    await expect(page.getByRole('radio', { name: 'Online 1' })).toBeChecked()
  })

  test('gets the MAC of the box that asks with nearly its own, and that box is let in', async ({
    open,
    world,
  }) => {
    const { dealer } = await world.family({ credits: 1 })
    const { name } = await world.client(dealer, { months: 1, stb_mac: '00:1A:79:C0:FF:EE' })
    const box = new Box(world.server, { mac: '00:1A:79:C0:FF:E0' })
    expect(await box.signIn()).toBe(2)
    await world.server.gateway.write()
    const page = await open({ as: dealer })
    await page.clock.install()
    await page.goto(`/update-client/${name}`)
    const verdict = page.getByRole('region', { name: 'Verdict' })
    await expect(verdict).toContainText('with another MAC: 00:1A:79:C0:FF:E0')
    // It says how long ago, and so changes each minute, which is not announced.
    expect(await liveOf(verdict.getByText('with another MAC'))).toBe('off')
    await press(verdict, 'This box has another MAC: take it over')
    const question = page.getByRole('alertdialog', { name: 'Take the MAC of this box?' })
    await expect(question).toContainText('differs in 1 digit: 00:1A:79:C0:FF:E0')
    // Another box asks later with a MAC as near: the question is about the one that it was asked of.
    await world.server.sql`
      insert into unknown_box (mac, first_asked, asked, stb_type, version)
      values ('00:1A:79:C0:FF:E1', ${world.clock.now}, ${new Date(world.clock.now.getTime() + 1_000)}, '', '')`
    const loaded = page.waitForResponse('**/v1/api/client/*')
    // What a page shows of a client is asked for again every 15 seconds.
    await page.clock.fastForward(15_000)
    await loaded
    await expect(page.getByText('with another MAC: 00:1A:79:C0:FF:E1')).toBeVisible()
    await expect(question).toContainText('00:1A:79:C0:FF:E0')
    await world.server.ownerSql`delete from unknown_box where mac = '00:1A:79:C0:FF:E1'`
    await press(question, 'Take the MAC')
    await readNotice(page, `Client ${name} updated successfully!`)
    await expect(page.getByLabel('MAC Address')).toHaveValue('00:1A:79:C0:FF:E0')
    await expect(verdict).toHaveText(/^Served until/)
    await expect(rows(page, 'Device history')).toHaveText([
      /New MAC.*00:1A:79:C0:FF:E0 \(before: 00:1A:79:C0:FF:EE\)/,
    ])
    world.clock.pass({ seconds: 5 })
    expect(await box.signIn()).toBe(0)
  })

  test('gets a message on its screen, and its dealer sees that it did', async ({ open, world }) => {
    const { dealer } = await world.family({ credits: 5 })
    const { mac } = await world.client(dealer, { login: 'has-a-box', months: 1 })
    await world.client(dealer, { login: 'is-over' })
    await world.setExpiry('is-over', new Date(world.clock.now.getTime() - 1).toISOString())
    const box = new Box(world.server, { mac })
    await box.signIn()
    const page = await open({ as: dealer, at: '/update-client/has-a-box' })
    const card = page.getByRole('region', { name: 'Sent to the box' })
    await press(card, 'Message')
    await fill(page, { Message: 'Please pay by Friday' })
    await press(page, 'Send to 1 client')
    await readNotice(page, 'The box of has-a-box gets it at its next poll')
    await expect(rows(page, 'Sent to the box')).toHaveText([/Please pay by Friday.*Waiting/])
    world.clock.pass({ seconds: 5 })
    expect(await box.events()).toBe('Please pay by Friday')
    await box.confirm()
    await page.reload()
    await expect(rows(page, 'Sent to the box')).toHaveText([/Please pay by Friday.*Shown/])

    await page.goto('/clients')
    await page.getByLabel('Select this page').check()
    await choose(page, 'More', 'Reboot the boxes')
    const dialog = page.getByRole('dialog')
    await expect(dialog).toContainText('1 client has expired: is-over')
    const submit = dialog.getByRole('button', { name: 'Reboot the box of 1 client' })
    await expect(submit).toBeDisabled()
    await dialog.getByLabel('Leave it out').check()
    await submit.click()
    await readNotice(page, 'The box of has-a-box gets it at its next poll')
    world.clock.pass({ seconds: 5 })
    expect(await box.events()).toBe('reboot')
  })

  test('is sent a message from its page, however its login is written in the address', async ({
    open,
    world,
  }) => {
    const { dealer } = await world.family({ credits: 5 })
    await world.client(dealer, { login: 'has-a-box', months: 1 })
    const page = await open({ as: dealer, at: '/update-client/HAS-A-BOX' })
    await press(page.getByRole('region', { name: 'Sent to the box' }), 'Message')
    const dialog = page.getByRole('dialog')
    await expect(dialog.getByRole('button', { name: 'Send to 1 client' })).toBeVisible()
    await expect(dialog).not.toContainText('left out')
    await fill(dialog, { Message: 'Please pay by Friday' })
    await press(dialog, 'Send to 1 client')
    await readNotice(page, 'The box of has-a-box gets it at its next poll')
  })

  test('can only be renewed once it has expired, and its password read', async ({ open, world }) => {
    const dealer = await dealerOfTwelve(world)
    const page = await open({ as: dealer, at: '/update-client/client-07' })
    await expect(page.getByText('This client has expired.')).toBeVisible()
    const form = page.getByRole('region', { name: 'Client', exact: true })
    for (const label of ['Active', 'IP Lock', 'Password', 'Description', 'MAC Address', 'Package']) {
      await expect(form.getByLabel(label, { exact: true })).toBeDisabled()
    }
    for (const name of ['Update Client', 'Retrieve Credits', 'Reset']) {
      await expect(page.getByRole('button', { name })).toBeDisabled()
    }
    const password = form.getByLabel('Password', { exact: true })
    await expect(password).toHaveValue('secret-tv')
    await press(form, 'Show password')
    await expect(password).toHaveAttribute('type', 'text')
    await expect(password).toBeDisabled()
    await fill(form, { 'Add months': '2' })
    await press(page, 'Update Client')
    await readNotice(page, 'Client client-07 updated successfully!')
    await expect(page).toHaveURL('/clients')
    await expect(rows(page, 'Clients').nth(6)).toContainText('2026-07-15Active')
  })

  test('whose price could not be loaded is asked for it again by a button, and is saved then', async ({
    open,
    world,
  }) => {
    const dealer = await dealerOfTwelve(world)
    const page = await open({ as: dealer, at: '/update-client/client-03' })
    const form = page.getByRole('region', { name: 'Client', exact: true })
    const months = form.getByLabel('Add months')
    // As narrow as a phone, where the price takes two lines.
    await page.setViewportSize({ width: 390, height: 800 })
    const top = async () => (await form.getByLabel('Package').boundingBox())?.y
    await expect(page.getByRole('complementary')).toHaveCount(0)
    await expect(form.getByLabel('Package')).toBeEnabled()
    const before = await top()
    const release = await holdBack(page, '**/v1/api/quote')
    await fill(page, { 'Add months': '1' })
    // While the price is on its way nothing is wrong.
    await expect(months).toHaveAttribute('aria-invalid', 'false')
    expect(await top()).toBe(before)
    release()
    await expect(form).toContainText('Costs 1 credit')
    expect(await top()).toBe(before)
    const message = 'Something went wrong on our side. Please try again.'
    const json = { status: 'ERROR', code: 'internal', message }
    await page.route('**/v1/api/quote', (route) => route.fulfill({ status: 500, json }))
    await fill(page, { 'Add months': '2' })
    await expect(form.getByText(message)).toBeVisible()
    // The button stands beside the lines of the sentence, not in one of them, which it would tear from the others.
    const ends = async (part: Locator) => {
      const box = await part.boundingBox()
      return { left: box?.x ?? 0, right: (box?.x ?? 0) + (box?.width ?? 0) }
    }
    const retry = form.getByRole('button', { name: 'Retry' })
    expect((await ends(form.getByText(message))).right).toBeLessThanOrEqual((await ends(retry)).left)
    expect(await top()).toBe(before)
    await expect(months).toHaveAttribute('aria-invalid', 'true')
    await page.unroute('**/v1/api/quote')
    await press(form, 'Retry')
    await expect(form).toContainText('Costs 2 credits; you have 5 credits.')
    await press(page, 'Update Client')
    await readNotice(page, 'Client client-03 updated successfully!')
  })

  test('of another dealer is not found', async ({ open, world }) => {
    const { reseller, dealer } = await world.family()
    const other = await world.child(reseller)
    await world.client(other, { login: 'not-yours' })
    const page = await open({ as: dealer, at: '/update-client/not-yours' })
    await expect(page.getByText('There is no client of this name')).toBeVisible()
    await expect(page.getByRole('region', { name: 'Device Information' })).toHaveCount(0)
  })
})

/** Creates twelve clients on trials of the same day, 'client-01' to 'client-12'. The seventh has expired. */
async function dealerOfTwelve(world: World, credits = 5): Promise<Person> {
  const { dealer } = await world.family({ credits })
  for (let at = 1; at <= 12; at += 1) {
    const login = `client-${String(at).padStart(2, '0')}`
    await world.client(dealer, { login, desc: `Box ${at}` })
  }
  await world.setExpiry('client-07', '2026-05-14T23:59:59.000Z')
  return dealer
}

describe('the script of a page', () => {
  // A file is fetched, and then imported from what the browser keeps: two entries of one name.
  const filesOf = (page: Page, name: string) =>
    page.evaluate(
      (name) =>
        new Set(
          performance
            .getEntriesByType('resource')
            .map((file) => file.name)
            .filter((file) => file.includes(`/assets/${name}`)),
        ).size,
      name,
    )

  test('is fetched ahead for the page that follows most often, and for others once their link is pointed at', async ({
    open,
    world,
  }) => {
    const page = await open({ as: (await world.family()).dealer, at: '/' })
    await expect.poll(() => filesOf(page, 'Clients-')).toBe(1)
    expect(await filesOf(page, 'Transactions-')).toBe(0)
    await page.getByRole('navigation').getByRole('link', { name: 'Transactions' }).hover()
    await expect.poll(() => filesOf(page, 'Transactions-')).toBe(1)
    await page.getByRole('navigation').getByRole('link', { name: 'Sign-ins' }).focus()
    await expect.poll(() => filesOf(page, 'SignIns-')).toBe(1)
  })

  test('is not fetched ahead where the person saves data, but still with its link', async ({
    open,
    world,
  }) => {
    const page = await open({ as: (await world.family()).dealer, at: '/login' })
    await page.addInitScript(() => {
      Object.defineProperty(navigator, 'connection', { value: { saveData: true } })
    })
    await page.goto('/')
    // What keeps pages for a time without a connection comes in the same quiet moment.
    await expect.poll(() => filesOf(page, 'offline-')).toBe(1)
    await page.waitForLoadState('networkidle')
    expect(await filesOf(page, 'Clients-')).toBe(0)
    await page.getByRole('navigation').getByRole('link', { name: 'Clients', exact: true }).hover()
    await expect.poll(() => filesOf(page, 'Clients-')).toBe(1)
  })

  test('of a dialog that is opened before it has come is waited for, unless Escape gives it up', async ({
    open,
    world,
  }) => {
    const { dealer } = await world.family({ credits: 3 })
    const { name } = await world.client(dealer)
    const page = await open({ as: dealer, at: '/clients' })
    const release = await holdBack(page, '**/assets/RenewDialog-*')
    const button = page.getByRole('button', { name: `Renew ${name}` })
    const waits = page.getByRole('status').getByText('Loading…')
    await button.press('Enter')
    await expect(waits).toBeVisible()
    await page.keyboard.press('Escape')
    await expect(waits).toHaveCount(0)
    await expect(button).toBeFocused()
    await button.click()
    await expect(waits).toBeVisible()
    release()
    await expect(page.getByRole('dialog')).toBeVisible()
    await expect(waits).toHaveCount(0)
  })

  test.for(['points at one', 'moves the focus to one'])(
    'of dialogs, forms and notices comes once the person turns to a control: %s',
    async (how, { open, world }) => {
      const { dealer } = await world.family({ credits: 3 })
      await world.client(dealer)
      const page = await open({ as: dealer, at: '/clients' })
      const later = ['dialogs-', 'forms-', 'NoticeBoard-', 'RenewDialog-']
      const fetched = () => Promise.all(later.map((name) => filesOf(page, name)))
      // Each page of this test is a first visit: its files are in no cache.
      await expect.poll(() => filesOf(page, 'offline-')).toBe(1)
      await page.waitForLoadState('networkidle')
      expect(await fetched()).toEqual([0, 0, 0, 0])
      const controls = [
        page.getByRole('searchbox', { name: 'Search' }),
        page.getByRole('button', { name: 'Export' }),
      ]
      const turn = async () => {
        for (const control of controls) await (how === 'points at one' ? control.hover() : control.focus())
        return fetched()
      }
      await expect.poll(turn).toEqual([1, 1, 1, 1])
    },
  )
})

type Saving = {
  as: (people: Family & { admin: Person }) => Person
  at: (people: Family) => string
  save: (page: Page) => Promise<unknown>
  /** What the page says once it is saved. */
  says: RegExp
  list: string
  seconds: number
}

const SAVINGS: Record<string, Saving> = {
  'of a new client': {
    as: ({ dealer }) => dealer,
    at: () => '/new-client',
    save: async (page) => {
      await fill(page, { 'Login Name': 'is-new', Password: 'tv-1234' })
      await typeIn(page.getByLabel('MAC Address'), 'A1B2C3')
      await press(page, 'Submit')
    },
    says: /^Client is-new created successfully!/,
    list: '/clients',
    seconds: 3,
  },
  'of a client': {
    as: ({ dealer }) => dealer,
    at: () => '/update-client/was-here',
    save: async (page) => {
      await fill(page, { Description: 'Upstairs' })
      await press(page, 'Update Client')
    },
    says: /^Client was-here updated successfully!/,
    list: '/clients',
    seconds: 2,
  },
  'of a new account': {
    as: ({ superreseller }) => superreseller,
    at: () => '/add-reseller',
    save: async (page) => {
      await fill(page, { Login: 'a-new-account', Password: 'their-password' })
      await press(page, 'Add Reseller')
    },
    says: /^Reseller added successfully!/,
    list: '/resellers',
    seconds: 2,
  },
  'of credits': {
    as: ({ reseller }) => reseller,
    at: ({ dealer }) => `/update-dealer/${dealer.name}`,
    save: async (page) => {
      await press(page, 'Add 1 credit')
      await press(page.getByRole('alertdialog'), 'Add 1 credit')
    },
    says: /^Dealer updated successfully!/,
    list: '/dealers',
    seconds: 2,
  },
  'of the message': {
    as: ({ admin }) => admin,
    at: () => '/admin/message',
    save: async (page) => {
      await fill(page, { 'New Message': 'No new boxes.' })
      await press(page, 'Update Message')
    },
    says: /^Message updated successfully/,
    list: '/admin',
    seconds: 2,
  },
}

describe('a page', () => {
  test.for(Object.entries(SAVINGS))(
    '%s gives way exactly so long after it was saved',
    async ([_, saving], { open, world }) => {
      const family = await world.family({ credits: 5, to: 'reseller' })
      await world.client(family.dealer, { login: 'was-here' })
      const at = saving.at(family)
      const page = await open({ as: saving.as({ ...family, admin: world.admin }), at })
      // What is still loading would wait for a clock that stands still.
      await page.waitForLoadState('networkidle')
      await stopClock(page)
      await saving.save(page)
      await expect(page.getByText(saving.says).first()).toBeVisible()
      await page.clock.runFor(saving.seconds * 1_000 - 200)
      await expect(page).toHaveURL(at)
      await page.clock.runFor(400)
      await expect(page).toHaveURL(saving.list)
    },
  )
})

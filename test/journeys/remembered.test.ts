import type { Page } from 'playwright-core'
import { describe } from 'vitest'
import { calls } from '../../contract/calls.ts'
import {
  choose,
  drawn,
  expect,
  expectColumns,
  fill,
  noticesOn,
  press,
  readNotice,
  rows,
  signIn,
  table,
  test,
  typeIn,
} from '../support/browser.ts'
import type { Person, World } from '../support/world.ts'

async function dealerOf(world: World, count: number): Promise<Person> {
  const { dealer } = await world.family({ credits: 60 })
  for (let at = 1; at <= count; at += 1) {
    const login = `client-${String(at).padStart(2, '0')}`
    await world.client(dealer, { login, phone: '4165550199', months: 1 })
  }
  return dealer
}

const preferencesOf = async (dealer: Person) => (await dealer.call(calls.session.user)).preferences
const sizes = (page: Page) => page.getByLabel('Rows per page')

describe('a list is remembered for its account', () => {
  test('on the server, with rows, density, order and columns, also in another browser', async ({
    open,
    world,
  }) => {
    const dealer = await dealerOf(world, 12)
    const page = await open({ as: dealer, at: '/clients' })
    await sizes(page).selectOption('5')
    await page.getByLabel('Dense').uncheck()
    await press(page, 'Description')
    await press(page, 'Description')
    await press(page, 'Columns')
    await page.getByRole('menuitemcheckbox', { name: 'Phone' }).click()
    await press(page, 'Columns')
    await page.getByRole('menuitemcheckbox', { name: 'Ministra' }).click()
    const columns = ['', 'Name', 'Description', 'MAC', 'Expiry', 'Status', 'Phone', 'Actions']
    await expectColumns(page, 'Clients', columns)
    await expect(rows(page, 'Clients').first()).toContainText('(416) 555-0199')
    const kept = {
      rows: 5,
      dense: false,
      sort: 'description',
      order: 'desc',
      columns: { phone: true, ministra: false },
    }
    await expect.poll(() => preferencesOf(dealer)).toMatchObject({ tables: { clients: kept } })
    const other = await open({ as: await world.again(dealer), at: '/clients' })
    await expectColumns(other, 'Clients', columns)
    await expect(sizes(other)).toHaveValue('5')
    await expect(other.getByLabel('Dense')).not.toBeChecked()
    await expect(table(other, 'Clients').getByRole('columnheader', { name: 'Description' })).toHaveAttribute(
      'aria-sort',
      'descending',
    )
    // The address goes before what is remembered, and a second tab loses nothing that the first one chose.
    await other.goto('/clients?perPage=10&sort=name')
    await expect(rows(other, 'Clients')).toHaveCount(10)
    await press(page, 'Columns')
    await page.getByRole('menuitemcheckbox', { name: 'Package' }).click()
    await expect
      .poll(() => preferencesOf(dealer))
      .toMatchObject({ tables: { clients: { ...kept, columns: { ...kept.columns, package: true } } } })
  })

  test('with searches by name, which are found, left and forgotten', async ({ open, world }) => {
    const dealer = await dealerOf(world, 3)
    // With the space that the keyboard of a phone adds.
    const page = await open({ as: dealer, at: '/clients?search=client-02+&filter=active' })
    await choose(page, 'Filters', 'Save this filter')
    await expect(page.getByLabel('Name', { exact: true })).toBeFocused()
    await page.keyboard.type('The second')
    await page.keyboard.press('Enter')
    await expect
      .poll(() => preferencesOf(dealer))
      .toMatchObject({ filters: { 'The second': { search: 'client-02' } } })
    await press(page, 'Filters')
    await expect(page.getByRole('menuitem', { name: 'Forget The second' })).toBeVisible()
    await page.goto('/clients')
    await expect(rows(page, 'Clients')).toHaveCount(3)
    await press(page, 'Filters')
    await page.getByRole('menuitemcheckbox', { name: 'The second' }).click()
    await expect(rows(page, 'Clients')).toHaveCount(1)
    await expect(page.getByRole('searchbox', { name: 'Search clients' })).toHaveValue('client-02')
    await choose(page, 'Filters', 'Forget The second')
    await expect.poll(async () => (await preferencesOf(dealer)).filters).toEqual({})
  })

  test('with a filter of all clients by dealer, for the admin', async ({ open, world }) => {
    await dealerOf(world, 2)
    const page = await open({ as: world.admin, at: '/admin/clients?sort=dealer&order=desc' })
    await choose(page, 'Filters', 'Save this filter')
    await typeIn(page.getByLabel('Name', { exact: true }), 'By dealer')
    await page.keyboard.press('Enter')
    await expect
      .poll(() => preferencesOf(world.admin))
      .toMatchObject({ filters: { 'By dealer': { sort: 'dealer', order: 'desc' } } })
    await page.goto('/admin/clients')
    await press(page, 'Filters')
    await page.getByRole('menuitemcheckbox', { name: 'By dealer' }).click()
    await expect(page).toHaveURL(/sort=dealer&order=desc$/)
  })

  test('as far as it exists, and a save that fails is told while the list goes on', async ({
    open,
    world,
  }) => {
    const dealer = await dealerOf(world, 6)
    const gone = { rows: 7, sort: 'shoe-size', order: 'desc', columns: { shoe: true, phone: true } }
    await world.server.ownerSql`
      update account set preferences = ${world.server.ownerSql.json({ tables: { clients: gone } })}
      where id = ${dealer.id}`
    const page = await open({ as: dealer, at: '/clients' })
    await expect(rows(page, 'Clients').first()).toContainText('client-01')
    await expect(sizes(page)).toHaveValue('10')
    await page.route('**/v1/preferences', (route) => route.abort())
    await sizes(page).selectOption('5')
    await readNotice(page, 'Failed to save settings', 'The connection to Boxtree is lost. Please try again.')
    await expect(rows(page, 'Clients')).toHaveCount(5)
    await page.getByRole('link', { name: 'Dashboard' }).click()
    await page.getByRole('link', { name: 'Clients', exact: true }).click()
    await expect(rows(page, 'Clients')).toHaveCount(5)
  })
})

describe('what an account chose is used', () => {
  const OWN = 'Dear {name}, see you on {expiry}.'
  const preferences = { reminder: OWN, filters: { 'The second': { search: 'client-02' } } }

  test('once the server tells it, where a page was opened without, and nothing can replace it before', async ({
    open,
    world,
  }) => {
    const dealer = await dealerOf(world, 2)
    await world.setExpiry('client-01', '2026-05-18T23:59:59.000Z')
    await dealer.call(calls.session.savePreferences, preferences)
    const page = await open({ as: dealer, at: '/clients' })
    let release = () => {}
    const held = new Promise<void>((done) => {
      release = done
    })
    let asked = 0
    await page.route('**/v1/api/user', async (route) => {
      asked += 1
      if (asked === 1) return route.abort()
      await held
      await route.continue()
    })
    await page.goto('/due')
    await press(page, 'Remind client-01')
    const dialog = page.getByRole('dialog', { name: 'Remind client-01' })
    await expect.poll(() => asked).toBe(2)
    await expect(dialog.getByRole('button')).toHaveText([''])
    release()
    await expect(dialog).toContainText('Dear client-01, see you on 2026-05-18.')
    await press(dialog, 'Change the text')
    await expect(dialog.getByLabel('Text')).toHaveValue(OWN)
  })

  test('as soon as a lost connection is back', async ({ open, world }) => {
    const dealer = await dealerOf(world, 2)
    await dealer.call(calls.session.savePreferences, preferences)
    const page = await open({ as: dealer, at: '/clients' })
    await page.route('**/v1/**', (route) => route.abort())
    await page.reload()
    await expect(page.getByText('The connection to Boxtree is lost. Please try again.')).toBeVisible()
    await page.unroute('**/v1/**')
    await press(page, 'Filters')
    await expect(page.getByRole('menuitemcheckbox')).toHaveText(['The second'])
  })

  test('in a tab that follows the sign-in in another, and not what the account before it chose', async ({
    open,
    world,
  }) => {
    const [dealer, before] = [await dealerOf(world, 1), (await world.family()).dealer]
    await dealer.call(calls.session.savePreferences, preferences)
    await before.call(calls.session.savePreferences, { filters: { 'Of before': { search: 'x' } } })
    const page = await open()
    await signIn(page, before.name)
    const other = await page.context().newPage()
    await other.goto('/clients')
    await expect(other.getByRole('button', { name: 'Filters' })).toBeVisible()
    await press(page, 'Logout')
    await expect(other).toHaveURL('/login')
    await signIn(page, dealer.name)
    await other.getByRole('link', { name: 'Clients', exact: true }).click()
    await press(other, 'Filters')
    await expect(other.getByRole('menuitemcheckbox')).toHaveText(['The second'])
  })

  test('at once in the other tabs, but for the arrangement of an open list', async ({ open, world }) => {
    const dealer = await dealerOf(world, 6)
    await world.setExpiry('client-01', '2026-05-18T23:59:59.000Z')
    const page = await open({ as: dealer, at: '/due' })
    const other = await page.context().newPage()
    await other.goto('/due')
    await expect(other.getByRole('button', { name: 'Remind client-01' })).toBeVisible()
    await press(page, 'Remind client-01')
    await press(page, 'Change the text')
    await fill(page, { Text: OWN })
    await press(page, 'Save the text')
    await expect(page.getByRole('dialog')).toContainText('Dear client-01, see you on 2026-05-18.')
    await press(other, 'Remind client-01')
    const dialog = other.getByRole('dialog')
    await expect(dialog).toContainText('Dear client-01, see you on 2026-05-18.')
    await press(dialog, 'Change the text')
    await expect(dialog.getByLabel('Text')).toHaveValue(OWN)
    await other.keyboard.press('Escape')
    await expect(dialog).toHaveCount(0)

    await other.getByRole('link', { name: 'Clients', exact: true }).click()
    await expect(rows(other, 'Clients')).toHaveCount(6)
    await page.goto('/clients?search=client-02')
    await sizes(page).selectOption('5')
    await choose(page, 'Filters', 'Save this filter')
    await typeIn(page.getByLabel('Name', { exact: true }), 'The second')
    await page.keyboard.press('Enter')
    await expect
      .poll(() => preferencesOf(dealer))
      .toMatchObject({ filters: { 'The second': {} }, tables: { clients: { rows: 5 } } })
    await press(other, 'Filters')
    await expect(other.getByRole('menuitemcheckbox')).toHaveText(['The second'])
    await expect(rows(other, 'Clients')).toHaveCount(6)
    expect(await page.evaluate(() => localStorage.getItem('preferences'))).toBeNull()
    // Nor does it jump where the person signs in again in one of the tabs, and what could not be saved stays.
    await other.route('**/v1/preferences', (route) => route.abort())
    await other.getByRole('menuitem', { name: 'Save this filter' }).click()
    await typeIn(other.getByLabel('Name', { exact: true }), 'Unsaved')
    await other.keyboard.press('Enter')
    await readNotice(other, 'Failed to save settings', 'The connection to Boxtree is lost. Please try again.')
    const { token } = await world.again(dealer)
    const followed = other.waitForResponse('**/v1/api/user')
    await page.evaluate((token) => localStorage.setItem('token', token), token)
    await followed
    await drawn(other)
    await press(other, 'Filters')
    await expect(other.getByRole('menuitemcheckbox')).toHaveText(['The second', 'Unsaved'])
    await expect(sizes(other)).toHaveValue('10')
    await expect(rows(other, 'Clients')).toHaveCount(6)
  })

  test('on another device once its tab is looked at again, but for the arrangement of an open list', async ({
    open,
    world,
  }) => {
    const dealer = await dealerOf(world, 6)
    await dealer.call(calls.session.savePreferences, { filters: { Old: { search: 'client-01' } } })
    const page = await open({ as: dealer, at: '/clients' })
    await expect(rows(page, 'Clients')).toHaveCount(6)
    await page.clock.install()
    const lookAgain = async () => {
      await page.clock.fastForward(6_000)
      await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange', { bubbles: true })))
    }
    await dealer.call(calls.session.savePreferences, {
      filters: { ...preferences.filters, Old: null },
      shortcuts: false,
      tables: { clients: { rows: 5 } },
    })
    // What cannot be asked for stays as it is, and is not told.
    const asked = page.waitForResponse('**/v1/api/user')
    await page.route('**/v1/api/user', (route) => route.fulfill({ status: 503, json: {} }), { times: 1 })
    await lookAgain()
    await asked
    await press(page, 'Filters')
    await expect(page.getByRole('menuitemcheckbox')).toHaveText(['Old'])
    await drawn(page)
    await expect(noticesOn(page)).toHaveCount(0)
    await lookAgain()
    await expect(page.getByRole('menuitemcheckbox')).toHaveText(['The second'])
    await expect(page.locator('kbd')).toHaveCount(0)
    await expect(rows(page, 'Clients')).toHaveCount(6)
    // What could not be saved stays as it was chosen here.
    await page.route('**/v1/preferences', (route) => route.abort())
    await page.getByRole('menuitem', { name: 'Save this filter' }).click()
    await typeIn(page.getByLabel('Name', { exact: true }), 'Unsaved')
    await page.keyboard.press('Enter')
    await readNotice(page, 'Failed to save settings', 'The connection to Boxtree is lost. Please try again.')
    await dealer.call(calls.session.savePreferences, { filters: { Third: { search: 'client-03' } } })
    await lookAgain()
    await press(page, 'Filters')
    await expect(page.getByRole('menuitemcheckbox')).toHaveText(['Third', 'The second', 'Unsaved'])
  })
})

describe('after an update', () => {
  test('the list is as it was left: its page, order and scroll, and the changed row is marked for three seconds', async ({
    open,
    world,
  }) => {
    const dealer = await dealerOf(world, 40)
    const page = await open({
      as: dealer,
      at: '/clients?sort=name&order=desc&perPage=25&page=2',
      height: 500,
    })
    await page.getByRole('link', { name: 'client-03' }).scrollIntoViewIfNeeded()
    const y = await page.evaluate(() => window.scrollY)
    expect(y).toBeGreaterThan(100)
    await page.getByRole('link', { name: 'client-03' }).click()
    await fill(page, { Description: 'Attic' })
    const row = rows(page, 'Clients').filter({ hasText: 'client-03' })
    const marked = row.and(page.locator('[data-marked=true]')).waitFor()
    const other = rows(page, 'Clients').and(page.locator('[data-marked]')).filter({ hasNotText: 'client-03' })
    await press(page, 'Update Client')
    await marked
    await expect(other).toHaveCount(0)
    await expect(page).toHaveURL('/clients?sort=name&order=desc&perPage=25&page=2')
    await expect(row).toContainText('Attic')
    expect(await page.evaluate(() => window.scrollY)).toBe(y)
    await expect(row).not.toHaveAttribute('data-marked')
    await page.getByRole('link', { name: 'client-02' }).click()
    await expect(page.getByRole('heading', { name: 'Update Client: client-02' })).toBeVisible()
    await page.goBack()
    await expect(page.getByRole('link', { name: 'client-03' })).toBeVisible()
    await expect.poll(() => page.evaluate(() => window.scrollY)).toBeGreaterThan(100)
  })
})

test('a login in the transactions leads to its client, for as long as there is one', async ({
  open,
  world,
}) => {
  const dealer = await dealerOf(world, 2)
  await world.setExpiry('client-02', '2026-05-14T23:59:59.000Z')
  await dealer.call(calls.clients.remove, { name: 'client-02' })
  const page = await open({ as: dealer })
  const latest = table(page, 'Latest Dealer Transactions')
  await expect(latest.getByRole('link', { name: 'client-02' })).toHaveCount(0)
  await latest.getByRole('link', { name: 'client-01' }).click()
  await expect(page.getByRole('heading', { name: 'Update Client: client-01' })).toBeVisible()
})

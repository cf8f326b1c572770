import type { Page } from 'playwright-core'
import { describe } from 'vitest'
import { calls } from '../../contract/calls.ts'
import { CREDIT_AMOUNTS } from '../../web/accounts/balance.ts'
import { levels } from '../../web/levels.ts'
import { menuOf, to } from '../../web/screens.ts'
import {
  expect,
  expectColumns,
  expectPageSizes,
  expectSorted,
  fill,
  pager,
  press,
  readNotice,
  rows,
  signIn,
  test,
} from '../support/browser.ts'
import type { Person, World } from '../support/world.ts'

const TRANSACTION = ['Date', 'Type', 'Credits', 'Login', 'MAC', 'Description', 'Expiry']

// A superreseller manages resellers as a reseller manages dealers, so both run the same tests.
describe.each([
  { role: 'superreseller' as const, level: levels.reseller },
  { role: 'reseller' as const, level: levels.dealer },
])('a $role', ({ role, level }) => {
  const { title, plural } = level
  const { list, add: adding, update } = to.level[level.role]
  const home = to.home[role]()

  test('signs in, finds their own dashboard and menu, and signs out', async ({ open, world }) => {
    const me = (await world.family({ credits: 31, to: role }))[role]
    const page = await open()
    await signIn(page, me.name)
    await expect(page).toHaveURL(home)
    await expect(page.getByRole('banner')).toContainText(
      role === 'reseller' ? 'Reseller Panel' : 'Super Reseller Panel',
    )
    const menu = page.getByRole('navigation', { name: 'Main' })
    await expect(menu.getByRole('listitem')).toHaveText(['Dashboard', `Add ${title}`, plural, 'Logout'])
    for (const { path, item } of menuOf(role)) {
      const { label } = item
      await menu.getByRole('link', { name: label, exact: true }).click()
      await expect(page).toHaveURL(path)
      await expect(page.getByRole('heading', { level: 1 })).toHaveText(label)
      await expect(menu.locator('[aria-current=page]')).toHaveText(label)
    }
    await press(page, 'Logout')
    await expect(page).toHaveURL('/login')
    // Nothing of the session is left but that it was signed out of, which other tabs read.
    expect(await page.evaluate(() => Object.keys(localStorage).sort())).toEqual([
      'clock',
      'settings',
      'signed_out',
    ])
    await page.goBack()
    await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible()
  })

  test('sees the totals beneath, the balance and the newest transactions', async ({ open, world }) => {
    const me = (await world.family({ credits: 31, to: role }))[role]
    const page = await open({ as: me })
    await expect(page).toHaveURL(home)
    await expect(page.getByRole('listitem').filter({ hasText: 'Credits Remaining' })).toContainText('31')
    const name = 'Latest Transactions'
    await expectColumns(page, name, TRANSACTION)
    await expectSorted(page, name, 'Date', 'descending')
    await expectPageSizes(page, name, [5, 10, 25])
    await expect(rows(page, name)).toHaveCount(1)
    await expect(rows(page, name)).toContainText(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d.*ADD.*31/)
    await page.getByRole('searchbox', { name: 'Search Transactions' }).fill('nobody at all')
    await expect(page.getByText('No transactions found')).toBeVisible()
    await page
      .getByRole('link', { name: new RegExp(`^${plural}`) })
      .last()
      .click()
    await expect(page).toHaveURL(list())
  })

  test(`searches, sorts and pages the list of ${plural}`, async ({ open, world }) => {
    const me = (await world.family())[role]
    const names = Array.from({ length: 12 }, (_, at) => `account-${String(at + 1).padStart(2, '0')}`)
    for (const name of names) {
      world.clock.pass({ minutes: 1 })
      await world.child(me, 0, name)
    }
    const page = await open({ as: me, at: list() })
    await expect(page.getByText(`Total ${plural}`)).toBeVisible()
    await expect(page.locator('dl')).toContainText(/13.*Date.*2026-05-15 10:12:00/)
    await expectColumns(page, plural, ['Created', 'Name', 'Credits', 'Description'])
    await expectSorted(page, plural, 'Created', 'descending')
    await expectPageSizes(page, plural, [10, 25, 50])
    await expect(rows(page, plural)).toHaveCount(10)
    await expect(rows(page, plural).first()).toContainText('account-12')
    await pager(page, plural).getByRole('button', { name: 'Next page' }).click()
    await expect(pager(page, plural)).toContainText('11–13 of 13')
    await page.getByRole('searchbox', { name: 'Search' }).fill('ACCOUNT-')
    await expect(pager(page, plural)).toContainText('1–10 of 12')
    await expect(page).toHaveURL(/search=ACCOUNT-/)
    await page.getByRole('button', { name: 'Name' }).click()
    await expect(rows(page, plural).first()).toContainText('account-01')
    await page.getByRole('button', { name: 'Name' }).click()
    await expectSorted(page, plural, 'Name', 'descending')
    await expect(rows(page, plural).first()).toContainText('account-12')
    // The URL changes shortly after the rows.
    await expect(page).toHaveURL(/order=desc/)
    await page.reload()
    await expect(rows(page, plural).first()).toContainText('account-12')
    await expectSorted(page, plural, 'Name', 'descending')
    await page.getByRole('link', { name: 'account-12' }).click()
    await expect(page).toHaveURL(update('account-12'))
    await expect(page.locator('[aria-current=page]')).toHaveText(plural)
    await page.goBack()
    await expect(page.getByRole('searchbox', { name: 'Search' })).toHaveValue('ACCOUNT-')
  })

  test(`adds a ${title}, and returns to the list after 2 seconds`, async ({ open, world }) => {
    const me = (await world.family())[role]
    const page = await open({ as: me, at: adding() })
    const add = page.getByRole('button', { name: `Add ${title}`, exact: true })
    await add.click()
    await expect(page.getByText('Login should be between 3 and 32 characters')).toBeVisible()
    await expect(page.getByText('Password should be between 8 and 128 characters')).toBeVisible()
    await expect(page.getByLabel('Password', { exact: true })).toHaveAttribute('type', 'password')
    await fill(page, { Login: me.name, Password: 'their-password' })
    await add.click()
    await readNotice(page, `Error adding ${title}. Please try again.`, 'This login is taken.')
    await fill(page, { Login: 'a-new-account' })
    await add.click()
    await expect(page).toHaveURL(adding())
    await readNotice(page, `${title} added successfully!`)
    await expect(page).toHaveURL(list())
    await expect(page.getByRole('link', { name: 'a-new-account' })).toBeVisible()
  })

  test(`adds credits to a ${title} and takes them back, each charged once`, async ({ open, world }) => {
    const { me, child, page } = await atChild(world, open, 40)
    await expect(page.getByLabel('Credits', { exact: true }).locator('option')).toHaveText(
      CREDIT_AMOUNTS.map(
        (amount) => `${amount.toLocaleString('en-US')} ${amount === 1 ? 'credit' : 'credits'}`,
      ),
    )
    await expect(page.getByLabel('Credits', { exact: true })).toHaveValue('1')
    await expect(page.getByLabel('Action', { exact: true })).toHaveValue('0')
    await fill(page, { Credits: '30', Description: 'Paid in cash' })
    await press(page, 'Add 30 credits')
    await readNotice(page, `${title} updated successfully!`)
    await expect(page).toHaveURL(list())
    await expect(rows(page, plural).filter({ hasText: child.name })).toContainText('30Paid in cash')
    await page.getByRole('link', { name: child.name }).click()
    await expect(page.getByRole('region', { name: 'Update Credits' })).toContainText('30 credits')
    await expect(page.getByLabel('Description')).toHaveValue('Paid in cash')
    await expect(rows(page, 'Transactions')).toContainText(/ADD.*30.*Paid in cash/)
    await fill(page, { Credits: '20', Action: 'Remove' })
    await press(page, 'Remove 20 credits')
    await readNotice(page, `${title} updated successfully!`)
    await expect(page).toHaveURL(list())
    expect(await balances(me, child)).toEqual([30, 10])
  })

  test('is told the balance when a transfer exceeds it', async ({ open, world }) => {
    const { me, child, page } = await atChild(world, open, 3)
    await fill(page, { Credits: '10' })
    await press(page, 'Add 10 credits')
    const reason = 'You have 3 credits; this needs 10.'
    const failure =
      role === 'reseller' ? [reason] : [`Error updating ${level.inSentence}. Please try again.`, reason]
    await readNotice(page, ...(failure as [string, string?]))
    await expect(page.getByRole('region', { name: 'Update Credits' })).toContainText(reason)
    await fill(page, { Credits: '1', Action: 'Remove' })
    await press(page, 'Remove 1 credit')
    await expect(page.getByRole('region', { name: 'Update Credits' })).toContainText(
      `${child.name} has 0 credits`,
    )
    expect(await balances(me, child)).toEqual([3, 0])
  })

  test('saves a description without moving a credit', async ({ open, world }) => {
    const { me, child, page } = await atChild(world, open, 3)
    const save = page.getByRole('button', { name: 'Save description' })
    await expect(save).toBeDisabled()
    await fill(page, { Description: 'Lives next door' })
    await save.click()
    await readNotice(page, `${title} updated successfully!`)
    await expect(save).toBeDisabled()
    expect(await balances(me, child)).toEqual([3, 0])
    expect(await me.call(calls.level[level.role].detail, { name: child.name })).toMatchObject({
      description: 'Lives next door',
    })
  })

  test(`changes the password of a ${title}`, async ({ open, world }) => {
    const { child, page } = await atChild(world, open, 0)
    const change = page.getByRole('button', { name: 'Change Password' })
    await expect(change).toBeDisabled()
    await fill(page, { 'New Password': 'another-password', 'Confirm New Password': 'another-passwort' })
    await page.getByLabel('Confirm New Password').blur()
    await expect(page.getByText('Passwords do not match')).toBeVisible()
    await expect(change).toBeDisabled()
    await fill(page, { 'Confirm New Password': 'another-password' })
    await change.click()
    await readNotice(page, 'Password changed successfully!')
    await expect(page.getByLabel('New Password', { exact: true })).toHaveValue('')
    const theirs = await open()
    await signIn(theirs, child.name, 'another-password')
  })

  test('is told that a screen is for another role, and keeps the menu', async ({ open, world }) => {
    const me = (await world.family())[role]
    const page = await open({ as: me, at: '/super-resellers' })
    for (const path of ['/super-resellers', '/admin/message', '/admin', '/new-client', '/clients']) {
      await page.goto(path)
      await expect(page.getByRole('heading', { level: 1 })).toHaveText('Not for your role')
      await expect(page.getByRole('navigation', { name: 'Main' })).toBeVisible()
    }
    await page.goto(update('nobody-here'))
    await expect(page.getByText(`There is no ${level.inSentence} of this name`)).toBeVisible()
    await page.getByRole('link', { name: `Show all ${plural.toLowerCase()}` }).click()
    await expect(page).toHaveURL(list())
    await page.goto('/no/such/page')
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Not found')
    await page.getByRole('link', { name: 'Go to the dashboard' }).click()
    await expect(page).toHaveURL(home)
  })

  /** Opens the update screen of a new child without credits, as its parent with credits. */
  async function atChild(world: World, open: (visit: object) => Promise<Page>, credits: number) {
    const me = (await world.family({ credits, to: role }))[role]
    const child = await world.child(me, 0, 'casa-digital')
    const page = await open({ as: me, at: update('casa-digital') })
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(`Update ${title}: casa-digital`)
    return { me, child, page }
  }

  async function balances(me: Person, child: Person) {
    const { credits } = await me.call(calls.credits[role])
    const detail = await me.call(calls.level[level.role].detail, { name: child.name })
    return [credits, detail.credits]
  }
})

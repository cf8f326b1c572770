import type { Page } from 'playwright-core'
import { describe } from 'vitest'
import { calls } from '../../contract/calls.ts'
import { countCalls, expect, press, readNotice, rows, signIn, test } from '../support/browser.ts'

// A page that stays open: for hours in view, over midnight, while the machine sleeps and while another page is looked
// at.

/** Has a page run by a clock that the test moves. */
async function runClock(page: Page): Promise<void> {
  await page.clock.install()
  await page.reload()
}

describe('a dashboard that stays in view', () => {
  test('follows the credits that the reseller adds, in all of its cards', async ({ open, world }) => {
    const { reseller, dealer } = await world.family({ credits: 9, to: 'reseller' })
    await world.give(reseller, dealer, 2)
    for (const login of ['is-due-1', 'is-due-2', 'is-due-3']) await world.client(dealer, { login })
    const page = await open({ as: dealer })
    await runClock(page)
    const card = page.getByRole('region', { name: 'Due' })
    await expect(card).toContainText('A month for each costs 3 credits; you have 2 credits.')
    await world.give(reseller, dealer, 5)
    await page.clock.fastForward(61_000)
    await expect(card).toContainText('A month for each costs 3 credits; you have 7 credits.')
    await expect(rows(page, 'Latest Dealer Transactions').first()).toContainText('ADD5')
  })

  test('asks once for what a change of its own has changed', async ({ open, world }) => {
    const { dealer } = await world.family({ credits: 9 })
    await world.client(dealer, { login: 'is-due-1' })
    const page = await open({ as: dealer })
    await expect(page.getByRole('region', { name: 'Due' })).toContainText('you have 9 credits')
    const due = countCalls(page, calls.clients.due.path)
    await press(page, 'Renew all 1')
    await press(page, 'Renew 1 client for 1 credit')
    await readNotice(page, 'Successfully renewed 1 month(s) for 1 clients')
    await expect(page.getByRole('region', { name: 'Due' })).toContainText('Nobody expires')
    await page.waitForTimeout(500)
    expect(due()).toBe(1)
  })

  test('counts the days anew at midnight', async ({ open, world }) => {
    const { dealer } = await world.family({ credits: 9 })
    await world.client(dealer, { login: 'is-due-1' })
    world.clock.set('2026-05-15T23:59:00.000Z')
    await world.setExpiry('is-due-1', '2026-05-16T23:59:59.000Z')
    const page = await open({ as: await world.again(dealer) })
    await runClock(page)
    const card = page.getByRole('region', { name: 'Due' })
    await expect(card.getByRole('listitem')).toHaveText(['Today0', 'Tomorrow1', 'In 7 days1'])
    world.clock.pass({ minutes: 2 })
    await page.clock.fastForward(120_000)
    await expect(card.getByRole('listitem')).toHaveText(['Today1', 'Tomorrow0', 'In 7 days1'])
  })
})

test('an open export keeps its days past midnight', async ({ open, world }) => {
  const { reseller, dealer } = await world.family({ credits: 9, to: 'reseller' })
  world.clock.set('2026-05-31T23:59:00.000Z')
  const page = await open({ as: await world.again(dealer), at: '/transactions' })
  await runClock(page)
  await press(page, 'Export')
  const dialog = page.getByRole('dialog', { name: 'Export transactions' })
  await expect(dialog.getByLabel('To')).toHaveValue('2026-05-31')
  world.clock.pass({ minutes: 2 })
  // What the page shows behind the dialog changes with it.
  await world.give(reseller, dealer, 5)
  await page.clock.fastForward(120_000)
  await expect(page.getByText('5 credits in 1 transaction')).toBeVisible()
  await expect(dialog.getByLabel('From')).toHaveValue('2026-05-01')
  await expect(dialog.getByLabel('To')).toHaveValue('2026-05-31')
})

test('the clients that are selected on Due are still selected after another page was opened', async ({
  open,
  world,
}) => {
  const { dealer } = await world.family({ credits: 9 })
  for (const login of ['is-due-1', 'is-due-2']) await world.client(dealer, { login })
  const page = await open({ as: dealer, at: '/due' })
  await page.getByRole('checkbox', { name: 'Select is-due-2' }).check()
  await page.getByRole('link', { name: 'is-due-1' }).click()
  await expect(page.getByRole('heading', { name: 'Update Client: is-due-1' })).toBeVisible()
  await page.goBack()
  await expect(page.getByRole('checkbox', { name: 'Select is-due-2' })).toBeChecked()
  await press(page, 'Renew selected')
  await press(page, 'Renew 1 client for 1 credit')
  await readNotice(page, 'Successfully renewed 1 month(s) for 1 clients')
  await expect(page.getByRole('checkbox', { name: 'Select is-due-2' })).toHaveCount(0)
  await press(page, 'Logout')
  await signIn(page, dealer.name)
  await page.goto('/due')
  await expect(page.getByRole('checkbox', { name: 'Select is-due-1' })).not.toBeChecked()
})

test('clients that somebody else has renewed since they were selected on Due are not renewed again, whether the page knows or not', async ({
  open,
  world,
}) => {
  const { dealer } = await world.family({ credits: 9 })
  for (const login of ['is-due-1', 'is-due-2', 'is-due-3']) await world.client(dealer, { login })
  const page = await open({ as: dealer, at: '/due?filter=month' })
  await runClock(page)
  await page.getByRole('checkbox', { name: 'Select is-due-1' }).check()
  await world.setExpiry('is-due-1', '2026-06-10T23:59:59.000Z')
  await page.getByRole('link', { name: 'is-due-2' }).click()
  await expect(page.getByRole('heading', { name: 'Update Client: is-due-2' })).toBeVisible()
  // What was loaded a moment ago would not be loaded again.
  await page.clock.fastForward(3_000)
  await page.goBack()
  await expect(rows(page, 'Due').filter({ hasText: 'is-due-1' })).toContainText('2026-06-10')
  // Selected as it is now, while the other one is as it was when it was selected.
  for (const login of ['is-due-2', 'is-due-3'])
    await page.getByRole('checkbox', { name: `Select ${login}` }).check()
  await dealer.call(calls.clients.renew, { name: 'is-due-3', months: 1 })
  await expect(rows(page, 'Due').filter({ hasText: 'is-due-3' })).toContainText('2026-05-15')
  await press(page, 'Renew selected')
  const dialog = page.getByRole('dialog', { name: 'Renew 1 client' })
  await expect(dialog).toContainText(
    '2 clients are left out, deleted, moved or renewed by somebody else meanwhile: is-due-3, is-due-1',
  )
  await press(dialog, 'Renew 1 client for 1 credit')
  await readNotice(page, 'Successfully renewed 1 month(s) for 1 clients')
  await expect(page.getByRole('group', { name: 'Selection' })).toHaveCount(0)
  expect((await dealer.call(calls.credits.dealer, {})).credits).toBe(7)
})

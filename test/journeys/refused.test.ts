import { describe } from 'vitest'
import { calls } from '../../contract/calls.ts'
import { CREDIT_ACTION } from '../../contract/credits.ts'
import { expect, fill, press, readNotice, test, typeIn } from '../support/browser.ts'

test("a client's password is marked as new, for which the browser offers none of the person's own", async ({
  open,
  world,
}) => {
  const { dealer } = await world.family()
  await world.client(dealer, { login: 'is-there' })
  const page = await open({ as: dealer, at: '/new-client' })
  for (const at of ['/new-client', '/update-client/is-there']) {
    await page.goto(at)
    await expect(page.getByLabel('Password', { exact: true }), at).toHaveAttribute(
      'autocomplete',
      'new-password',
    )
  }
})

describe('two fields that belong together', () => {
  test('are judged together, whichever of two passwords is corrected', async ({ open, world }) => {
    const { reseller, dealer } = await world.family()
    const page = await open({ as: reseller, at: `/update-dealer/${dealer.name}` })
    const change = page.getByRole('button', { name: 'Change Password' })
    const fault = page.getByText('Passwords do not match')
    const first = page.getByLabel('New Password', { exact: true })
    await first.click()
    await typeIn(first, 'another-password')
    const again = page.getByLabel('Confirm New Password')
    await again.click()
    await typeIn(again, 'another-passwort')
    await again.blur()
    await expect(fault).toBeVisible()
    await first.click()
    await first.press('End')
    await first.press('Backspace')
    await first.press('t')
    await expect(change).toBeEnabled()
    await expect(fault).toHaveCount(0)
    await first.press('s')
    await expect(change).toBeDisabled()
    await expect(fault).toBeVisible()
  })

  test('are judged again when the balance comes that the months need', async ({ open, world }) => {
    const { reseller, dealer } = await world.family({ credits: 9, to: 'reseller' })
    const page = await open({ as: dealer, at: '/new-client' })
    await typeIn(page.getByLabel('Login Name'), 'waits-for')
    await typeIn(page.getByLabel('Password', { exact: true }), 'tv-1234')
    await typeIn(page.getByLabel('MAC Address'), 'A1B2C3')
    const credits = page.getByLabel('Credits')
    await credits.selectOption('3')
    await credits.blur()
    const short = page.getByText('You have 0 credits; this needs 3.')
    await expect(short).toBeVisible()
    await expect(page.getByRole('button', { name: 'Submit' })).toBeDisabled()
    // Nobody touches the page: the dealer is on the telephone.
    await world.give(reseller, dealer, 4)
    await expect(page.getByText('Costs 3 credits; you have 4 credits')).toBeVisible()
    await expect(short).toHaveCount(0)
    // The same, where the server was the first to know.
    await reseller.call(calls.level.dealer.save, {
      name: dealer.name,
      credits: 4,
      transaction: CREDIT_ACTION.remove,
    })
    await press(page, 'Submit')
    await readNotice(page, 'You have 0 credits; this needs 3.')
    await expect(credits).toHaveAccessibleDescription('You have 0 credits; this needs 3. Ask for credits')
    await world.give(reseller, dealer, 4)
    await expect(credits).toHaveAccessibleDescription('Costs 3 credits; you have 4 credits')
    await press(page, 'Submit')
    await expect(page.getByText('Client waits-for created successfully!')).toBeVisible()
  })
})

describe('a refusal at a field', () => {
  test('disappears on an edit, and returns only with the next submit', async ({ open, world }) => {
    const { dealer } = await world.family()
    await world.client(dealer, { login: 'was-here' })
    const page = await open({ as: dealer, at: '/new-client' })
    await fill(page, { 'Login Name': 'was-here', Password: 'tv-1234', 'MAC Address': 'A1B2C3' })
    await press(page, 'Submit')
    await readNotice(page, 'This login is taken by your client was-here.')
    const fault = page.getByRole('main').getByText('This login is taken by your client was-here.')
    await expect(fault).toHaveCount(1)
    await typeIn(page.getByLabel('Login Name'), '2')
    await expect(fault).toHaveCount(0)
    // The page renders again whenever it loads data.
    await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange', { bubbles: true })))
    await fill(page, { Description: 'Attic', Package: '13' })
    await page.getByLabel('Ministra').check()
    await expect(fault).toHaveCount(0)
    await fill(page, { 'Login Name': 'was-here' })
    await press(page, 'Submit')
    await expect(fault).toHaveCount(1)
  })
})

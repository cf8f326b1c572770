import type { Page } from 'playwright-core'
import { describe } from 'vitest'
import { calls } from '../../contract/calls.ts'
import { CREDIT_ACTION } from '../../contract/credits.ts'
import { expect, fill, holdBack, press, readNotice, test, underWayOn } from '../support/browser.ts'
import type { Person, World } from '../support/world.ts'

const CHANGED = 'The expiry of is-a-client has changed in the meantime. Please look again.'

describe('an added month', () => {
  test('that is chosen in the moment in which the form becomes ready stays chosen', async ({
    open,
    world,
  }) => {
    const { dealer } = await world.family({ credits: 5 })
    await world.client(dealer, { login: 'is-a-client', months: 1 })
    const page = await open({ as: dealer, at: '/clients' })
    // Chooses as soon as the list can be used, before the browser draws the next frame.
    await page.addInitScript(() => {
      const choose = () => {
        const list = document.querySelector<HTMLSelectElement>('select[name=months]')
        if (!list || list.matches(':disabled')) return
        watcher.disconnect()
        list.value = '1'
        list.dispatchEvent(new Event('change', { bubbles: true }))
      }
      const watcher = new MutationObserver(choose)
      watcher.observe(document, { subtree: true, childList: true, attributes: true })
    })
    await page.goto('/update-client/is-a-client')
    await expect(page.getByText('New expiry 2026-07-15')).toBeVisible()
    await expect(page.getByLabel('Add months')).toHaveValue('1')
  })

  test('counts once from two tabs, because the second tab is refused with the changed expiry', async ({
    open,
    world,
  }) => {
    const { dealer } = await world.family({ credits: 5 })
    const { mac } = await world.client(dealer, { login: 'is-a-client', months: 1 })
    const page = await open({ as: dealer, at: '/update-client/is-a-client' })
    const underWay = underWayOn(page)
    await fill(page, { 'Add months': '1' })
    await expect(page.getByText('New expiry 2026-07-15')).toBeVisible()
    // The first tab cannot refresh itself meanwhile, as on a line that has gone.
    await page.route('**/v1/api/client/*', (route) => route.abort())
    const other = await page.context().newPage()
    await other.goto('/update-client/is-a-client')
    await fill(other, { 'Add months': '1' })
    await press(other, 'Update Client')
    await readNotice(other, 'Client is-a-client updated successfully!')
    await press(page, 'Update Client')
    await readNotice(page, 'Error updating client. Please try again.', CHANGED)
    const json = { status: 'ERROR', code: 'internal', message: 'Not now.' }
    await page.route('**/v1/api/client/*', (route) => route.fulfill({ status: 500, json }))
    await press(page, 'Reload')
    await readNotice(page, 'Error loading the client. Please try again.', json.message)
    await page.unrouteAll()
    await press(page, 'Reload')
    await expect(page.getByText('New expiry 2026-08-15')).toBeVisible()
    await page.route('**/v1/api/client/*', (route) => route.abort())
    // What was asked before that would still bring the other MAC.
    await expect.poll(() => underWay.size).toBe(0)
    const [given, typed] = ['00:1A:79:A1:B2:C3', '00:1A:79:A1:B2:C4']
    await dealer.call(calls.clients.save, { login: 'is-a-client', stb_mac: given, o_mac: mac })
    const field = page.getByLabel('MAC Address')
    await field.fill(typed)
    await press(page, 'Update Client')
    const reason = `The MAC address was changed in the meantime, to ${given}. Please look again.`
    await readNotice(page, 'Error updating client. Please try again.', reason)
    await expect(field).toHaveAccessibleDescription(reason)
    await page.unrouteAll()
    await press(page, 'Reload')
    await expect(field).not.toHaveAccessibleDescription(reason)
    await expect(field).toHaveValue(typed)
    await expect(field).toHaveAttribute('aria-invalid', 'false')
    expect(await dealer.call(calls.clients.detail, { name: 'is-a-client' })).toMatchObject({
      expiry: '2026-07-15T23:59:59.000Z',
    })
  })

  test('from elsewhere is shown when the page becomes visible again', async ({ open, world }) => {
    const { dealer } = await world.family({ credits: 5 })
    await world.client(dealer, { login: 'is-a-client', months: 1 })
    const page = await open({ as: dealer, at: '/update-client/is-a-client' })
    await page.clock.install()
    const card = page.getByRole('region', { name: 'Client', exact: true })
    await expect(card).toContainText('2026-06-15')
    await dealer.call(calls.clients.renew, { name: 'is-a-client', months: 2 })
    await page.clock.fastForward(5_000)
    await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange', { bubbles: true })))
    await expect(card).toContainText('2026-08-15')
    await expect(page.getByText('Up to 3 credits can be retrieved')).toBeVisible()
    await fill(page, { 'Add months': '1' })
    // The price is asked for again as well, and the button that waits for it keeps the focus.
    await expect(page.getByText('New expiry 2026-09-15')).toBeVisible()
    const update = page.getByRole('button', { name: 'Update Client' })
    await expect(update).toBeEnabled()
    await update.focus()
    const release = await holdBack(page, '**/v1/api/quote**')
    await page.clock.fastForward(5_000)
    await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange', { bubbles: true })))
    await expect(update).toBeDisabled()
    release()
    await expect(update).toBeEnabled()
    await expect(update).toBeFocused()
    // It has it again after a refusal too, after which the price is asked for once more.
    await dealer.call(calls.clients.renew, { name: 'is-a-client', months: 1 })
    await update.press('Enter')
    await expect(page.getByText(CHANGED)).toBeVisible()
    await expect(page.getByText('New expiry 2026-10-15')).toBeVisible()
    await expect(update).toBeFocused()
    await page.getByRole('button', { name: 'Reload', exact: true }).press('Enter')
    // The button has gone, and the focus with it would be nowhere.
    await expect(page.getByRole('heading', { level: 1 })).toBeFocused()
    await press(page, 'Update Client')
    await readNotice(page, 'Client is-a-client updated successfully!')
  })
})

describe('the select of credits to retrieve', () => {
  test('offers only credits that can be taken back, and names the last one as a trial', async ({
    open,
    world,
  }) => {
    const { page, card } = await openTwoMonths(open, world)
    await expect(card.locator('option')).toHaveText(['Select credits', '1 credit', '2 credits'])
    await fill(card, { Credits: '1' })
    await press(card, 'Retrieve Credits')
    const question = page.getByRole('alertdialog')
    await expect(question).toContainText('Its service ends on 2026-06-15 instead of 2026-07-15.')
    await expect(question).not.toContainText('trial')
    await press(question, 'Cancel')
    await fill(card, { Credits: '2' })
    await press(card, 'Retrieve Credits')
    await expect(question).toContainText('Its service ends on 2026-05-15 instead of 2026-07-15.')
    await expect(question).toContainText("That leaves today only, and counts as one of today's trials.")
    await press(question, 'Retrieve')
    await readNotice(page, 'Successfully retrieved 2 credits')
    await expect(card.getByRole('button', { name: 'Retrieve Credits' })).toBeDisabled()
    await expect(card).toContainText('There is nothing to retrieve')
  })

  test('asks again about the present expiry where it has changed since the question, or the day has', async ({
    open,
    world,
  }) => {
    const { dealer, page, card } = await openTwoMonths(open, world)
    await fill(card, { Credits: '1' })
    await press(card, 'Retrieve Credits')
    const question = page.getByRole('alertdialog')
    await expect(question).toContainText('Its service ends on 2026-06-15 instead of 2026-07-15.')
    await dealer.call(calls.clients.renew, { name: 'is-a-client', months: 1 })
    await press(question, 'Retrieve')
    await readNotice(page, 'Error retrieving credits. Please try again.', CHANGED)
    await expect(question).toHaveCount(0)
    await press(card, 'Retrieve Credits')
    await expect(question).toContainText('Its service ends on 2026-07-15 instead of 2026-08-15.')
    // On a slow line nothing is asked about what is taken back already.
    const release = await holdBack(page, '**/v1/api/client/is-a-client')
    await press(question, 'Retrieve')
    await readNotice(page, 'Successfully retrieved 1 credits')
    await expect(question).toHaveCount(0)
    await fill(card, { Credits: '1' })
    await expect(card.getByRole('button', { name: 'Retrieve Credits' })).toBeDisabled()
    release()
    // Nor does a question stay that time has overtaken: the month that it is about has begun.
    await press(card, 'Retrieve Credits')
    await expect(question).toContainText('Its service ends on 2026-06-15 instead of 2026-07-15.')
    world.clock.set('2026-06-16T10:00:00.000Z')
    await press(question, 'Retrieve')
    await readNotice(
      page,
      'Error retrieving credits. Please try again.',
      'Nothing can be retrieved from is-a-client any more.',
    )
    await expect(question).toHaveCount(0)
    await expect(card).toContainText('There is nothing to retrieve')
  })

  test('offers nothing where a recent trial of the MAC forbids it', async ({ open, world }) => {
    const { dealer } = await world.family({ credits: 20 })
    const mac = await goneAfterTrial(dealer, world)
    await world.client(dealer, { login: 'is-a-client', stb_mac: mac, months: 1 })
    const page = await open({ as: dealer, at: '/update-client/is-a-client' })
    const card = page.getByRole('region', { name: 'Retrieve Credits' })
    await expect(card).toContainText('There is nothing to retrieve')
    await expect(card.getByRole('button', { name: 'Retrieve Credits' })).toBeDisabled()
    await dealer.refused('mac_had_trial', calls.clients.retrieve, { login: 'is-a-client', credits: 1 })
  })
})

describe('a renewal that is too dear', () => {
  test('can be made once the credits have come, and what refused it is gone by then', async ({
    open,
    world,
  }) => {
    const { reseller, dealer } = await world.family({ credits: 9, to: 'reseller' })
    await world.give(reseller, dealer, 1)
    const mac = await goneAfterTrial(dealer, world)
    await world.client(dealer, { login: 'on-the-phone' })
    const page = await open({ as: dealer, at: '/update-client/on-the-phone' })
    const take = (credits: number) =>
      reseller.call(calls.level.dealer.save, {
        name: dealer.name,
        credits,
        transaction: CREDIT_ACTION.remove,
      })
    const short = 'You have 0 credits; this needs 1.'

    const added = page.getByLabel('Add months')
    const field = page.getByLabel('MAC Address')
    await field.fill(mac)
    await press(page, 'Update Client')
    const hadTrial = 'This MAC address had a trial within the last 30 days.'
    await readNotice(page, 'Error updating client. Please try again.', hadTrial)
    await expect(field).toHaveAccessibleDescription(hadTrial)
    await added.selectOption('1')
    await expect(field).not.toHaveAccessibleDescription(hadTrial)
    await expect(field).toHaveAttribute('aria-invalid', 'false')
    await expect(added).toHaveAccessibleDescription(/^Costs 1 credit; you have 1 credit/)
    await take(1)
    await press(page, 'Update Client')
    await readNotice(page, 'Error updating client. Please try again.', short)
    await expect(added).toHaveAccessibleDescription(`${short} Ask for credits`)
    await world.give(reseller, dealer, 4)
    await expect(added).toHaveAccessibleDescription(/^Costs 1 credit; you have 4 credits/)
    await added.selectOption('0')

    await press(page, 'Renew')
    const dialog = page.getByRole('dialog')
    const months = dialog.getByLabel('Months')
    await expect(dialog).toContainText('Balance after3 credits')
    await take(4)
    await press(dialog, 'Renew for 1 credit')
    await readNotice(page, 'Error renewing credits. Please try again.', short)
    await expect(months).toHaveAccessibleDescription(short)
    await world.give(reseller, dealer, 4)
    await expect(months).toHaveAccessibleDescription('')
    await press(dialog, 'Renew for 1 credit')
    await expect(page.getByText('Successfully renewed 1 month(s) for on-the-phone')).toBeVisible()
    // The next one is not confirmed by what was said for the last.
    const release = await holdBack(page, '**/v1/api/quote*')
    await press(page, 'Renew')
    await expect(dialog.getByText('New expiry')).toBeVisible()
    await expect(dialog.getByRole('button', { name: 'Renew for 1 credit' })).toBeDisabled()
    await expect(dialog.locator('time')).toHaveCount(0)
    release()
    await press(dialog, 'Renew for 1 credit')
    await expect.poll(async () => (await dealer.call(calls.credits.dealer)).credits).toBe(2)
  })
})

/** Opens the page of a client with two paid months, and its card for taking credits back. */
async function openTwoMonths(open: (visit: { as: Person; at: string }) => Promise<Page>, world: World) {
  const { dealer } = await world.family({ credits: 20 })
  await world.client(dealer, { login: 'is-a-client', months: 2 })
  const page = await open({ as: dealer, at: '/update-client/is-a-client' })
  return { dealer, page, card: page.getByRole('region', { name: 'Retrieve Credits' }) }
}

/** Returns the MAC of a client that had a trial and was deleted. */
async function goneAfterTrial(dealer: Person, world: World): Promise<string> {
  const { name, mac } = await world.client(dealer)
  await world.setExpiry(name, '2026-05-14T23:59:59.000Z')
  await dealer.call(calls.clients.remove, { name })
  return mac
}

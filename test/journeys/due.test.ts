import { describe } from 'vitest'
import { calls } from '../../contract/calls.ts'
import {
  countActs,
  expect,
  expectAccessible,
  fill,
  holdBack,
  press,
  readNotice,
  rows,
  test,
} from '../support/browser.ts'
import type { Person, World } from '../support/world.ts'

const PHONE = { width: 390, height: 844, touch: true }

describe('all who expire this week', () => {
  test('cannot be renewed without credits: the dialog says what is missing, until they have come', async ({
    open,
    world,
  }) => {
    const { reseller, dealer } = await world.family({ credits: 1, to: 'reseller' })
    await world.client(dealer, { login: 'is-due-1' })
    const page = await open({ as: dealer, at: '/due' })
    await press(page, 'Renew all 1')
    const dialog = page.getByRole('dialog', { name: 'Renew 1 client' })
    await expect(dialog).toContainText('You have 0 credits; this needs 1.')
    await expect(dialog).toContainText('Not even the one that expires first can be renewed.')
    await expect(dialog.getByRole('button', { name: 'Renew', exact: true })).toBeDisabled()
    await world.give(reseller, dealer, 1)
    await expect(dialog.getByRole('button', { name: 'Renew 1 client for 1 credit' })).toBeEnabled()
  })

  test('are renewed once the credits are known, which are asked for again where they could not be loaded', async ({
    open,
    world,
  }) => {
    const dealer = await dealerOf(world, { 'is-due': '2026-05-15' })
    const page = await open({ as: dealer, at: '/clients' })
    await page.route('**/v1/api/credits', (route) =>
      route.fulfill({ status: 500, json: { status: 'ERROR', code: 'internal', message: 'Not now.' } }),
    )
    await page.goto('/credit-requests')
    const low = page.getByRole('region', { name: 'Low Balance' })
    await expect(low.getByText('Error: Not now.')).toBeVisible()
    await page.goto('/due')
    await press(page, 'Renew all 1')
    const dialog = page.getByRole('dialog', { name: 'Renew 1 client' })
    await expect(dialog.getByText('Error: Not now.')).toBeVisible()
    await page.unrouteAll()
    await press(dialog, 'Retry')
    await expect(dialog.getByRole('button', { name: 'Renew 1 client for 1 credit' })).toBeEnabled()
    await page.goto('/credit-requests')
    await expect(low.getByLabel('Mark as low below')).toBeEnabled()
    await expect(low.getByRole('button', { name: 'No threshold' })).toBeDisabled()
  })

  test('are more than the credits suffice for: the dealer is led to asking for more', async ({
    open,
    world,
  }) => {
    const dealer = await dealerOf(world, { 'is-due-1': '2026-05-15', 'is-due-2': '2026-05-21' }, 1)
    const page = await open({ as: dealer })
    const due = page.getByRole('region', { name: 'Due' })
    await expect(due).toContainText('A month for each costs 2 credits; you have 1 credit. Ask for credits')
    await due.getByRole('link', { name: 'Ask for credits' }).click()
    await expect(page).toHaveURL('/credit-requests')
    const main = page.getByRole('main')
    const dialog = page.getByRole('dialog')
    for (const [at, label, within] of [
      ['/new-client', 'Credits', main],
      ['/update-client/is-due-1', 'Add months', main],
      ['/due', 'Months', dialog],
      ['/clients', 'Months', dialog],
    ] as const) {
      await page.goto(at)
      if (at === '/due') await press(page, 'Renew is-due-1')
      if (at === '/clients') {
        await page.getByRole('combobox', { name: /^Find/ }).fill('is-due-1')
        await page.getByRole('option', { name: 'Renew is-due-1' }).click()
      }
      const months = within.getByLabel(label, { exact: true })
      await expect(within.getByRole('link', { name: 'Ask for credits' })).toHaveCount(0)
      await months.selectOption('6')
      await months.blur()
      await expect(within.getByText('You have 1 credit; this needs 6. Ask for credits')).toBeVisible()
      await within.getByRole('link', { name: 'Ask for credits' }).click()
      await expect(page).toHaveURL('/credit-requests')
      await expect(dialog).toHaveCount(0)
    }
  })

  test('are renewed from the dashboard with two clicks, or two taps', async ({ open, world }) => {
    for (const look of [{}, PHONE]) {
      const dealer = await dealerOf(world, { 'is-due-1': '2026-05-15', 'is-due-2': '2026-05-21' })
      const page = await open({ as: dealer, ...look })
      const card = page.getByRole('region', { name: 'Due' })
      await expect(card).toContainText('A month for each costs 2 credits; you have 9 credits.')
      await expect(card.getByRole('listitem')).toHaveText(['Today1', 'Tomorrow0', 'In 7 days2'])
      const acts = await countActs(page)
      const touch = async (name: string) => {
        const button = page.getByRole('button', { name, exact: true })
        await expect(button).toBeEnabled()
        await ('touch' in look ? button.tap() : button.click())
      }
      await touch('Renew all 2')
      await touch('Renew 2 clients for 2 credits')
      await expect(page.getByText('Successfully renewed 1 month(s) for 2 clients')).toBeVisible()
      const two = 'touch' in look ? { clicks: 0, taps: 2 } : { clicks: 2, taps: 0 }
      expect(await acts()).toEqual({ keys: 0, ...two })
      await expect(card).toContainText('Nobody expires in the next 7 days.')
      expect((await dealer.call(calls.credits.dealer, {})).credits).toBe(7)
      for (const name of ['is-due-1', 'is-due-2']) {
        await world.setExpiry(name, '2026-01-01T23:59:59.000Z')
        await dealer.call(calls.clients.remove, { name })
      }
    }
  })

  test('are offered again by the dashboard where one that was renewed there is due once more', async ({
    open,
    world,
  }) => {
    const { reseller, dealer } = await world.family({ credits: 9, to: 'reseller' })
    await world.give(reseller, dealer, 1)
    for (const login of ['is-due-1', 'is-due-2']) await world.client(dealer, { login })
    const page = await open({ as: dealer })
    await press(page, 'Renew all 2')
    await press(page, 'Renew the first client for 1 credit')
    await readNotice(page, 'Successfully renewed 1 month(s) for 1 clients')
    // Read anew after the renewal, so that the card offers the one that is left, whatever is changed after it.
    await expect(page.getByRole('button', { name: 'Renew all 1', exact: true })).toBeEnabled()
    await world.setExpiry('is-due-1', '2026-05-15T23:59:59.000Z')
    await world.give(reseller, dealer, 2)
    await press(page, 'Renew all 1')
    await expect(page.getByRole('button', { name: 'Renew 2 clients for 2 credits' })).toBeEnabled()
  })

  test('are asked for again when the dialog is opened again, and not renewed before they are known', async ({
    open,
    world,
  }) => {
    const dealer = await dealerOf(world, { 'is-due-1': '2026-05-15', 'is-due-2': '2026-05-21' })
    const page = await open({ as: dealer })
    await press(page, 'Renew all 2')
    const dialog = page.getByRole('dialog')
    await expect(dialog.getByRole('button', { name: 'Renew 2 clients for 2 credits' })).toBeEnabled()
    await press(dialog, 'Cancel')
    await dealer.call(calls.clients.renew, { name: 'is-due-1', months: 1 })
    const release = await holdBack(page, '**/v1/api/due/clients?*')
    await press(page, 'Renew all 2')
    await expect(dialog.getByRole('button', { name: 'Renew', exact: true })).toBeDisabled()
    release()
    await expect(dialog).toContainText('Renew 1 client')
    await press(dialog, 'Renew 1 client for 1 credit')
    await readNotice(page, 'Successfully renewed 1 month(s) for 1 clients')
    expect((await dealer.call(calls.credits.dealer)).credits).toBe(7)
  })

  test('are renewed as last time, and only those that expire first where credits are short', async ({
    open,
    world,
  }) => {
    const dealer = await dealerOf(world, { 'is-last': '2026-05-20', 'is-first': '2026-05-16' }, 12)
    await dealer.call(calls.clients.renew, { name: 'is-first', months: 6 })
    await world.setExpiry('is-first', '2026-05-16T23:59:59.000Z')
    const page = await open({ as: dealer, at: '/due' })
    await expect(rows(page, 'Due')).toHaveText([/is-first.*6 months/, /is-last/])
    // It had only a trial.
    await expect(rows(page, 'Due').last()).not.toContainText('month')
    await press(page, 'Renew all 2')
    const dialog = page.getByRole('dialog', { name: 'Renew 2 clients' })
    await expect(dialog.getByRole('button', { name: 'Renew 2 clients for 2 credits' })).toBeEnabled()
    await fill(dialog, { Months: 'last' })
    await expect(dialog).toContainText('You have 6 credits; this needs 7.')
    await expect(dialog).toContainText('The one that expires first can be renewed.')
    await expectAccessible(page)
    await press(dialog, 'Renew the first client for 6 credits')
    await readNotice(page, 'Successfully renewed 1 client, each as last time')
    await expect(rows(page, 'Due')).toHaveText([/is-last/])
    expect((await dealer.call(calls.clients.detail, { name: 'is-first' })).expiry).toContain('2026-11-16')
  })

  test('are renewed as last time once the credits for that have come, while the dialog stays open', async ({
    open,
    world,
  }) => {
    const { reseller, dealer } = await world.family({ credits: 20, to: 'reseller' })
    await world.give(reseller, dealer, 7)
    await world.client(dealer, { login: 'is-due' })
    await dealer.call(calls.clients.renew, { name: 'is-due', months: 6 })
    await world.setExpiry('is-due', '2026-05-16T23:59:59.000Z')
    const page = await open({ as: dealer, at: '/due' })
    await press(page, 'Renew all 1')
    const dialog = page.getByRole('dialog')
    await fill(dialog, { Months: 'last' })
    await expect(dialog).toContainText('You have 1 credit; this needs 6.')
    await world.give(reseller, dealer, 9)
    await press(dialog, 'Renew 1 client for 6 credits')
    await readNotice(page, 'Successfully renewed 1 client, each as last time')
  })

  test('are renewed in parts of 1,000, with the progress, until the person stops it', async ({
    open,
    world,
  }) => {
    const { dealer } = await world.family({ credits: 2_500 })
    await world.plantClients(dealer, { last: 2_400, digits: 4 })
    const page = await open({ as: dealer, at: '/due' })
    await press(page, 'Renew all 2,400')
    const start = page.getByRole('button', { name: 'Renew 2,400 clients for 2,400 credits' })
    await expect(start).toBeEnabled()
    let parts = 0
    let release = () => {}
    const held = new Promise<void>((done) => {
      release = done
    })
    await page.route('**/v1/api/multirenew', async (route) => {
      parts += 1
      if (parts === 2) await held
      await route.continue()
    })
    await start.click()
    await expect(page.getByText('1,000 of 2,400 clients renewed')).toBeVisible()
    await press(page, 'Stop')
    await expect(page.getByRole('button', { name: 'Stopping…' })).toBeDisabled()
    release()
    await readNotice(page, 'Stopped: 2,000 of 2,400 clients were renewed.')
    expect((await dealer.call(calls.credits.dealer, {})).credits).toBe(500)
    await expect(page.getByText('1–10 of 400')).toBeVisible()
    expect(parts).toBe(2)
  })

  test('are not renewed twice in February, when they are due within 30 days again, after a part is refused', async ({
    open,
    world,
  }) => {
    world.clock.set('2026-02-10T10:00:00.000Z')
    const { dealer } = await world.family({ credits: 2_500 })
    await world.plantClients(dealer, { last: 1_100, digits: 4 })
    const page = await open({ as: dealer, at: '/due?filter=month' })
    await press(page, 'Renew all 1,100')
    const dialog = page.getByRole('dialog')
    await page.route('**/v1/api/multirenew', async (route) => {
      // Somebody else renews one of the second part.
      if (route.request().postData()?.includes('many-1050'))
        await world.setExpiry('many-1050', '2026-02-12T23:59:59.000Z')
      await route.continue()
    })
    await press(dialog, 'Renew 1,100 clients for 1,100 credits')
    await press(dialog, 'Renew 100 clients for 100 credits')
    await readNotice(page, 'Successfully renewed 1 month(s) for 100 clients')
    expect((await dealer.call(calls.credits.dealer, {})).credits).toBe(1_400)
  })
})

describe('the screen of those who are due', () => {
  test('has today, 7 and 30 days and who was not renewed, renews chosen ones, and estimates what is needed', async ({
    open,
    world,
  }) => {
    const dealer = await dealerOf(
      world,
      {
        'in-month': '2026-06-10',
        'in-week': '2026-05-18',
        'is-today': '2026-05-15',
        'was-there': '2026-05-01',
      },
      2,
    )
    const page = await open({ as: dealer })
    await page.getByRole('link', { name: 'All that are due' }).click()
    const filter = page.getByRole('group', { name: 'Filter' })
    await expect(filter).toHaveText(/Today ?1.*Tomorrow ?0.*7 days ?2.*30 days ?3.*Not renewed ?1/)
    await expect(rows(page, 'Due')).toHaveText([/is-today/, /in-week/])
    const forecast = page.getByRole('region', { name: 'Forecast' })
    await expect(forecast).toContainText(
      /Next 14 days2 clients need 2 credits.*Next 30 days3 clients need 3 credits/,
    )
    await expect(forecast).toContainText('From 2026-06-10 on your credits are not enough.')
    await filter.getByRole('radio', { name: '30 days' }).check()
    await expect(page).toHaveURL('/due?filter=month')
    await expect(rows(page, 'Due')).toHaveCount(3)
    await page.getByLabel('Select in-month').check()
    await page.getByLabel('Select in-week').check()
    await press(page, 'Renew selected')
    await press(page, 'Renew 2 clients for 2 credits')
    await readNotice(page, 'Successfully renewed 1 month(s) for 2 clients')
    await expect(page.getByText('2 selected')).toHaveCount(0)
    await expect(rows(page, 'Due')).toHaveText([/is-today/])
    await filter.getByRole('radio', { name: 'Tomorrow' }).check()
    await expect(page.getByText('Nobody is due')).toBeVisible()
    await page.goBack()
    await expect(rows(page, 'Due')).toHaveText([/is-today/])
    await page.getByLabel('Search clients').fill('nobody-like-this')
    await expect(page.getByText('No client matches')).toBeVisible()
  })

  test('keeps nobody selected whom it has renewed, by the row or as far as the credits went', async ({
    open,
    world,
  }) => {
    const dealer = await dealerOf(
      world,
      { 'is-first': '2026-05-16', 'is-second': '2026-05-17', 'is-third': '2026-05-18' },
      2,
    )
    const page = await open({ as: dealer, at: '/due' })
    const selection = page.getByRole('group', { name: 'Selection' })
    await page.getByLabel('Select this page').check()
    await press(page, 'Renew is-first')
    await press(page, 'Renew for 1 credit')
    await readNotice(page, 'Successfully renewed 1 month(s) for is-first')
    await expect(selection).toContainText('2 selected')
    await press(page, 'Renew selected')
    await press(page, 'Renew the first client for 1 credit')
    await readNotice(page, 'Successfully renewed 1 month(s) for 1 clients')
    await expect(selection).toContainText('1 selected')
    await expect(page.getByLabel('Select is-third')).toBeChecked()
  })

  test('renews those that are left of a selection where a part of them could not be renewed', async ({
    open,
    world,
  }) => {
    const { dealer } = await world.family({ credits: 1_010 })
    await world.plantClients(dealer, { last: 1_010, digits: 4 })
    const page = await open({ as: dealer, at: '/due?perPage=50' })
    const number = (count: number) => count.toLocaleString('en-US')
    for (let first = 1; first <= 1_010; first += 50) {
      const last = Math.min(first + 49, 1_010)
      await expect(page.getByText(`${number(first)}–${number(last)} of 1,010`)).toBeVisible()
      const all = page.getByLabel('Select this page')
      await expect(all).not.toBeChecked()
      await all.check()
      if (last < 1_010) await press(page, 'Next page')
    }
    let parts = 0
    await page.route('**/v1/api/multirenew', async (route) => {
      parts += 1
      const json = { status: 'ERROR', code: 'internal', message: 'Something went wrong on our side.' }
      await (parts === 2 ? route.fulfill({ status: 500, json }) : route.continue())
    })
    await press(page, 'Renew selected')
    await press(page, 'Renew 1,010 clients for 1,010 credits')
    await readNotice(
      page,
      'Error renewing clients. Please try again.',
      '1,000 of 1,010 clients were renewed. Something went wrong on our side.',
    )
    await press(page, 'Renew 10 clients for 10 credits')
    await readNotice(page, 'Successfully renewed 1 month(s) for 10 clients')
    await expect(page.getByRole('group', { name: 'Selection' })).toHaveCount(0)
    expect((await dealer.call(calls.credits.dealer, {})).credits).toBe(0)
  })

  test('says why it could not be loaded, and whether the credits are enough once it could', async ({
    open,
    world,
  }) => {
    const dealer = await dealerOf(world, { 'is-due': '2026-05-15' })
    const page = await open({ as: dealer, at: '/clients' })
    const json = { status: 'ERROR', code: 'internal', message: 'Something went wrong on our side.' }
    await page.route(/\/v1\/api\/(due|forecast)/, (route) => route.fulfill({ status: 500, json }))
    await page.getByRole('link', { name: 'Due', exact: true }).click()
    await expect(page.getByText(`Error: ${json.message}`)).toHaveCount(2)
    await page.unrouteAll()
    const forecast = page.getByRole('region', { name: 'Forecast' })
    await press(forecast, 'Retry')
    await expect(page.getByText(`Error: ${json.message}`)).toHaveCount(1)
    await expect(forecast).toContainText('Your credits are enough for the next 30 days.')
    await press(page, 'Retry')
    await expect(rows(page, 'Due')).toHaveCount(1)
  })
})

describe('a reminder', () => {
  test('is the dealer’s own text, and is noted when it is opened or copied, until that is taken back', async ({
    open,
    world,
  }) => {
    const dealer = await dealerOf(world, { 'has-phone': '2026-05-18' })
    await dealer.call(calls.clients.save, { login: 'has-phone', phone: '4165550123', desc: 'Maria' })
    const page = await open({ as: dealer, at: '/due' })
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await press(page, 'Remind has-phone')
    const dialog = page.getByRole('dialog', { name: 'Remind has-phone' })
    await expect(dialog).toContainText('Hello Maria, your TV (has-phone) ends on 2026-05-18, in 3 days.')
    await press(dialog, 'Change the text')
    await fill(dialog, { Text: 'Your password is {password}' })
    await press(dialog, 'Save the text')
    await expect(dialog.getByText('A reminder has no field for a password')).toBeVisible()
    await fill(dialog, { Text: 'Dear {name}, {package} until {expiry} & more?' })
    await press(dialog, 'Save the text')
    await expect(dialog).toContainText('Dear Maria, All Packages until 2026-05-18 & more?')
    const text = 'Dear%20Maria%2C%20All%20Packages%20until%202026-05-18%20%26%20more%3F'
    const link = dialog.getByRole('link', { name: 'WhatsApp' })
    await expect(link).toHaveAttribute('href', `https://wa.me/14165550123?text=${text}`)
    await expect(link).toHaveAttribute('rel', 'noopener noreferrer')
    await expect(dialog.getByRole('link', { name: 'SMS' })).toHaveAttribute(
      'href',
      `sms:+14165550123?body=${text}`,
    )
    await expect(dialog).toContainText('Not reminded yet')
    await press(dialog, 'Copy')
    await readNotice(page, 'Copied')
    await expect(dialog).toContainText(`Reminded on 2026-05-15 10:00:00 by ${dealer.name}`)
    await press(dialog, 'Change the text')
    await press(dialog, 'Cancel')
    await expect(dialog).toContainText(`Reminded on 2026-05-15 10:00:00 by ${dealer.name}`)
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(
      'Dear Maria, All Packages until 2026-05-18 & more?',
    )
    await page.keyboard.press('Escape')
    await expect(rows(page, 'Due')).toContainText('2026-05-15')
    await press(page, 'Remind has-phone')
    await press(dialog, 'Undo')
    await expect(dialog).toContainText('Not reminded yet')
    await page.keyboard.press('Escape')
    await expect(rows(page, 'Due')).not.toContainText('2026-05-15')
  })

  test('whose usual text is saved as it is stays the usual one, for each client as it fits', async ({
    open,
    world,
  }) => {
    const dealer = await dealerOf(world, { 'was-there': '2026-05-01', 'is-due': '2026-05-18' })
    const page = await open({ as: dealer, at: '/due?filter=lapsed' })
    await press(page, 'Remind was-there')
    const dialog = page.getByRole('dialog')
    await press(dialog, 'Change the text')
    await expect(dialog.getByLabel('Text')).toHaveValue(/ended on \{expiry\}/)
    await press(dialog, 'Save the text')
    await expect(dialog).toContainText('your TV (was-there) ended on 2026-05-01')
    await page.keyboard.press('Escape')
    await page.getByRole('radio', { name: '7 days' }).check()
    await press(page, 'Remind is-due')
    await expect(dialog).toContainText('your TV (is-due) ends on 2026-05-18')
    // On a phone the words of a button that is a link stand in its middle in two lines, as those of any button do.
    await page.setViewportSize({ width: 360, height: 800 })
    await expect(dialog.getByRole('link', { name: 'Type the number' })).toHaveCSS('text-align', 'center')
  })
})

/** A dealer with a client for each day of expiry. */
async function dealerOf(world: World, days: Record<string, string>, credits = 9): Promise<Person> {
  const { dealer } = await world.family({ credits })
  for (const [login, day] of Object.entries(days)) {
    await world.client(dealer, { login })
    await world.setExpiry(login, `${day}T23:59:59.000Z`)
  }
  return dealer
}

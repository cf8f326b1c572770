import type { Locator, Page, Route } from 'playwright-core'
import { describe } from 'vitest'
import { calls } from '../../contract/calls.ts'
import { counted } from '../../contract/quantities.ts'
import {
  choose,
  expect,
  fill,
  holdBack,
  noticesOn,
  press,
  pressAndConfirm,
  readNotice,
  rows,
  signIn,
  test,
  typeIn,
  underWayOn,
} from '../support/browser.ts'
import { A_PLAYLIST, givePlaylist } from '../support/playlist.ts'
import type { Person, World } from '../support/world.ts'
import { openExpired } from './expired.ts'

const SAVE = '**/v1/reseller/save'
const UPDATED = 'Dealer updated successfully!'
const EXPIRY_CHANGED = 'The expiry of to-renew has changed in the meantime. Please look again.'
const BANNER = 'Trying to reach it; nothing is sent twice.'
const ONCE = 'It was sent again, and done once.'
const MAY_BE_DONE = 'This may have been done. Send it again: nothing is done twice.'
const LOST = 'The connection to Boxtree is lost. Please try again: nothing is ever done twice.'

describe('a submit', () => {
  test('is charged once on a double click', async ({ open, world }) => {
    const { page, held } = await atDealer(open, world)
    await press(page, 'Add 1 credit')
    const question = page.getByRole('alertdialog')
    await question.getByRole('button', { name: 'Add 1 credit', exact: true }).dblclick()
    await readNotice(page, UPDATED)
    await expect(page).toHaveURL('/dealers')
    expect(await held()).toEqual([4, 1])
  })

  test('whose answer is lost is sent again by itself and charged once', async ({ open, world }) => {
    const { page, held } = await atDealer(open, world)
    await loseAnswers(page, SAVE, 2)
    await pressAndConfirm(page, 'Add 1 credit')
    await expect(page.getByText(BANNER)).toBeVisible()
    await readNotice(page, UPDATED)
    await expect(page.getByText(BANNER)).toHaveCount(0)
    expect(await held()).toEqual([4, 1])
  })

  test('is charged once when the page is reloaded before the answer, and then shows its notice', async ({
    open,
    world,
  }) => {
    const { page, held } = await atDealer(open, world)
    const charged = new Promise<void>((charged) => {
      page.route(SAVE, (route) => route.fetch().then(() => charged()), { times: 1 })
    })
    await pressAndConfirm(page, 'Add 1 credit')
    await charged
    await page.reload()
    await readNotice(page, UPDATED)
    expect(await held()).toEqual([4, 1])
    await page.reload()
    await expect(page.getByRole('region', { name: 'Update Credits' })).toContainText('1 credit')
    expect(await held()).toEqual([4, 1])
  })

  test('marks the row that it changed, though the page was reloaded before the answer', async ({
    open,
    world,
  }) => {
    const { dealer } = await world.family({ credits: 3 })
    const { name } = await world.client(dealer, { months: 1 })
    const page = await open({ as: dealer, at: '/clients' })
    const charged = new Promise<void>((charged) => {
      page.route('**/v1/api/renew', (route) => route.fetch().then(() => charged()), { times: 1 })
    })
    await press(page, `Renew ${name}`)
    await press(page.getByRole('dialog'), 'Renew for 1 credit')
    await charged
    await page.reload()
    await expect(rows(page, 'Clients').filter({ hasText: name })).toHaveAttribute('data-marked', 'true')
    expect((await dealer.call(calls.credits.dealer)).credits).toBe(1)
  })

  test('leaves no password in the storage of its tab', async ({ open, world }) => {
    const { reseller } = await world.family()
    const page = await open({ as: reseller, at: '/add-dealer' })
    await page.route('**/v1/reseller/dealer', () => {}, { times: 1 })
    await typeIn(page.getByLabel('Login'), 'typed-name')
    await typeIn(page.getByLabel('Password', { exact: true }), 'typed-secret')
    await press(page, 'Add Dealer')
    const kept = () => page.evaluate(() => JSON.stringify({ ...sessionStorage, ...localStorage }))
    await expect.poll(kept).toContain('level.dealer.create')
    expect(await kept()).not.toContain('typed-secret')
    await page.reload()
    await readNotice(page, 'Adding dealer typed-name was interrupted. Please look whether it is there.')
  })

  test('of a new client is named after a reload before the answer, and its entries may have been sent', async ({
    open,
    world,
  }) => {
    const { dealer } = await world.family({ credits: 5 })
    const page = await open({ as: dealer, at: '/new-client' })
    const charged = new Promise<void>((charged) => {
      page.route('**/v1/api/client', (route) => route.fetch().then(() => charged()), { times: 1 })
    })
    const secret = { Password: 'secret-1' }
    await fill(page, { ...secret, 'Login Name': 'paid-client', Credits: '2' })
    await typeIn(page.getByLabel('MAC Address'), '001A79AABB01')
    await press(page, 'Submit')
    await charged
    await page.reload()
    await readNotice(page, 'Creating client paid-client was interrupted. Please look whether it is there.')
    await expect(page.getByText('These entries may have been sent')).toBeVisible()
    await fill(page, { 'Login Name': 'the-next' })
    await page.reload()
    await expect(page.getByText('Your unsent entries')).toBeVisible()
    await fill(page, { ...secret, 'Login Name': 'paid-client' })
    await press(page, 'Submit')
    await readNotice(page, 'Client paid-client created successfully!', ONCE)
    expect((await dealer.call(calls.credits.dealer)).credits).toBe(3)
  })

  test('of a client with a new password is named after a reload before the answer, and its entries may have been sent', async ({
    open,
    world,
  }) => {
    const page = await atClient(open, world)
    const saved = new Promise<void>((saved) => {
      page.route('**/v1/api/saveclient', (route) => route.abort().then(() => saved()))
    })
    await fill(page, { Description: 'Cellar', Password: 'other-secret' })
    await press(page, 'Update Client')
    await saved
    await page.reload()
    await readNotice(page, 'Updating client to-update was interrupted. Please look whether it was done.')
    await expect(page.getByText('These entries may have been sent')).toBeVisible()
    await page.reload()
    await fill(page, { Description: 'Attic' })
    await page.reload()
    await expect(page.getByText('Your unsent entries')).toBeVisible()
  })

  test('is charged once when a person repeats it after a lost connection', async ({ open, world }) => {
    const { page, held } = await atDealer(open, world)
    await fill(page, { Description: 'Paid in cash' })
    await loseEveryAnswer(page, SAVE)
    await pressAndConfirm(page, 'Add 1 credit')
    await readNotice(page, 'Error updating dealer. Please try again.', LOST)
    await comeBack(page)
    const question = page.getByRole('alertdialog')
    await expect(question).toContainText('Try again or cancel: nothing is done twice')
    await expect(question.getByRole('row').nth(1)).toHaveText('You54')
    await press(question, 'Add 1 credit')
    await readNotice(page, UPDATED, ONCE)
    expect(await held()).toEqual([4, 1])
  })

  test('that was given up after a lost connection shows what it has done, and leaves what was typed', async ({
    open,
    world,
  }) => {
    const { page, held } = await atDealer(open, world)
    await fill(page, { 'Other amount': '2', Description: 'Paid in cash' })
    await loseEveryAnswer(page, SAVE)
    await pressAndConfirm(page, 'Add 2 credits')
    await readNotice(page, 'Error updating dealer. Please try again.', LOST)
    await press(page.getByRole('alertdialog'), 'Cancel')
    await expect(page.getByRole('region', { name: 'Update Credits' })).toContainText('2 credits')
    await expect(page.getByLabel('Other amount')).toHaveValue('2')
    await expect(page.getByLabel('Description')).toHaveValue('Paid in cash')
    expect(await held()).toEqual([3, 2])
  })

  test('is charged once when a person repeats a renewal after a lost connection', async ({ open, world }) => {
    const { dealer } = await world.family({ credits: 9 })
    for (const login of ['client-1', 'client-2']) await world.client(dealer, { login })
    const page = await open({ as: dealer, at: '/clients' })
    const dialog = page.getByRole('dialog')
    const shown = () => dialog.locator('dl, [role=region]').last().textContent()
    const acts = [
      {
        path: 'renew',
        open: 'Renew client-1',
        submit: 'Renew for 1 credit',
        lost: 'Error renewing credits.',
      },
      { path: 'multirenew', submit: 'Renew 2 clients for 2 credits', lost: 'Error renewing clients.' },
    ]
    for (const { path, open, submit, lost } of acts) {
      await loseEveryAnswer(page, `**/v1/api/${path}`)
      if (open) await press(page, open)
      else {
        await page.getByRole('checkbox', { name: 'Select this page' }).check()
        await press(page, 'Renew selected')
      }
      await expect(dialog.getByRole('button', { name: submit })).toBeEnabled()
      const before = await shown()
      await press(dialog, submit)
      await readNotice(page, `${lost} Please try again.`, LOST)
      // The connection is back: whatever loads itself again does so now.
      await page.evaluate(() => fetch('/v1/health'))
      await page.evaluate(() => window.dispatchEvent(new Event('visibilitychange')))
      await expect(dialog.getByLabel('Months')).toBeDisabled()
      await expect(dialog.getByText('Try again or cancel: nothing is done twice')).toBeVisible()
      await new Promise((passed) => setTimeout(passed, 2_500))
      expect(await shown()).toBe(before)
      await press(dialog, submit)
      await expect(dialog).toHaveCount(0)
    }
    expect((await dealer.call(calls.credits.dealer)).credits).toBe(6)
  })

  test('is charged once when a person repeats the renewal of all who are due, though they are due again', async ({
    open,
    world,
  }) => {
    // From the last days of January a month is so short that a client who expires today is due within 30 days again.
    world.clock.set('2026-01-31T10:00:00.000Z')
    const { dealer } = await world.family({ credits: 9 })
    for (const login of ['client-1', 'client-2']) await world.client(dealer, { login })
    const page = await open({ as: dealer, at: '/due?filter=month' })
    await loseEveryAnswer(page, '**/v1/api/multirenew')
    await press(page, 'Renew all 2')
    const dialog = page.getByRole('dialog', { name: 'Renew 2 clients' })
    await press(dialog, 'Renew 2 clients for 2 credits')
    await readNotice(page, 'Error renewing clients. Please try again.', LOST)
    await page.evaluate(() => fetch('/v1/health'))
    await page.evaluate(() => window.dispatchEvent(new Event('visibilitychange')))
    await expect(dialog.getByLabel('Months')).toBeDisabled()
    await new Promise((passed) => setTimeout(passed, 2_500))
    await expect(dialog.getByText('Try again or cancel: nothing is done twice')).toBeVisible()
    await press(dialog, 'Renew 2 clients for 2 credits')
    await expect(dialog).toHaveCount(0)
    expect((await dealer.call(calls.credits.dealer)).credits).toBe(7)
  })

  test('of an expired client is charged once when a person repeats it, whatever else was typed before', async ({
    open,
    world,
  }) => {
    const { dealer, page } = await openExpired(open, world)
    await loseEveryAnswer(page, '**/v1/api/saveclient')
    await press(page, 'Update Client')
    await readNotice(page, 'Error updating client. Please try again.', LOST)
    await comeBack(page)
    // The client is loaded again, and has been renewed.
    await expect(page.getByText('Served until 2026-06-15')).toBeVisible()
    await press(page, 'Update Client')
    await readNotice(page, 'Client summer-house updated successfully!', ONCE)
    expect(await dealer.call(calls.credits.dealer)).toMatchObject({ credits: 2 })
    await page.goto('/update-client/summer-house')
    await expect(page.getByText('Your unsent entries')).toBeVisible()
    await expect(page.getByLabel('Description')).toHaveValue('Attic')
    await fill(page, { 'Add months': '1' })
    await press(page, 'Update Client')
    await expect(page).toHaveURL('/clients')
    expect(await dealer.call(calls.credits.dealer)).toMatchObject({ credits: 1 })
  })

  test('of months whose answer was lost is paid for once, also where something else is typed before the repeat', async ({
    open,
    world,
  }) => {
    const { dealer } = await world.family({ credits: 3 })
    await world.client(dealer, { login: 'to-renew' })
    const page = await open({ as: dealer, at: '/update-client/to-renew' })
    await loseEveryAnswer(page, '**/v1/api/saveclient')
    await fill(page, { 'Add months': '1' })
    await press(page, 'Update Client')
    await readNotice(page, 'Error updating client. Please try again.', LOST)
    await comeBack(page)
    await expect(page.getByText('Served until 2026-06-15')).toBeVisible()
    await fill(page, { Description: 'Attic' })
    await press(page, 'Update Client')
    await readNotice(page, 'Error updating client. Please try again.', EXPIRY_CHANGED)
    await press(page, 'Reload')
    await expect(page.getByLabel('Add months')).toHaveValue('0')
    await expect(page.getByLabel('Description')).toHaveValue('Attic')
    await press(page, 'Update Client')
    await readNotice(page, 'Client to-renew updated successfully!')
    expect(await dealer.call(calls.credits.dealer)).toMatchObject({ credits: 2 })
    expect(await dealer.call(calls.clients.detail, { name: 'to-renew' })).toMatchObject({
      description: 'Attic',
    })
  })

  test('takes a month back once when a person repeats it after a lost connection, and says so', async ({
    open,
    world,
  }) => {
    const { dealer } = await world.family({ credits: 3 })
    await world.client(dealer, { login: 'taken-back', months: 3 })
    const page = await open({ as: dealer, at: '/update-client/taken-back' })
    await loseEveryAnswer(page, '**/v1/api/retrieve')
    const card = page.getByRole('region', { name: 'Retrieve Credits' })
    await fill(card, { Credits: '1' })
    await press(card, 'Retrieve Credits')
    const question = page.getByRole('alertdialog', { name: 'Retrieve 1 credit?' })
    const before = await question.textContent()
    await press(question, 'Retrieve')
    await readNotice(page, 'Error retrieving credits. Please try again.', LOST)
    await page.evaluate(() => fetch('/v1/health'))
    await expect(page.getByText('Up to 2 credits can be retrieved')).toBeVisible()
    const said = 'Try again or cancel: nothing is done twice'
    await expect(question).toContainText(said)
    expect((await question.textContent())?.replace(said, '')).toBe(before)
    await press(question, 'Retrieve')
    await readNotice(page, 'Successfully retrieved 1 credits', ONCE)
    expect((await dealer.call(calls.credits.dealer)).credits).toBe(1)
    // Asked once more, it is another month.
    await expect(question).toHaveCount(0)
    await fill(card, { Credits: '1' })
    await press(card, 'Retrieve Credits')
    await press(question, 'Retrieve')
    await readNotice(page, 'Successfully retrieved 1 credits')
    expect((await dealer.call(calls.credits.dealer)).credits).toBe(2)
  })

  test('of the groups of a package shows, once its dialog is closed, what was done though the answer was lost', async ({
    open,
    world,
  }) => {
    await givePlaylist(world, A_PLAYLIST)
    const page = await open({ as: world.admin, at: '/admin/channels' })
    await loseEveryAnswer(page, '**/v1/admin/channels/assign')
    const choose = page.getByRole('button', { name: 'Choose groups of All Packages', exact: true })
    await choose.click()
    const dialog = page.getByRole('dialog', { name: 'Groups of All Packages' })
    await dialog.getByLabel('News').uncheck()
    await press(dialog, 'Save 1 group')
    await readNotice(page, 'Error saving the packages. Please try again.', LOST)
    await expect(dialog.getByText('Try again or cancel: nothing is done twice')).toBeVisible()
    await press(dialog, 'Cancel')
    await choose.click()
    await expect(dialog.getByLabel('News')).not.toBeChecked()
  })

  test('that is paid can be repeated after a lost answer, though the credits it has cost are gone', async ({
    open,
    world,
  }) => {
    const { dealer } = await world.family({ credits: 5 })
    await world.client(dealer, { login: 'to-renew' })
    const page = await open({ as: dealer, at: '/update-client/to-renew' })
    await loseEveryAnswer(page, '**/v1/api/saveclient')
    await fill(page, { 'Add months': '3' })
    await press(page, 'Update Client')
    await readNotice(page, 'Error updating client. Please try again.', LOST)
    await comeBack(page)
    await expect(page.getByLabel('Add months')).toBeDisabled()
    await expect(page.getByText('Try again: nothing is done twice')).toBeVisible()
    await press(page, 'Update Client')
    await readNotice(page, 'Client to-renew updated successfully!', ONCE)
    expect((await dealer.call(calls.credits.dealer)).credits).toBe(2)
    await page.goto('/new-client')
    await loseEveryAnswer(page, '**/v1/api/client')
    await fill(page, { 'Login Name': 'paid-client', Password: 'secret-1', Credits: '2' })
    await typeIn(page.getByLabel('MAC Address'), '001A79AABB01')
    await press(page, 'Submit')
    await readNotice(page, 'Error creating client. Please try again.', LOST)
    await comeBack(page)
    await expect(page.getByText('0 credits', { exact: true }).first()).toBeVisible()
    await expect(page.getByText(MAY_BE_DONE)).toBeVisible()
    await press(page, 'Submit')
    await readNotice(page, 'Client paid-client created successfully!', ONCE)
    expect((await dealer.call(calls.credits.dealer)).credits).toBe(0)
  })

  test('that was answered after a reload leaves nothing of it in the form', async ({ open, world }) => {
    const { dealer } = await world.family({ credits: 5 })
    await world.client(dealer, { login: 'to-renew' })
    const page = await open({ as: dealer, at: '/update-client/to-renew' })
    const charged = new Promise<void>((charged) => {
      page.route('**/v1/api/saveclient', (route) => route.fetch().then(() => charged()), { times: 1 })
    })
    await fill(page, { 'Add months': '3' })
    await press(page, 'Update Client')
    await charged
    await page.reload()
    await readNotice(page, 'Client to-renew updated successfully!')
    await expect(page.getByLabel('Add months')).toHaveValue('0')
    await expect(page.getByText('Your unsent entries')).toHaveCount(0)
    expect((await dealer.call(calls.credits.dealer)).credits).toBe(2)
  })

  test('of a request for credits that was answered after a reload leaves no draft of it', async ({
    open,
    world,
  }) => {
    const { reseller, dealer } = await world.family({ credits: 5, to: 'reseller' })
    const page = await open({ as: dealer, at: '/credit-requests' })
    const asked = new Promise<void>((asked) => {
      page.route('**/v1/credit-requests', (route) => {
        if (route.request().method() !== 'POST') return route.continue()
        return route.fetch().then(() => asked())
      })
    })
    await fill(page, { 'Other amount': '2', Note: 'For June' })
    await press(page, 'Ask for 2 credits')
    await asked
    await page.reload()
    await expect(page.getByText(`You asked ${reseller.name} for 2 credits`)).toBeVisible()
    const [request] = (await reseller.call(calls.requests.list)).data
    await reseller.call(calls.requests.grant, { id: request?.id ?? 0, credits: 2 })
    await page.reload()
    await expect(page.getByRole('button', { name: 'Ask for 1 credit', exact: true })).toBeVisible()
    await expect(page.getByText('Your unsent entries')).toHaveCount(0)
  })

  test('that deletes chosen clients stands still after a lost answer, and can be repeated', async ({
    open,
    world,
  }) => {
    const { dealer } = await world.family()
    for (const login of ['gone-1', 'gone-2', 'stays']) {
      await world.client(dealer, { login })
      if (login !== 'stays') await world.setExpiry(login, '2026-05-14T23:59:59.000Z')
    }
    const page = await open({ as: dealer, at: '/clients' })
    await loseEveryAnswer(page, '**/v1/api/multiremove')
    await page.getByRole('checkbox', { name: 'Select this page' }).check()
    await choose(page, 'More', 'Delete expired')
    const question = page.getByRole('alertdialog', { name: 'Delete 2 clients?' })
    await question.getByLabel('Leave it out').check()
    await press(question, 'Delete 2 clients')
    await readNotice(page, 'Error deleting clients. Please try again.', LOST)
    await comeBack(page)
    await expect(question).not.toContainText('by somebody else')
    await expect(question).toContainText('Try again or cancel: nothing is done twice')
    await press(question, 'Delete 2 clients')
    await expect(question).toHaveCount(0)
    await expect(rows(page, 'Clients')).toHaveCount(1)
  })

  test('that moves all clients of a dealer stands still after a lost answer, and can be repeated long after', async ({
    open,
    world,
  }) => {
    const { reseller, dealer } = await world.family()
    const { name: to } = await world.child(reseller)
    for (const login of ['moved-1', 'moved-2']) await world.client(dealer, { login })
    const page = await open({ as: reseller, at: `/tree/${dealer.name}` })
    const dialog = await loseMove(page, to, 2)
    await expect(dialog).toContainText('Try again or cancel: nothing is done twice')
    await page.clock.install()
    await page.clock.fastForward(40 * 60_000)
    await press(dialog, `Move 2 clients to ${to}`)
    await readNotice(page, `2 clients moved to ${to}`)
    await expect(dialog).toHaveCount(0)
  })

  test('that moved all clients of a dealer, and was left by Back, is another one for those that came since', async ({
    open,
    world,
  }) => {
    const { reseller, dealer } = await world.family()
    const { name: to } = await world.child(reseller)
    await world.client(dealer, { login: 'moved-1' })
    const page = await open({ as: reseller, at: '/tree' })
    await page.getByRole('link', { name: dealer.name }).click()
    await expect(page).toHaveURL(`/tree/${dealer.name}`)
    const dialog = await loseMove(page, to, 1)
    await page.goBack()
    await expect(page).toHaveURL('/tree')
    for (const login of ['came-1', 'came-2']) await world.client(dealer, { login })
    await page.clock.fastForward(60_000)
    await page.getByRole('link', { name: dealer.name }).click()
    await press(page, 'Move clients')
    await fill(dialog, { To: to })
    await press(dialog, `Move 2 clients to ${to}`)
    await readNotice(page, `2 clients moved to ${to}`)
    expect((await dealer.call(calls.clients.list)).count).toBe(0)
  })

  test('that is given up after a fault shows what it has done', async ({ open, world }) => {
    const { reseller, dealer } = await world.family({ credits: 5, to: 'reseller' })
    await dealer.call(calls.requests.ask, { credits: 2 })
    const asking = await open({ as: dealer, at: '/credit-requests' })
    const giveUp = async (page: Page, question: Locator, submit: string) => {
      await press(question, submit)
      await expect(page.getByText(FAULT.message).first()).toBeVisible()
      await press(question, 'Cancel')
      await expect(question).toHaveCount(0)
    }
    await failAfterwards(asking, '**/v1/credit-requests/withdraw')
    await press(asking, 'Withdraw')
    await giveUp(asking, asking.getByRole('alertdialog'), 'Withdraw')
    await expect(asking.getByRole('region', { name: /^You asked/ })).toHaveCount(0)
    await dealer.call(calls.requests.ask, { credits: 2 })
    const granting = await open({ as: reseller, at: '/credit-requests' })
    await failAfterwards(granting, '**/v1/credit-requests/grant')
    await press(granting, `Grant ${dealer.name}`)
    await giveUp(granting, granting.getByRole('dialog'), 'Grant 2 credits')
    await expect(granting.getByText('No open requests')).toBeVisible()
    const page = await open({ as: reseller, at: `/tree/${dealer.name}` })
    const access = page.getByRole('region', { name: 'Access' })
    await failAfterwards(page, '**/v1/tree/suspend')
    await press(page, 'Suspend')
    await giveUp(page, page.getByRole('dialog'), `Suspend ${dealer.name}`)
    await expect(access).toContainText('Suspended')
    // There is nothing to give up here.
    await failAfterwards(page, '**/v1/tree/lift')
    await press(page, 'Lift suspension')
    await expect(access).toContainText('Can sign in')
    await failAfterwards(page, '**/v1/tree/close')
    await press(page, 'Close')
    await giveUp(page, page.getByRole('alertdialog'), `Close ${dealer.name}`)
    await expect(page.getByRole('button', { name: 'Close', exact: true })).toHaveCount(0)
  })

  test('that is given up after a fault, undone and made again is made, and its notice says so', async ({
    open,
    world,
  }) => {
    const { reseller, dealer } = await world.family()
    const page = await open({ as: reseller, at: `/tree/${dealer.name}` })
    const access = page.getByRole('region', { name: 'Access' })
    const dialog = page.getByRole('dialog')
    await failAfterwards(page, '**/v1/tree/suspend')
    await press(page, 'Suspend')
    await press(dialog, `Suspend ${dealer.name}`)
    await expect(page.getByText(FAULT.message).first()).toBeVisible()
    await press(dialog, 'Cancel')
    await press(page, 'Lift suspension')
    await expect(access).toContainText('Can sign in')
    await press(page, 'Suspend')
    await press(dialog, `Suspend ${dealer.name}`)
    await readNotice(page, `${dealer.name} is suspended`)
    await expect(access).toContainText('Suspended')
  })

  test('that moves an account stands still after a lost answer, and can be repeated', async ({
    open,
    world,
  }) => {
    const { superreseller, reseller, dealer } = await world.family({ credits: 5 })
    const other = await world.child(superreseller)
    const page = await open({ as: superreseller, at: `/tree/${dealer.name}` })
    await loseEveryAnswer(page, '**/v1/tree/move')
    await press(page, 'Move')
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('To').selectOption(other.name)
    await press(dialog, `Move to ${other.name}`)
    await readNotice(page, 'Error moving the account. Please try again.', LOST)
    await comeBack(page)
    await expect(dialog).toContainText(`${reseller.name} keeps the transactions`)
    await press(dialog, `Move to ${other.name}`)
    await readNotice(page, `${dealer.name} was moved to ${other.name}`, ONCE)
  })

  test('that closes an account stands still after a lost answer, and can be repeated', async ({
    open,
    world,
  }) => {
    const { reseller, dealer } = await world.family({ credits: 5 })
    const page = await open({ as: reseller, at: `/update-dealer/${dealer.name}` })
    await loseEveryAnswer(page, '**/v1/tree/close')
    await press(page, 'Close')
    const question = page.getByRole('alertdialog')
    await expect(question).toContainText(`5 credits go to ${reseller.name}.`)
    await press(question, `Close ${dealer.name}`)
    await readNotice(page, 'Error closing the account. Please try again.', LOST)
    await comeBack(page)
    await expect(question).toContainText(`5 credits go to ${reseller.name}.`)
    await press(question, `Close ${dealer.name}`)
    await readNotice(page, `${dealer.name} is closed`, ONCE)
  })

  test('is charged once when a proxy refuses its second try', async ({ open, world }) => {
    const { page, held } = await atDealer(open, world)
    const refused = { status: 403, contentType: 'text/html', body: '<h1>Forbidden</h1>' }
    let tries = 0
    await page.route(SAVE, (route) => {
      tries += 1
      if (tries === 1) return loseAnswer(route)
      return tries === 2 ? route.fulfill(refused) : route.continue()
    })
    await pressAndConfirm(page, 'Add 1 credit')
    await expect(page.getByText('Error updating dealer. Please try again.')).toBeVisible()
    await press(page.getByRole('alertdialog'), 'Add 1 credit')
    await readNotice(page, UPDATED, ONCE)
    expect(await held()).toEqual([4, 1])
  })

  test('is charged once however often its question is clicked while it closes', async ({ open, world }) => {
    const { name } = await world.child(world.admin)
    const page = await open({ as: world.admin, at: `/update-super-reseller/${name}`, motion: true })
    const save = '**/v1/admin/save'
    let saves = 0
    await page.route(save, async (route) => {
      saves += 1
      await new Promise((passed) => setTimeout(passed, 900))
      await route.continue()
    })
    await press(page, 'Add 1 credit')
    const yes = page.getByRole('alertdialog').getByRole('button', { name: 'Add 1 credit', exact: true })
    const { x, y, width, height } = (await yes.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 }
    const saved = page.waitForResponse(save)
    await yes.click()
    await saved
    const told = page.getByText('Super Reseller updated successfully!').waitFor()
    for (let clicks = 0; clicks < 60; clicks += 1) await page.mouse.click(x + width / 2, y + height / 2)
    await told
    await expect(page.getByRole('alertdialog')).toHaveCount(0)
    expect(saves).toBe(1)
  })

  test('is charged once when it is repeated after another one of its kind', async ({ open, world }) => {
    const { me, dealer, page, held } = await atDealer(open, world)
    const { name: other } = await world.child(me)
    await loseEveryAnswer(page, SAVE)
    await pressAndConfirm(page, 'Add 1 credit')
    await readNotice(page, 'Error updating dealer. Please try again.', LOST)
    for (const [name, said] of [
      [other, undefined],
      [dealer.name, ONCE],
    ] as const) {
      await page.goto(`/update-dealer/${name}`)
      await pressAndConfirm(page, 'Add 1 credit')
      await readNotice(page, UPDATED, said)
    }
    expect(await held()).toEqual([3, 1])
  })

  test('is charged once when its session ended before it was repeated', async ({ open, world }) => {
    const { me, dealer, page } = await atDealer(open, world)
    await page.waitForLoadState('networkidle')
    const underWay = underWayOn(page)
    await page.route(
      SAVE,
      async (route) => {
        await route.fetch()
        // So that the repeated change is what hears first that the session has ended.
        await expect.poll(() => underWay.size).toBe(1)
        await world.server.ownerSql`delete from session where account = ${me.id}`
        await route.abort()
      },
      { times: 1 },
    )
    const again = page.waitForResponse(SAVE)
    await press(page, 'Add 1 credit')
    await press(page.getByRole('alertdialog'), 'Add 1 credit')
    expect((await again).status()).toBe(401)
    await expect(page).toHaveURL('/login')
    await signIn(page, me.name)
    const said = 'Your session ended before the answer came. Please look whether it was done.'
    await readNotice(page, 'Error updating dealer. Please try again.', `${said} It was about ${dealer.name}.`)
    await pressAndConfirm(page, 'Add 1 credit')
    await readNotice(page, UPDATED, ONCE)
    expect((await dealer.call(calls.credits.dealer)).credits).toBe(1)
  })

  test('is charged once when its person signed out and in again before it was repeated', async ({
    open,
    world,
  }) => {
    const { me, dealer, page } = await atDealer(open, world)
    await loseEveryAnswer(page, SAVE)
    await pressAndConfirm(page, 'Add 1 credit')
    await readNotice(page, 'Error updating dealer. Please try again.', LOST)
    await comeBack(page)
    await press(page.getByRole('alertdialog'), 'Cancel')
    const form = page.url()
    await press(page, 'Logout')
    await expect(page).toHaveURL('/login')
    await signIn(page, me.name)
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Dashboard')
    await page.goto(form)
    await pressAndConfirm(page, 'Add 1 credit')
    await readNotice(page, UPDATED, ONCE)
    expect((await dealer.call(calls.credits.dealer)).credits).toBe(1)
  })

  test('is charged once when it is repeated long after, in the form that was told of no answer', async ({
    open,
    world,
  }) => {
    const { page, held } = await atDealer(open, world)
    await loseEveryAnswer(page, SAVE)
    await pressAndConfirm(page, 'Add 1 credit')
    await readNotice(page, 'Error updating dealer. Please try again.', LOST)
    await page.clock.fastForward(40 * 60_000)
    await press(page.getByRole('alertdialog'), 'Add 1 credit')
    await readNotice(page, UPDATED, ONCE)
    expect(await held()).toEqual([4, 1])
  })

  test('for credits whose answer was lost is another one once the first has ended, as the page then shows', async ({
    open,
    world,
  }) => {
    const { reseller, dealer } = await world.family({ credits: 9, to: 'reseller' })
    const page = await open({ as: dealer, at: '/credit-requests' })
    await loseEveryAnswer(page, '**/v1/credit-requests')
    await press(page, 'Ask for 1 credit')
    await readNotice(page, 'Error asking for credits. Please try again.', LOST)
    const [request] = (await reseller.call(calls.requests.list)).data
    await reseller.call(calls.requests.grant, { id: request?.id ?? 0, credits: 1 })
    await page.reload()
    await expect(rows(page, 'Your Requests')).toHaveText([/Granted/])
    await press(page, 'Ask for 1 credit')
    await readNotice(page, 'Asked for 1 credit')
    await expect(rows(page, 'Your Requests')).toHaveText([/Open/, /Granted/])
  })

  test('is not sent in the session of another account that signed in meanwhile', async ({ open, world }) => {
    const { reseller, dealer } = await world.family()
    const other = await world.child(reseller)
    const page = await open({ as: dealer, at: '/new-client' })
    let tries = 0
    let isAway = true
    await page.route('**/v1/api/client', async (route) => {
      tries += 1
      if (isAway) await route.abort('connectionrefused')
      else await route.continue()
    })
    await fill(page, { 'Login Name': 'of-the-first', Password: 'tv-1234' })
    await typeIn(page.getByLabel('MAC Address'), 'A1B2C3')
    await press(page, 'Submit')
    await expect.poll(() => tries).toBeGreaterThan(0)
    await press(page, 'Logout')
    await press(page.getByRole('alertdialog'), 'Logout')
    await signIn(page, other.name)
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Dashboard')
    // What was typed is nobody else's; its key stays, should the same person submit it again.
    const left = await page.evaluate(() => sessionStorage.getItem('submits') ?? '')
    expect(left).toContain('"clients.create"')
    expect(left).not.toMatch(/of-the-first|A1:B2:C3/)
    isAway = false
    // All pauses between tries are over.
    await new Promise((passed) => setTimeout(passed, 8_000))
    expect(await world.server.ownerSql`select from client`).toHaveLength(0)
    expect(await page.evaluate(() => sessionStorage.getItem('submits') ?? '')).not.toContain('of-the-first')
  })

  test('is refused in one of two tabs that spend the last credits at the same time', async ({
    open,
    world,
  }) => {
    const { page, held } = await atDealer(open, world)
    const other = await page.context().newPage()
    await other.goto(page.url())
    for (const tab of [page, other]) await fill(tab, { Credits: '5' })
    // Whoever comes second still sees the balance of before.
    const releases = await Promise.all(
      [page, other].map(async (tab) => {
        await expect(tab.getByRole('complementary')).toContainText('5 credits')
        return holdBack(tab, '**/v1/reseller/credits')
      }),
    )
    await Promise.all([pressAndConfirm(page, 'Add 5 credits'), pressAndConfirm(other, 'Add 5 credits')])
    for (const release of releases) release()
    const said = await Promise.all([page, other].map((tab) => saidBy(tab)))
    expect(said.sort()).toEqual([UPDATED, 'You have 0 credits; this needs 5.'])
    expect(await held()).toEqual([0, 5])
  })
})

describe('while the server cannot be reached', () => {
  test('a form says what may have been done, and a notice that could not be fetched does once the server is back', async ({
    open,
    world,
  }) => {
    const page = await atClient(open, world)
    await expect(page.getByLabel('Description')).toBeEnabled()
    await page.context().setOffline(true)
    await fill(page, { Description: 'Typed offline' })
    const button = page.getByRole('button', { name: 'Update Client' })
    await button.click()
    const left = page.getByText(MAY_BE_DONE)
    await expect(left).toBeVisible()
    await expect(button).toBeEnabled()
    await page.context().setOffline(false)
    await readNotice(page, 'Error updating client. Please try again.', LOST)
    await expect(left).toBeVisible()
    await button.click()
    await readNotice(page, 'Client to-update updated successfully!', ONCE)
  })

  test('a banner says so, even on a page opened then, and the data loads by itself once the server is back', async ({
    open,
    world,
  }) => {
    const { me, page } = await atDealer(open, world)
    await page.route('**/v1/**', (route) => route.abort('connectionrefused'))
    await page.goto('/dealers')
    await expect(page.getByText(BANNER)).toBeVisible()
    await world.child(me, 2, 'came-meanwhile')
    await page.unroute('**/v1/**')
    await expect(page.getByText(BANNER)).toHaveCount(0)
    await expect(page.getByRole('link', { name: 'came-meanwhile' })).toBeVisible()
    await expect(page.getByRole('alert')).toHaveCount(0)
  })

  test('a page that was never fetched says so, and shows itself once the server is back', async ({
    open,
    world,
  }) => {
    const page = await open({ as: (await world.family()).dealer })
    await page.context().setOffline(true)
    await page.getByRole('link', { name: 'Sign-ins' }).click()
    await expect(page.getByText('Error: This page cannot be shown without a connection.')).toBeVisible()
    await press(page, 'Retry')
    await page.context().setOffline(false)
    await expect(page.getByRole('heading', { name: 'Sign-ins', level: 1 })).toBeVisible()
  })

  test('a page that was never fetched stays on the screen when the connection comes back for one answer only', async ({
    open,
    world,
  }) => {
    const page = await open({ as: (await world.family()).dealer })
    // A call of before that is answered only now would be an answer too.
    await page.route('**/assets/SignIns-*.js', (route) => route.abort())
    await page.waitForLoadState('networkidle')
    await page.context().setOffline(true)
    await page.getByRole('link', { name: 'Sign-ins' }).click()
    const reason = page.getByText('Error: This page cannot be shown without a connection.')
    await expect(reason).toBeVisible()
    let answers = 0
    await page.route('**/v1/health', (route) =>
      answers++ === 0 ? route.fulfill({ json: {} }) : route.abort(),
    )
    await expect.poll(() => answers, { timeout: 15_000 }).toBeGreaterThan(2)
    await expect(reason).toBeVisible()
    await page.unrouteAll()
    await page.context().setOffline(false)
    await expect(page.getByRole('heading', { name: 'Sign-ins', level: 1 })).toBeVisible()
  })

  test('a page whose script the server refuses says so, and a button loads it again', async ({
    open,
    world,
  }) => {
    const page = await open({ as: (await world.family()).dealer })
    await page.route('**/assets/SignIns-*.js', (route) => route.fulfill({ status: 404 }))
    await page.getByRole('link', { name: 'Sign-ins' }).click()
    await expect(page.getByText('Error: This page could not be shown.')).toBeVisible()
    await page.unrouteAll()
    await press(page, 'Retry')
    await expect(page.getByRole('heading', { name: 'Sign-ins', level: 1 })).toBeVisible()
  })

  test('a list shows the reason of its failure with its code, and a button loads it again', async ({
    open,
    world,
  }) => {
    const { reseller } = await world.family()
    const page = await open({ as: reseller })
    await page.route('**/v1/reseller/list', (route) => route.fulfill({ status: 500, json: FAULT }))
    await page.goto('/dealers')
    await expect(page.getByRole('alert')).toContainText(
      `Error: ${FAULT.message} Tell whoever runs Boxtree this code: ${FAULT.request_id}`,
    )
    await page.unroute('**/v1/reseller/list')
    await press(page, 'Retry')
    await expect(rows(page, 'Dealers')).toHaveCount(1)
  })
})

const FAULT = {
  status: 'ERROR',
  code: 'internal',
  message: 'Something went wrong on our side.',
  request_id: '3f9a0c1b2d4e',
}

/** Lets the server carry out the call, and drops its answer. */
async function loseAnswer(route: Route): Promise<void> {
  await route.fetch()
  await route.abort('connectionreset')
}

/**
 * Loses the first answers to a call, which is carried out each time. The route stays, and lets later calls through:
 * while the last route of a page is taken away, Chromium may keep a request of that moment for ever.
 */
async function loseAnswers(page: Page, url: string, times: number): Promise<void> {
  let left = times
  await page.route(url, async (route) => {
    if (left === 0) return route.continue()
    left -= 1
    await loseAnswer(route)
  })
}

/**
 * Loses the answers to a change and to all three times that the page sends it again, as above. The page's clock runs
 * ahead through the pauses between these tries, as if they had been waited for.
 */
async function loseEveryAnswer(page: Page, url: string): Promise<void> {
  await page.clock.install()
  let left = 4
  await page.route(url, async (route) => {
    if (left === 0 || route.request().method() !== 'POST') return route.continue()
    left -= 1
    const now = left
    await loseAnswer(route)
    // The longest pause takes four seconds. Where the clock ran ahead too early, the page waits as it otherwise does.
    for (let passed = 0; passed < 6_000 && left === now && now > 0; passed += 250)
      await page.clock.runFor(250)
  })
}

/** Moves all of so many clients to a dealer, without an answer. Returns the dialog. */
async function loseMove(page: Page, to: string, clients: number): Promise<Locator> {
  await loseEveryAnswer(page, '**/v1/tree/move-clients')
  await press(page, 'Move clients')
  const dialog = page.getByRole('dialog')
  await fill(dialog, { To: to })
  await press(dialog, `Move ${counted(clients, 'client')} to ${to}`)
  await readNotice(page, 'Error moving the clients. Please try again.', LOST)
  await comeBack(page)
  return dialog
}

/** Lets the server carry out the call once, and answers with a fault. */
async function failAfterwards(page: Page, url: string): Promise<void> {
  await page.route(
    url,
    async (route) => {
      await route.fetch()
      await route.fulfill({ status: 500, json: FAULT })
    },
    { times: 1 },
  )
}

/** Lets the page learn that the connection is back, upon which it loads again what it shows. */
async function comeBack(page: Page): Promise<void> {
  await page.evaluate(() => fetch('/v1/health'))
  await page.evaluate(() => window.dispatchEvent(new Event('visibilitychange')))
  await new Promise((passed) => setTimeout(passed, 2_500))
}

/** Opens the update screen of a client on a trial, as its dealer. */
async function atClient(open: (visit: { as: Person; at: string }) => Promise<Page>, world: World) {
  const { dealer } = await world.family()
  await world.client(dealer, { login: 'to-update' })
  return open({ as: dealer, at: '/update-client/to-update' })
}

/** Opens the update screen of a dealer without credits, as its reseller with 5. `held` returns the two balances. */
async function atDealer(open: (visit: { as: Person; at: string }) => Promise<Page>, world: World) {
  const { reseller: me, dealer } = await world.family({ credits: 5, to: 'reseller' })
  const page = await open({ as: me, at: `/update-dealer/${dealer.name}` })
  await expect(page.getByRole('region', { name: 'Update Credits' })).toContainText('0 credits')
  const held = async () => [
    (await me.call(calls.credits.reseller)).credits,
    (await dealer.call(calls.credits.dealer)).credits,
  ]
  return { me, dealer, page, held }
}

/** Returns the text of the first notice that a tab shows. */
async function saidBy(page: Page): Promise<string> {
  return (await noticesOn(page).textContent()) ?? ''
}

import { readFile } from 'node:fs/promises'
import type { Locator, Page } from 'playwright-core'
import { describe } from 'vitest'
import { calls } from '../../contract/calls.ts'
import {
  choose,
  countActs,
  countCalls,
  expect,
  expectAccessible,
  fill,
  holdBack,
  press,
  readNotice,
  rows,
  signIn,
  test,
  typeIn,
} from '../support/browser.ts'
import type { Person, World } from '../support/world.ts'

/** A dealer of ten clients, `one-1` to `one-5` and `two-1` to `two-5`; the last two of each have expired. */
async function dealerOfTen(world: World): Promise<Person> {
  const { dealer } = await world.family({ credits: 20 })
  for (const at of [1, 2, 3, 4, 5]) {
    for (const login of [`one-${at}`, `two-${at}`]) {
      await world.client(dealer, { login })
      if (at > 3) await world.setExpiry(login, '2026-05-14T23:59:59.000Z')
    }
  }
  return dealer
}

const selection = (page: Page) => page.getByRole('group', { name: 'Selection' })
const box = (page: Page, name: string) => page.getByLabel(`Select ${name}`)

describe('chosen clients', () => {
  test('whom somebody else has deleted or moved meanwhile are named and left out, and it is done to the others', async ({
    open,
    world,
  }) => {
    const dealer = await dealerOfTen(world)
    const page = await open({ as: dealer, at: '/clients' })
    const left = (name: string) =>
      `1 client is left out, deleted or moved by somebody else meanwhile: ${name}`
    for (const name of ['one-1', 'two-1', 'two-2']) await box(page, name).check()
    await world.admin.call(calls.admin.remove, { name: 'one-1' })
    await press(selection(page), 'Renew selected')
    const renewal = page.getByRole('dialog', { name: 'Renew 2 clients' })
    await expect(renewal).toContainText(left('one-1'))
    await expectAccessible(page)
    await fill(renewal, { Months: '2' })
    await press(renewal, 'Renew 2 clients for 4 credits')
    await readNotice(page, 'Successfully renewed 2 month(s) for 2 clients')
    for (const name of ['two-2', 'two-3']) await box(page, name).check()
    await world.admin.call(calls.admin.remove, { name: 'two-3' })
    await choose(selection(page), 'More', 'Switch off')
    const off = page.getByRole('dialog', { name: 'Switch clients off' })
    await expect(off).toContainText(left('two-3'))
    await press(off, 'Cancel')
    await expect(selection(page)).toContainText('1 selected')
    await choose(selection(page), 'More', 'Switch off')
    await press(off, 'Switch 1 client off')
    await readNotice(page, 'Successfully switched 1 client off')
    await expect(selection(page)).toHaveCount(0)
    for (const name of ['one-2', 'one-3']) await box(page, name).check()
    await world.admin.call(calls.admin.remove, { name: 'one-2' })
    const file = page.waitForEvent('download')
    // What is selected or not while the answer is on its way stays so.
    const answer = await holdBack(page, '**/clients/export')
    await choose(selection(page), 'More', 'Export as CSV')
    await box(page, 'two-1').check()
    answer()
    await readNotice(page, '1 client is left out, deleted or moved by somebody else meanwhile.', 'one-2')
    expect(await readFile(await (await file).path(), 'utf8')).toMatch(/"Created"\r\n"one-3",[^\n]*\n$/)
    await expect(selection(page)).toContainText('2 selected')
    await expect(box(page, 'two-1')).toBeChecked()
    await box(page, 'two-1').uncheck()
    await choose(selection(page), 'More', 'Switch on')
    const on = page.getByRole('dialog', { name: 'Switch clients on' })
    await expect(on).toContainText(/1 client is on already\..*Switch 0 clients on/)
    await expect(on).not.toContainText('served again')
    await expect(on.getByRole('button', { name: 'Switch 0 clients on' })).toBeDisabled()
  })

  test('who are all gone are named where they were to be renewed or changed, and leave the selection and the list', async ({
    open,
    world,
  }) => {
    const dealer = await dealerOfTen(world)
    const page = await open({ as: dealer, at: '/clients' })
    const left = 'left out, deleted or moved by somebody else meanwhile'
    for (const name of ['one-1', 'two-1']) await box(page, name).check()
    for (const name of ['one-1', 'two-1']) await world.admin.call(calls.admin.remove, { name })
    await press(selection(page), 'Renew selected')
    const renewal = page.getByRole('dialog', { name: 'Renew clients' })
    await expect(renewal).toContainText(`2 clients are ${left}: one-1, two-1`)
    await expect(renewal.getByRole('button', { name: 'Retry' })).toHaveCount(0)
    await press(renewal, 'Cancel')
    await expect(selection(page)).toHaveCount(0)
    await expect(rows(page, 'Clients')).toHaveCount(8)
    await box(page, 'one-2').check()
    await world.admin.call(calls.admin.remove, { name: 'one-2' })
    await choose(selection(page), 'More', 'Switch off')
    const off = page.getByRole('dialog', { name: 'Switch clients off' })
    await expect(off).toContainText(`1 client is ${left}: one-2`)
    await expect(off).not.toContainText('expired')
    await press(off, 'Cancel')
    await expect(selection(page)).toHaveCount(0)
    await expect(rows(page, 'Clients')).toHaveCount(7)
    await world.admin.call(calls.admin.remove, { name: 'two-2' })
    await press(page, 'Renew two-2')
    await expect(page.getByRole('dialog')).toContainText(`1 client is ${left}: two-2`)
    await press(page.getByRole('dialog'), 'Cancel')
    await expect(rows(page, 'Clients')).toHaveCount(6)
  })

  test('who are all gone are left out of an export, which then has nothing, and of the list', async ({
    open,
    world,
  }) => {
    const dealer = await dealerOfTen(world)
    const page = await open({ as: dealer, at: '/clients' })
    for (const name of ['one-1', 'one-2']) {
      await box(page, name).check()
      await world.admin.call(calls.admin.remove, { name })
    }
    await choose(selection(page), 'More', 'Export as CSV')
    const said = '2 clients are left out, deleted or moved by somebody else meanwhile.'
    await readNotice(page, said, 'one-1, one-2')
    await expect(selection(page)).toHaveCount(0)
    await expect(rows(page, 'Clients')).toHaveCount(8)
    await expect(page.getByText('Error exporting. Please try again.')).toHaveCount(0)
  })

  test('survive a search, a filter, a page, another screen, Back and the late answer of others, and those that are not shown are counted', async ({
    open,
    world,
  }) => {
    const page = await open({ as: await dealerOfTen(world), at: '/clients?perPage=5' })
    await box(page, 'one-1').check()
    await box(page, 'one-4').check()
    await expect(selection(page)).toContainText('2 selected')
    await typeIn(page.getByRole('searchbox', { name: 'Search clients' }), 'two')
    await expect(selection(page)).toContainText('2 selected, 2 not shown')
    await box(page, 'two-5').check()
    await expect(selection(page)).toContainText('3 selected, 2 not shown')
    await page.getByRole('link', { name: 'two-1' }).click()
    await expect(page.getByRole('heading', { name: 'Update Client: two-1' })).toBeVisible()
    await expect(selection(page)).toHaveCount(0)
    await page.goBack()
    await expect(box(page, 'two-5')).toBeChecked()
    await expect(selection(page)).toContainText('3 selected, 2 not shown')

    await press(selection(page), 'Renew selected')
    const answer = await holdBack(page, '**/v1/api/multirenew')
    await press(page.getByRole('dialog'), 'Renew 3 clients for 3 credits')
    await page.goForward()
    await expect(page.getByRole('heading', { name: 'Update Client: two-1' })).toBeVisible()
    await page.goBack()
    for (const name of ['two-2', 'two-4']) await box(page, name).check()
    await expect(selection(page)).toContainText('5 selected, 2 not shown')
    answer()
    await readNotice(page, 'Successfully renewed 1 month(s) for 3 clients')
    await expect(selection(page)).toContainText('2 selected')

    await press(page, 'Clear the search')
    await page.getByRole('radio', { name: /^Expired/ }).check({ force: true })
    await expect(rows(page, 'Clients')).toHaveCount(2)
    await expect(selection(page)).toContainText('2 selected, 1 not shown')
    await expect(box(page, 'two-4')).toBeChecked()
    await press(selection(page), 'Clear the selection')
    await expect(selection(page)).toHaveCount(0)
  })

  test('are forgotten by a logout, also for the same dealer', async ({ open, world }) => {
    const dealer = await dealerOfTen(world)
    const page = await open({ as: dealer, at: '/clients' })
    await box(page, 'one-1').check()
    await press(page, 'Logout')
    await signIn(page, dealer.name)
    await page.getByRole('link', { name: 'Clients', exact: true }).click()
    await expect(box(page, 'one-1')).not.toBeChecked()
    await expect(selection(page)).toHaveCount(0)
  })

  test('are at most 1,000, with those that were selected before', async ({ open, world }) => {
    const { dealer } = await world.family()
    await world.plantClients(dealer, { last: 1_000, digits: 4 })
    await world.plantClients(dealer, { prefix: 'other-', last: 1 })
    const page = await open({ as: dealer, at: '/clients?search=other' })
    await box(page, 'other-1').check()
    await press(page, 'Clear the search')
    await expect(rows(page, 'Clients')).toHaveCount(10)
    await page.getByLabel('Select this page').check()
    await press(selection(page), 'Select the first 1,000')
    await expect(selection(page)).toContainText('1,000 selected')
    await expect(page.getByText('At most 1,000 clients can be selected.')).toBeVisible()
    await expect(selection(page).getByRole('button', { name: /^Select/ })).toHaveCount(0)
  })

  test('can be all that a search finds, however many others are selected', async ({ open, world }) => {
    const page = await open({ as: await dealerOfTen(world), at: '/clients?perPage=5&filter=expired' })
    const offer = selection(page).getByRole('button', { name: /^Select (all|the first)/ })
    await page.getByLabel('Select this page').check()
    await expect(selection(page)).toContainText('4 selected')
    await expect(offer).toHaveCount(0)
    await page.getByRole('radio', { name: /^Active/ }).check({ force: true })
    await expect(rows(page, 'Clients')).toHaveCount(5)
    await page.getByLabel('Select this page').check()
    await expect(selection(page)).toContainText('9 selected, 4 not shown')
    await offer.click()
    await expect(selection(page)).toContainText('10 selected')
    await expect(offer).toHaveCount(0)
  })

  test('are a range with Shift, by the pointer and by the keyboard', async ({ open, world }) => {
    const page = await open({ as: await dealerOfTen(world), at: '/clients' })
    const acts = await countActs(page)
    await box(page, 'one-2').click()
    await box(page, 'one-5').click({ modifiers: ['Shift'] })
    await expect(selection(page)).toContainText('4 selected')
    expect((await acts()).clicks).toBe(2)
    for (const name of ['one-2', 'one-3', 'one-4', 'one-5']) await expect(box(page, name)).toBeChecked()
    await box(page, 'one-3').click({ modifiers: ['Shift'] })
    await expect(selection(page)).toContainText('1 selected')
    await box(page, 'two-1').focus()
    await page.keyboard.press('Space')
    await box(page, 'two-4').focus()
    await page.keyboard.press('Shift+Space')
    await expect(selection(page)).toContainText('5 selected')
    expect(await page.evaluate(() => getSelection()?.toString())).toBe('')
  })

  test('are a range also in Firefox, whose clicks by the space bar and on labels tell nothing of Shift', async ({
    open,
    world,
  }) => {
    const page = await open({ as: await dealerOfTen(world), at: '/clients' })
    await page.evaluate(() => {
      const asFirefox = (event: MouseEvent) => {
        // A key makes no click that counts.
        if (event.detail === 0) Object.defineProperty(event, 'shiftKey', { value: false })
        else if (event.shiftKey && event.target instanceof HTMLLabelElement) event.preventDefault()
      }
      window.addEventListener('click', asFirefox, { capture: true })
    })
    await box(page, 'one-2').focus()
    await page.keyboard.press('Space')
    await box(page, 'one-5').focus()
    await page.keyboard.press('Shift+Space')
    await expect(selection(page)).toContainText('4 selected')
    const beside = (name: string) =>
      box(page, name)
        .locator('xpath=..')
        .click({ position: { x: 2, y: 2 }, modifiers: ['Shift'] })
    await beside('one-3')
    await expect(selection(page)).toContainText('1 selected')
    await box(page, 'two-1').click()
    await beside('two-4')
    await expect(selection(page)).toContainText('5 selected')
    // Shift is not held any more.
    await box(page, 'one-1').click()
    await expect(selection(page)).toContainText('6 selected')
  })

  test('stay selected where a dialog cannot be loaded, and it opens the next time', async ({
    open,
    world,
  }) => {
    const dealer = await dealerOfTen(world)
    const page = await open({ as: dealer, at: '/login' })
    await page.route('**/assets/dialogs*', (route) => route.abort())
    await page.goto('/clients')
    await box(page, 'one-1').check()
    await box(page, 'two-1').check()
    await press(selection(page), 'Renew selected')
    await readNotice(page, 'This could not be loaded. Please try again, or reload the page.')
    await expect(selection(page)).toContainText('2 selected')
    await page.unroute('**/assets/dialogs*')
    await press(selection(page), 'Renew selected')
    await press(page, 'Renew 2 clients for 2 credits')
    await readNotice(page, 'Successfully renewed 1 month(s) for 2 clients')
  })

  test('stay selected where neither dialog nor notice can be loaded, and the lost connection and the dialog are told', async ({
    open,
    world,
  }) => {
    const page = await open({ as: await dealerOfTen(world), at: '/login' })
    await page.route('**/assets/{dialogs,NoticeBoard}*', (route) => route.abort())
    await page.route('**/v1/health', (route) => route.abort())
    await page.goto('/clients')
    await box(page, 'one-1').check()
    await press(selection(page), 'Renew selected')
    const banner = page.getByText('The connection to Boxtree is lost.')
    await expect(banner).toBeVisible()
    await expect(selection(page)).toContainText('1 selected')
    await page.unrouteAll()
    await readNotice(page, 'This could not be loaded. Please try again, or reload the page.')
    await expect(banner).toHaveCount(0)
    await press(selection(page), 'Renew selected')
    await press(page, 'Renew for 1 credit')
    await readNotice(page, 'Successfully renewed 1 month(s) for one-1')
    await expect(page.getByText('could not be loaded')).toHaveCount(0)
  })

  test('are deleted where they have expired: the others are named, and left out by a tick', async ({
    open,
    world,
  }) => {
    const dealer = await dealerOfTen(world)
    const page = await open({ as: dealer, at: '/clients' })
    await page.getByLabel('Select this page').check()
    await choose(selection(page), 'More', 'Delete expired')
    const dialog = page.getByRole('alertdialog', { name: 'Delete 4 clients?' })
    await expect(dialog).toContainText('6 clients have not expired: one-1, one-2, one-3, two-1, two-2, two-3')
    await expect(dialog.getByRole('listitem')).toHaveText([/one-4/, /one-5/, /two-4/, /two-5/])
    await expect(dialog.getByRole('button', { name: 'Delete 4 clients' })).toBeDisabled()
    await expectAccessible(page)
    await dialog.getByLabel('Leave these 6 out').check()
    // One of them is renewed elsewhere before the button is pressed: then none is deleted, and the question is asked
    // anew.
    await dealer.call(calls.clients.renew, { name: 'one-4', months: 1 })
    await press(dialog, 'Delete 4 clients')
    await readNotice(
      page,
      'Error deleting clients. Please try again.',
      'one-4 has not expired. Only expired clients can be deleted.',
    )
    const again = page.getByRole('alertdialog', { name: 'Delete 3 clients?' })
    await expect(again.getByLabel('Leave these 7 out')).toBeChecked()
    await press(again, 'Delete 3 clients')
    await readNotice(page, 'Successfully deleted 3 clients')
    await expect(rows(page, 'Clients')).toHaveCount(7)
    await expect(selection(page)).toHaveCount(0)
  })

  test('are given a package, switched off, and exported on a phone', async ({ open, world }) => {
    const dealer = await dealerOfTen(world)
    const page = await open({ as: dealer, at: '/clients', width: 390, height: 844, touch: true })
    for (const name of ['one-1', 'two-1', 'two-4']) await box(page, name).check()
    await dealer.call(calls.clients.multisave, { clients: ['two-1'], package_selection: 7 })
    await choose(selection(page), 'More', 'Change package')
    const dialog = page.getByRole('dialog', { name: 'Change the package' })
    await expect(dialog).toContainText('1 client has expired: two-4')
    await dialog.getByLabel('Leave it out').check()
    await fill(dialog, { Package: '7' })
    await expect(dialog).toContainText('The package of 1 client changes. 1 client has this package already.')
    await press(dialog, 'Change the package of 2 clients')
    await readNotice(page, 'Successfully changed the package of 2 clients')
    expect(await dealer.call(calls.clients.detail, { name: 'one-1' })).toMatchObject({ package_selection: 7 })
    for (const name of ['one-1', 'two-1']) await box(page, name).check()
    await choose(selection(page), 'More', 'Switch off')
    await press(page, 'Switch 2 clients off')
    await readNotice(page, 'Successfully switched 2 clients off')
    for (const name of ['one-1', 'two-5']) await box(page, name).check()
    const download = page.waitForEvent('download')
    await choose(selection(page), 'More', 'Export as CSV')
    const text = await readFile(await (await download).path(), 'utf8')
    expect(
      text
        .trim()
        .split('\r\n')
        .slice(1)
        .map((line) => line.split(',')[0]),
    ).toEqual(['"one-1"', '"two-5"'])
    await expect(selection(page)).toContainText('2 selected')
  })

  test('stay in a dialog that closes after a success as they were before it, and are not asked for again', async ({
    open,
    world,
  }) => {
    const page = await open({ as: await dealerOfTen(world), at: '/clients', motion: true })
    const asked = countCalls(page, calls.clients.multiquote.path)
    for (const name of ['one-4', 'two-4']) await box(page, name).check()
    await choose(selection(page), 'More', 'Delete expired')
    const deletion = page.getByRole('alertdialog', { name: 'Delete 2 clients?' })
    const ofDeletion = await textsOf(deletion)
    await press(deletion, 'Delete 2 clients')
    await readNotice(page, 'Successfully deleted 2 clients')
    await expect(page.getByRole('alertdialog')).toHaveCount(0)
    for (const text of await ofDeletion()) expect(text).toMatch(/^Delete 2 clients\?.*one-4.*two-4/)
    expect((await ofDeletion()).join()).not.toContain('left out')
    for (const name of ['one-1', 'two-1']) await box(page, name).check()
    await choose(selection(page), 'More', 'Change package')
    const change = page.getByRole('dialog', { name: 'Change the package' })
    await fill(change, { Package: '7' })
    const ofChange = await textsOf(change)
    await press(change, 'Change the package of 2 clients')
    await readNotice(page, 'Successfully changed the package of 2 clients')
    await expect(change).toHaveCount(0)
    for (const text of await ofChange()) expect(text).toContain('The package of 2 clients changes.')
    expect(asked()).toBe(2)
    // Opened again for the same clients, it has loaded them again.
    for (const name of ['one-1', 'two-1']) await box(page, name).check()
    await choose(selection(page), 'More', 'Change package')
    await fill(change, { Package: '7' })
    await expect(change).toContainText('2 clients have this package already.')
  })
})

/** Returns how to read what a dialog has shown from now on, also while it faded. */
async function textsOf(dialog: Locator): Promise<() => Promise<string[]>> {
  const texts = await dialog.evaluateHandle((element) => {
    const seen: string[] = []
    new MutationObserver(() => seen.push(element.textContent ?? '')).observe(element, {
      ...{ subtree: true, childList: true, characterData: true },
    })
    return seen
  })
  return () => texts.jsonValue()
}

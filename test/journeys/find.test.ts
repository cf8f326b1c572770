import type { Page } from 'playwright-core'
import { describe } from 'vitest'
import { calls } from '../../contract/calls.ts'
import {
  countActs,
  expect,
  expectAccessible,
  holdBack,
  press,
  rows,
  test,
  typeIn,
} from '../support/browser.ts'
import type { Person, World } from '../support/world.ts'

const PHONE = { width: 390, height: 844, touch: true }

describe('a client who calls', () => {
  test('is renewed from any screen by typing a few characters and two keys', async ({ open, world }) => {
    const page = await open({ as: await dealerOfNames(world), at: '/new-client' })
    await page.getByRole('heading', { level: 1 }).focus()
    const acts = await countActs(page)
    await page.keyboard.press('/')
    await typeIn(fieldOf(page), 'mar')
    await expect(options(page).first()).toContainText('maria.costa')
    await page.keyboard.press('ArrowRight')
    await expect(page.getByRole('button', { name: 'Renew for 1 credit' })).toBeEnabled()
    await page.keyboard.press('Enter')
    await expect(page.getByText('Successfully renewed 1 month(s) for maria.costa')).toBeVisible()
    expect(await acts()).toEqual({ clicks: 0, taps: 0, keys: 1 + 'mar'.length + 2 })
    await expect(page).toHaveURL('/new-client')
  })

  test('is renewed on a phone with three taps', async ({ open, world }) => {
    const page = await open({ as: await dealerOfNames(world), ...PHONE })
    const acts = await countActs(page)
    await page.getByRole('button', { name: 'Find' }).tap()
    const field = fieldOf(page)
    await expect(field).toBeFocused()
    await typeIn(field, 'mar')
    await page.getByRole('option', { name: 'Renew maria.costa' }).tap()
    await page.getByRole('button', { name: 'Renew for 1 credit' }).tap()
    await expect(page.getByText('Successfully renewed 1 month(s) for maria.costa')).toBeVisible()
    expect((await acts()).taps).toBe(3)
  })

  test('is seen to have expired, on the narrowest phone too', async ({ open, world }) => {
    const dealer = await dealerOfNames(world)
    await world.setExpiry('maria.costa', '2026-05-14T23:59:59.000Z')
    const page = await open({ as: dealer, width: 360 })
    await press(page, 'Find')
    await typeIn(fieldOf(page), 'maria')
    await expect(page.getByRole('option').first().getByText('Expired')).toBeVisible()
  })

  test('is seen to be switched off beside an expiry that is to come, at every width', async ({
    open,
    world,
  }) => {
    const dealer = await dealerOfNames(world)
    await dealer.call(calls.clients.save, { login: 'tiago', status: false })
    const page = await open({ as: dealer })
    const found = (name: string) => options(page).filter({ hasText: name })
    await fieldOf(page).fill('a')
    for (const width of [1440, 768, 667, 390, 360]) {
      await page.setViewportSize({ width, height: 900 })
      await expect(found('tiago')).toHaveAccessibleName(/2026-06-15 ?Switched off ?Active/)
      await expect(found('maria')).toHaveAccessibleName(/2026-06-15 ?Active/)
    }
  })

  test('is opened with Enter, also by somebody who types faster than the answer comes', async ({
    open,
    world,
  }) => {
    const page = await open({ as: await dealerOfNames(world), at: '/clients' })
    await expect(rows(page, 'Clients')).toHaveCount(3)
    let answer = () => {}
    const held = new Promise<void>((done) => {
      answer = done
    })
    await page.route('**/v1/api/find?**', async (route) => {
      await held
      await route.continue()
    })
    await page.keyboard.press('Control+k')
    await page.keyboard.type('tia')
    await page.keyboard.press('Enter')
    await expect(page).toHaveURL('/clients')
    answer()
    await expect(page).toHaveURL('/update-client/tiago')
    await expect(page.getByRole('heading', { level: 1 })).toBeFocused()
    await expect(fieldOf(page)).toHaveValue('')
  })

  test('is announced by its own title when its page opens, also from the page of another client', async ({
    open,
    world,
  }) => {
    const page = await open({ as: await dealerOfNames(world), at: '/update-client/maria.costa' })
    await expect(page.getByText('Served until')).toBeVisible()
    await page.evaluate(() => {
      const told: string[] = []
      Object.assign(window, { told })
      document.addEventListener('focusin', ({ target }) => {
        if (target instanceof HTMLHeadingElement) told.push(target.textContent)
      })
    })
    await page.keyboard.press('Control+k')
    await page.keyboard.type('tia')
    await expect(page.getByRole('option').first()).toContainText('tiago')
    await page.keyboard.press('Enter')
    await expect(page.getByRole('heading', { level: 1 })).toBeFocused()
    expect(await page.evaluate(() => Reflect.get(window, 'told'))).toEqual(['Update Client: tiago'])
  })

  test('opens in a new tab with Ctrl or the middle button, and a form that is half filled stays as it is', async ({
    open,
    world,
  }) => {
    const page = await open({ as: await dealerOfNames(world), at: '/new-client' })
    const login = page.getByLabel('Login Name')
    await typeIn(login, 'half-typed')
    await page.getByRole('heading', { level: 1 }).focus()
    await page.keyboard.press('/')
    for (const how of [{ modifiers: ['ControlOrMeta' as const] }, { button: 'middle' as const }]) {
      await fieldOf(page).fill('tia')
      const opened = page.context().waitForEvent('page')
      await Promise.all([opened, options(page).first().click(how)])
      const tab = await opened
      await expect(tab.getByRole('heading', { level: 1 })).toHaveText('Update Client: tiago')
      await tab.close()
      await expect(page).toHaveURL('/new-client')
      await expect(login).toHaveValue('half-typed')
    }
    await options(page).first().click()
    await expect(page).toHaveURL('/update-client/tiago')
    await expect(page.getByRole('heading', { level: 1 })).toBeFocused()
    await expect(page.getByRole('listbox')).toHaveCount(0)
  })

  test('is found by phone, MAC and description, and what is typed next is found instead', async ({
    open,
    world,
  }) => {
    const page = await open({ as: await dealerOfNames(world) })
    const field = fieldOf(page)
    for (const [text, name] of [
      ['(416) 555-0123', 'maria.costa'],
      ['001a79abcd02', 'tiago'],
      ['ab cd 03', 'zoe.brown'],
      ['upstairs', 'zoe.brown'],
    ] as const) {
      await field.fill(text)
      await expect(options(page)).toHaveText([new RegExp(name)])
    }
    await field.fill('a')
    await expect(options(page)).toHaveCount(3)
    await expect(options(page).first()).toHaveAttribute('aria-selected', 'true')
    await page.keyboard.press('ArrowDown')
    await expect(options(page).nth(1)).toHaveAttribute('aria-selected', 'true')
    await expectAccessible(page)
    await page.keyboard.press('Escape')
    await expect(page.getByRole('listbox')).toHaveCount(0)
  })
})

describe('the field in the top bar', () => {
  test('finds screens and actions too, for every role', async ({ open, world }) => {
    const { reseller, dealer } = await world.family()
    const page = await open({ as: reseller })
    const field = fieldOf(page)
    await field.fill('add')
    await expect(page.getByRole('listbox').getByRole('option')).toHaveText(['Add Dealer'])
    await page.keyboard.press('Enter')
    await expect(page).toHaveURL('/add-dealer')
    await expect(page.getByLabel('Login')).toBeFocused()
    await field.fill('sett')
    // What opens no page is no link.
    await expect(page.getByRole('option', { name: 'Settings' })).not.toHaveAttribute('href')
    await page.keyboard.press('Enter')
    await expect(page.getByRole('dialog', { name: 'Settings' })).toBeVisible()
    const own = await open({ as: dealer })
    await fieldOf(own).fill('expired')
    await own.getByRole('option', { name: 'Clients: Expired' }).click()
    await expect(own).toHaveURL('/clients?filter=expired')
    await expect(own.getByText('No clients found')).toBeVisible()
    await fieldOf(own).fill('nobody of this name')
    await own.getByText('Nothing found').click()
    await expect(fieldOf(own)).toHaveValue('nobody of this name')
    await fieldOf(own).fill('expired')
    await own.getByRole('listbox').getByText('Screens', { exact: true }).click()
    await expect(fieldOf(own)).toBeFocused()
    // A click beside it closes the list.
    await own.getByRole('heading', { level: 1 }).click()
    await expect(own.getByRole('listbox')).toHaveCount(0)
  })

  test('leads the admin to the clients of a text, in their list', async ({ open, world }) => {
    await dealerOfNames(world)
    const page = await open({ as: world.admin })
    await page.getByRole('combobox', { name: 'Find a screen or action' }).fill('zoe')
    await expect(page.getByRole('listbox').getByRole('option')).toHaveText(['Search all clients for zoe'])
    await page.keyboard.press('Enter')
    await expect(page).toHaveURL('/admin/clients?search=zoe')
    await expect(rows(page, 'All Clients')).toHaveText([/zoe\.brown/])
  })

  test('opens what is highlighted, though clients come before it', async ({ open, world }) => {
    const dealer = await dealerOfNames(world)
    await world.client(dealer, { login: 'clara.nunes', months: 1 })
    const page = await open({ as: dealer, at: '/due' })
    await page.keyboard.press('Control+k')
    await page.keyboard.type('du')
    const all = page.getByRole('listbox').getByRole('option')
    await expect(all.first()).toHaveText(/Due/)
    const release = await holdBack(page, '**/v1/api/find**')
    await page.keyboard.press('Backspace')
    await page.keyboard.press('Backspace')
    await page.keyboard.type('cl')
    const chosen = page.getByRole('listbox').getByRole('option', { selected: true })
    await expect(all.first()).not.toHaveText(/Due/)
    const first = await all.first().textContent()
    await page.keyboard.press('ArrowDown')
    await expect(chosen).not.toHaveText(first ?? '')
    const highlighted = await chosen.textContent()
    release()
    await expect(options(page).first()).toContainText('clara.nunes')
    await expect(chosen).toHaveText(highlighted ?? '')
    await page.keyboard.press('Enter')
    await expect(page).toHaveURL('/clients')
  })

  test('forgets a right arrow that was pressed on what cannot be renewed, and an Enter that found nothing', async ({
    open,
    world,
  }) => {
    const dealer = await dealerOfNames(world)
    await world.client(dealer, { login: 'clara.nunes', months: 1 })
    const page = await open({ as: dealer, at: '/clients' })
    await page.clock.install()
    await page.reload()
    await expect(rows(page, 'Clients').first()).toBeVisible()
    await page.keyboard.press('Control+k')
    await page.keyboard.type('cl')
    await expect(options(page).first()).toContainText('clara.nunes')
    await page.keyboard.press('ArrowDown')
    const chosen = page.getByRole('listbox').getByRole('option', { selected: true })
    await expect(chosen).toHaveText('New Client')
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('ArrowUp')
    await expect(chosen).toContainText('clara.nunes')
    await page.keyboard.type('o')
    await page.keyboard.press('Enter')
    await expect(page.getByText('Nothing found')).toBeVisible()
    await world.client(dealer, { login: 'clooney' })
    // What was loaded a moment ago would not be loaded again when the person returns to the tab.
    await page.clock.fastForward(3_000)
    await page.evaluate(() => window.dispatchEvent(new Event('visibilitychange')))
    await expect(options(page)).toHaveText([/clooney/])
    await page.keyboard.press('Backspace')
    await expect(chosen).toContainText('clara.nunes')
    await page.keyboard.press('Enter')
    await expect(page).toHaveURL('/update-client/clara.nunes')
    await expect(page.getByRole('dialog')).toHaveCount(0)
  })

  test('keeps what is typed while a page opens behind it, by itself or from a slow line', async ({
    open,
    world,
  }) => {
    const dealer = await dealerOfNames(world)
    const page = await open({ as: dealer, at: '/update-client/tiago' })
    await page.getByLabel('Description').fill('called twice')
    await press(page, 'Update Client')
    await expect(page.getByText('Client tiago updated successfully!')).toBeVisible()
    await page.keyboard.press('/')
    await page.keyboard.type('zo')
    // The list would open two seconds after the save.
    await new Promise((passed) => setTimeout(passed, 2_500))
    await page.keyboard.type('e')
    await expect(fieldOf(page)).toHaveValue('zoe')
    await page.keyboard.press('Escape')
    await expect(page).toHaveURL('/clients')

    const detail = '**/v1/api/client/zoe.brown'
    const release = await holdBack(page, detail)
    await page.getByRole('link', { name: 'zoe.brown' }).click()
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Update Client: zoe.brown')
    await page.keyboard.press('/')
    await page.keyboard.type('ti')
    release()
    await expect(page.getByLabel('Description')).toBeEnabled()
    await page.keyboard.type('ago')
    await expect(fieldOf(page)).toHaveValue('tiago')
  })

  test('closes its list where that cannot be loaded, and tries again with the next letter', async ({
    open,
    world,
  }) => {
    const page = await open({ as: await dealerOfNames(world), at: '/login' })
    await page.route('**/assets/FindResults-*', (route) => route.abort())
    await page.goto('/clients')
    await expect(rows(page, 'Clients')).toHaveCount(3)
    await page.keyboard.press('/')
    await page.keyboard.type('ma')
    await expect(page.getByText('This could not be loaded. Please try again').first()).toBeVisible()
    await expect(page.getByRole('status').getByText('Loading…')).toHaveCount(0)
    await page.unrouteAll()
    await page.keyboard.type('ri')
    await expect(options(page)).toHaveText([/maria\.costa/])
  })

  test('gives the focus back with Escape to where its key was pressed, and only then', async ({
    open,
    world,
  }) => {
    const page = await open({ as: await dealerOfNames(world), at: '/clients' })
    const link = page.getByRole('link', { name: 'tiago' })
    await link.focus()
    await page.keyboard.press('/')
    await expect(fieldOf(page)).toBeFocused()
    await page.keyboard.press('Escape')
    await expect(link).toBeFocused()
    await fieldOf(page).click()
    await page.keyboard.type('zoe')
    await page.keyboard.press('Escape')
    await expect(page.getByRole('listbox')).toHaveCount(0)
    await expect(fieldOf(page)).toBeFocused()
  })
})

describe('shortcuts', () => {
  test('are heard from the moment in which the console appears', async ({ open, world }) => {
    const page = await open({ as: await dealerOfNames(world), at: '/login' })
    await page.addInitScript(() => {
      new MutationObserver((_, observer) => {
        if (!document.querySelector('[role=combobox]')) return
        observer.disconnect()
        document.body.dispatchEvent(new KeyboardEvent('keydown', { key: '/', bubbles: true }))
      }).observe(document, { childList: true, subtree: true })
    })
    await page.goto('/clients')
    await expect(fieldOf(page)).toBeFocused()
  })

  test('go through the rows, select and renew them, make a client, and show themselves', async ({
    open,
    world,
  }) => {
    const page = await open({ as: await dealerOfNames(world), at: '/clients' })
    await expect(rows(page, 'Clients')).toHaveCount(3)
    for (const [key, name] of [
      ['j', 'maria.costa'],
      ['j', 'tiago'],
      ['j', 'zoe.brown'],
      ['k', 'tiago'],
    ] as const) {
      await page.keyboard.press(key)
      await expect(page.getByRole('link', { name })).toBeFocused()
    }
    await page.keyboard.press('x')
    await expect(page.getByLabel('Select tiago')).toBeChecked()
    await page.keyboard.press('x')
    await page.keyboard.press('r')
    await expect(page.getByRole('dialog', { name: 'Renew tiago' })).toBeVisible()
    // Under a dialog no shortcut acts.
    await page.keyboard.press('n')
    await page.keyboard.press('/')
    await expect(page).toHaveURL('/clients')
    await expect(page.getByRole('listbox')).toHaveCount(0)
    await page.keyboard.press('Escape')
    await expect(page.getByRole('dialog')).toHaveCount(0)
    await page.keyboard.press('Shift+?')
    const help = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
    await expect(help).toContainText('Renew the client of the row or page')
    await expectAccessible(page)
    await page.keyboard.press('Escape')
    await expect(help).toHaveCount(0)
    await page.keyboard.press('n')
    await expect(page).toHaveURL('/new-client')
  })

  test('take no key from a field', async ({ open, world }) => {
    const page = await open({ as: await dealerOfNames(world), at: '/new-client' })
    const login = page.getByLabel('Login Name')
    await typeIn(login, 'njkxr?/')
    await expect(login).toHaveValue('njkxr?/')
    await page.getByLabel('Package').focus()
    await page.keyboard.press('n')
    await expect(page).toHaveURL('/new-client')
    await expect(page.getByRole('dialog')).toHaveCount(0)
  })

  test('renew the client whose page is open', async ({ open, world }) => {
    const page = await open({ as: await dealerOfNames(world), at: '/update-client/tiago' })
    await expect(page.getByText('Served until')).toBeVisible()
    await page.getByRole('heading', { level: 1 }).focus()
    await page.keyboard.press('r')
    await expect(page.getByRole('dialog', { name: 'Renew tiago' })).toBeVisible()
  })

  test('are switched off for the account, on every device, and on again', async ({ open, world }) => {
    const dealer = await dealerOfNames(world)
    const page = await open({ as: dealer, at: '/clients' })
    const tab = await page.context().newPage()
    await tab.goto('/due')
    await press(tab, 'Settings')
    await expect(tab.getByRole('switch', { name: 'Keyboard shortcuts' })).toBeChecked()
    await press(page, 'Settings')
    await page.getByRole('switch', { name: 'Keyboard shortcuts' }).uncheck()
    await expect(tab.getByRole('switch', { name: 'Keyboard shortcuts' })).not.toBeChecked()
    await tab.close()
    await expect
      .poll(async () => (await dealer.call(calls.session.user)).preferences)
      .toEqual({ shortcuts: false })
    await press(page, 'Close settings')
    await expect(page.getByRole('dialog')).toHaveCount(0)
    const elsewhere = await open({ as: dealer, at: '/clients' })
    await expect(elsewhere.getByRole('button', { name: 'Renew tiago' })).toBeVisible()
    await expect(elsewhere.locator('[aria-keyshortcuts]')).toHaveCount(0)
    for (const one of [page, elsewhere]) {
      await expect(one.locator('kbd')).toHaveCount(0)
      await one.getByRole('heading', { level: 1 }).focus()
      await one.keyboard.press('/')
      await one.keyboard.press('Control+k')
      await one.keyboard.press('n')
      await expect(one).toHaveURL('/clients')
      await expect(fieldOf(one)).not.toBeFocused()
    }
    await fieldOf(page).fill('keyb')
    await page.keyboard.press('Enter')
    // On a slow line the dialog still closes by the keyboard while the server has not answered.
    const release = await holdBack(page, '**/v1/api/preferences')
    await page.getByRole('dialog').getByRole('switch', { name: 'Keyboard shortcuts' }).check()
    await page.keyboard.press('Escape')
    await expect(page.getByRole('dialog')).toHaveCount(0)
    release()
    await expect
      .poll(async () => (await dealer.call(calls.session.user)).preferences)
      .toEqual({ shortcuts: true })
    // The field that led to the help has the focus again, and keeps what is typed.
    await expect(fieldOf(page)).toBeFocused()
    await expect(page.locator('kbd')).not.toHaveCount(0)
    await page.getByRole('heading', { level: 1 }).focus()
    await page.keyboard.press('n')
    await expect(page).toHaveURL('/new-client')
  })
})

describe('the rows of a table', () => {
  test('are one stop of the Tab key, from which arrow keys lead to every row', async ({ open, world }) => {
    const { dealer } = await world.family({ credits: 30 })
    for (let at = 10; at < 25; at += 1) await world.client(dealer, { login: `client-${at}`, months: 1 })
    const page = await open({ as: dealer, at: '/clients' })
    await expect(rows(page, 'Clients')).toHaveCount(10)
    const next = page.getByRole('button', { name: 'Next page' })
    await expect(page.getByRole('link', { name: 'client-19' })).toHaveAttribute('tabindex', '-1')
    await page.getByLabel('Select this page').focus()
    let tabs = 0
    for (; tabs < 30 && !(await next.evaluate((button) => button === document.activeElement)); tabs += 1)
      await page.keyboard.press('Tab')
    // Six headers, the five stops of one row, and the pager: it was 61 and more.
    expect(tabs).toBeLessThanOrEqual(14)
    await page.getByRole('link', { name: 'client-10' }).focus()
    await page.keyboard.press('ArrowDown')
    await expect(page.getByRole('link', { name: 'client-11' })).toBeFocused()
    await page.keyboard.press('ArrowLeft')
    await expect(page.getByLabel('Select client-11')).toBeFocused()
    await page.keyboard.press('ArrowUp')
    await expect(page.getByLabel('Select client-10')).toBeFocused()
    await page.keyboard.press('Tab')
    await expect(page.getByRole('link', { name: 'client-10' })).toBeFocused()
  })
})

function options(page: Page) {
  return page.getByRole('group', { name: 'Clients' }).getByRole('option', { name: /^(?!Renew )/ })
}

function fieldOf(page: Page) {
  return page.getByRole('combobox', { name: /^Find/ })
}

/** A dealer with three clients, each of whom is found by something else. */
async function dealerOfNames(world: World): Promise<Person> {
  const { dealer } = await world.family({ credits: 9 })
  await world.client(dealer, {
    login: 'maria.costa',
    months: 1,
    phone: '4165550123',
    stb_mac: '00:1A:79:AB:CD:01',
  })
  await world.client(dealer, { login: 'tiago', months: 1, stb_mac: '00:1A:79:AB:CD:02' })
  await world.client(dealer, {
    login: 'zoe.brown',
    months: 1,
    desc: 'Upstairs',
    stb_mac: '00:1A:79:AB:CD:03',
  })
  return dealer
}

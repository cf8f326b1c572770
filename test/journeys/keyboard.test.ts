import type { Locator, Page } from 'playwright-core'
import { calls } from '../../contract/calls.ts'
import { drawn, expect, readNotice, rows, test, typeIn } from '../support/browser.ts'
import { PASSWORD } from '../support/world.ts'

test('a dealer gets from the login to a renewal by keyboard, and the focus is always visible', async ({
  open,
  world,
}) => {
  const { dealer } = await world.family({ credits: 5 })
  for (const login of ['anton', 'berta']) await world.client(dealer, { login })
  const page = await open()
  await expect(page.getByLabel('Username')).toBeFocused()
  await page.keyboard.type(dealer.name)
  await tabTo(page, page.getByLabel('Password', { exact: true }))
  await page.keyboard.type(PASSWORD)
  await expect(page.getByRole('button', { name: 'Sign in' })).toBeEnabled()
  await page.keyboard.press('Enter')

  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Dashboard')
  await page.keyboard.press('Tab')
  const skip = page.getByRole('link', { name: 'Skip to the content' })
  await expect(skip).toBeFocused()
  await expect(skip).toBeInViewport({ ratio: 1 })
  await page.keyboard.press('Enter')
  await expect(page.getByRole('main')).toBeFocused()
  // Another address would begin a page anew, as that with the password of a new client.
  await expect(page).toHaveURL('/')
  await tabTo(page, page.getByRole('main').getByRole('link', { name: /^All Clients/ }))

  await tabTo(page, page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Clients' }), {
    back: true,
  })
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { level: 1 })).toBeFocused()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Clients')

  await tabTo(page, page.getByRole('searchbox'))
  await page.keyboard.type('bert')
  await expect(page.getByRole('link', { name: 'anton' })).toHaveCount(0)
  await tabTo(page, page.getByRole('radio', { name: 'All' }))
  await page.keyboard.press('ArrowRight')
  await expect(page).toHaveURL(/filter=active/)
  await tabTo(page, page.getByRole('button', { name: 'Name', exact: true }))
  await page.keyboard.press('Enter')
  await expect(page.getByRole('columnheader', { name: 'Name' })).toHaveAttribute('aria-sort', 'descending')

  const renew = page.getByRole('button', { name: 'Renew berta' })
  await tabTo(page, renew)
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Renew berta' })
  await expect(dialog.getByLabel('Months')).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(dialog).toHaveCount(0)
  await expect(renew).toBeFocused()

  await page.keyboard.press('Enter')
  await expect(dialog.getByLabel('Months')).toBeFocused()
  await page.keyboard.press('ArrowDown')
  const confirm = dialog.getByRole('button', { name: 'Renew for 2 credits' })
  await expect(confirm).toBeEnabled()
  await tabTo(page, confirm)
  await page.keyboard.press('Tab')
  await expect(dialog.locator(':focus')).toHaveCount(1)
  await tabTo(page, confirm)
  await page.keyboard.press('Enter')
  await readNotice(page, 'Successfully renewed 2 month(s) for berta')
  await expect(page.getByRole('row', { name: /berta/ })).toContainText('2026-07-15')
})

test('a key that is held down acts once, and not in what it has opened', async ({ open, world }) => {
  const { reseller, dealer } = await world.family({ credits: 5 })
  await world.client(dealer, { login: 'anton' })
  await world.admin.call(calls.admin.setMessage, { message: 'Closed on Sunday' })
  const page = await open()
  const hold = async (key: string, opened: Locator) => {
    await page.keyboard.down(key)
    await expect(opened).toBeEnabled()
    for (let repeats = 0; repeats < 5; repeats += 1) await page.keyboard.down(key)
    await page.keyboard.up(key)
  }
  await typeIn(page.getByLabel('Username'), dealer.name)
  await typeIn(page.getByLabel('Password', { exact: true }), PASSWORD)
  await expect(page.getByRole('button', { name: 'Sign in' })).toBeEnabled()
  const dialog = page.getByRole('dialog')
  await hold('Enter', dialog.getByText('Close', { exact: true }))
  await expect(dialog).toContainText('Closed on Sunday')
  await page.keyboard.press('Enter')
  await expect(dialog).toHaveCount(0)

  const requests = page
    .getByRole('navigation', { name: 'Main' })
    .getByRole('link', { name: 'Credit Requests' })
  await requests.focus()
  await hold('Enter', page.getByRole('button', { name: /^Ask for/ }))
  const note = page.getByLabel('Note')
  await note.focus()
  await hold('Enter', note)
  await expect(note).toHaveValue('\n'.repeat(6))
  await hold('Backspace', note)
  await expect(note).toHaveValue('')

  await page.goto('/clients')
  await page.getByRole('button', { name: 'Renew anton' }).focus()
  const pay = dialog.getByRole('button', { name: /^Renew for/ })
  await hold('Enter', pay)
  const months = dialog.getByLabel('Months')
  await expect(months).toBeFocused()
  await hold('ArrowDown', pay)
  await expect(months).toHaveValue('7')
  await page.keyboard.press('Escape')

  const field = page.getByRole('combobox', { name: /^Find/ })
  await typeIn(field, 'anton')
  await expect(page.getByRole('option').first()).toContainText('anton')
  await page.keyboard.press('Home')
  await hold('ArrowRight', field)
  await expect(dialog).toHaveCount(0)
  await hold('ArrowRight', pay)
  await expect(months).toHaveValue('1')
  expect((await dealer.call(calls.credits.dealer)).credits).toBe(5)
  expect((await reseller.call(calls.requests.list)).data).toEqual([])
})

test('every tab stop on every kind of screen shows its focus', async ({ open, world }) => {
  const { dealer } = await world.family({ credits: 5 })
  await world.client(dealer, { login: 'anton', months: 2 })
  const page = await open({ as: dealer })
  for (const [path, shows] of [
    ['/', 'anton'],
    ['/clients', 'anton'],
    ['/new-client', '5 to 15 characters'],
    ['/update-client/anton', 'USED'],
  ] as const) {
    await page.goto(path)
    await expect(page.getByText(shows).first()).toBeVisible()
    const stops = await countTabStops(page)
    expect(stops, path).toBeGreaterThan(10)
  }
})

test('every date shows its time zone on focus, and arrow keys lead from one to the others', async ({
  open,
  world,
}) => {
  const { dealer } = await world.family({ credits: 5 })
  for (const login of ['anton', 'berta']) await world.client(dealer, { login, months: 2 })
  const page = await open({ as: dealer })
  const moments = page.getByRole('row').locator('time')
  await expect(moments.first()).toHaveAttribute('tabindex', '0')
  await tabTo(page, moments.first())
  const link = (name: string) => page.getByRole('row').getByRole('link', { name })
  // Each row has two dates, and the link to its client between them.
  for (const [at, key, passed] of [
    [0, 'ArrowRight', 'berta'],
    [1, 'ArrowDown', null],
    [3, 'ArrowLeft', 'anton'],
    [2, 'ArrowUp', null],
    [0, 'ArrowUp', null],
  ] as const) {
    await expect(moments.nth(at)).toBeFocused()
    await expect(page.getByRole('tooltip')).toHaveText(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC$/)
    await page.keyboard.press(key)
    if (passed === null) continue
    await expect(link(passed)).toBeFocused()
    await page.keyboard.press(key)
  }
})

test('no bar covers what has the focus in a long list', async ({ open, world }) => {
  const { dealer } = await world.family()
  await world.plantClients(dealer, { last: 50, digits: 2 })
  const page = await open({ as: dealer, at: '/clients?perPage=50' })
  // With two more columns the narrow table scrolls by itself, under its own header.
  for (const column of ['Phone', 'Package']) {
    await page.getByRole('button', { name: 'Columns' }).click()
    await page.getByRole('menuitemcheckbox', { name: column }).click()
  }
  const walk = async (key: string, times: number) => {
    for (let steps = 0; steps < times; steps += 1) {
      await page.keyboard.press(key)
      expect(await unseenFocus(page), key).toBeNull()
    }
  }
  const [first, last] = [page.getByLabel('Select many-01'), page.getByLabel('Select many-50')]
  for (const width of [1440, 700]) {
    await page.setViewportSize({ width, height: 600 })
    await expect(page.locator('[data-scrolls]')).toHaveCount(width === 700 ? 1 : 0)
    await last.focus()
    await walk('ArrowUp', 49)
    await expect(first).toBeFocused()
    await last.focus()
    await walk('k', 30)
    await walk('Shift+Tab', 6)
  }
  await page.setViewportSize({ width: 1440, height: 900 })
  await first.check()
  await expect(page.getByRole('group', { name: 'Selection' })).toBeVisible()
  await first.focus()
  await walk('ArrowDown', 49)
  await first.uncheck()
  // The banner of a lost connection is higher on a phone.
  await page.route('**/v1/**', (route) => route.abort())
  await page.getByRole('button', { name: 'Renew many-03' }).click()
  await expect(page.getByText('The connection to Boxtree is lost.', { exact: true })).toBeVisible()
  await page.getByRole('button', { name: 'Cancel' }).click()
  await first.focus()
  await walk('ArrowDown', 49)
  await page.setViewportSize({ width: 1440, height: 400 })
  await page.getByRole('button', { name: 'Renew many-03' }).click()
  for (let stops = 0; stops < 6; stops += 1) {
    await page.keyboard.press('Tab')
    expect(await unseenFocus(page), 'in a dialog').toBeNull()
  }
  await page.keyboard.press('Escape')
  await expect(page.getByRole('button', { name: 'Renew many-03' })).toBeFocused()
  // A scroll closes a menu, and the focus has just caused one.
  await page.getByRole('button', { name: 'Columns' }).focus()
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))))
  await page.keyboard.press('Enter')
  await expect(page.getByRole('menuitemcheckbox').first()).toBeFocused()
  await page.keyboard.press('End')
  expect(await unseenFocus(page), 'in a menu').toBeNull()
  await page.setViewportSize({ width: 390, height: 700 })
  const height = await page
    .getByRole('status')
    .filter({ hasText: 'The connection to Boxtree is lost.' })
    .locator('p')
    .evaluate((banner) => (banner as HTMLElement).offsetHeight)
  expect(height).toBeGreaterThan(40)
  await expect(page.getByRole('main')).toHaveCSS('padding-bottom', `${height}px`)
})

test('a hint goes with what the arrow keys scroll into view, and Alt and an arrow are left to the browser', async ({
  open,
  world,
}) => {
  const { dealer } = await world.family()
  await world.plantClients(dealer, { last: 25, digits: 2 })
  const page = await open({ as: dealer, at: '/clients?perPage=25', height: 500 })
  await page.getByRole('button', { name: 'Delete many-01' }).focus()
  for (let steps = 0; steps < 20; steps += 1) await page.keyboard.press('ArrowDown')
  const button = page.getByRole('button', { name: 'Delete many-21' })
  await expect(button).toBeFocused()
  await expect(button).toBeInViewport()
  // The scrolling is over by then.
  await page.waitForTimeout(300)
  const hint = page.getByRole('tooltip')
  await expect(hint).toHaveText('Only an expired client can be deleted')
  await expect(hint).toBeInViewport()

  const isTaken = async (modifiers: { altKey?: boolean }) =>
    button.evaluate((element, modifiers) => {
      const key = new KeyboardEvent('keydown', {
        key: 'ArrowUp',
        bubbles: true,
        cancelable: true,
        ...modifiers,
      })
      return !element.dispatchEvent(key)
    }, modifiers)
  expect(await isTaken({ altKey: true })).toBe(false)
  expect(await isTaken({})).toBe(true)
})

test('a notice that is closed by its key leaves the focus to the title, and one that goes by itself leaves it alone', async ({
  open,
  world,
}) => {
  const { dealer } = await world.family({ credits: 5 })
  await world.client(dealer, { login: 'anton' })
  const page = await open({ as: dealer, at: '/clients' })
  const close = page.getByRole('button', { name: 'Close this notice' })
  const renew = async () => {
    await page.getByRole('button', { name: 'Renew anton' }).click()
    await page.getByRole('button', { name: 'Renew for 1 credit' }).click()
    await close.waitFor()
  }
  const title = page.getByRole('heading', { level: 1 })
  await renew()
  await close.focus()
  await page.keyboard.press('Enter')
  await expect(close).toHaveCount(0)
  await expect(title).toBeFocused()

  await renew()
  await expect(page.getByRole('button', { name: 'Renew anton' })).toBeFocused()
  // As with somebody who reads on, wherever on the page, once the dialog that has closed cares for the focus no more.
  await expect(page.getByRole('dialog')).toHaveCount(0)
  for (let times = 0; times < 2; times += 1) await drawn(page)
  await page.evaluate(() => (document.activeElement as HTMLElement).blur())
  await expect(close).toHaveCount(0)
  await page.waitForTimeout(100)
  await expect(title).not.toBeFocused()
})

test('in a contrast theme switches can be seen, and the field with the focus', async ({ open, world }) => {
  const { dealer } = await world.family()
  const page = await open({ as: dealer, at: '/clients' })
  await page.emulateMedia({ forcedColors: 'active' })
  const field = page.getByRole('searchbox', { name: 'Search clients' })
  await field.focus()
  await expect(field.locator('xpath=..')).toHaveCSS('outline-style', 'solid')
  await expect(page.getByRole('switch', { name: 'Dense' })).toHaveCSS('appearance', 'auto')
  await page.emulateMedia({ forcedColors: 'none' })
  await expect(page.getByRole('switch', { name: 'Dense' })).toHaveCSS('appearance', 'none')
})

test('in a contrast theme what floats has an edge, and a button to a page that is not there looks like one', async ({
  open,
  world,
}) => {
  const { dealer } = await world.family({ credits: 5 })
  await world.client(dealer, { login: 'anton' })
  const page = await open({ as: dealer, at: '/clients' })
  await page.emulateMedia({ forcedColors: 'active' })
  const turn = page.getByRole('button', { name: 'Next page' })
  await expect(turn).toBeVisible()
  const colourOf = (one: Locator) => one.evaluate((element) => getComputedStyle(element).color)
  expect(await colourOf(turn)).not.toBe(await colourOf(page.getByText('Rows per page')))
  const renew = page.getByRole('button', { name: 'Renew anton' })
  await renew.hover()
  await expect(page.getByRole('tooltip')).toHaveCSS('border-style', 'solid')
  await renew.click()
  await expect(page.getByRole('dialog')).toHaveCSS('border-style', 'solid')
  await page.keyboard.press('Escape')
  const settings = page.getByRole('button', { name: 'Settings' })
  await expect(settings).toHaveCSS('border-style', 'solid')
  await settings.click()
  await expect(page.getByRole('dialog', { name: 'Settings' })).toHaveCSS('border-style', 'solid')
})

test('in a contrast theme the texts of a chart have its colours', async ({ open, world }) => {
  const { dealer } = await world.family({ credits: 5 })
  await world.client(dealer, { login: 'anton' })
  const page = await open({ as: world.admin, at: '/admin' })
  await page.emulateMedia({ forcedColors: 'active', colorScheme: 'dark' })
  await page.reload()
  const canvas = page.locator('canvas').first()
  await canvas.scrollIntoViewIfNeeded()
  const brightest = () =>
    canvas.evaluate((element) => {
      const { height } = element as HTMLCanvasElement
      // Where the numbers of the y axis stand.
      const pixels = (element as HTMLCanvasElement).getContext('2d')?.getImageData(0, 0, 50, height).data
      return Math.max(...(pixels ?? []).filter((_value, at) => at % 4 === 0))
    })
  await expect.poll(brightest).toBeGreaterThan(200)
})

test('a field with a fault shows whether it has the focus', async ({ open, world }) => {
  const { dealer } = await world.family()
  const page = await open({ as: dealer, at: '/new-client' })
  const [login, password] = ['Login Name', 'Password'].map((label) => page.getByLabel(label, { exact: true }))
  if (!login || !password) throw new Error('the form has no such fields')
  for (const field of [login, password]) await field.fill('x')
  await page.getByLabel('Description').focus()
  for (const field of [login, password]) await expect(field).toHaveAttribute('aria-invalid', 'true')
  await login.focus()
  await expect(login.locator('xpath=..')).toHaveCSS('outline-style', 'solid')
  await expect(password.locator('xpath=..')).toHaveCSS('outline-style', 'none')
})

test('a hint stays while a slow pointer goes onto it', async ({ open, world }) => {
  const { dealer } = await world.family({ credits: 5 })
  await world.client(dealer, { login: 'anton' })
  const page = await open({ as: dealer, at: '/clients' })
  const day = page.getByRole('row', { name: /anton/ }).locator('time')
  await day.hover()
  const hint = page.getByRole('tooltip')
  await expect(hint).toBeVisible()
  const [from, to] = [await day.boundingBox(), await hint.boundingBox()]
  if (!from || !to) throw new Error('the hint is not there')
  for (let y = from.y + from.height / 2; y < to.y + to.height / 2; y += 2) {
    await page.mouse.move(from.x + 10, y)
    await page.waitForTimeout(60)
  }
  await page.waitForTimeout(200)
  await expect(hint).toBeVisible()
})

test('the days of a filter are typed digit by digit, and corrected', async ({ open, world }) => {
  const { reseller } = await world.family({ credits: 3 })
  const page = await open({ as: reseller, at: '/transactions' })
  const from = page.getByLabel('From')
  await from.focus()
  await page.keyboard.type('05162026', { delay: 60 })
  await expect(from).toHaveValue('2026-05-16')
  await expect(page).toHaveURL(/\?from=2026-05-16$/)
  await expect(page.getByText('No transactions found')).toBeVisible()
  await from.blur()
  await from.focus()
  await page.keyboard.type('12', { delay: 60 })
  await expect(from).toHaveValue('2026-12-16')
  await expect(page).toHaveURL(/\?from=2026-12-16$/)
  await page.getByLabel('To', { exact: true }).focus()
  await page.keyboard.type('01010202', { delay: 60 })
  await expect(page).toHaveURL(/\?from=2026-12-16$/)
  const asked: string[] = []
  page.on('request', (request) => asked.push(request.url()))
  await page.keyboard.press('Tab')
  await page.keyboard.press('Tab')
  const to = page.getByLabel('To', { exact: true })
  await expect(to).toHaveValue('0202-01-01')
  await expect(page).toHaveURL(/&to=0202-01-01$/)
  await expect(page.getByText('The last day is before the first.')).toBeVisible()
  await expect(to).toHaveAttribute('aria-invalid', 'true')
  // No try again can help, so nothing is asked for.
  await expect(page.getByRole('button', { name: 'Retry' })).toHaveCount(0)
  expect(asked.filter((url) => url.includes('/v1/transactions'))).toEqual([])
  await page.getByRole('button', { name: 'Show all transactions' }).press('Enter')
  await expect(rows(page, 'Transactions')).not.toHaveCount(0)

  // Back shows the day of the address, also in the field that has the focus.
  await from.fill('2026-05-16')
  await expect(page).toHaveURL(/\?from=2026-05-16$/)
  await page.getByRole('link', { name: 'Transactions', exact: true }).click()
  await expect(page).toHaveURL(/\/transactions$/)
  await from.fill('2026-05-15')
  await expect(page).toHaveURL(/\?from=2026-05-15$/)
  await page.goBack()
  await expect(page).toHaveURL(/\?from=2026-05-16$/)
  await expect(from).toBeFocused()
  await expect(from).toHaveValue('2026-05-16')
})

test('dialogs, drawers and menus take the focus, trap it and return it', async ({ open, world }) => {
  const { dealer } = await world.family()
  await world.client(dealer, { login: 'anton' })
  const page = await open({ as: dealer, at: '/clients' })
  const settings = page.getByRole('button', { name: 'Settings', exact: true })
  await settings.focus()
  await page.keyboard.press('Enter')
  const drawer = page.getByRole('dialog', { name: 'Settings' })
  await expect(drawer).toBeVisible()
  for (let stop = 0; stop < 14; stop += 1) {
    await page.keyboard.press('Tab')
    await expect(drawer.locator(':focus')).toHaveCount(1)
  }
  await page.keyboard.press('Escape')
  await expect(drawer).toHaveCount(0)
  await expect(settings).toBeFocused()

  const menu = page.getByRole('button', { name: 'Export' })
  await menu.focus()
  await page.keyboard.press('ArrowDown')
  await expect(page.getByRole('menuitem', { name: 'Export as CSV' })).toBeFocused()
  await page.keyboard.press('ArrowUp')
  await expect(page.getByRole('menuitem', { name: 'Export as PDF' })).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(menu).toBeFocused()
  await expect(page.getByRole('menu')).toHaveCount(0)

  await page.setViewportSize({ width: 390, height: 844 })
  const button = page.getByRole('button', { name: 'Menu' })
  // Until the page has seen that the window is narrow, the button collapses the sidebar.
  await expect(button).toHaveAttribute('aria-expanded', 'false')
  await button.focus()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('dialog', { name: 'Menu' })).toBeVisible()
  await page.keyboard.press('Tab')
  await expect(page.getByRole('dialog', { name: 'Menu' }).locator(':focus')).toHaveCount(1)
  await page.keyboard.press('Escape')
  await expect(button).toBeFocused()
})

/** Presses Tab until the target has the focus, and checks that every tab stop on the way is visible. */
async function tabTo(page: Page, target: Locator, { back = false } = {}): Promise<void> {
  for (let stops = 0; stops < 60; stops += 1) {
    await page.keyboard.press(back ? 'Shift+Tab' : 'Tab')
    expect(await unseenFocus(page)).toBeNull()
    if (await target.evaluate((element) => element === document.activeElement)) return
  }
  await expect(target).toBeFocused()
}

/** Tabs through the whole page from its beginning, and returns the number of tab stops. */
async function countTabStops(page: Page): Promise<number> {
  // A form has taken the focus, so the page is left at its end and begun again.
  for (let [stops, isAtStart] = [0, false]; stops < 120; stops += 1) {
    await page.keyboard.press('Tab')
    const isEnd = await page.evaluate(() => document.activeElement === document.body)
    if (isEnd && isAtStart) return stops
    if (isEnd) [stops, isAtStart] = [-1, true]
    expect(await unseenFocus(page)).toBeNull()
  }
  throw new Error('The page has no end for the keyboard')
}

/** Returns the focused element if its focus is not visible, or something covers it; null otherwise. */
function unseenFocus(page: Page): Promise<string | null> {
  return page.evaluate(() => {
    const focused = document.activeElement
    if (!focused || focused === document.body) return null
    // The border around a field shows the focus of its input.
    const ring = [focused, focused.parentElement, focused.closest('label')].some((element) => {
      if (!element) return false
      const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(element)
      return (outlineStyle !== 'none' && Number.parseFloat(outlineWidth) >= 2) || boxShadow.includes('inset')
    })
    const { width, height, bottom, top, left } = focused.getBoundingClientRect()
    // A bar may cover its edge, but not its middle. The hint of the stop before goes in a moment.
    const middle = (Math.max(top, 0) + Math.min(bottom, window.innerHeight)) / 2
    const covering = document
      .elementsFromPoint(left + width / 2, middle)
      .find((element) => !element.matches('[role=tooltip]'))
    const isCovered = !(
      covering &&
      (focused.contains(covering) ||
        covering.contains(focused) ||
        focused.closest('label')?.contains(covering))
    )
    return ring && width > 0 && height > 0 && !isCovered ? null : focused.outerHTML.slice(0, 200)
  })
}

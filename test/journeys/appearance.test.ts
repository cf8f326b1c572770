import type { Locator, Page } from 'playwright-core'
import { describe } from 'vitest'
import { calls } from '../../contract/calls.ts'
import { to } from '../../web/screens.ts'
import { drawn, expect, holdBack, pager, press, readNotice, signIn, test, turn } from '../support/browser.ts'
import { expectNothingMoves } from '../support/shifts.ts'

const DARK = 'rgb(22, 28, 36)'
const LIGHT = 'rgb(245, 245, 245)'

describe('the appearance', () => {
  test('changes at once, is saved by a button, and is the same on another machine', async ({
    open,
    world,
  }) => {
    const { reseller } = await world.family()
    const page = await open({ as: reseller, at: '/dealers' })
    await press(page, 'Settings')
    const drawer = page.getByRole('dialog', { name: 'Settings' })
    const save = drawer.getByRole('button', { name: 'Save Changes' })
    await expect(save).toHaveCount(0)
    await expect(drawer.getByRole('radio', { checked: true })).toHaveCount(3)
    for (const choice of ['Dark', 'Right', 'Purple']) await choose(page, choice)
    expect(await background(page)).toBe(DARK)
    await save.click()
    await readNotice(page, 'Settings saved successfully')
    await expect(save).toHaveCount(0)

    const other = await open()
    await signIn(other, reseller.name)
    expect(await background(other)).toBe(DARK)
    await other.goto('/dealers')
    const add = other.getByRole('main').getByRole('link', { name: 'Add Dealer' }).first()
    await expect(add).toHaveCSS('background-color', 'rgb(118, 53, 220)')
    await expectSide(other, 'right')
  })

  test('keeps its mode and layout where its preset is unknown, has a colour for that, and can be saved again', async ({
    open,
    world,
  }) => {
    const { reseller } = await world.family()
    const { ownerSql } = world.server
    const stored = { mode: 'dark', layout: 'right', preset: 'mauve' }
    await ownerSql`update account set settings = ${ownerSql.json(stored)} where id = ${reseller.id}`
    const page = await open({ as: reseller, at: '/dealers' })
    expect(await background(page)).toBe(DARK)
    await expectSide(page, 'right')
    const add = page.getByRole('main').getByRole('link', { name: 'Add Dealer' }).first()
    await expect(add).toHaveCSS('background-color', 'rgb(25, 118, 210)')
    await press(page, 'Settings')
    await choose(page, 'Light')
    await press(page, 'Save Changes')
    await readNotice(page, 'Settings saved successfully')
    expect((await reseller.call(calls.session.user)).settings).toEqual({ ...stored, mode: 'light' })
  })

  test('keeps what was chosen on one device when something else is saved on another', async ({
    open,
    world,
  }) => {
    const { reseller } = await world.family()
    const [one, other] = [await open({ as: reseller }), await open({ as: reseller })]
    for (const [page, choice, sent] of [
      [one, 'Dark', { mode: 'dark' }],
      [other, 'Purple', { preset: 'purple' }],
      [one, 'Right', { layout: 'right' }],
    ] as const) {
      const saving = page.waitForRequest('**/v1/reseller/savesettings')
      await press(page, 'Settings')
      await choose(page, choice)
      await press(page, 'Save Changes')
      expect((await saving).postDataJSON()).toEqual(sent)
      await readNotice(page, 'Settings saved successfully')
      await press(page, 'Close settings')
    }
    expect((await reseller.call(calls.session.user)).settings).toEqual({
      mode: 'dark',
      layout: 'right',
      preset: 'purple',
    })
  })

  test('can be saved or discarded later, even after a visit to another page', async ({ open, world }) => {
    const { reseller } = await world.family()
    const page = await open({ as: reseller })
    const save = page.getByRole('button', { name: 'Save Changes' })
    for (const end of ['Discard', 'Save Changes']) {
      await press(page, 'Settings')
      await choose(page, 'Dark')
      await press(page, 'Close settings')
      await page.getByRole('link', { name: 'Dealers', exact: true }).click()
      expect(await background(page)).toBe(DARK)
      await press(page, 'Settings')
      await expect(save).toBeVisible()
      await press(page, end)
      await expect(save).toHaveCount(0)
      expect(await background(page)).toBe(end === 'Discard' ? LIGHT : DARK)
      await press(page, 'Close settings')
    }
  })

  test('keeps what is chosen while an earlier choice is being saved, and says that it is unsaved', async ({
    open,
    world,
  }) => {
    const { reseller } = await world.family()
    const page = await open({ as: reseller })
    const release = await holdBack(page, '**/v1/reseller/savesettings')
    await press(page, 'Settings')
    await choose(page, 'Purple')
    await press(page, 'Save Changes')
    await choose(page, 'Dark')
    release()
    await readNotice(page, 'Settings saved successfully')
    expect(await background(page)).toBe(DARK)
    await expect(page.getByRole('button', { name: 'Save Changes' })).toBeEnabled()
    await page.reload()
    await expect(page.locator('h1')).toBeVisible()
    expect(await background(page)).toBe(LIGHT)
  })

  test('is lost on a reload if it was not saved, and the drawer says that it is unsaved', async ({
    open,
    world,
  }) => {
    const { reseller } = await world.family()
    const page = await open({ as: reseller })
    await press(page, 'Settings')
    await page.route('**/v1/reseller/savesettings', (route) => route.fulfill({ status: 500, body: '' }))
    await choose(page, 'Dark')
    await press(page, 'Save Changes')
    await readNotice(page, 'Failed to save settings', 'An unknown error occurred')
    await expect(page.getByRole('button', { name: 'Save Changes' })).toBeVisible()
    await page.reload()
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    expect(await background(page)).toBe(LIGHT)
  })

  test('is dark from the first paint on, before the scripts have loaded', async ({ open, world }) => {
    const page = await open({ as: world.admin })
    await press(page, 'Settings')
    await choose(page, 'Dark')
    await press(page, 'Save Changes')
    await readNotice(page, 'Settings saved successfully')
    await page.route(/assets\/index-.*\.js/, () => {})
    await page.goto('/admin', { waitUntil: 'commit' })
    await expect(page.locator('html')).toHaveAttribute('data-mode', 'dark')
    // The style sheet may still be loading; nothing is painted before.
    await expect.poll(() => background(page)).toBe(DARK)
    await expect(page.locator('#root > :not(.late)')).toHaveCount(0)
    // The settings stay in the browser after signing out, so the login page is dark as well.
    await page.unroute(/assets\/index-.*\.js/)
    await page.goto('/admin')
    await press(page, 'Logout')
    await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible()
    expect(await background(page)).toBe(DARK)
  })

  test('puts the menu on the left or the right and the settings button on the other side', async ({
    open,
    world,
  }) => {
    const { reseller } = await world.family()
    const page = await open({ as: reseller })
    for (const side of ['left', 'right'] as const) {
      if (side === 'right') {
        await press(page, 'Menu')
        await press(page, 'Settings')
        await choose(page, 'Right')
        await press(page, 'Close settings')
      }
      await expectSide(page, side)
      await press(page, 'Menu')
      await expectSide(page, side, 60)
      await expect(page.getByRole('banner')).toContainText('0 credits')
      await page.reload()
      await expect(page.getByRole('complementary')).toHaveCSS('width', '60px')
    }
  })
})

test.for([
  { place: 'a desk', width: 1440 },
  { place: 'a phone', width: 390 },
])(
  'on $place the first steps move nothing, whether what was asked for first or last is answered first',
  async ({ width }, { open, world }) => {
    const { dealer } = await world.family({ credits: 3 })
    await world.client(dealer, { login: 'anton' })
    const page = await open({ as: dealer, width })
    for (const answered of ['first', 'last'] as const)
      await expectNothingMoves(page, { at: '/', shows: 'Show the login' }, answered)
  },
)

test('a list of one client is one row high, at a desk and on a phone', async ({ open, world }) => {
  const { dealer } = await world.family()
  await world.client(dealer, { login: 'anton' })
  const page = await open({ as: dealer, at: '/clients' })
  for (const list of ['table', 'list'] as const) {
    if (list === 'list') await page.setViewportSize({ width: 390, height: 900 })
    await expect(page.getByRole(list, { name: 'Clients' })).toBeVisible()
    await expect.poll(() => spaceBeneathRow(page, 'anton'), list).toBeLessThanOrEqual(2)
  }
})

test('the question before credits move tells the balances before and after apart, and no name leaves its title', async ({
  open,
  world,
}) => {
  const { name } = await world.child(world.admin, 0, 'w'.repeat(32))
  const page = await open({ as: world.admin, at: to.level.superreseller.update(name), width: 1280 })
  for (const action of ['Add', 'Remove']) {
    await page.getByRole('radio', { name: action }).check()
    await press(page, `${action} 1 credit`)
    const question = page.getByRole('alertdialog')
    const own = question.getByRole('row', { name: 'You' })
    await expect(own).toHaveText('YouUnlimitedUnlimited')
    const before = await textBox(own.getByRole('cell').first())
    const after = await textBox(own.getByRole('cell').last())
    expect(after.left - before.right).toBeGreaterThanOrEqual(16)
    const endOf = async (one: Locator) => {
      const { x = 0, width = 0 } = (await one.boundingBox()) ?? {}
      return x + width
    }
    expect(await endOf(question.getByRole('heading'))).toBe(await endOf(question.getByRole('table')))
    await press(question, 'Cancel')
    await expect(question).toHaveCount(0)
  }
})

test('a look that is tried out stays when the same person signs in again in another tab', async ({
  open,
  world,
}) => {
  const { dealer } = await world.family()
  const page = await open({ as: dealer })
  await press(page, 'Settings')
  await page.getByRole('radio', { name: 'Dark' }).check({ force: true })
  await expect(page.locator('html')).toHaveAttribute('data-mode', 'dark')
  const other = await page.context().newPage()
  await other.goto('/')
  await expect(other.getByText('All Clients')).toBeVisible()
  const { token } = await world.again(dealer)
  const followed = page.waitForResponse('**/v1/api/user')
  await other.evaluate((token) => localStorage.setItem('token', token), token)
  await followed
  await drawn(page)
  await expect(page.getByRole('button', { name: 'Save Changes' })).toBeVisible()
  await expect(page.locator('html')).toHaveAttribute('data-mode', 'dark')
})

test('on paper a list has all of its columns, dark text, and nothing that floats over its rows', async ({
  open,
  world,
}) => {
  const { dealer } = await world.family()
  await world.plantClients(dealer, { last: 25, digits: 2 })
  // A word that nothing breaks, such as an address of the web.
  await world.server.ownerSql`update client set description = ${'x'.repeat(100)} where name = 'many-24'`
  const page = await open({ as: dealer })
  // A browser that prints does not measure the page again for the sheet.
  await page.addInitScript(() => {
    ResizeObserver.prototype.observe = () => {}
  })
  await page.goto('/clients?perPage=25')
  await expect(page.getByText('many-25')).toBeVisible()
  await turn(page, 'dark')
  await page.emulateMedia({ media: 'print' })
  // An A4 sheet without its margins.
  await page.setViewportSize({ width: 718, height: 1046 })
  await expect(page.locator('html')).toHaveAttribute('data-mode', 'light')
  for (const role of ['banner', 'complementary'] as const) await expect(page.getByRole(role)).toBeHidden()
  await expect(page.getByRole('button', { name: 'Settings' })).toBeHidden()
  const row = page.getByRole('row', { name: /many-25/ })
  await expect(row.getByText('Active', { exact: true }).last()).toBeVisible()
  const ends = () =>
    row.locator('td:visible').evaluateAll((cells) => cells.map((cell) => cell.getBoundingClientRect().right))
  await expect.poll(async () => Math.max(...(await ends()))).toBeLessThanOrEqual(718)
  await expect(page.getByRole('switch', { name: 'Dense' })).toHaveCSS('print-color-adjust', 'exact')
  await page.emulateMedia({ media: 'screen' })
  await expect(page.locator('html')).toHaveAttribute('data-mode', 'dark')
  // As Firefox prints: a copy of the page that it makes after the event.
  const printed = await page.evaluate(async () => {
    window.dispatchEvent(new Event('beforeprint'))
    await Promise.resolve()
    return document.documentElement.dataset.mode
  })
  expect(printed).toBe('light')
  await page.evaluate(() => window.dispatchEvent(new Event('afterprint')))
  await expect(page.locator('html')).toHaveAttribute('data-mode', 'dark')
})

test('no banner of a lost connection, hint, notice or bar of the selection is printed over a list', async ({
  open,
  world,
}) => {
  const { dealer } = await world.family()
  await world.client(dealer, { login: 'anton' })
  const page = await open({ as: dealer, at: '/clients' })
  await page.getByRole('checkbox', { name: 'Select anton' }).check()
  await page.route('**/v1/**', (route) => route.abort())
  const floats = [
    page.getByText('The connection to Boxtree is lost.', { exact: true }),
    page.getByText('Error exporting. Please try again.', { exact: true }),
    page.getByText('1 selected', { exact: true }).last(),
    page.getByRole('tooltip'),
  ]
  const seen = () => Promise.all(floats.map((one) => one.isVisible()))
  // A notice goes after six seconds.
  await expect(async () => {
    await press(page, 'Export')
    await page.getByRole('menuitem').first().click()
    await page.getByRole('row', { name: /anton/ }).locator('time').hover()
    await expect.poll(seen, { timeout: 3_000 }).toEqual([true, true, true, true])
  }).toPass()
  await page.emulateMedia({ media: 'print' })
  expect(await seen()).toEqual([false, false, false, false])
})

test.for([
  { preference: 'reduced', limit: 0, motion: false },
  { preference: 'full', limit: 200, motion: true },
])(
  'with $preference motion no animation takes longer than $limit ms',
  async ({ motion, limit }, { open, world }) => {
    const { dealer } = await world.family({ credits: 1 })
    await world.client(dealer, { login: 'anton' })
    const page = await open({ as: dealer, at: '/clients', motion })
    await page.evaluate(watchMotion)
    await press(page, 'Renew anton')
    await expect(page.getByText('Balance after')).toBeVisible()
    await press(page, 'Renew for 1 credit')
    await readNotice(page, 'Successfully renewed 1 month(s) for anton')
    await press(page, 'Export')
    await page.keyboard.press('Escape')
    await press(page, 'Settings')
    await choose(page, 'Purple')
    await press(page, 'Save Changes')
    await readNotice(page, 'Settings saved successfully')
    await expect(page.locator('.notistack-SnackbarContainer > *')).toHaveCount(0)
    const moved = await page.evaluate(() => (window as unknown as { moved: string[] }).moved)
    expect(moved.filter((one) => !motion || Number(/ (\d+) ms/.exec(one)?.[1]) > limit)).toEqual([])
  },
)

/** Returns the distance from a row of the list of clients to its footer, in CSS pixels. */
async function spaceBeneathRow(page: Page, name: string): Promise<number> {
  const row = page.getByText(name).locator('xpath=ancestor::*[self::tr or self::li]')
  const [last, foot] = await Promise.all([row.boundingBox(), pager(page, 'Clients').boundingBox()])
  if (!last || !foot) throw new Error('the list is not there')
  return foot.y - last.y - last.height
}

/** Where the text of an element is, without the space around it. */
function textBox(element: Locator): Promise<{ left: number; right: number }> {
  return element.evaluate((one) => {
    const text = document.createRange()
    text.selectNodeContents(one)
    const { left, right } = text.getBoundingClientRect()
    return { left, right }
  })
}

/** Records every animation from now on, with its duration, in `window.moved`. */
function watchMotion() {
  const moved = new Set<string>()
  const look = () => {
    for (const animation of document.getAnimations()) {
      const { duration, iterations } = animation.effect?.getComputedTiming() ?? {}
      const { target } = animation.effect as KeyframeEffect
      // Loading indicators are animated for as long as they are shown.
      if (iterations === Infinity || !(Number(duration) > 0)) continue
      moved.add(`${target?.className} ${duration} ms`)
    }
    Object.assign(window, { moved: [...moved] })
    requestAnimationFrame(look)
  }
  look()
}

function choose(page: Page, name: string): Promise<void> {
  return page.getByRole('radio', { name }).check()
}

function background(page: Page): Promise<string> {
  return page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor)
}

/** Checks that the menu is on one side and the settings button on the other. */
async function expectSide(page: Page, side: 'left' | 'right', width = 240): Promise<void> {
  await expect(page.getByRole('complementary')).toHaveCSS('width', `${width}px`)
  const [menu, button, main] = await Promise.all(
    [
      page.getByRole('complementary'),
      page.getByRole('button', { name: 'Settings', exact: true }),
      page.getByRole('main'),
    ].map((one) => one.boundingBox()),
  )
  if (!menu || !button || !main) throw new Error('the page is not there')
  expect(main.width).toBe((await page.evaluate(() => document.documentElement.clientWidth)) - width)
  if (side === 'left') {
    expect([menu.x, main.x]).toEqual([0, width])
    expect(button.x).toBeGreaterThan(main.x + main.width / 2)
  } else {
    expect([main.x, menu.x]).toEqual([0, main.width])
    expect(button.x).toBeLessThan(main.width / 2)
  }
}

import type { Locator } from 'playwright-core'
import { describe } from 'vitest'
import { calls } from '../../contract/calls.ts'
import { drawn, expect, fill, holdBack, press, readNotice, test, turn, typeIn } from '../support/browser.ts'

const PHONE = { width: 390, height: 844, touch: true }

describe('on a phone', () => {
  test('the menu is a drawer that closes after a click, and the top bar shows the credits', async ({
    open,
    world,
  }) => {
    const { dealer } = await world.family({ credits: 3 })
    const page = await open({ as: dealer, ...PHONE })
    await expect(page.getByRole('complementary')).toHaveCount(0)
    await expect(page.getByRole('banner')).toContainText('3 credits')
    // The settings button floats in the top bar, where it covers nothing.
    const settings = await page.getByRole('button', { name: 'Settings', exact: true }).boundingBox()
    expect((settings?.y ?? 0) + (settings?.height ?? 0)).toBeLessThanOrEqual(64)
    // It looks like one of the bar's own.
    const colours = () =>
      page
        .getByRole('button', { name: /^(Menu|Find|Settings)$/ })
        .evaluateAll((icons) => icons.map((icon) => getComputedStyle(icon).color))
    for (const [mode, quiet] of [
      ['light', 'rgb(85, 96, 109)'],
      ['dark', 'rgb(169, 180, 192)'],
    ] as const) {
      await turn(page, mode)
      await expect.poll(colours).toEqual([quiet, quiet, quiet])
    }
    await page.getByRole('button', { name: 'Menu' }).tap()
    const drawer = page.getByRole('dialog', { name: 'Menu' })
    await expect(drawer.locator('[aria-current=page]')).toHaveText('Dashboard')
    await drawer.getByRole('link', { name: 'New Client' }).tap()
    await expect(drawer).toHaveCount(0)
    await expect(page).toHaveURL('/new-client')
    await page.getByRole('button', { name: 'Menu' }).tap()
    await page.touchscreen.tap(380, 600)
    await expect(drawer).toHaveCount(0)
    await page.getByRole('button', { name: 'Menu' }).tap()
    await drawer.getByRole('button', { name: 'Logout' }).tap()
    await expect(page).toHaveURL('/login')
  })

  test('two answers to a request stand apart, so that a thumb gives the one it means', async ({
    open,
    world,
  }) => {
    const { superreseller, reseller } = await world.family({ credits: 9, to: 'superreseller' })
    await reseller.call(calls.requests.ask, { credits: 4 })
    const page = await open({ as: superreseller, at: '/credit-requests', ...PHONE })
    const [grant, decline] = [
      page.getByRole('button', { name: `Grant ${reseller.name}` }),
      page.getByRole('button', { name: `Decline ${reseller.name}` }),
    ]
    await expect(decline).toBeVisible()
    await expect.poll(() => between(grant, decline)).toBeGreaterThanOrEqual(8)
  })

  test('Back closes what lies over the page, and only that', async ({ open, world }) => {
    const { dealer } = await world.family({ credits: 3 })
    await world.client(dealer, { login: 'for-back', months: 1 })
    const page = await open({ as: dealer, ...PHONE })
    // No browser without a screen has such a Back: the page is told of it as a phone would.
    await page.addInitScript(`{
      window.watchers = new Set()
      window.CloseWatcher = class extends CloseWatcher {
        constructor() {
          super()
          watchers.add(this)
          this.addEventListener('close', () => watchers.delete(this))
        }
        destroy() {
          super.destroy()
          watchers.delete(this)
        }
      }
    }`)
    await page.goto('/clients')
    const goBack = () =>
      page.evaluate<boolean>(
        '{ const watcher = [...watchers].at(-1); watcher?.requestClose(); watcher !== undefined }',
      )
    await page.getByRole('button', { name: 'Menu' }).tap()
    await expect(page.getByRole('dialog', { name: 'Menu' })).toBeVisible()
    await expect.poll(goBack).toBe(true)
    await expect(page.getByRole('dialog')).toHaveCount(0)
    expect(await goBack()).toBe(false)

    for (const [opener, opened] of [
      ['Columns', page.getByRole('menu')],
      ['Settings', page.getByRole('dialog', { name: 'Settings' })],
      ['Find', page.getByRole('combobox', { name: /^Find/ })],
    ] as const) {
      await page.getByRole('button', { name: opener, exact: true }).tap()
      await expect(opened).toBeVisible()
      await expect.poll(goBack, opener).toBe(true)
      await expect(opened).toBeHidden()
      expect(await goBack(), opener).toBe(false)
    }

    await page.goto('/update-client/for-back')
    await page.getByRole('button', { name: 'Reset' }).tap()
    await expect(page.getByRole('alertdialog')).toBeVisible()
    await expect.poll(goBack).toBe(true)
    await expect(page.getByRole('alertdialog')).toHaveCount(0)

    // One that waits for its answer stays, and the next Back closes it.
    await page.goto('/clients')
    const answer = await holdBack(page, '**/v1/api/renew')
    await page.getByRole('button', { name: 'for-back' }).tap()
    await press(page, 'Renew for-back')
    await press(page.getByRole('dialog'), 'Renew for 1 credit')
    await expect(page.getByRole('dialog').getByRole('button', { name: /^Renew/ })).toBeDisabled()
    await expect.poll(goBack).toBe(true)
    await expect(page.getByRole('dialog')).toBeVisible()
    answer()
    await expect(page.getByRole('dialog')).toHaveCount(0)
    expect(await goBack()).toBe(false)
    await expect(page).toHaveURL('/clients')
  })

  test('and on a tablet the settings button stays in the top bar, where it covers no cell', async ({
    open,
    world,
  }) => {
    const { dealer } = await world.family({ credits: 3 })
    const page = await open({ as: dealer, touch: true, width: 768, height: 1024 })
    const bar = page.getByRole('banner')
    for (const width of [768, 1100]) {
      await page.setViewportSize({ width, height: 1024 })
      const settings = await page.getByRole('button', { name: 'Settings', exact: true }).boundingBox()
      expect((settings?.y ?? 0) + (settings?.height ?? 0)).toBeLessThanOrEqual(64)
      const find = await bar.getByRole('combobox').boundingBox()
      expect((find?.x ?? 0) + (find?.width ?? 0)).toBeLessThanOrEqual(settings?.x ?? 0)
    }
  })

  test('clients are cards that unfold to renew the client', async ({ open, world }) => {
    const { dealer } = await world.family({ credits: 3 })
    await world.client(dealer, { login: 'ana.ferreira', stb_mac: '00:1A:79:A1:B2:C3', desc: 'Attic' })
    const page = await open({ as: dealer, at: '/clients', ...PHONE })
    const card = page.getByRole('list', { name: 'Clients' }).getByRole('listitem')
    await expect(card).toContainText(/ana\.ferreira.*A1:B2:C3.*2026-05-15.*Expiring.*today/)
    await expect(card.getByText('00:1A:79:')).toBeHidden()
    await expect(card.getByText('Attic')).toHaveCount(0)
    await card.getByRole('button', { name: 'More about ana.ferreira' }).tap()
    await expect(card).toContainText(/Description.*Attic.*Status.*Active/)
    await card.getByRole('button', { name: 'Renew ana.ferreira' }).tap()
    await fill(page, { Months: '2' })
    await page.getByRole('button', { name: 'Renew for 2 credits' }).tap()
    await readNotice(page, 'Successfully renewed 2 month(s) for ana.ferreira')
    await expect(card).toContainText('2026-07-15')
    await expect(page.getByRole('banner')).toContainText('1 credit')
  })

  test('the page of an expired client begins with the reason and the button that renews it', async ({
    open,
    world,
  }) => {
    const { dealer } = await world.family({ credits: 3 })
    const { name } = await world.client(dealer, { months: 1 })
    await world.setExpiry(name, '2026-04-14T23:59:59.000Z')
    const page = await open({ as: dealer, at: '/clients', ...PHONE })
    await page.getByRole('link', { name }).tap()
    await expect(page.getByRole('button', { name: 'Renew', exact: true })).toBeInViewport()
    await expect(page.getByLabel('Add months')).toBeEnabled()
    expect(await page.evaluate(() => window.scrollY)).toBe(0)
  })

  test('every item of the menus above a list can be seen and pressed, however few rows it has', async ({
    open,
    world,
  }) => {
    const { dealer } = await world.family()
    await world.client(dealer, { login: 'client-1' })
    const page = await open({ as: dealer, at: '/clients' })
    await press(page, 'Filters')
    await page.getByRole('menuitem', { name: 'Save this filter' }).click()
    // As long as a name may be, in wide letters.
    await fill(page.getByRole('dialog'), { Name: 'EXPIRED AND NOT RENEWED IN DOWNTOWN WEST' })
    await press(page.getByRole('dialog'), 'Save')
    await expect(page.getByRole('dialog')).toHaveCount(0)
    for (const [width, height] of [
      [360, 640],
      [390, 844],
      [768, 500],
      // A phone that is turned, and a laptop at 200 %.
      [780, 360],
      [683, 330],
      [1440, 900],
    ] as const) {
      await page.setViewportSize({ width, height })
      await page.getByLabel('Select client-1').check()
      for (const menu of ['Filters', 'Columns', 'More']) {
        await press(page, menu)
        const items = page.getByRole('menu', { name: menu }).locator('button')
        expect(await items.count(), menu).toBeGreaterThan(1)
        for (const item of await items.all()) {
          await item.evaluate((item) => item.scrollIntoView({ block: 'nearest' }))
          const covered = await item.evaluate((item) => {
            const { left, right, top, bottom } = item.getBoundingClientRect()
            if (left < 0 || right > window.innerWidth) return true
            const ends = [left + 4, right - 4].map((x) => document.elementFromPoint(x, (top + bottom) / 2))
            return ends.some((end) => end?.closest('[role^=menuitem]') !== item)
          })
          expect(covered, `${menu} at ${width}: ${await item.textContent()}`).toBe(false)
        }
        await page.keyboard.press('Escape')
        await expect(page.getByRole('menu')).toHaveCount(0)
      }
    }
  })

  test('cards are sorted by a select, and a checkbox selects the page', async ({ open, world }) => {
    const { dealer } = await world.family({ credits: 3 })
    for (const login of ['anton', 'berta', 'cesar']) await world.client(dealer, { login })
    const page = await open({ as: dealer, at: '/clients', ...PHONE })
    const cards = page.getByRole('list', { name: 'Clients' }).getByRole('listitem')
    await expect(cards).toHaveText([/anton/, /berta/, /cesar/])
    await page.getByRole('button', { name: 'Ascending; reverse the order' }).tap()
    await expect(cards).toHaveText([/cesar/, /berta/, /anton/])
    await fill(page, { 'Sort by': 'mac' })
    await expect(cards).toHaveText([/anton/, /berta/, /cesar/])
    await page.getByLabel('Select this page').check()
    await press(page, 'Renew selected')
    await expect(page.getByRole('dialog', { name: 'Renew 3 clients' })).toContainText(
      'Balance after0 credits',
    )
  })

  test('the button for a new client is an icon, and its form has large touch targets', async ({
    open,
    world,
  }) => {
    const { dealer } = await world.family({ credits: 3 })
    const page = await open({ as: dealer, at: '/clients', ...PHONE })
    const way = page.getByRole('main').getByRole('link', { name: 'New Client' }).first()
    await expect(way.getByText('New Client')).toBeHidden()
    await way.tap()
    await fill(page, { 'Login Name': 'ana.ferreira', Password: 'tv-1234' })
    await typeIn(page.getByLabel('MAC Address'), 'A1B2C3')
    await expect(page.getByLabel('Phone Number')).toHaveAttribute('inputmode', 'tel')
    const submit = await page.getByRole('button', { name: 'Submit' }).boundingBox()
    expect(submit?.height).toBeGreaterThanOrEqual(44)
    await press(page, 'Submit')
    await readNotice(page, 'Client ana.ferreira created successfully!')
    await expect(page).toHaveURL('/clients')
  })

  test('a package is told from its twin without adults, though its list is too narrow for the label', async ({
    open,
    world,
  }) => {
    const { dealer } = await world.family()
    await world.client(dealer, { login: 'client-1' })
    for (const at of ['/new-client', '/update-client/client-1']) {
      const page = await open({ as: dealer, at, ...PHONE, width: 360 })
      const list = page.getByLabel('Package')
      await expect(list).toBeEnabled()
      for (const [value, label] of [
        ['18', 'Latin/Portuguese/Italian/Spanish/Adults'],
        ['19', 'Latin/Portuguese/Italian/Spanish/No Adults'],
        ['48', 'Vietnamese/Korean/Chinese/Filipino/No Adults'],
      ] as const) {
        await list.selectOption(value)
        await expect(page.locator('p').getByText(label, { exact: true })).toBeVisible()
      }
      await list.selectOption('7')
      await expect(page.locator('p').getByText('All Packages/No Adults')).toHaveCount(0)
    }
  })

  test("a client's MAC is told in one line, and in a narrower window breaks only between its pairs", async ({
    open,
    world,
  }) => {
    const { dealer } = await world.family()
    const { mac } = await world.client(dealer, { login: 'client-1', stb_mac: '00:1A:79:A1:B2:C3' })
    const page = await open({ as: dealer, at: '/update-client/client-1', ...PHONE, width: 360 })
    await press(page, 'Credentials')
    const told = page.getByRole('dialog').getByText(mac ?? '')
    /** Returns the text in the lines in which it stands. */
    const lines = () =>
      told.evaluate((element) => {
        const lines: string[] = []
        let last: number | undefined
        const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT)
        for (let text = texts.nextNode(); text; text = texts.nextNode()) {
          for (const [at, letter] of [...(text.textContent ?? '')].entries()) {
            const range = document.createRange()
            range.setStart(text, at)
            range.setEnd(text, at + 1)
            const { top } = range.getBoundingClientRect()
            if (top === last) lines.push(`${lines.pop()}${letter}`)
            else lines.push(letter)
            last = top
          }
        }
        return lines
      })
    await expect.poll(lines).toEqual(['00:1A:79:A1:B2:C3'])
    await page.setViewportSize({ width: 300, height: 640 })
    await expect.poll(lines).toEqual(['00:1A:79:', 'A1:B2:C3'])
  })

  test('in a font of twice the size nothing is cut off', async ({ open, world }) => {
    const { dealer } = await world.family({ credits: 1_234 })
    const { mac } = await world.client(dealer, { login: 'client-1', months: 1 })
    const page = await open({ as: dealer, at: '/clients', ...PHONE, width: 360, height: 640 })
    const find = async () => {
      await page.getByRole('button', { name: 'Find' }).tap()
      await page.keyboard.type('cli')
      return page.getByRole('option', { name: /^client-1/ })
    }
    // As much of the MAC is hidden as its line is wider than its place.
    const hidden = (found: Locator) =>
      found.getByText(mac ?? '').evaluate((line) => line.scrollWidth - line.clientWidth)
    const inUsualFont = await find()
    await expect.poll(() => hidden(inUsualFont)).toBe(0)
    await page.addInitScript(() => {
      document.addEventListener('readystatechange', () => {
        document.documentElement.style.fontSize = '32px'
      })
    })
    const isWithin = async (part: Locator, whole: Locator) => {
      // The font may come late, and all is drawn anew in it.
      const outside = async () => {
        const shown = await part.elementHandle()
        if (!shown) return ['nowhere']
        // Both at one moment: what loads above would move them between two.
        return whole.evaluate((element, part) => {
          const [inner, outer] = [part.getBoundingClientRect(), element.getBoundingClientRect()]
          const room = {
            left: inner.left - outer.left,
            top: inner.top - outer.top,
            right: outer.right - inner.right,
            bottom: outer.bottom - inner.bottom,
          }
          return Object.entries(room).flatMap(([side, px]) => (px < 0 ? [side] : []))
        }, shown)
      }
      await expect.poll(outside).toEqual([])
    }
    await page.reload()
    const bar = page.getByRole('banner')
    await isWithin(bar.getByText('Dealer Panel'), bar)
    await isWithin(bar.getByText('1,233 credits'), bar)
    await bar.getByRole('button', { name: 'Menu' }).tap()
    const menu = page.getByRole('dialog', { name: 'Menu' })
    await menu.getByText('Credit Requests').scrollIntoViewIfNeeded()
    await isWithin(menu.getByText('Credit Requests'), menu)
    await page.keyboard.press('Escape')
    await isWithin(page.getByRole('button', { name: 'Columns' }), page.locator('main section').first())
    const found = await find()
    const name = found.getByText('client-1')
    await expect.poll(async () => (await name.boundingBox())?.width).toBeGreaterThan(96)
    await expect.poll(() => hidden(found)).toBe(0)
    await page.goto('/new-client')
    for (const label of ['Login Name', 'Password']) {
      const field = page.getByLabel(label, { exact: true })
      await expect.poll(async () => (await field.boundingBox())?.width, label).toBeGreaterThan(256)
    }
    await page.goto('/')
    const card = page.getByRole('list', { name: 'Transactions' }).getByRole('listitem').first()
    await isWithin(card.getByText('2026-05-15 10:00:00'), card)
    await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBe(360)
  })

  test('in a large font a button in a card is as high as its words, in two lines', async ({
    open,
    world,
  }) => {
    const page = await open({ as: world.admin, at: '/', ...PHONE, width: 320 })
    await page.addInitScript(() => {
      document.addEventListener('readystatechange', () => {
        document.documentElement.style.fontSize = '28px'
      })
    })
    await page.goto('/admin/channels')
    const button = page.getByRole('button', { name: 'Choose groups of All Packages', exact: true })
    await expect(button).toBeVisible()
    const parts = () =>
      button.evaluate((element) => {
        const whole = element.getBoundingClientRect()
        return [...element.children].map((part) => {
          const { top, bottom } = part.getBoundingClientRect()
          return top >= whole.top && bottom <= whole.bottom
        })
      })
    await expect.poll(parts).toEqual([true, true])
  })

  test('a chart is never wider than the window, not even for a moment', async ({ open, world }) => {
    const { dealer } = await world.family()
    await world.client(dealer)
    const page = await open({ as: world.admin, ...PHONE })
    await page.addInitScript(() => {
      const widest = () => {
        const { scrollWidth, dataset } = document.documentElement
        dataset.widest = String(Math.max(scrollWidth, Number(dataset.widest ?? 0)))
        requestAnimationFrame(widest)
      }
      document.addEventListener('DOMContentLoaded', widest)
    })
    await page.goto('/admin')
    await page.locator('canvas').first().scrollIntoViewIfNeeded()
    await expect(page.locator('canvas').first()).toBeVisible()
    await expect(page.locator('html')).toHaveAttribute('data-widest', '390')
  })

  test('in a font of twice the size no dashboard or list of accounts is wider than the window', async ({
    open,
    world,
  }) => {
    const { superreseller, reseller, dealer } = await world.family({ credits: 1_234 })
    await world.client(dealer, { login: 'client-1', months: 1 })
    for (const [as, paths] of [
      [world.admin, ['/admin', '/super-resellers']],
      [superreseller, ['/superreseller', '/resellers']],
      [reseller, ['/dealers']],
      [dealer, ['/']],
    ] as const) {
      const page = await open({ as, ...PHONE })
      await page.addInitScript(() => {
        document.addEventListener('readystatechange', () => {
          document.documentElement.style.fontSize = '32px'
        })
      })
      for (const at of paths) {
        await page.goto(at)
        await expect(page.locator('main [aria-busy=true]'), at).toHaveCount(0)
        await expect(page.locator('main time').first(), at).toBeVisible()
        await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth), at).toBe(390)
        const cut = () =>
          page
            .locator('main li')
            .evaluateAll((all) =>
              all.filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.textContent),
            )
        await expect.poll(cut, at).toEqual([])
      }
    }
  })

  test('the layout setting moves the drawer to the right', async ({ open, world }) => {
    const { dealer } = await world.family()
    const page = await open({ as: dealer, ...PHONE })
    await press(page, 'Settings')
    await page.getByRole('radio', { name: 'Right' }).check()
    await press(page, 'Close settings')
    await page.getByRole('button', { name: 'Menu' }).tap()
    const box = await page.getByRole('dialog', { name: 'Menu' }).boundingBox()
    expect(box).toMatchObject({ x: 390 - 240, width: 240 })
  })
})

test('the width of the window decides: from 667 px on a list is a table instead of cards, from 1025 px the menu a sidebar instead of a drawer', async ({
  open,
  world,
}) => {
  const { dealer } = await world.family()
  await world.client(dealer)
  const page = await open({ as: dealer, at: '/clients', width: 666 })
  const sidebar = page.getByRole('complementary')
  await expect(page.getByRole('list', { name: 'Clients' })).toBeVisible()
  await page.setViewportSize({ width: 667, height: 900 })
  await expect(page.getByRole('table', { name: 'Clients' })).toBeVisible()
  await page.setViewportSize({ width: 1024, height: 900 })
  await drawn(page)
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  await expect(sidebar).toHaveCount(0)
  await page.setViewportSize({ width: 1025, height: 900 })
  await expect(sidebar).toHaveCSS('width', '240px')
  await expect(page.getByRole('banner')).toHaveCSS('height', '64px')
})

test('a field for several lines shows some on a phone', async ({ open, world }) => {
  const page = await open({ as: world.admin, at: '/admin/message', ...PHONE })
  const field = page.getByLabel('New Message')
  await expect.poll(async () => (await field.boundingBox())?.height).toBeGreaterThanOrEqual(96)
})

test('a long name of an account stands whole beside the type and the credits of its transaction', async ({
  open,
  world,
}) => {
  const superreseller = await world.child(world.admin, 5)
  const reseller = await world.child(superreseller, 3, 'PORTOSTREAMSANDMOREFOREVERYHOUSE')
  const page = await open({ as: superreseller, at: '/transactions', ...PHONE })
  const name = page.getByRole('list', { name: 'Transactions' }).getByRole('link', { name: reseller.name })
  const type = page.getByRole('listitem').filter({ hasText: reseller.name }).getByText('ADD')
  await expect(name).toBeVisible()
  await expect.poll(() => name.evaluate((link) => link.scrollWidth - link.clientWidth)).toBe(0)
  await expect.poll(() => between(name, type)).toBeGreaterThanOrEqual(0)
})

/** Returns how many pixels are between two that stand side by side. */
async function between(left: Locator, right: Locator): Promise<number> {
  const [one, other] = [await left.boundingBox(), await right.boundingBox()]
  return (other?.x ?? 0) - (one?.x ?? 0) - (one?.width ?? 0)
}

import type { Page } from 'playwright-core'
import { describe } from 'vitest'
import { expect, rows, sessionOf, test } from '../support/browser.ts'
import { type IdleWindows, Windows } from '../support/windows.ts'

describe('a window that a journey has left', () => {
  test('is as new to the next one', async ({ browser, world }) => {
    const { dealer } = await world.family()
    const { name } = await world.client(dealer)
    const { url } = world.server
    const idle: IdleWindows = []
    const journey = new Windows(browser, idle)
    const page = await journey.open(url, {}, sessionOf(dealer))
    await show(page, name)
    const atFirst = await stateOf(page)
    await page.evaluate(() => {
      localStorage.setItem('left', 'behind')
      sessionStorage.setItem('left', 'behind')
    })
    await page.setViewportSize({ width: 900, height: 600 })
    await page.goto('/due')
    await page.getByRole('button', { name: 'Menu' }).hover()
    await page.route('**/v1/**', (route) => route.abort())
    await journey.close()

    const next = new Windows(browser, idle)
    const again = await next.open(url, {}, sessionOf(dealer))
    expect(again).toBe(page)
    await show(again, name)
    expect(await stateOf(again)).toEqual(atFirst)
    await next.close()
    await closeAll(idle)
  })

  test('is closed once three others were left after it', async ({ browser, world }) => {
    const idle: IdleWindows = []
    const pages = new Set<Page>()
    for (const count of [1, 4]) {
      const journey = new Windows(browser, idle)
      for (let at = 0; at < count; at += 1) pages.add(await journey.open(world.server.url))
      await journey.close()
    }
    expect(pages.size).toBe(4)
    expect([...pages].filter((page) => page.isClosed())).toHaveLength(1)
    await closeAll(idle)
  })

  test('is closed where something lasts that was done in it, or another one was opened from it', async ({
    browser,
    world,
  }) => {
    const { url } = world.server
    const idle: IdleWindows = []
    const acts: ((page: Page) => Promise<unknown>)[] = [
      (page) => page.clock.install(),
      (page) => page.addInitScript('void 0'),
      (page) => page.emulateMedia({ media: 'print' }),
      (page) => page.exposeFunction('tell', () => {}),
      (page) => page.context().clock.install(),
      (page) => page.context().grantPermissions(['clipboard-read']),
      (page) => page.context().newCDPSession(page),
      (page) => page.context().setOffline(false),
      (page) => page.context().newPage(),
    ]
    for (const act of acts) {
      const journey = new Windows(browser, idle)
      const page = await journey.open(url)
      await act(page)
      await journey.close()
      expect(page.isClosed()).toBe(true)
    }
    const journey = new Windows(browser, idle)
    const installed = await journey.open(url, { installs: true })
    await journey.close()
    expect(installed.isClosed()).toBe(true)
  })
})

async function show(page: Page, client: string): Promise<void> {
  await page.goto('/clients')
  await expect(rows(page, 'Clients').filter({ hasText: client })).toBeVisible()
}

/** What a page can tell of what was there before it. */
function stateOf(page: Page) {
  return page.evaluate(() => ({
    entries: history.length,
    stored: Object.keys(localStorage).sort(),
    storedForTheTab: Object.keys(sessionStorage).sort(),
    size: [innerWidth, innerHeight],
    underTheMouse: document.querySelectorAll('button:hover, a:hover, tr:hover').length,
    hasFocus: document.activeElement?.tagName,
  }))
}

async function closeAll(idle: IdleWindows): Promise<void> {
  await Promise.all(idle.map(({ profile }) => profile.close()))
}

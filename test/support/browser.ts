import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { expect as judge } from '@playwright/test'
import type axe from 'axe-core'
import type { Locator, Page, Request } from 'playwright-core'
import { test as base } from 'vitest'
import { launchForJourneys } from './chromium.ts'
import { freePort } from './port.ts'
import { type IdleWindows, type Look, Windows } from './windows.ts'
import { openWorld, PASSWORD, type Person } from './world.ts'

/** Playwright's `expect`, which retries for as long as a busy machine may need. */
export const expect = judge.configure({ timeout: 15_000 })

interface Visit extends Look {
  /** The person who is signed in; nobody by default. */
  as?: Person
  /** The path that is opened first. */
  at?: string
}

/**
 * A journey's fixtures. A window that has shown the console before shows it in half of the time, at the same address. So
 * all journeys of a process have one browser and its idle windows, and each has a world of its own, with its own database,
 * at the address of the world before it.
 */
export const test = base
  .extend('env', {} as Record<string, string>)
  .extend('port', { scope: 'worker' }, () => freePort())
  .extend('world', async ({ env, port }, { onCleanup }) => {
    const world = await openWorld({ env, port })
    onCleanup(() => world.close())
    return world
  })
  .extend('browser', { scope: 'worker' }, async ({}, { onCleanup }) => {
    const browser = await launchForJourneys()
    onCleanup(() => browser.close())
    return browser
  })
  .extend('idle', { scope: 'worker' }, (): IdleWindows => [])
  .extend('windows', async ({ browser, idle, task }, { onCleanup }) => {
    const windows = new Windows(browser, idle)
    onCleanup(async () => {
      if (task.result?.state === 'fail') await windows.tell(task)
      await windows.close()
    })
    return windows
  })
  .extend('open', async ({ world, windows }) => async ({ as, at = '/', ...look }: Visit = {}) => {
    const { url } = world.server
    const page = await windows.open(url, look, as ? sessionOf(as) : {})
    await page.goto(at)
    await page.locator('h1').waitFor()
    return page
  })

/** The session as the console stores it in localStorage. */
export function sessionOf({ token, role, name }: Person): Record<string, string> {
  return { token, role, name, expiry: '2999-12-31T00:00:00.000Z' }
}

/** Changes the colour mode as another tab would, without a reload. */
export async function turn(page: Page, mode: 'light' | 'dark', preset = 'blue'): Promise<void> {
  await page.evaluate(
    (settings) => {
      localStorage.setItem('settings', JSON.stringify(settings))
      window.dispatchEvent(new StorageEvent('storage', { key: 'settings' }))
    },
    { mode, preset, layout: 'left' },
  )
  await expect(page.locator('html')).toHaveAttribute('data-mode', mode)
}

export async function signIn(page: Page, name: string, password = PASSWORD): Promise<void> {
  await fill(page, { Username: name, Password: password })
  await press(page, 'Sign in')
  // A message may lie over the page.
  await expect(page.getByRole('button', { name: 'Menu', includeHidden: true })).toBeVisible()
}

interface Acts {
  clicks: number
  taps: number
  keys: number
}

/** Counts from now on what the person does in a window. Returns the function that tells the counts. */
export async function countActs(page: Page): Promise<() => Promise<Acts>> {
  await page.evaluate(() => {
    const acts: Acts = { clicks: 0, taps: 0, keys: 0 }
    Object.assign(window, { acts })
    window.addEventListener(
      'pointerdown',
      ({ pointerType }) => {
        acts[pointerType === 'touch' ? 'taps' : 'clicks'] += 1
      },
      true,
    )
    window.addEventListener('keydown', () => (acts.keys += 1), true)
  })
  return () => page.evaluate(() => (window as unknown as { acts: Acts }).acts)
}

/** Fills fields by their labels; in a list it selects the option. */
export async function fill(within: Page | Locator, fields: Record<string, string>): Promise<void> {
  for (const [label, value] of Object.entries(fields)) {
    const field = within.getByLabel(label, { exact: true })
    const isList = (await field.evaluate((element) => element.tagName)) === 'SELECT'
    await (isList ? field.selectOption(value) : field.fill(value))
  }
}

/** Types key by key. A field that is disabled while its form loads would take none of them. */
export async function typeIn(field: Locator, text: string): Promise<void> {
  await expect(field).toBeEnabled()
  await field.pressSequentially(text)
}

export async function press(within: Page | Locator, name: string): Promise<void> {
  await within.getByRole('button', { name, exact: true }).click()
}

/** Chooses an item of the menu that a button opens. */
export async function choose(within: Page | Locator, menu: string, item: string): Promise<void> {
  await press(within, menu)
  const page = 'goto' in within ? within : within.page()
  await page.getByRole('menuitem', { name: item }).click()
}

/** Presses a button, and the one of the same name in the question that it asks. */
export async function pressAndConfirm(page: Page, name: string): Promise<void> {
  await press(page, name)
  await press(page.getByRole('alertdialog'), name)
}

/** Expects a notice with this text and second line, and closes it. */
export async function readNotice(page: Page, text: string, reason = ''): Promise<void> {
  const one = noticesOn(page).filter({ hasText: text })
  await expect(one).toHaveText(text + reason)
  // It may go by itself in this very moment, and what has been read may go.
  await one.getByRole('button').evaluateAll((all) => {
    for (const button of all) (button as HTMLElement).click()
  })
  await one.waitFor({ state: 'hidden' })
}

/**
 * The notices that can be seen: one that was closed stays in the document for a moment. Found from their buttons,
 * because Playwright would try `:has()` on every element of the page, again and again.
 */
export function noticesOn(page: Page): Locator {
  return page.locator('button[aria-label="Close this notice"]').locator('xpath=..').filter({ visible: true })
}

/** The requests of a page that have no answer yet, of those that it makes from now on. */
export function underWayOn(page: Page): Set<Request> {
  const underWay = new Set<Request>()
  page.on('request', (request) => underWay.add(request))
  page.on('requestfinished', (request) => underWay.delete(request))
  page.on('requestfailed', (request) => underWay.delete(request))
  return underWay
}

/** Waits until a page has drawn what it knows: a table measures itself in one frame, and is drawn anew in the next. */
export async function drawn(page: Page): Promise<void> {
  await page.evaluate(async () => {
    for (let frame = 0; frame < 2; frame += 1) await new Promise(requestAnimationFrame)
  })
}

/** Holds requests back until the returned function is called, as a slow line does. */
export async function holdBack(page: Page, url: string): Promise<() => void> {
  const released = Promise.withResolvers<void>()
  await page.route(url, async (route) => {
    await released.promise
    await route.continue()
  })
  return released.resolve
}

/**
 * Does to a page what Safari does to one that comes back from its back/forward cache: tells it, and then resets what may
 * be secret, passwords and fields without autocompletion, to what is in the document.
 */
export async function comeBackFromCache(page: Page): Promise<void> {
  await page.evaluate(async () => {
    window.dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))
    await new Promise((done) => setTimeout(done))
    // React's own setter would note it.
    const { set } = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value') ?? {}
    for (const input of document.querySelectorAll('input'))
      if (input.autocomplete === 'off' || input.type === 'password') set?.call(input, input.defaultValue)
  })
}

/** Returns whether a change of a text is announced: 'polite' or 'off'. */
export function liveOf(text: Locator): Promise<string> {
  return text.evaluate((element) => element.closest('[aria-live]')?.getAttribute('aria-live') ?? 'off')
}

export function table(page: Page, name: string): Locator {
  return page.getByRole('table', { name, exact: true })
}

export function rows(page: Page, name: string): Locator {
  return table(page, name).locator('tbody tr')
}

export async function expectColumns(page: Page, name: string, columns: string[]): Promise<void> {
  await expect(table(page, name).getByRole('columnheader')).toHaveText(columns)
}

export async function expectSorted(
  page: Page,
  name: string,
  column: string,
  order: 'ascending' | 'descending',
): Promise<void> {
  const sorted = table(page, name).locator('th[aria-sort]')
  await expect(sorted).toHaveText(column)
  await expect(sorted).toHaveAttribute('aria-sort', order)
}

/** Expects the page sizes that a table offers, and the chosen one. */
export async function expectPageSizes(page: Page, name: string, sizes: number[], first = 10): Promise<void> {
  const choice = pager(page, name).getByLabel('Rows per page')
  await expect(choice.locator('option')).toHaveText(sizes.map(String))
  await expect(choice).toHaveValue(String(first))
}

export function pager(page: Page, name: string): Locator {
  return page.getByRole('navigation', { name: `Pages of ${name}`, exact: true })
}

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** Expects that axe finds nothing wrong on the page, by these of its rules or by all. */
export async function expectAccessible(page: Page, rules?: string[]): Promise<void> {
  const isLoaded = await page.evaluate(() => 'axe' in window)
  if (!isLoaded) await page.evaluate(AXE)
  const { violations, passed } = await page.evaluate(async (runOnly) => {
    const options = {
      // Describing everything that is in order would take longer than the checks.
      resultTypes: ['violations' as const],
      // Style sheets are loaded ahead for a rule that is no part of the usual ones.
      preload: { assets: ['media'] },
      ...(runOnly && { runOnly }),
    }
    const { violations, passes } = await window.axe.run(document, options)
    return { violations, passed: passes.length }
  }, rules)
  const found = violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id} at ${target}: ${failureSummary}`),
  )
  expect(found).toEqual([])
  expect(passed).toBeGreaterThan(0)
}

declare global {
  interface Window {
    axe: typeof axe
  }
}

/** Expects that nothing overflows the window and that no text is cut off without a tooltip. */
export async function expectNothingLost(page: Page): Promise<void> {
  // A table sets its columns' widths only after it has measured itself.
  await expect.poll(() => page.evaluate(lost)).toEqual([])
}

function lost(): string[] {
  const name = (element: Element) =>
    `${element.tagName.toLowerCase()} '${(element.textContent ?? '').slice(0, 40)}'`
  const { clientWidth, scrollWidth } = document.documentElement
  const wide = scrollWidth > clientWidth ? [`the page is ${scrollWidth} wide in ${clientWidth}`] : []
  // Asked last, because it takes longest.
  const isShown = (element: Element) =>
    element.checkVisibility({ visibilityProperty: true }) && getComputedStyle(element).clipPath === 'none'
  const outside = [
    ...document.body.querySelectorAll('button, a, input, select, textarea, td, th, dt, dd, h1, h2, p'),
  ]
    .filter((element) => {
      // A table that scrolls may be wider than its box.
      const { left, right, width } = (element.closest('[data-scrolls]') ?? element).getBoundingClientRect()
      return width > 0 && (left < -1 || right > clientWidth + 1)
    })
    .filter(isShown)
    .map((element) => `outside: ${name(element)}`)
  const cut = [...document.body.querySelectorAll('*')]
    .filter((element) => element.scrollWidth > element.clientWidth + 1 && element.clientWidth > 0)
    .filter((element) => getComputedStyle(element).overflowX !== 'visible')
    .filter((element) => !element.matches('[data-scrolls]'))
    .filter((element) => !element.closest('[data-hint], input, select, svg'))
    .filter(isShown)
    .map((element) => `cut: ${name(element)}`)
  return [...wide, ...outside, ...cut]
}

/** Expects that every control is at least `least` CSS pixels high and wide. */
export async function expectTargets(page: Page, least: number): Promise<void> {
  const small = await page.evaluate((least) => {
    const targets = [...document.querySelectorAll('button, a, input, select, textarea, [role=button]')]
    return targets
      .filter((element) => element.checkVisibility({ visibilityProperty: true }))
      .filter((element) => !element.closest('[inert], [aria-hidden=true]'))
      .filter((element) => element.matches('label *') || getComputedStyle(element).clipPath === 'none')
      .flatMap((element) => {
        // A click on a control's label, or on the frame of a field, counts as a click on it.
        const whole = [
          element,
          element.closest('label'),
          element.matches('input, select, textarea') && element.parentElement,
        ]
        const boxes = whole.flatMap((one) => (one ? [one.getBoundingClientRect()] : []))
        const width = Math.max(...boxes.map((box) => box.width))
        const height = Math.max(...boxes.map((box) => box.height))
        if (width === 0 || (width >= least - 0.5 && height >= least - 0.5)) return []
        const name = element.getAttribute('aria-label') ?? element.textContent?.slice(0, 40)
        return [`${element.tagName.toLowerCase()} '${name}' is ${Math.round(width)} by ${Math.round(height)}`]
      })
  }, least)
  expect(small).toEqual([])
}

/** Counts the calls of a path that a page makes from now on. */
export function countCalls(page: Page, path: string): () => number {
  let made = 0
  page.on('request', (request) => {
    if (new URL(request.url()).pathname === `/v1${path}`) made += 1
  })
  return () => made
}

/**
 * Stops the clock of a page with a form: what would come in seconds waits for as long as a slow machine takes. A form
 * that was still loading would wait as well, so it is awaited first.
 */
export async function stopClock(page: Page): Promise<void> {
  await expect(page.locator('main form > fieldset:enabled').first()).toBeVisible()
  await page.clock.install()
  await page.clock.pauseAt((await page.evaluate(() => Date.now())) + 10_000)
}

import type { Page, Route } from 'playwright-core'
import { calls } from '../../contract/calls.ts'
import { expect } from './browser.ts'

/**
 * Opens a screen and expects that nothing on it moves while its data comes, and that what is hidden meanwhile is hidden
 * as a whole. What it asks for is held until every loading state shows, and then answered one by one: first what was
 * asked for first, or last. What it asks for thereupon is held and answered likewise. `shows` is a text that appears
 * once the screen has loaded.
 */
export async function expectNothingMoves(
  page: Page,
  { at, shows }: { at: string; shows: string },
  answered: 'first' | 'last',
): Promise<void> {
  const held: Route[] = []
  const hold = (route: Route) => {
    held.push(route)
  }
  await page.route('**/v1/**', hold)
  // Nothing is shown before the session is known.
  await page.route(`**/v1${calls.session.user.path}`, (route) => route.continue())
  await page.goto(at)
  await page.locator('h1').waitFor()
  for (;;) {
    const asked = held.length
    await page.evaluate(pass, LONGER_THAN_A_SHORT_WAIT)
    if (held.length > asked) continue
    expect(await page.evaluate(stray)).toEqual([])
    if (asked === 0) break
    const batch = held.splice(0)
    for (const route of answered === 'first' ? batch : batch.reverse()) {
      await route.continue()
      await (await route.request().response())?.finished()
      await page.evaluate(pass, A_FEW_FRAMES)
    }
  }
  await page.unroute('**/v1/**', hold)
  await expect(page.getByText(shows).first()).toBeVisible()
  await expectNothingMoved(page)
}

/** Expects that nothing has moved since the page was opened. */
export async function expectNothingMoved(page: Page): Promise<void> {
  expect(await page.evaluate(shifts)).toEqual([])
}

/** In ms. The console shows that something loads after 200 ms; a timer of the page that begins later ends later. */
const LONGER_THAN_A_SHORT_WAIT = 220

const A_FEW_FRAMES = 50

function pass(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

/** Returns the HTML of what is shown although it is part of something that is hidden until more is known. */
function stray(): string[] {
  const isShown = (element: Element | null) => element && getComputedStyle(element).visibility === 'visible'
  return [...document.querySelectorAll('main *')]
    .filter((element) => isShown(element) && !isShown(element.parentElement))
    .map((element) => element.outerHTML.slice(0, 120))
}

/** Returns what has moved since the page was opened: from where to where, and its HTML. */
function shifts(): Promise<string[]> {
  interface Shift extends PerformanceEntry {
    sources: { node: Node | null; previousRect: DOMRectReadOnly; currentRect: DOMRectReadOnly }[]
  }
  const place = ({ x, y, width, height }: DOMRectReadOnly) =>
    `${Math.round(width)} by ${Math.round(height)} at ${Math.round(x)}, ${Math.round(y)}`
  const found: string[] = []
  new PerformanceObserver((list) => {
    for (const { sources } of list.getEntries() as Shift[]) {
      for (const { node, previousRect, currentRect } of sources) {
        const what = node instanceof Element ? node.outerHTML.slice(0, 120) : node?.textContent
        found.push(`from ${place(previousRect)} to ${place(currentRect)}: ${what}`)
      }
    }
  }).observe({ type: 'layout-shift', buffered: true })
  return new Promise((resolve) => setTimeout(() => resolve(found), 50))
}

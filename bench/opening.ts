import type { Browser, BrowserContext, Page } from 'playwright-core'
import type { Role } from '../contract/roles.ts'
import { installStopwatch, type Watched } from './stopwatch.ts'

/** A poor mobile connection. */
export const LINE = { bitsPerSecond: 1_600_000, roundTripMs: 150 }
/** How many times slower the processor of the page is. */
export const SLOWED = 4

export const DESK = { width: 1280, height: 800 }

interface Opening {
  slowed?: boolean
  viewport?: { width: number; height: number }
  /** Selectors that the stopwatch watches. */
  watch?: readonly string[]
  as?: { name: string; token: string; role: Role } | undefined
}

/** Opens a page with an empty cache, the stopwatch and, with `as`, a session. */
export async function open(browser: Browser, { slowed, viewport = DESK, watch = [], as }: Opening) {
  const context: BrowserContext = await browser.newContext({ viewport })
  await context.addInitScript(installStopwatch, watch)
  if (as) {
    const { token, role, name } = as
    const expiry = new Date(Date.now() + 3_000_000).toISOString()
    await context.addInitScript(
      (kept) => {
        for (const [key, value] of Object.entries(kept)) localStorage.setItem(key, value)
      },
      { token, role, name, expiry, time_zone: 'UTC' },
    )
  }
  const page = await context.newPage()
  if (slowed) {
    const session = await context.newCDPSession(page)
    await session.send('Emulation.setCPUThrottlingRate', { rate: SLOWED })
  }
  return { page, context }
}

export function watched(page: Page): Promise<Watched> {
  return page.evaluate(() => window.stopwatch.watched)
}

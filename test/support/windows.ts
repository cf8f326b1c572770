import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type {
  Browser,
  BrowserContext,
  BrowserContextOptions,
  CDPSession,
  Page,
  Request,
} from 'playwright-core'
import { expect, type TestContext } from 'vitest'

export interface Look {
  /** In CSS pixels; 1440 by 900 by default. */
  width?: number
  height?: number
  /** Touch input instead of a mouse. */
  touch?: boolean
  /** Device pixels per CSS pixel. */
  scale?: number
  motion?: boolean
  /** Lets the console install its service worker, behind which `page.route` sees fewer requests. */
  installs?: boolean
}

interface Window {
  /** The address that it was opened for, and what cannot be changed of its look. */
  kind: string
  page: Page
  /** Its browser profile, which it has for itself. */
  profile: BrowserContext
  devtools: CDPSession
  /** The requests that have not ended. */
  underway: Set<Request>
  /** Whether the journey did what lasts in it. */
  isChanged: boolean
}

/** Windows that journeys have left as they were when they were opened, the last at the end. */
export type IdleWindows = Window[]

/** Each is a process of 200 MB. */
const MOST_IDLE = 3

/** What is done by these lasts in a window, and in a profile. */
const LASTING = ['addInitScript', 'clock', 'emulateMedia', 'exposeFunction'] as const
const LASTING_IN_PROFILE = ['clock', 'grantPermissions', 'newCDPSession', 'setOffline'] as const

/** What a window is asked to tell, by `Windows` or by journeys. */
const HEARD = [
  'console',
  'dialog',
  'download',
  'pageerror',
  'popup',
  'request',
  'requestfailed',
  'requestfinished',
]

/**
 * The windows of one journey, each with its own browser profile. A script error in one of them fails the journey. Those of
 * the journeys before that are idle are opened again as if they were new.
 */
export class Windows {
  readonly #browser: Browser
  readonly #idle: IdleWindows | undefined
  readonly #open: { window: Window; url: string }[] = []
  readonly #broken: string[] = []

  constructor(browser: Browser, idle?: IdleWindows) {
    this.#browser = browser
    this.#idle = idle
  }

  /** Opens an empty window with `stored` in the localStorage of `url`. */
  async open(url: string, look: Look = {}, stored: Record<string, string> = {}): Promise<Page> {
    const { viewport, ...options } = optionsOf(look)
    const kind = JSON.stringify({ url, ...options })
    const at = this.#idle?.findLastIndex((window) => window.kind === kind) ?? -1
    const [idle] = at < 0 ? [] : (this.#idle?.splice(at, 1) ?? [])
    const window = idle ?? (await openWindow(this.#browser, kind, { ...options, viewport, baseURL: url }))
    this.#open.push({ window, url })
    const { page, profile, underway } = window
    if (idle) await page.setViewportSize(viewport)
    profile.on('weberror', (error) => this.#broken.push(String(error.error())))
    profile.on('console', (message) => {
      // Chromium logs every refused call here as well, and journeys provoke such refusals.
      if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
        this.#broken.push(message.text())
    })
    page.on('request', (request) => underway.add(request))
    page.on('requestfinished', (request) => underway.delete(request))
    page.on('requestfailed', (request) => underway.delete(request))
    // Playwright's storageState would start a process of Chromium for this alone.
    const script = await page.addInitScript((values) => {
      localStorage.clear()
      sessionStorage.clear()
      Object.assign(localStorage, values)
    }, stored)
    page.once('framenavigated', () => script.dispose())
    window.isChanged = look.installs === true
    return page
  }

  /**
   * Keeps a picture of each window for a test that failed, and adds to its error what the window showed and waited for.
   */
  async tell({ name, result }: Readonly<TestContext['task']>): Promise<void> {
    const pages = this.#open.flatMap(({ window }) => window.profile.pages().map((page) => ({ page, window })))
    const told = pages.map(async ({ page, window }, at) => {
      await picture(page, `failed ${name} ${at}`).catch(() => {})
      const shown = await page.locator('body').textContent({ timeout: 2_000 }).catch(String)
      const waits = [...window.underway].map((request) => `${request.method()} ${request.url()}`)
      return `${page.url()} showed: ${shown?.slice(0, 1_000)}\nIt waited for: ${waits.join(', ') || 'nothing'}`
    })
    const [error] = result?.errors ?? []
    if (error) error.message += `\n\n${(await Promise.all(told)).join('\n\n')}`
  }

  async close(): Promise<void> {
    await Promise.all(
      this.#open.splice(0).map(async ({ window, url }) => {
        if (this.#idle && (await leave(window, url))) this.#idle.push(window)
        else await window.profile.close()
      }),
    )
    const tooMany = this.#idle?.splice(0, this.#idle.length - MOST_IDLE) ?? []
    await Promise.all(tooMany.map(({ profile }) => profile.close()))
    this.expectNothingBroken()
  }

  expectNothingBroken(): void {
    expect(this.#broken.splice(0)).toEqual([])
  }
}

async function openWindow(browser: Browser, kind: string, options: BrowserContextOptions): Promise<Window> {
  const profile = await browser.newContext(options)
  profile.setDefaultTimeout(15_000)
  const page = await profile.newPage()
  const devtools = await profile.newCDPSession(page)
  const window = { kind, page, profile, devtools, underway: new Set<Request>(), isChanged: false }
  const watch = <T extends object>(object: T, names: readonly (keyof T)[]) => {
    for (const name of names) {
      const value = object[name]
      const get = () => {
        window.isChanged = true
        return value
      }
      Object.defineProperty(object, name, { get })
    }
  }
  watch(page, LASTING)
  watch(profile, LASTING_IN_PROFILE)
  return window
}

/** Takes a window back to what it was when it was opened. Returns whether that is possible. */
async function leave(
  { page, profile, devtools, isChanged, underway }: Window,
  url: string,
): Promise<boolean> {
  if (isChanged || profile.pages().length > 1) return false
  try {
    for (const name of HEARD) page.removeAllListeners(name)
    profile.removeAllListeners('weberror')
    profile.removeAllListeners('console')
    await page.unrouteAll({ behavior: 'ignoreErrors' })
    // An empty page would end the process.
    await page.goto(`${url}/icon.svg`)
    await devtools.send('Page.resetNavigationHistory')
    underway.clear()
    return true
  } catch {
    return false
  }
}

function optionsOf({
  width = 1440,
  height = 900,
  touch = false,
  scale = 1,
  motion = false,
  installs = false,
}: Look) {
  return {
    viewport: { width, height },
    hasTouch: touch,
    isMobile: touch,
    deviceScaleFactor: scale,
    reducedMotion: motion ? 'no-preference' : 'reduce',
    serviceWorkers: installs ? 'allow' : 'block',
  } as const
}

export const REPORT = join(import.meta.dirname, '../report')

/** Saves a screenshot: of the window while a dialog is open, otherwise of the whole page. */
export async function picture(page: Page, name: string): Promise<void> {
  mkdirSync(REPORT, { recursive: true })
  const path = join(REPORT, `${name.replaceAll(/[^\w.-]+/g, '-')}.png`)
  const fullPage = (await page.locator('[role=dialog], [role=alertdialog]').count()) === 0
  await page.screenshot({ path, fullPage, animations: 'disabled' })
}

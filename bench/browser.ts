import type { Browser, Page, Route } from 'playwright-core'
import { calls } from '../contract/calls.ts'
import { LEVEL_NAMES, LEVELS } from '../contract/levels.ts'
import { ROLES, type Role } from '../contract/roles.ts'
import { launchChromium } from '../test/support/chromium.ts'
import { startConsole } from '../test/support/console.ts'
import { to } from '../web/screens.ts'
import { withDatabaseOf } from './database.ts'
import { DETAIL, type Figure, median } from './figure.ts'
import { type Line, openLine } from './line.ts'
import { DESK, LINE, open, SLOWED, watched } from './opening.ts'
import { openSessions, type People } from './people.ts'

/** How often an input is measured; the figure is the median. */
const INPUTS = 8

const PHONE = { width: 390, height: 844 }

/**
 * Measures what a person waits for at a page that is open, and what moves on it: with the real server, a million
 * clients, a slow connection and a processor four times slower.
 */
export async function* browserFigures(dataDir: string): AsyncGenerator<Figure> {
  const console = await startConsole({ dataDir })
  const browser = await launchChromium()
  const line = await openLine(console.url, LINE)
  try {
    const people = await withDatabaseOf(dataDir, openSessions)
    yield* inputs(browser, console.url, people)
    yield* shifts(browser, line, people)
  } finally {
    await line.close()
    await browser.close()
    await console.stop()
  }
}

interface Thousand {
  rows: string
  path: string
  perPage: number
}

/** Lists of 1,000 rows that the browser sorts and filters, with the smallest and the largest page size. */
const THOUSANDS: readonly Thousand[] = [
  { rows: 'transactions', path: to.home.admin(), perPage: 10 },
  { rows: 'transactions', path: to.home.admin(), perPage: 25 },
  { rows: 'accounts', path: to.level.superreseller.list(), perPage: 10 },
  { rows: 'accounts', path: to.level.superreseller.list(), perPage: 50 },
]

async function* inputs(browser: Browser, url: string, people: People): AsyncGenerator<Figure> {
  for (const { rows, path, perPage } of THOUSANDS) {
    const { page, context } = await open(browser, { as: { ...people.admin, role: 'admin' } })
    await page.route(`**/v1${calls.level.superreseller.list.path}`, multiply)
    await page.goto(`${url}${path}?perPage=${perPage}`)
    await page.waitForSelector('tbody .ellipsis', { state: 'attached' })
    await page.waitForLoadState('networkidle')
    await page.waitForTimeout(1_000)
    const slow = await context.newCDPSession(page)
    await slow.send('Emulation.setCPUThrottlingRate', { rate: SLOWED })
    for (const [what, act] of Object.entries(actsOn(page))) {
      const times = await repeat(INPUTS, (time) => paintTime(page, () => act(time)))
      if (DETAIL) process.stderr.write(`  ${times.map(Math.round).join(' ')}\n`)
      yield { what: `${what}, ${perPage} of 1,000 ${rows}`, value: median(times), limit: 100, unit: 'ms' }
    }
    await context.close()
  }
}

/** Repeats the superresellers of the answer up to 1,000 rows, because the database has fewer. */
async function multiply(route: Route) {
  const answer = await route.fetch()
  const { data, ...rest } = (await answer.json()) as { data: { name: string; accountId: number }[] }
  const many = Array.from({ length: 1_000 }, (_, at) => {
    const row = data[at % data.length]
    return row && { ...row, accountId: row.accountId + at * 1_000, name: `${row.name}.${at}` }
  })
  await route.fulfill({ response: answer, json: { ...rest, data: many, count: many.length } })
}

/** The inputs on a table; `time` counts their repetitions. */
function actsOn(page: Page): Record<string, (time: number) => Promise<void>> {
  const box = page.locator('input[type=search]')
  const sorters = page.locator('thead button')
  return {
    // The typed letter finds many rows; the next keystroke deletes it.
    'A keystroke in the search box': (time) => box.press(time % 2 === 0 ? 'e' : 'Backspace'),
    'A sort': (time) => sorters.nth(time % 3).click({ noWaitAfter: true }),
    'A page turn': (time) =>
      page.getByLabel(time % 2 === 0 ? 'Next page' : 'Previous page').click({ noWaitAfter: true }),
  }
}

/** Returns the milliseconds from an input to its last painted change of the rows. */
async function paintTime(page: Page, act: () => Promise<void>): Promise<number> {
  await page.waitForTimeout(600)
  await page.evaluate(() => window.stopwatch.follow('tbody'))
  await act()
  await page.waitForTimeout(900)
  const { first, last } = await page.evaluate(() => window.stopwatch.followed())
  return Math.max(first, last)
}

async function* shifts(browser: Browser, line: Line, people: People): AsyncGenerator<Figure> {
  const lists: (readonly [Role, string])[] = LEVEL_NAMES.map((level) => [
    LEVELS[level].owner,
    to.level[level].list(),
  ])
  const screens: (readonly [Role | null, string])[] = [
    [null, '/'],
    ...ROLES.map((role) => [role, to.home[role]()] as const),
    ...lists,
    ['dealer', to.clients()],
    ['admin', to.allClients()],
  ]
  for (const [name, viewport] of [['desk', DESK] as const, ['phone', PHONE] as const]) {
    for (const [role, path] of screens) {
      const as = role ? { ...people[role], role } : undefined
      const { page, context } = await open(browser, { slowed: true, viewport, as })
      await page.goto(line.url + path)
      await page.waitForLoadState('networkidle')
      await page.waitForTimeout(1_500)
      const { shift, shifted } = await watched(page)
      if (DETAIL) for (const what of shifted) process.stderr.write(`  moved at ${what}\n`)
      await context.close()
      const what = role ? `${path} of the ${role}` : 'the login'
      yield { what: `Layout shift of ${what} on a ${name}`, value: shift, limit: 0, unit: '' }
    }
  }
}

async function repeat<T>(times: number, act: (time: number) => Promise<T>): Promise<T[]> {
  const found: T[] = []
  for (let time = 0; time < times; time += 1) found.push(await act(time))
  return found
}

import type { Browser, BrowserContext, Page, Route } from 'playwright-core'
import { LEVEL_NAMES, LEVELS } from '../contract/levels.ts'
import { ROLES, type Role } from '../contract/roles.ts'
import { launchChromium } from '../test/support/chromium.ts'
import { startConsole } from '../test/support/console.ts'
import { to } from '../web/screens.ts'
import { type Figure, median } from './figure.ts'
import { type Line, openLine } from './line.ts'
import { openSessions, type People, withDatabaseOf } from './people.ts'
import { installStopwatch, type Watched } from './stopwatch.ts'

/** A poor mobile connection. */
const LINE = { bitsPerSecond: 1_600_000, roundTripMs: 150 }
/** How many times slower the processor of the page is. */
const SLOWED = 4
/** How often a cold start and an input are measured; the figure is the median. */
const STARTS = 3
const INPUTS = 8
/** A page that fetched nothing for so long fetches nothing more ahead. */
const QUIET_MS = 5_000
/** Prints the measurements behind the figures. */
const DETAIL = process.env.BENCH_DETAIL !== undefined

const DESK = { width: 1280, height: 800 }
const PHONE = { width: 390, height: 844 }

/**
 * Measures what a person waits for in the browser: with the real server, a million clients, a slow connection, an empty
 * cache and a processor four times slower.
 */
export async function* browserFigures(dataDir: string): AsyncGenerator<Figure> {
  const console = await startConsole({ dataDir })
  const browser = await launchChromium()
  const line = await openLine(console.url, LINE)
  try {
    const people = await withDatabaseOf(dataDir, openSessions)
    yield* coldStarts(browser, line, people)
    yield* visits(browser, line, people)
    yield* inputs(browser, console.url, people)
    yield* shifts(browser, line, people)
  } finally {
    await line.close()
    await browser.close()
    await console.stop()
  }
}

async function* coldStarts(browser: Browser, line: Line, people: People): AsyncGenerator<Figure> {
  const logins = await repeat(STARTS, () => coldLogin(browser, line))
  const usable = median(logins.map(({ usable }) => usable))
  yield { what: 'Login usable, empty cache', value: usable, limit: 2_500, unit: 'ms' }
  const solved = median(logins.map(({ solved, usable }) => solved - usable))
  yield { what: 'Captcha solved after that', value: solved, limit: 1_000, unit: 'ms' }
  const clients = await repeat(STARTS, () =>
    painted(browser, line, people.dealer, 'dealer', '/clients', 'tbody tr[data-chosen]'),
  )
  yield { what: "A dealer's clients painted, empty cache", value: median(clients), limit: 3_000, unit: 'ms' }
  for (const role of ROLES) {
    const starts = await repeat(STARTS, () =>
      painted(browser, line, people[role], role, to.home[role](), 'section tbody time'),
    )
    yield {
      what: `Dashboard of the ${role} painted, empty cache`,
      value: median(starts),
      limit: 3_000,
      unit: 'ms',
    }
  }
}

/** Measures the bytes of a first visit: until the dashboard is painted, and what quiet moments fetch after that. */
async function* visits(browser: Browser, line: Line, people: People): AsyncGenerator<Figure> {
  for (const role of ROLES) {
    const { page, context } = await open(browser, { slowed: false, as: { ...people[role], role } })
    line.takeBytes()
    await page.goto(line.url + to.home[role]())
    await page.waitForSelector('section tbody time')
    const painted = line.takeBytes()
    let later = 0
    for (let more = -1; more !== 0; later += more) {
      await page.waitForTimeout(QUIET_MS)
      more = line.takeBytes()
    }
    await context.close()
    const kilobytes = (bytes: number) => Math.round(bytes / 100) / 10
    yield {
      what: `The ${role}'s first visit, until it is painted`,
      value: kilobytes(painted),
      limit: null,
      unit: 'kB',
    }
    yield {
      what: `The ${role}'s first visit, with what quiet moments fetch`,
      value: kilobytes(painted + later),
      limit: 260,
      unit: 'kB',
    }
  }
}

const USERNAME = 'input[name=login_username]'
const SOLVED = '[data-state=solved]'

async function coldLogin(browser: Browser, line: Line) {
  const { page, context } = await open(browser, { slowed: true, watch: [USERNAME, SOLVED] })
  await page.goto(line.url)
  await page.waitForSelector(SOLVED)
  const { painted, worked } = await watched(page)
  await context.close()
  const usable = painted[USERNAME] ?? Number.NaN
  // Chromium slows the page but not its workers, so the worker's time is multiplied here.
  return { usable, solved: (painted[SOLVED] ?? Number.NaN) + worked * (SLOWED - 1) }
}

async function painted(
  browser: Browser,
  line: Line,
  person: People[Role],
  role: Role,
  path: string,
  selector: string,
) {
  const { page, context } = await open(browser, { slowed: true, watch: [selector], as: { ...person, role } })
  await page.goto(line.url + path)
  await page.waitForSelector(selector)
  await page.waitForTimeout(300)
  const found = await watched(page)
  await context.close()
  return found.painted[selector] ?? Number.NaN
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
    await page.route('**/v1/admin/list', multiply)
    await page.goto(`${url}${path}?perPage=${perPage}`)
    await page.waitForSelector('tbody .ellipsis', { state: 'attached' })
    await page.waitForLoadState('networkidle')
    await page.waitForTimeout(1_000)
    const slow = await context.newCDPSession(page)
    await slow.send('Emulation.setCPUThrottlingRate', { rate: SLOWED })
    for (const [what, act] of Object.entries(actsOn(page))) {
      const times = await repeat(INPUTS, (time) => timed(page, () => act(time)))
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
async function timed(page: Page, act: () => Promise<void>): Promise<number> {
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
    ['dealer', '/clients'],
    ['admin', '/admin/clients'],
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

interface Opening {
  slowed?: boolean
  viewport?: { width: number; height: number }
  /** Selectors that the stopwatch watches. */
  watch?: readonly string[]
  as?: { name: string; token: string; role: Role } | undefined
}

/** Opens a page with an empty cache, the stopwatch and, with `as`, a session. */
async function open(browser: Browser, { slowed, viewport = DESK, watch = [], as }: Opening) {
  const context: BrowserContext = await browser.newContext({ viewport })
  await context.addInitScript(installStopwatch, watch)
  if (as) {
    await context.addInitScript(
      (kept) => {
        for (const [key, value] of Object.entries(kept)) localStorage.setItem(key, value)
      },
      {
        token: as.token,
        role: as.role,
        name: as.name,
        expiry: new Date(Date.now() + 3_000_000).toISOString(),
        time_zone: 'UTC',
      },
    )
  }
  const page = await context.newPage()
  if (slowed) {
    const session = await context.newCDPSession(page)
    await session.send('Emulation.setCPUThrottlingRate', { rate: SLOWED })
  }
  return { page, context }
}

function watched(page: Page): Promise<Watched> {
  return page.evaluate(() => window.stopwatch.watched)
}

async function repeat<T>(times: number, act: (time: number) => Promise<T>): Promise<T[]> {
  const found: T[] = []
  for (let time = 0; time < times; time += 1) found.push(await act(time))
  return found
}

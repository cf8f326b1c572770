import type { Browser } from 'playwright-core'
import { calls } from '../contract/calls.ts'
import { LEVEL_NAMES, LEVELS } from '../contract/levels.ts'
import { ROLES, type Role } from '../contract/roles.ts'
import { launchChromium } from '../test/support/chromium.ts'
import { startConsole } from '../test/support/console.ts'
import { to } from '../web/screens.ts'
import { serveBarePage } from './bare-page.ts'
import { withDatabaseOf } from './database.ts'
import { DETAIL, type Figure, ofRounds, ratioOf } from './figure.ts'
import type { Folders } from './fill.ts'
import { type Line, openLine } from './line.ts'
import { LINE, open, SLOWED, watched } from './opening.ts'
import { openSessions, type People } from './people.ts'

/** How often each screen is opened, in turn with the two bare pages; the figure is the median. */
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5)
/** A page that fetched nothing for so long fetches nothing more ahead. */
const QUIET_MS = 5_000

/** A screen, and what the two bare pages show in its place: the rows of one call. */
interface Screen {
  what: string
  role: Role | null
  path: string
  /** What is painted once a person can use it. */
  selector: string
  call: string
  fields: readonly string[]
  /** The most milliseconds until then. */
  limit: number
}

const USERNAME = 'input[name=login_username]'
const SOLVED = '[data-state=solved]'
const ROWS = 10

const SCREENS: readonly Screen[] = [
  { what: 'Login', role: null, path: '/', selector: USERNAME, call: '', fields: [], limit: 2_500 },
  ...ROLES.map((role) => ({
    what: `Dashboard of the ${role}`,
    role,
    path: to.home[role](),
    selector: 'section tbody time',
    call: calls.transactions.list.path,
    fields: ['created', 'type', 'login', 'credits'],
    limit: 3_000,
  })),
  {
    what: "A dealer's clients",
    role: 'dealer',
    path: to.clients(),
    selector: 'tbody tr[data-chosen]',
    call: `${calls.clients.list.path}?page=1&per_page=${ROWS}`,
    fields: ['name', 'mac', 'description', 'expiry'],
    limit: 3_000,
  },
  {
    what: 'All clients',
    role: 'admin',
    path: to.allClients(),
    selector: 'tbody .ellipsis',
    call: `${calls.admin.clients.path}?page=1&per_page=${ROWS}`,
    fields: ['name', 'mac', 'dealer', 'expiry'],
    limit: 3_000,
  },
  ...LEVEL_NAMES.map((level) => ({
    what: `List of the ${LEVELS[level].owner}'s accounts`,
    role: LEVELS[level].owner,
    path: to.level[level].list(),
    selector: 'tbody a[href]',
    call: calls.level[level].list.path,
    fields: ['name', 'credits', 'description', 'created'],
    limit: 3_000,
  })),
]

/**
 * Measures a first visit over a slow connection, with an empty cache and a processor four times slower, beside two bare
 * pages that show the same rows: React with a router, and the smallest console of react-admin.
 */
export async function* visitFigures({ million }: Folders): AsyncGenerator<Figure> {
  const console = await startConsole({ dataDir: million })
  const browser = await launchChromium()
  const react = await serveBarePage('react', console.url)
  const admin = await serveBarePage('react-admin', console.url)
  const lines = {
    ours: await openLine(console.url, LINE),
    react: await openLine(react.url, LINE),
    admin: await openLine(admin.url, LINE),
  }
  try {
    const people = await withDatabaseOf(million, openSessions)
    yield* visits(browser, lines.ours, people)
    for (const screen of SCREENS) yield* besideBarePages(browser, lines, people, screen)
  } finally {
    for (const line of Object.values(lines)) await line.close()
    react.stop()
    admin.stop()
    await browser.close()
    await console.stop()
  }
}

async function* besideBarePages(
  browser: Browser,
  lines: Record<'ours' | 'react' | 'admin', Line>,
  people: People,
  screen: Screen,
): AsyncGenerator<Figure> {
  const { what, role, path, selector, limit } = screen
  const as = role ? { ...people[role], role } : undefined
  const asked = new URLSearchParams({
    call: `/v1${screen.call}`,
    fields: screen.fields.join(),
    rows: String(ROWS),
  })
  const bare = role ? '[data-fetched]' : 'input[name=username]'
  const time = (url: string, selector: string) => openingTimes(browser, url, selector, as)
  const rounds: { ours: number; react: number; admin: number; captcha: number }[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    const ours = await time(lines.ours.url + path, selector)
    const react = await time(`${lines.react.url}/?${asked}`, bare)
    const admin = await time(`${lines.admin.url}/?${asked}${role ? '' : '#/login'}`, bare)
    rounds.push({ ours: ours.painted, react: react.painted, admin: admin.painted, captcha: ours.captcha })
    if (DETAIL) process.stderr.write(`  ${what} ${Object.values(rounds.at(-1) ?? {}).map(Math.round)}\n`)
  }
  yield { what: `${what}, empty cache`, ...ofRounds(rounds.map(({ ours }) => ours)), limit, unit: 'ms' }
  yield ratioOf(
    rounds.map(({ ours, react }) => ({ ours, theirs: react })),
    { what: `${what}, beside React with a router`, limit: 1.8, absolute: 'ms' },
  )
  yield ratioOf(
    rounds.map(({ ours, admin }) => ({ ours, theirs: admin })),
    { what: `${what}, beside react-admin`, limit: 1, absolute: 'ms' },
  )
  if (role) return
  const captcha = ofRounds(rounds.map(({ captcha }) => captcha))
  yield { what: 'Captcha solved after that', ...captcha, limit: 1_000, unit: 'ms' }
}

/** Returns when the element is painted, and how long after that the captcha of our login is solved. */
async function openingTimes(
  browser: Browser,
  url: string,
  selector: string,
  as: (People[Role] & { role: Role }) | undefined,
) {
  const { page, context } = await open(browser, { slowed: true, watch: [selector, SOLVED], as })
  await page.goto(url)
  await page.waitForSelector(selector === USERNAME ? SOLVED : selector)
  await page.waitForTimeout(300)
  const { painted, worked } = await watched(page)
  await context.close()
  const usable = painted[selector] ?? Number.NaN
  if (selector === USERNAME && worked === 0) throw new Error('The captcha does not tell how long it computed')
  // Chromium slows the page but not its workers, so what the worker computed is multiplied here.
  return { painted: usable, captcha: (painted[SOLVED] ?? Number.NaN) + worked * (SLOWED - 1) - usable }
}

/**
 * Measures the bytes of a first visit, with an empty cache: to the login until its captcha is solved, and to each
 * role's dashboard until it is painted, with what quiet moments fetch after that.
 */
async function* visits(browser: Browser, line: Line, people: People): AsyncGenerator<Figure> {
  for (const role of [null, ...ROLES]) {
    const as = role ? { ...people[role], role } : undefined
    const { page, context } = await open(browser, { slowed: false, as })
    line.takeBytes()
    await page.goto(line.url + (role ? to.home[role]() : '/'))
    await page.waitForSelector(role ? 'section tbody time' : SOLVED)
    const painted = line.takeBytes()
    let later = 0
    for (let more = -1; more !== 0; later += more) {
      await page.waitForTimeout(QUIET_MS)
      more = line.takeBytes()
    }
    if (DETAIL) for (const one of await page.evaluate(fetched)) process.stderr.write(`  ${one}\n`)
    await context.close()
    const what = role ? `The ${role}'s first visit` : 'A visit to the login'
    const figure = (part: string, bytes: number, limit: number | null): Figure => {
      return { what: `${what}, ${part}`, value: Math.round(bytes / 100) / 10, limit, unit: 'kB' }
    }
    yield figure('until it is painted', painted, null)
    yield figure('in quiet moments after that', later, null)
    yield figure('in all', painted + later, 260)
  }
}

/** Runs in the page. Lists what it has fetched, with the bytes on the line. */
function fetched(): string[] {
  const entries = performance.getEntriesByType('resource') as PerformanceResourceTiming[]
  return entries
    .filter(({ transferSize }) => transferSize > 0)
    .map(({ startTime, transferSize, name }) => `${Math.round(startTime)} ms ${transferSize} ${name}`)
}

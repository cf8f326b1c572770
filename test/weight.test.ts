import { globSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ROLES, type Role } from '../contract/roles.ts'

// The weight of what a browser fetches, by the manifest of the built console. A kB is 1,000 bytes of Brotli.

const ROOT = join(import.meta.dirname, '..')
const BUILT = join(ROOT, 'dist/web')

/** An entry of Vite's manifest: a script, and the keys of its static and dynamic imports. */
interface Script {
  file: string
  name?: string
  imports?: string[]
  dynamicImports?: string[]
}

const manifest: Record<string, Script> = JSON.parse(readFileSync(join(BUILT, '.vite/manifest.json'), 'utf8'))

/** The script of the frame around every page. */
const SHELL = keyOf('shell')

const DASHBOARDS: Record<Role, string> = {
  admin: 'pages/AdminDashboard.tsx',
  superreseller: 'pages/BranchDashboard.tsx',
  reseller: 'pages/BranchDashboard.tsx',
  dealer: 'pages/DealerDashboard.tsx',
}

/** Scripts, by their name, that are fetched only after the page is drawn; all others count as part of the page. */
const LATER = [
  'dialogs',
  'forms',
  'ChosenDialog',
  'RenewDialog',
  'SaveFilter',
  'SignInAgainDialog',
  'NoticeBoard',
  'SettingsDrawer',
  'FindResults',
  'RenewDue',
  'ShortcutHelp',
  'TopFinding',
  'offline',
  'ExportTransactions',
]

const entry = scriptsOf('index.html')

/** What the document itself asks for before any script runs: see `web/shell/boot.js`. */
const ahead: { screens: string[]; first: Record<string, Record<string, { files: string[] }>> } = JSON.parse(
  /= (\{"entry".*\})$/m.exec(readFileSync(join(BUILT, 'index.html'), 'utf8'))?.[1] ?? '',
)
const login = [...new Set([...entry, ...scriptsOf(keyOf('forms')), assetNamed('captchaWorker')])]

test('the login with its captcha is at most 150 kB of script', () => {
  expect(weigh('Login with its captcha', login, 150)).toBeLessThanOrEqual(150_000)
})

test.each(ROLES)('a first visit to the dashboard of the %s is at most 210 kB of script in all', (role) => {
  const visit = visitTo(DASHBOARDS[role])
  expect(weigh(`First visit to the dashboard, ${role}`, visit, 210)).toBeLessThanOrEqual(210_000)
})

test.each(ROLES)(
  'a first visit to the dashboard of the %s is at most 8 scripts, none of them tiny',
  (role) => {
    const visit = visitTo(DASHBOARDS[role])
    expect(visit.length).toBeLessThanOrEqual(8)
    const [page] = scriptsOf(DASHBOARDS[role])
    // A file has some 350 bytes of headers.
    const tiny = visit.filter((file) => file !== page && sizeOf(file) < 500)
    expect(tiny).toEqual([])
  },
)

test('the font of every screen is at most 20 kB, and the console needs no other for its own words', () => {
  const font = assetNamed('inter-basic', '.woff2')
  expect(statSync(join(BUILT, font)).size).toBeLessThanOrEqual(20_000)
  const [ext = [], latin = [], basic = []] = faces()
  expect([ext, latin, basic].map(({ length }) => length > 0)).toEqual([true, true, true])
  const words = globSync(['web/**/*.{ts,tsx}', 'contract/**/*.ts'], { cwd: ROOT })
    .filter((file) => !file.includes('.test.'))
    .map((file) => readFileSync(join(ROOT, file), 'utf8'))
    .join('')
  const used = [...new Set(words)].map((character) => character.codePointAt(0) ?? 0)
  expect(used.filter((code) => [...ext, ...latin].includes(code) && !basic.includes(code))).toEqual([])
})

test('only pages with a chart fetch the code of charts', () => {
  expect(pagesWith('uplot')).toEqual([
    'pages/AdminDashboard.tsx',
    'pages/Boxes.tsx',
    'pages/BranchDashboard.tsx',
    'pages/UpdateAccount.tsx',
  ])
})

test('dashboards and lists fetch no code of forms', () => {
  const [form = ''] = scriptsOf(keyOf('forms'))
  const formless = [
    ...Object.values(DASHBOARDS),
    'pages/Clients.tsx',
    'pages/AllClients.tsx',
    'pages/Accounts.tsx',
  ]
  expect(formless.filter((page) => visitTo(page).includes(form))).toEqual([])
  expect(visitTo('pages/NewClient.tsx')).toContain(form)
})

test.each([
  ['admin', '/', 'pages/AdminDashboard.tsx'],
  ['dealer', '/', 'pages/DealerDashboard.tsx'],
  ['dealer', '/clients', 'pages/Clients.tsx'],
  ['superreseller', '/resellers', 'pages/Accounts.tsx'],
])('the document of the %s at %s names every script that the page waits for', (role, path, page) => {
  const named = [...ahead.screens, ...(ahead.first[role]?.[path]?.files ?? [])]
  const [first = ''] = entry
  const waited = [...statically(SHELL), ...statically(page)].filter((file) => file !== first)
  expect(named).toEqual(expect.arrayContaining(waited.map((file) => `/${file}`)))
})

test('only the lists of clients fetch the code of an export', () => {
  expect(pagesWith('Export as CSV')).toEqual(['pages/AllClients.tsx', 'pages/Clients.tsx'])
})

/** Returns a script's file with those that it cannot run without. */
function statically(key: string, seen = new Set<string>()): string[] {
  const script = manifest[key]
  if (!script || seen.has(key)) return []
  seen.add(key)
  return [script.file, ...(script.imports ?? []).flatMap((name) => statically(name, seen))]
}

/** Returns the files of a first visit of somebody with a session: the entry, the shell and the page. */
function visitTo(page: string): string[] {
  return [...new Set([...entry, ...scriptsOf(SHELL), ...scriptsOf(page)])]
}

/** Returns a script's file with those that it imports or fetches by itself; pages are fetched only when opened. */
function scriptsOf(key: string, seen = new Set<string>()): string[] {
  const script = manifest[key]
  if (!script) throw new Error(`There is no ${key} in the manifest`)
  if (seen.has(key)) return []
  seen.add(key)
  const fetched = (script.dynamicImports ?? []).filter((name) => !isLater(name))
  return [script.file, ...[...(script.imports ?? []), ...fetched].flatMap((name) => scriptsOf(name, seen))]
}

function keyOf(name: string): string {
  const found = Object.entries(manifest).find(([, script]) => script.name === name)
  if (!found) throw new Error(`There is no ${name} in the manifest`)
  return found[0]
}

function isLater(key: string): boolean {
  return key === SHELL || key.startsWith('pages/') || LATER.includes(manifest[key]?.name ?? '')
}

/** Returns the characters of each face of our font, in the order of the style sheet. */
function faces(): number[][] {
  const css = readFileSync(join(ROOT, 'web/fonts/inter.css'), 'utf8')
  return [...css.matchAll(/unicode-range:([^;]+);/g)].map(([, range = '']) =>
    [...range.matchAll(/U\+(\w+)(?:-(\w+))?/g)].flatMap(([, first = '', last = first]) => {
      const [from, to] = [Number.parseInt(first, 16), Number.parseInt(last, 16)]
      return Array.from({ length: to - from + 1 }, (_, at) => from + at)
    }),
  )
}

function assetNamed(name: string, ending = '.js'): string {
  const file = readdirSync(join(BUILT, 'assets')).find(
    (file) => file.startsWith(name) && file.endsWith(ending),
  )
  if (!file) throw new Error(`There is no ${name} among the assets`)
  return `assets/${file}`
}

/** Returns the pages whose first visit fetches a file that contains `mark`. */
function pagesWith(mark: string): string[] {
  const pages = Object.keys(manifest).filter((key) => key.startsWith('pages/'))
  expect(pages.length).toBeGreaterThan(9)
  return pages.filter((page) =>
    visitTo(page).some((file) => readFileSync(join(BUILT, file), 'utf8').includes(mark)),
  )
}

/** Returns the bytes of a script as it is sent. */
function sizeOf(file: string): number {
  return statSync(join(BUILT, `${file}.br`)).size
}

/** Returns the compressed bytes of the files, and prints them beside the limit. */
function weigh(what: string, files: readonly string[], limit: number): number {
  const bytes = files.reduce((sum, file) => sum + sizeOf(file), 0)
  process.stdout.write(`${what}: ${(bytes / 1_000).toFixed(1)} of ${limit} kB\n`)
  return bytes
}

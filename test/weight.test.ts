import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ROLES, type Role } from '../contract/roles.ts'

// The weight of what a browser fetches, by the manifest of the built console. A kB is 1,000 bytes of Brotli.

const BUILT = join(import.meta.dirname, '../dist/web')

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
  dealer: 'pages/Home.tsx',
}

/** Dynamic imports that are fetched only after the page is drawn; all others count as part of the page. */
const LATER = [
  'parts/dialog/DialogFrame.tsx',
  'parts/notices/NoticeBoard.tsx',
  'shell/SettingsDrawer.tsx',
  'shell/FindResults.tsx',
  'clients/RenewDue.tsx',
  'shell/ShortcutHelp.tsx',
  'shell/NeedsAHand.tsx',
  'offline.ts',
  'accounts/ExportTransactions.tsx',
  '@mui/material/Drawer/index.mjs',
]

const login = [...scriptsOf('index.html'), assetNamed('captchaWorker')]

test('the login with its captcha is at most 150 kB of script', () => {
  expect(weigh('Login with its captcha', login, 150)).toBeLessThanOrEqual(150_000)
})

test.each(ROLES)('a first visit to the dashboard of the %s is at most 230 kB of script in all', (role) => {
  const visit = visitTo(DASHBOARDS[role])
  expect(weigh(`First visit to the dashboard, ${role}`, visit, 230)).toBeLessThanOrEqual(230_000)
})

test('only pages with a chart fetch the code of charts', () => {
  expect(pagesWith('uplot')).toEqual([
    'pages/AdminDashboard.tsx',
    'pages/Boxes.tsx',
    'pages/BranchDashboard.tsx',
    'pages/UpdateAccount.tsx',
  ])
})

test('only the lists of clients fetch the code of an export', () => {
  expect(pagesWith('Export as CSV')).toEqual(['pages/AllClients.tsx', 'pages/Clients.tsx'])
})

/** Returns the files of a first visit: the login, the shell and the page. */
function visitTo(page: string): string[] {
  return [...new Set([...login, ...scriptsOf(SHELL), ...scriptsOf(page)])]
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
  return key === SHELL || key.startsWith('pages/') || LATER.some((name) => key.endsWith(name))
}

function assetNamed(name: string): string {
  const file = readdirSync(join(BUILT, 'assets')).find(
    (file) => file.startsWith(name) && file.endsWith('.js'),
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

/** Returns the compressed bytes of the files, and prints them beside the limit. */
function weigh(what: string, files: readonly string[], limit: number): number {
  const bytes = files.reduce((sum, file) => sum + statSync(join(BUILT, `${file}.br`)).size, 0)
  process.stdout.write(`${what}: ${(bytes / 1_000).toFixed(1)} of ${limit} kB\n`)
  return bytes
}

import { spawnSync } from 'node:child_process'
import { accessSync, constants, existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { type Browser, chromium } from 'playwright-core'

/** Starts the installed Chromium without a window, in English: in another language its fields have another order. */
export function launchChromium(more: readonly string[] = []): Promise<Browser> {
  return chromium.launch({
    executablePath: findChromium(),
    args: [...ARGUMENTS, ...more],
    env: { ...process.env, LANG: 'en_US.UTF-8', LC_ALL: 'en_US.UTF-8', LANGUAGE: 'en' },
  })
}

/**
 * Starts it for journeys, whose pages live for seconds: to optimise their scripts would cost more than it gives, a
 * seventh of the processor's time, and so would a process for each window, a tenth.
 */
export function launchForJourneys(): Promise<Browser> {
  return launchChromium(['--js-flags=--no-opt --no-maglev', '--renderer-process-limit=1'])
}

const ARGUMENTS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** Chromium without the parts that draw a window: the journeys take two thirds of their time with it. */
const HEADLESS = 'chromium-headless-shell'
const NAMES = [
  HEADLESS,
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
  'chrome',
  'microsoft-edge',
]
const MAC_APPS = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
]

/**
 * On Debian, installs as root what is missing: the one without windows, and the whole one where Debian is too old to
 * have that.
 */
export function installChromium(): void {
  if (process.getuid?.() !== 0 || !existsSync('/etc/debian_version')) return
  if (!find([HEADLESS])) install(HEADLESS)
  if (!find(NAMES)) install('chromium')
}

/**
 * Returns the path of Chromium or Chrome.
 * @throws Error that says what to install
 */
export function findChromium(): string {
  const path = find(NAMES)
  if (path) return path
  throw new Error(
    "The journeys need Chromium or Chrome: install the package 'chromium' and run the tests again.",
  )
}

function find(names: readonly string[]): string | undefined {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/bin', '/usr/local/bin', '/snap/bin']
  const paths = folders.filter(Boolean).flatMap((folder) => names.map((name) => join(folder, name)))
  return [...paths, ...(names === NAMES ? MAC_APPS : [])].find(isExecutable)
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

function install(name: string): void {
  process.stderr.write(`Installing ${name} from the packages of Debian (once; a minute or two)\n`)
  apt('update')
  apt('install', '-y', '--no-install-recommends', name)
}

function apt(...args: string[]): void {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  spawnSync('apt-get', ['-q', ...args], { env, stdio: 'ignore' })
}

// Starts Boxtree's commands on any Node from 20: installs what the lockfile says, builds the console when it is
// stale, and runs the command on the Node 24 that came with the packages. It uses nothing but Node itself.

import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = dirname(fileURLToPath(import.meta.url))
const VITEST = 'node_modules/vitest/vitest.mjs'
/** Node keeps compiled code here from one start to the next. */
const ENVIRONMENT = { NODE_COMPILE_CACHE: join(ROOT, 'node_modules/.cache/node'), ...process.env }

/** What each command needs, and what it runs in turn. */
const COMMANDS = {
  start: { console: true, run: [['server/main.ts']] },
  build: { console: true, run: [['server/postgres/prepare.ts']] },
  'admin-password': { run: [['server/commands/admin-password.ts']] },
  demo: { console: true, run: [['server/commands/demo.ts']] },
  verify: { run: [['server/commands/verify.ts']] },
  backup: { run: [['server/commands/backup.ts']] },
  restore: { run: [['server/commands/restore.ts']] },
  'rotate-key': { run: [['server/commands/rotate-key.ts']] },
  bench: { console: true, tools: true, run: [['bench/main.ts']] },
  faults: {
    console: true,
    tools: true,
    env: { THOROUGH: '1' },
    // One after the other, because the faults have limits of time.
    run: [
      [VITEST, 'run', '--project', 'external'],
      [VITEST, 'run', '--project', 'faults'],
    ],
  },
  mutants: { tools: true, run: [['test/mutants/main.ts']] },
  check: { tools: true, run: [...checks(), [VITEST, 'run', 'test/house.test.ts', 'test/mutants.test.ts']] },
  test: { console: true, tools: true, run: [...checks(), [VITEST, 'run']] },
}

function checks() {
  return [
    ['node_modules/@biomejs/biome/bin/biome', 'check', '--error-on-warnings', '.'],
    ['node_modules/typescript/bin/tsc', '-b'],
    ['node_modules/knip/bin/knip.js'],
  ]
}

const [name = 'start', ...rest] = process.argv.slice(2)
const command = COMMANDS[name]
if (!command) quit(`There is no command '${name}'; there are ${Object.keys(COMMANDS).join(', ')}.`)

/** The process that runs at this moment; signals go on to it. */
let child = null
let stopping = false
passSignalsOn()

process.chdir(ROOT)
if (isInstallStale(command.tools)) await install()
const node = findNode()
if (command.console && isConsoleStale()) await buildConsole()
process.exitCode = await runAll(command.run)

/** Every part runs, whatever the others found; with arguments only the last, to which they belong. */
async function runAll(parts) {
  let worst = 0
  for (const part of rest.length > 0 ? parts.slice(-1) : parts) {
    if (stopping) return 130
    const last = part === parts.at(-1)
    worst = (await run(node, last ? [...part, ...rest] : part, { ...ENVIRONMENT, ...command.env })) || worst
  }
  return worst
}

/** npm writes its own list of what is installed last of all, so the list is there and right only when all of it is. */
function isInstallStale(withTools) {
  const wanted = readJson('package-lock.json').packages
  const installed = readJson('node_modules/.package-lock.json')?.packages
  if (!installed) return true
  return Object.entries(wanted).some(([path, { version, integrity, optional, dev }]) => {
    if (path === '' || (dev && !withTools)) return false
    const there = installed[path]
    return there ? there.version !== version || there.integrity !== integrity : !optional
  })
}

function readJson(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return undefined
  }
}

async function install() {
  say('Installing packages (once; about a minute)')
  const args = ['ci', '--include=dev', '--include=optional', '--no-audit', '--no-fund', '--loglevel=error']
  const npm = process.env.npm_execpath
  const { NODE_ENV: _, ...env } = process.env
  const code = npm?.endsWith('.js')
    ? await run(process.execPath, [npm, ...args], env)
    : await run('npm', args, env)
  if (code !== 0) quit('npm could not install the packages; see its words above, then try again.')
}

function findNode() {
  const bundled = join(ROOT, `node_modules/node-${process.platform}-${process.arch}/bin/node`)
  if (existsSync(bundled)) return bundled
  if (Number(process.versions.node.split('.')[0]) >= 24) return process.execPath
  return quit(
    `Boxtree needs Node 24, and none came for ${process.platform}-${process.arch}: install Node 24 and start again.`,
  )
}

function isConsoleStale() {
  return !existsSync('dist/web/index.html') || readText('dist/web.hash') !== hashOfConsole()
}

function readText(file) {
  return existsSync(file) ? readFileSync(file, 'utf8') : ''
}

/** What the console is built from. */
function hashOfConsole() {
  const hash = createHash('sha256')
  for (const file of ['package-lock.json', ...filesIn('contract'), ...filesIn('web')]) {
    hash.update(`${file}\0`).update(readFileSync(file)).update('\0')
  }
  return hash.digest('hex')
}

function filesIn(folder) {
  return readdirSync(folder, { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = join(folder, entry.name)
      return entry.isDirectory() ? filesIn(path) : /\.test\.tsx?$/.test(path) ? [] : [path]
    })
}

/** Built aside and put in place whole, so that a console that runs never serves half of one. */
async function buildConsole() {
  say('Building the console')
  const hash = hashOfConsole()
  const args = ['node_modules/vite/bin/vite.js', 'build', 'web', '--config', 'web/vite.config.ts']
  const code = await run(node, [
    ...args,
    '--outDir',
    '../dist/web.new',
    '--emptyOutDir',
    '--logLevel',
    'warn',
  ])
  if (code !== 0) quit('The console could not be built; see above.')
  mkdirSync('dist', { recursive: true })
  rmSync('dist/web.hash', { force: true })
  rmSync('dist/web.old', { recursive: true, force: true })
  if (existsSync('dist/web')) renameSync('dist/web', 'dist/web.old')
  renameSync('dist/web.new', 'dist/web')
  rmSync('dist/web.old', { recursive: true, force: true })
  writeFileSync('dist/web.hash', hash)
}

/** Runs a program at this terminal to its end. Its channel tells it when this process is killed. */
function run(program, args, env = ENVIRONMENT) {
  return new Promise((resolve) => {
    child = spawn(program, args, { env, stdio: ['inherit', 'inherit', 'inherit', 'ipc'] })
    child.on('error', (error) => {
      process.stderr.write(`${program}: ${error.message}\n`)
      resolve(127)
    })
    child.on('exit', (code, signal) => {
      child = null
      if (stopping && signal) return quitSilently(130)
      resolve(code ?? 1)
    })
  })
}

/** A Ctrl-C reaches the whole group by itself and may come twice; the command takes the first and ignores the rest. */
function passSignalsOn() {
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) {
    process.on(signal, () => {
      stopping = true
      child?.kill(signal)
    })
  }
  if (process.env.npm_lifecycle_event) endWithNpm()
}

/** An npm that was killed tells nobody; what it started would go on unseen. */
function endWithNpm() {
  const npm = process.ppid
  setInterval(() => {
    if (process.ppid === npm || stopping) return
    stopping = true
    child?.kill('SIGTERM')
  }, 500).unref()
}

function say(line) {
  process.stdout.write(`${line}\n`)
}

function quit(sentence) {
  process.stderr.write(`${sentence}\n`)
  process.exit(1)
}

function quitSilently(code) {
  process.exit(code)
}

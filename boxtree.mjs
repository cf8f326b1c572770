// Runs Boxtree's commands. It starts on any Node from version 20, and so uses only Node's own modules. It installs the
// packages of the lockfile, builds the console if its source has changed, and runs the command on Node 24, which is one
// of the packages.

import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  accessSync,
  constants,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { homedir, hostname } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = dirname(fileURLToPath(import.meta.url))
const PACKAGES = 'node_modules'
/** The package with the Node for this machine. */
const BUNDLED = `node-${process.platform}-${process.arch}`
/** Runs where the npm of this machine leaves out packages. It is not in the lockfile: most machines never need it. */
const NEWER_NPM = 'npm@11.19.1'
/** npm's list of what is installed. */
const INSTALLED = 'node_modules/.package-lock.json'
/** Where packages are until all of them have come. The npm of a process that was killed may go on in that one's. */
const DRAFT = `node_modules.draft.${process.pid}`
const VITEST = 'node_modules/vitest/vitest.mjs'
/** What most likely has sent a signal that nobody here has. */
const ENDED_BY = { SIGKILL: ', most likely because the memory ran out' }
/** The levels of the log, as pino numbers them. */
const [INFO, ERROR] = [30, 50]
/** Node keeps compiled code here from one start to the next. */
const ENVIRONMENT = { NODE_COMPILE_CACHE: join(ROOT, 'node_modules/.cache/node'), ...process.env }

/** Each command: whether it needs the console or the development tools, and the programs that it runs in order. */
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
    // These run one after the other, because load would make the tests of faults exceed their time limits.
    run: [
      [VITEST, 'run', '--project', 'external*', '--project', 'laws'],
      [VITEST, 'run', '--project', 'faults'],
      [VITEST, 'run', '--project', 'journeys', 'journeys/branches', 'journeys/screens', 'journeys/tables'],
    ],
  },
  pictures: {
    console: true,
    tools: true,
    env: { PICTURES: '1' },
    run: [[VITEST, 'run', '--project', 'journeys', 'test/journeys/screens']],
  },
  kodi: { tools: true, env: { KODI: '1' }, run: [[VITEST, 'run', '--project', 'kodi']] },
  ha: { console: true, tools: true, run: [['test/ha/main.ts']] },
  mutants: { console: true, tools: true, run: [['test/mutants/main.ts']] },
  check: { tools: true, run: [...checks(), [VITEST, 'run', 'test/house.test.ts', 'test/mutants.test.ts']] },
  test: { console: true, tools: true, run: [...checks(), [VITEST, 'run']] },
}

function checks() {
  return [
    ['node_modules/@biomejs/biome/bin/biome', 'check', '--error-on-warnings', '.'],
    // Without '--force', TypeScript 7.0 overlooks what uses an export that is gone.
    ['node_modules/typescript/bin/tsc', '-b', '--force'],
    ['node_modules/knip/bin/knip.js'],
  ]
}

const [name = 'start', ...rest] = process.argv.slice(2)
const command = COMMANDS[name]
if (!command) quit(`There is no command '${name}'; there are ${Object.keys(COMMANDS).join(', ')}.`)

/** The running child process, which receives the signals that this process receives. */
let child = null
let stopping = false
passSignalsOn()

process.chdir(ROOT)
if (isInstallStale(command.tools)) await forAllToRead(install)
const node = findNode()
if (command.console && isConsoleStale()) await forAllToRead(buildConsole)
process.exitCode = await runAll(command.run)

/** Runs every program even if one fails. Arguments belong to the last program, so with arguments only that one runs. */
async function runAll(parts) {
  let code = 0
  for (const part of rest.length > 0 ? parts.slice(-1) : parts) {
    if (stopping) return 130
    const last = part === parts.at(-1)
    code = (await run(node, last ? [...part, ...rest] : part, { ...ENVIRONMENT, ...command.env })) || code
  }
  return code
}

/** What root installs and builds is run by the user of a service, whom a strict umask of root would keep out. */
async function forAllToRead(make) {
  const umask = process.umask(process.umask() & ~0o055)
  await make()
  process.umask(umask)
}

/** npm writes its list of installed packages last, so the list is correct only once the installation is complete. */
function isInstallStale(withTools) {
  const installed = readJson(INSTALLED)?.packages
  if (!installed) return true
  return missingFrom(installed).some(({ dev }) => withTools || !dev)
}

/** Returns the packages of the lockfile that an installation has not, or in another version. */
function missingFrom(installed) {
  return Object.entries(readJson('package-lock.json').packages).flatMap(([path, entry]) => {
    if (path === '') return []
    const there = installed[path]
    const isRight = there
      ? there.version === entry.version && there.integrity === entry.integrity
      : entry.optional && !isForThisMachine(entry)
    return isRight ? [] : [{ name: path.replace(/^.*node_modules\//, ''), dev: entry.dev }]
  })
}

/**
 * Whether an optional package is one that runs here, as PostgreSQL for this system. npm installs only those of them,
 * and goes on without one that cannot be downloaded or does not want npm's Node. Packages for no certain system are for
 * WebAssembly, and never needed.
 */
function isForThisMachine({ os, cpu, libc }) {
  // npm's list has one word or several.
  if (![os].flat().includes(process.platform)) return false
  if (![cpu ?? process.arch].flat().includes(process.arch)) return false
  return !libc || [libc].flat().includes(libcOfLinux())
}

function libcOfLinux() {
  // It would look up the names of network addresses.
  process.report.excludeNetwork = true
  return process.report.getReport().header.glibcVersionRuntime ? 'glibc' : 'musl'
}

function readJson(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return undefined
  }
}

/**
 * Installs beside the present packages, and then takes their place: where npm finds none, the version before can still
 * be started, and a console that runs goes on.
 */
async function install() {
  say('Installing packages (once; about a minute)')
  try {
    for (const draft of readdirSync('.').filter(isLeftDraft)) removeDraft(draft)
    mkdirSync(DRAFT)
  } catch (error) {
    if (!isDenied(error)) throw error
    quitAsStranger('Packages are missing or outdated')
  }
  for (const file of ['package.json', 'package-lock.json', '.npmrc']) {
    if (existsSync(file)) copyFileSync(file, join(DRAFT, file))
  }
  let missing = await installWith(process.execPath, ['ci'])
  if (missing === null) {
    removeDraft(DRAFT)
    quit('npm could not install the packages; see its words above, then try again.')
  }
  if (missing.length > 0) missing = (await installWithNewerNpm()) ?? missing
  if (missing.length > 0) {
    removeDraft(DRAFT)
    const names = missing.map(({ name }) => name).join(', ')
    quit(
      `npm did not download ${names}: check the connection and the registry, or take a newer Node, then try again.`,
    )
  }
  try {
    if (existsSync(PACKAGES)) renameSync(PACKAGES, join(DRAFT, 'before'))
    renameSync(join(DRAFT, PACKAGES), PACKAGES)
  } catch (error) {
    // Or a volume of its own, or a layer of a container's image.
    if (!isDenied(error) && error.code !== 'EXDEV' && error.code !== 'EBUSY') throw error
    removeDraft(DRAFT)
    if (isDenied(error)) quitAsNotOwner(PACKAGES)
    quit(
      `${join(ROOT, PACKAGES)} is outdated, and cannot be replaced from here (${error.code}): run \`npm ci --include=dev\` where it was made.`,
    )
  }
  removeDraft(DRAFT)
}

/**
 * What came with the oldest Node 20 leaves out packages: npm those that name a C library, and those that want a newer
 * Node. Once Boxtree's own Node has come, a newer npm installs them on it.
 */
async function installWithNewerNpm() {
  const bundled = join(DRAFT, PACKAGES, BUNDLED)
  if (!runs(join(bundled, 'bin/node'))) return null
  renameSync(bundled, join(DRAFT, BUNDLED))
  // Where npm looks for its own packages.
  mkdirSync(join(DRAFT, BUNDLED, 'lib'))
  // Where this machine's npm has its settings, as its registry: npm would look beside the Node that it runs on.
  const settings = join(dirname(dirname(process.execPath)), 'etc/npmrc')
  return installWith(join(ROOT, DRAFT, BUNDLED, 'bin/node'), ['exec', '--yes', NEWER_NPM, '--', 'ci'], {
    npm_config_globalconfig: settings,
  })
}

/** Has npm install into the draft, on a certain Node. Returns what it left out; null where it could not. */
async function installWith(node, command, more = {}) {
  // Node 20 is older than some packages want, and starts none of them: they run on the Node that comes with them.
  const engines = '--engine-strict=false'
  const options = [
    '--include=dev',
    '--include=optional',
    engines,
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
  ]
  const args = [...command, '--prefix', DRAFT, ...options]
  const npm = process.env.npm_execpath
  const { NODE_ENV: _, ...inherited } = process.env
  // What npm starts, as npm itself, takes the first Node that it finds.
  const env = { ...more, ...inherited, ...cache(), PATH: `${dirname(node)}${delimiter}${inherited.PATH}` }
  // Other package managers set it, too.
  const code = npm?.endsWith('npm-cli.js')
    ? await run(node, [npm, ...args], env)
    : await run('npm', args, env)
  return code === 0 ? missingFrom(readJson(join(DRAFT, INSTALLED))?.packages ?? {}) : null
}

/** Returns where npm keeps what it downloads, for a user who cannot write to where it would. */
function cache() {
  try {
    const usual = process.env.npm_config_cache ?? join(homedir(), '.npm')
    if (isWritable(existsSync(usual) ? usual : dirname(usual))) return {}
  } catch {
    // Of a user without a home nobody knows where that would be.
  }
  return { npm_config_cache: join(ROOT, DRAFT, 'cache') }
}

function isWritable(folder) {
  try {
    accessSync(folder, constants.W_OK)
    return true
  } catch {
    return false
  }
}

/** Whether a folder is a draft whose process is gone, or one of an earlier version. */
function isLeftDraft(name) {
  const [draft, pid] = /^node_modules\.draft(?:\.(\d+))?$/.exec(name) ?? []
  if (draft === undefined) return false
  if (pid === undefined || draft === DRAFT) return true
  try {
    process.kill(Number(pid), 0)
    return false
  } catch (error) {
    return error.code === 'ESRCH'
  }
}

function removeDraft(draft) {
  try {
    rmSync(draft, { recursive: true, force: true })
  } catch (error) {
    // An npm still writes there, and a later install removes it; or root has run a command, and its files stay.
    if (error.code !== 'ENOTEMPTY' && !isDenied(error)) throw error
  }
}

/** Whether something is another user's, or on a disk that can only be read. */
function isDenied({ code }) {
  return ['EACCES', 'EPERM', 'EROFS'].includes(code)
}

/** Ends where all of Boxtree is another user's, as for the user of a service. */
function quitAsStranger(what) {
  quit(`${what}, and this user may not write to ${ROOT}: run \`node boxtree.mjs build\` as its owner.`)
}

/** Ends where a folder alone is another user's, as after a command that root has run in a user's clone. */
function quitAsNotOwner(folder) {
  const path = join(ROOT, folder)
  if (statSync(path).uid === process.getuid())
    quit(`${path} cannot be replaced, because it may not be written: allow that and start again.`)
  quit(
    `${path} belongs to another user (${statSync(path).uid}), so that it cannot be replaced: run \`chown -R ${process.getuid()} "${path}"\` as root.`,
  )
}

function findNode() {
  const bundled = join(ROOT, PACKAGES, BUNDLED, 'bin/node')
  if (runs(bundled)) return bundled
  const [major, minor] = process.versions.node.split('.').map(Number)
  if (major > 24 || (major === 24 && minor >= 7)) return process.execPath
  const why = existsSync(bundled)
    ? `the one that came does not run here (on Linux it needs glibc): ${faultOf(bundled)}`
    : `none came for ${process.platform}-${process.arch}`
  return quit(`Boxtree needs Node 24.7 or later, and ${why}: install that and start again.`)
}

function runs(node) {
  return existsSync(node) && spawnSync(node, ['--version']).status === 0
}

function faultOf(node) {
  const { error, stderr, status, signal } = spawnSync(node, ['--version'], { encoding: 'utf8' })
  return error?.message ?? (stderr.trim() || `it ended with ${signal ?? status}`)
}

function isConsoleStale() {
  return !existsSync('dist/web/index.html') || readText('dist/web.hash') !== hashOfConsole()
}

function readText(file) {
  return existsSync(file) ? readFileSync(file, 'utf8') : ''
}

/** Returns a digest of the files that the console is built from. */
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

/** Builds into another folder and then renames it, so that a running server never serves an incomplete console. */
async function buildConsole() {
  // What builds it reads a path as it would an address, to its first # or ?.
  if (/[#?]/.test(ROOT)) quit('Move Boxtree to a folder without # and ? in its path.')
  if (!isWritable(existsSync('dist') ? 'dist' : '.')) {
    if (isWritable('.')) quitAsNotOwner('dist')
    quitAsStranger('The console is missing or outdated')
  }
  say('Building the console')
  const hash = hashOfConsole()
  const args = ['node_modules/vite/bin/vite.js', 'build', 'web', '--config', 'web/vite.config.ts']
  const options = ['--outDir', '../dist/web.new', '--emptyOutDir', '--logLevel', 'warn']
  // Where another one is set, what is built is for developers: slow, and without the service worker.
  const code = await run(node, [...args, ...options], { ...ENVIRONMENT, NODE_ENV: 'production' })
  if (code !== 0) quit('The console could not be built; see above.')
  mkdirSync('dist', { recursive: true })
  rmSync('dist/web.hash', { force: true })
  removeBefore()
  // Pages of the build before still ask for its files, here or on a server that is upgraded first.
  if (existsSync('dist/web')) renameSync('dist/web', 'dist/web.old')
  renameSync('dist/web.new', 'dist/web')
  writeFileSync('dist/web.hash', hash)
}

/** Removes the build before the present one. What root has built can only be put aside. */
function removeBefore() {
  for (const name of readdirSync('dist').filter((name) => name.startsWith('web.old'))) {
    try {
      rmSync(join('dist', name), { recursive: true, force: true })
    } catch (error) {
      if (!isDenied(error)) throw error
      if (name === 'web.old') renameSync('dist/web.old', `dist/web.old.${Date.now()}`)
    }
  }
}

/** Runs a program in this terminal until it ends. The IPC channel tells the program when this process is killed. */
function run(program, args, env = ENVIRONMENT) {
  return new Promise((resolve) => {
    child = spawn(program, args, { env, stdio: ['inherit', 'inherit', 'inherit', 'ipc'] })
    child.on('error', (error) => {
      process.stderr.write(`${program}: ${error.message}\n`)
      resolve(127)
    })
    child.on('exit', (code, signal) => {
      child = null
      if (stopping && signal) return process.exit(130)
      if (signal) tellFault(`${program} was ended by ${signal}${ENDED_BY[signal] ?? ''}.`)
      resolve(code ?? 1)
    })
  })
}

/** The terminal sends Ctrl-C to the child too, so it may receive two signals; a command ignores all but the first. */
function passSignalsOn() {
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) {
    process.on(signal, () => {
      stopping = true
      child?.kill(signal)
    })
  }
  if (process.env.npm_lifecycle_event) endWithNpm()
}

/** Ends the command when npm is killed: npm sends no signal then, and the command would go on in the background. */
function endWithNpm() {
  const npm = process.ppid
  setInterval(() => {
    if (process.ppid === npm || stopping) return
    stopping = true
    child?.kill('SIGTERM')
  }, 500).unref()
}

function say(sentence) {
  if (isLogged()) log(INFO, sentence)
  else process.stdout.write(`${sentence}\n`)
}

function quit(sentence) {
  tellFault(sentence)
  process.exit(1)
}

function tellFault(sentence) {
  if (isLogged()) log(ERROR, sentence)
  else process.stderr.write(`${sentence}\n`)
}

/** Whether this starts a console without a terminal, whose log is lines of JSON. */
function isLogged() {
  return name === 'start' && !process.stdout.isTTY
}

/** Writes a line as the log of the server has it (see `server/log.ts`). */
function log(level, msg) {
  const line = { level, time: Date.now(), pid: process.pid, hostname: hostname(), msg }
  process.stderr.write(`${JSON.stringify(line)}\n`)
}

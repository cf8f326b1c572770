import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isRoot, offers } from './support/needs.ts'

const folder = mkdtempSync(join(tmpdir(), 'boxtree-launcher-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Runs a command in a folder without packages, where npm cannot install any, and without a terminal. */
function runWithoutPackages(...command: string[]): string {
  return runWith('process.exit(1)', ...command)
}

/** The same where npm is another program. */
function runWith(program: string, ...command: string[]): string {
  return runIn({ PATH: process.env.PATH }, program, ...command)
}

/** The same with certain variables. */
function runIn(variables: NodeJS.ProcessEnv, program: string, ...command: string[]): string {
  copyFileSync(join(import.meta.dirname, '../boxtree.mjs'), join(folder, 'boxtree.mjs'))
  writeFileSync(join(folder, 'package-lock.json'), JSON.stringify({ packages: { 'node_modules/one': {} } }))
  const npm = join(folder, 'npm-cli.js')
  writeFileSync(npm, program)
  const { stdout, stderr, status } = spawnSync(process.execPath, ['boxtree.mjs', ...command], {
    cwd: folder,
    env: { ...variables, npm_execpath: npm },
    encoding: 'utf8',
  })
  expect(status).toBe(1)
  return stdout + stderr
}

function drafts(): string[] {
  return readdirSync(folder).filter((name) => name.startsWith('node_modules.draft'))
}

const SENTENCES = [
  'Installing packages (once; about a minute)',
  'npm could not install the packages; see its words above, then try again.',
]

test('a start without a terminal logs lines of JSON from the first on', () => {
  const lines = runWithoutPackages('start').trim().split('\n')
  const [pid, hostname] = [expect.any(Number), expect.any(String)]
  expect(lines.map((line) => JSON.parse(line))).toEqual(
    SENTENCES.map((msg, at) => ({ level: [30, 50][at], time: expect.any(Number), pid, hostname, msg })),
  )
})

test('the packages stay as they are until all new ones have come', () => {
  const [packages, present] = ['node_modules', 'node_modules/present'].map((path) => join(folder, path))
  mkdirSync(packages as string)
  writeFileSync(present as string, '')
  runWithoutPackages('check')
  expect(existsSync(present as string)).toBe(true)
  const npm = `
    const { mkdirSync, writeFileSync } = require('node:fs')
    const to = process.argv[process.argv.indexOf('--prefix') + 1] + '/node_modules'
    mkdirSync(to)
    writeFileSync(to + '/new', '')
    writeFileSync(to + '/.package-lock.json', '{"packages":{"node_modules/one":{}}}')`
  // What they are for is missing here.
  runWith(npm, 'check')
  const there = readdirSync(packages as string)
  expect([there.includes('new'), there.includes('present')]).toEqual([true, false])
  expect(drafts()).toEqual([])
  rmSync(packages as string, { recursive: true })
})

test('a package for this machine that npm left out is named, and the present packages stay; those for other machines are not missed', () => {
  const there = mkdtempSync(join(folder, 'needs-'))
  const { platform, arch } = process
  const here = { os: [platform], cpu: [arch], optional: true }
  const { header } = process.report.getReport() as { header: { glibcVersionRuntime?: string } }
  const packages = {
    'node_modules/one': { version: '1.0.0' },
    'node_modules/database-here': { ...here, version: '1.0.0' },
    'node_modules/database-elsewhere': { ...here, os: ['aix'], version: '1.0.0' },
    'node_modules/node-elsewhere': { ...here, os: platform, cpu: `${arch}64`, version: '1.0.0' },
    'node_modules/other-library': {
      ...here,
      libc: [header.glibcVersionRuntime ? 'musl' : 'glibc'],
      version: '1.0.0',
    },
    'node_modules/any-system': { optional: true, version: '1.0.0' },
  }
  const npm = (...names: string[]) => `
    const { mkdirSync: make, writeFileSync } = require('node:fs')
    const to = process.argv[process.argv.indexOf('--prefix') + 1] + '/node_modules'
    make(to, { recursive: true })
    const packages = Object.fromEntries(${JSON.stringify(names)}.map((name) => ['node_modules/' + name, { version: '1.0.0' }]))
    writeFileSync(to + '/.package-lock.json', JSON.stringify({ packages }))`
  expect(run(npm('one'))).toContain(
    'npm did not download database-here: check the connection and the registry, or take a newer Node, then try again.',
  )
  expect(readdirSync(there)).not.toContain('node_modules')
  // The npm of the oldest Node 20 leaves it out as well, and Boxtree's own Node, which came, runs a newer npm.
  const oldest = (newer: string) => `
    const { mkdirSync, symlinkSync } = require('node:fs')
    if (process.argv[2] === 'exec' && process.argv[4].startsWith('npm@')) {
      console.log('settings', process.env.npm_config_globalconfig)
      ${newer}
    } else {
      ${npm('one')}
      mkdirSync(to + '/node-${platform}-${arch}/bin', { recursive: true })
      symlinkSync(process.execPath, to + '/node-${platform}-${arch}/bin/node')
    }`
  expect(run(oldest('process.exit(1)'))).toContain('npm did not download database-here')
  const installed = run(oldest(npm('one', 'database-here')))
  expect(installed).not.toContain('npm did not download')
  expect(installed).toContain(`settings ${join(process.execPath, '../../etc/npmrc')}`)
  expect(run(npm())).not.toContain('Installing packages')
  // As an earlier version left it.
  writeFileSync(
    join(there, 'node_modules/.package-lock.json'),
    JSON.stringify({ packages: { 'node_modules/one': packages['node_modules/one'] } }),
  )
  expect(run(npm('one', 'database-here'))).toContain('Installing packages')

  function run(program: string): string {
    copyFileSync(join(import.meta.dirname, '../boxtree.mjs'), join(there, 'boxtree.mjs'))
    writeFileSync(join(there, 'package-lock.json'), JSON.stringify({ packages }))
    writeFileSync(join(there, 'npm-cli.js'), program)
    const env = { PATH: process.env.PATH, npm_execpath: join(there, 'npm-cli.js') }
    const { stdout, stderr } = spawnSync(process.execPath, ['boxtree.mjs', 'verify'], {
      cwd: there,
      env,
      encoding: 'utf8',
    })
    return stdout + stderr
  }
})

test.each([
  ['24.6.0', true],
  ['22.22.0', true],
  ['24.7.0', false],
  ['26.0.0', false],
])('a machine for which no Node comes, with Node %s, is told which one it needs: %s', (version, isTold) => {
  const bare = mkdtempSync(join(folder, 'bare-'))
  mkdirSync(join(bare, 'node_modules'))
  copyFileSync(join(import.meta.dirname, '../boxtree.mjs'), join(bare, 'boxtree.mjs'))
  for (const name of ['package-lock.json', 'node_modules/.package-lock.json'])
    writeFileSync(join(bare, name), JSON.stringify({ packages: {} }))
  const pretend = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${version}' } })`
  const { stderr } = spawnSync(
    process.execPath,
    ['--import', `data:text/javascript,${encodeURIComponent(pretend)}`, 'boxtree.mjs', 'verify'],
    { cwd: bare, encoding: 'utf8' },
  )
  expect(stderr.includes('Boxtree needs Node 24.7 or later, and none came for ')).toBe(isTold)
})

test('an install has a draft of its own, and removes only those of processes that are gone', () => {
  const mine = `node_modules.draft.${process.pid}`
  const { pid } = spawnSync(process.execPath, ['--version'])
  for (const draft of [mine, `node_modules.draft.${pid}`, 'node_modules.draft'])
    mkdirSync(join(folder, draft, 'one'), { recursive: true })
  const npm = `
    console.log(process.argv[process.argv.indexOf('--prefix') + 1] === 'node_modules.draft.' + process.ppid)
    process.exit(1)`
  expect(runWith(npm, 'check')).toContain('true')
  expect(drafts()).toEqual([mine])
  rmSync(join(folder, mine), { recursive: true })
})

test.runIf(isRoot('The test of a user who may not install'))(
  'a user who may not install the packages is told who can',
  () => {
    const closed = mkdtempSync(join(tmpdir(), 'boxtree-launcher-closed-'))
    copyFileSync(join(import.meta.dirname, '../boxtree.mjs'), join(closed, 'boxtree.mjs'))
    writeFileSync(join(closed, 'package-lock.json'), JSON.stringify({ packages: { 'node_modules/one': {} } }))
    chmodSync(closed, 0o755)
    // Node itself may lie where another user cannot start it.
    const node = join(closed, 'node')
    copyFileSync(process.execPath, node)
    const { stderr, status } = spawnSync(node, ['boxtree.mjs', 'check'], {
      cwd: closed,
      uid: 65_534,
      gid: 65_534,
      env: { PATH: process.env.PATH },
      encoding: 'utf8',
    })
    rmSync(closed, { recursive: true })
    expect(status).toBe(1)
    expect(stderr).toBe(
      `Packages are missing or outdated, and this user may not write to ${closed}: run \`node boxtree.mjs build\` as its owner.\n`,
    )
  },
)

test.each(['#', '?'])('a console that cannot be built in a folder with %s in its path says so', (letter) => {
  const odd = join(folder, `no${letter}1`)
  mkdirSync(join(odd, 'node_modules'), { recursive: true })
  copyFileSync(join(import.meta.dirname, '../boxtree.mjs'), join(odd, 'boxtree.mjs'))
  for (const name of ['package-lock.json', 'node_modules/.package-lock.json'])
    writeFileSync(join(odd, name), JSON.stringify({ packages: {} }))
  const { stderr, status } = spawnSync(process.execPath, ['boxtree.mjs', 'build'], {
    cwd: odd,
    encoding: 'utf8',
  })
  expect([status, stderr]).toEqual([1, 'Move Boxtree to a folder without # and ? in its path.\n'])
})

test('npm installs for a user without a home, and whichever Node version its settings demand', () => {
  const npm = `
    console.log(process.env.npm_config_cache, process.argv.join(' '))
    process.exit(1)`
  const said = runIn({ PATH: process.env.PATH, HOME: '/proc/nowhere' }, npm, 'check')
  expect(said).toMatch(/node_modules\.draft\.\d+\/cache /)
  expect(said).toContain(' --engine-strict=false ')
  const usual = runIn({ PATH: process.env.PATH, HOME: folder }, npm, 'check')
  expect(usual).toMatch(/^undefined /m)
})

test('what is killed while it installs is named, and what most likely has killed it', () => {
  expect(runWith("process.kill(process.pid, 'SIGKILL')", 'check')).toContain(
    'was ended by SIGKILL, most likely because the memory ran out.',
  )
})

/** Runs a command where what it mounts is seen by it alone. */
const [COMMAND, ...APART] = ['unshare', '--mount'] as const

const canMount = offers(
  process.getuid?.() === 0 && spawnSync(COMMAND, [...APART, 'true']).status === 0,
  'The test of packages that are a volume of their own',
  'root and mounts in a namespace',
)

test.runIf(canMount)('packages that are outdated in a volume of their own are told of, and stay', () => {
  const there = mkdtempSync(join(folder, 'volume-'))
  mkdirSync(join(there, 'node_modules'))
  copyFileSync(join(import.meta.dirname, '../boxtree.mjs'), join(there, 'boxtree.mjs'))
  writeFileSync(join(there, 'package-lock.json'), JSON.stringify({ packages: { 'node_modules/one': {} } }))
  const npm = `
    const { mkdirSync, writeFileSync } = require('node:fs')
    const to = process.argv[process.argv.indexOf('--prefix') + 1] + '/node_modules'
    mkdirSync(to)
    writeFileSync(to + '/.package-lock.json', '{"packages":{"node_modules/one":{}}}')`
  writeFileSync(join(there, 'npm-cli.js'), npm)
  const mount = 'mount -t tmpfs none node_modules && exec "$@"'
  const { stderr, status } = spawnSync(
    COMMAND,
    [...APART, 'sh', '-c', mount, 'sh', process.execPath, 'boxtree.mjs', 'check'],
    {
      cwd: there,
      env: { PATH: process.env.PATH, npm_execpath: join(there, 'npm-cli.js') },
      encoding: 'utf8',
    },
  )
  expect([status, stderr]).toEqual([
    1,
    expect.stringMatching(/node_modules is outdated, and cannot be replaced from here \((EBUSY|EXDEV)\)/),
  ])
  expect(readdirSync(there).filter((name) => name.startsWith('node_modules'))).toEqual(['node_modules'])
})

/** Makes a folder in which another program builds the console. */
function withBuilder(program: string): string {
  const there = mkdtempSync(join(folder, 'built-'))
  const vite = join(there, 'node_modules/vite/bin')
  for (const made of [vite, join(there, 'contract'), join(there, 'web')]) mkdirSync(made, { recursive: true })
  copyFileSync(join(import.meta.dirname, '../boxtree.mjs'), join(there, 'boxtree.mjs'))
  for (const name of ['package-lock.json', 'node_modules/.package-lock.json'])
    writeFileSync(join(there, name), JSON.stringify({ packages: {} }))
  writeFileSync(join(vite, 'vite.js'), program)
  return there
}

test('the console is built for use, whatever NODE_ENV says', () => {
  const { stdout } = spawnSync(process.execPath, ['boxtree.mjs', 'build'], {
    cwd: withBuilder('console.log(process.env.NODE_ENV)\nprocess.exit(1)'),
    env: { PATH: process.env.PATH, NODE_ENV: 'development' },
    encoding: 'utf8',
  })
  expect(stdout).toContain('production\n')
})

test('a build keeps the files of the build before, for which open pages still ask', () => {
  const there = withBuilder(`
    const { copyFileSync, mkdirSync } = require('node:fs')
    mkdirSync('dist/web.new', { recursive: true })
    copyFileSync('web/source', 'dist/web.new/index.html')`)
  for (const source of ['first', 'second', 'third', 'third']) {
    writeFileSync(join(there, 'web/source'), source)
    spawnSync(process.execPath, ['boxtree.mjs', 'build'], { cwd: there, env: { PATH: process.env.PATH } })
  }
  const builds = ['web', 'web.old'].map((build) =>
    readFileSync(join(there, 'dist', build, 'index.html'), 'utf8'),
  )
  expect(builds).toEqual(['third', 'second'])
})

test('what root installs and builds can be read by the user of the service, whatever the umask', () => {
  const there = withBuilder(`
    const { mkdirSync, writeFileSync } = require('node:fs')
    mkdirSync('dist/web.new', { recursive: true })
    writeFileSync('dist/web.new/index.html', '')`)
  writeFileSync(
    join(there, 'package-lock.json'),
    JSON.stringify({ packages: { 'node_modules/one': { version: '2.0.0' } } }),
  )
  writeFileSync(
    join(there, 'npm-cli.js'),
    `
    const { cpSync, writeFileSync } = require('node:fs')
    const to = process.argv[process.argv.indexOf('--prefix') + 1] + '/node_modules'
    cpSync('node_modules', to, { recursive: true })
    writeFileSync(to + '/one', '')
    writeFileSync(to + '/.package-lock.json', '{"packages":{"node_modules/one":{"version":"2.0.0"}}}')`,
  )
  spawnSync('sh', ['-c', 'umask 077 && exec "$@"', 'sh', process.execPath, 'boxtree.mjs', 'build'], {
    cwd: there,
    env: { PATH: process.env.PATH, npm_execpath: join(there, 'npm-cli.js') },
  })
  const modes = ['dist', 'dist/web', 'dist/web/index.html', 'dist/web.hash', 'node_modules/one'].map(
    (path) => [path, (statSync(join(there, path)).mode & 0o777).toString(8)],
  )
  expect(Object.fromEntries(modes)).toEqual({
    dist: '755',
    'dist/web': '755',
    'dist/web/index.html': '644',
    'dist/web.hash': '644',
    'node_modules/one': '644',
  })
})

describe.runIf(isRoot('The tests of a user in whose clone root has run a command'))(
  'after root has run a command in the clone of a user, that user',
  () => {
    const clone = mkdtempSync(join(tmpdir(), 'boxtree-launcher-clone-'))
    const within = (path: string) => join(clone, path)
    const give = (path: string, user: number) =>
      expect(spawnSync('chown', ['-R', String(user), within(path)]).status).toBe(0)
    const USER = 65_534
    // Node itself may lie where another user cannot start it.
    const node = within('node')
    afterAll(() => rmSync(clone, { recursive: true }))

    beforeAll(() => {
      chmodSync(clone, 0o755)
      copyFileSync(process.execPath, node)
      copyFileSync(join(import.meta.dirname, '../boxtree.mjs'), within('boxtree.mjs'))
      const vite = `
        const { copyFileSync, mkdirSync } = require('node:fs')
        mkdirSync('dist/web.new', { recursive: true })
        copyFileSync('package-lock.json', 'dist/web.new/index.html')`
      writeFileSync(
        within('npm-cli.js'),
        `
        const { copyFileSync, mkdirSync, writeFileSync } = require('node:fs')
        const to = process.argv[process.argv.indexOf('--prefix') + 1] + '/node_modules'
        mkdirSync(to + '/vite/bin', { recursive: true })
        writeFileSync(to + '/vite/bin/vite.js', ${JSON.stringify(vite)})
        copyFileSync('package-lock.json', to + '/.package-lock.json')`,
      )
      for (const made of ['contract', 'web']) mkdirSync(within(made))
      give('.', USER)
    })

    /** Builds a version as that user. */
    function build(version: string): string {
      const packages = { 'node_modules/one': { version } }
      writeFileSync(within('package-lock.json'), JSON.stringify({ packages }))
      const { stderr } = spawnSync(node, ['boxtree.mjs', 'build'], {
        cwd: clone,
        uid: USER,
        gid: USER,
        env: { PATH: process.env.PATH, npm_execpath: within('npm-cli.js') },
        encoding: 'utf8',
      })
      // What a build runs last is not here.
      return stderr.replace(/^node:internal[\s\S]*Cannot find module[\s\S]*$/, '')
    }

    const built = (folder: string) => readFileSync(within(`dist/${folder}/index.html`), 'utf8')

    test('can install and build the next versions, though not remove what root has made', () => {
      expect(build('1')).toBe('')
      mkdirSync(within('node_modules/.cache/node'), { recursive: true })
      for (const root of ['node_modules/.cache', 'dist/web', 'dist/web.hash']) give(root, 0)
      for (const next of ['2', '3', '4']) {
        expect(build(next)).toBe('')
        expect(built('web')).toContain(`"version":"${next}"`)
        expect(built('web.old')).toContain(`"version":"${Number(next) - 1}"`)
      }
    })

    test.each(['node_modules', 'dist'])(
      'is told to whom %s belongs, where root has made all of it',
      (folder) => {
        give(folder, 0)
        expect(build(`after ${folder}`)).toBe(
          `${within(folder)} belongs to another user (0), so that it cannot be replaced: run \`chown -R ${USER} "${within(folder)}"\` as root.\n`,
        )
        give(folder, USER)
      },
    )

    test("is told to have the owner build it, where all is root's", () => {
      give('.', 0)
      expect(build('after dist')).toBe(
        `The console is missing or outdated, and this user may not write to ${clone}: run \`node boxtree.mjs build\` as its owner.\n`,
      )
    })
  },
)

test('any other command says plain sentences', () => {
  expect(runWithoutPackages('check').trim().split('\n')).toEqual(SENTENCES)
})

import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { expect, test } from 'vitest'

/** The architecture's rules as tests: which room may import from which. */

const ROOT = join(import.meta.dirname, '..')
const ROOMS = ['contract', 'server', 'web']

type File = { path: string; imports: string[]; text: string }

const everywhere = [...ROOMS, 'test', 'bench'].flatMap((room) =>
  readdirSync(join(ROOT, room), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => read(join(room, name))),
)

/** The files that are shipped. */
const files = everywhere.filter(
  ({ path }) => !/\.test\.tsx?$/.test(path) && ROOMS.some((room) => path.startsWith(`${room}/`)),
)

/** Global names of a browser, such as `window`, `open` and `Selection`. */
const browserNames = new Set(
  globSync('node_modules/@typescript/typescript-*/lib/lib.dom.d.ts', { cwd: ROOT })
    .slice(0, 1)
    .flatMap((path) => [
      ...readFileSync(join(ROOT, path), 'utf8').matchAll(/^declare (?:var|function) (\w+)/gm),
    ])
    .map(([, name]) => name as string),
)

/** Every folder in `server` is a room; every file or folder in `server/nouns` is a noun. */
const rooms = entriesOf('server').filter((path) => path.endsWith('/'))
const nouns = entriesOf('server/nouns')

/** What any room needs to run statements and transactions. */
const DATABASE = [
  'server/postgres/batches.ts',
  'server/postgres/begin.ts',
  'server/postgres/errors.ts',
  'server/postgres/like.ts',
  'server/postgres/locks.ts',
  'server/postgres/lookup.ts',
  'server/postgres/direction.ts',
  'server/postgres/pool.ts',
  'server/postgres/timeline.ts',
  'server/postgres/timeout.ts',
]
/** What any room may import. */
const COMMON = [
  'contract/',
  'server/compression.ts',
  'server/gone.ts',
  'server/metrics.ts',
  'server/refusal.ts',
  'server/turns.ts',
  ...DATABASE,
]
/** Encryption and hashing, which know no account and no session. */
const SECRETS = ['server/access/password.ts', 'server/access/seal.ts']
/** Finds the network of a request, and tells whether an address is in a list of addresses and blocks. */
const NETWORK = 'server/access/network.ts'

/** What each room of the server may import from this repository, besides itself. */
const MAY_IMPORT: Record<string, readonly string[]> = {
  'server/tree/': [...COMMON, 'server/context.ts'],
  'server/ledger/': COMMON,
  'server/nouns/': [
    ...COMMON,
    ...SECRETS,
    'server/access/audit.ts',
    'server/access/device-tokens.ts',
    'server/access/first-login.ts',
    'server/access/login-limits.ts',
    'server/access/playlist-content.ts',
    'server/access/session.ts',
    NETWORK,
    'server/context.ts',
    'server/tree/',
    'server/ledger/',
  ],
  'server/access/': [
    ...COMMON,
    'server/context.ts',
    'server/config.ts',
    'server/postgres/data-folder.ts',
    'server/postgres/files.ts',
    'server/tree/',
  ],
  'server/boxes/': [
    ...COMMON,
    NETWORK,
    'server/access/box-nonce.ts',
    'server/access/device-tokens.ts',
    'server/access/login-limits.ts',
    'server/access/playlist-content.ts',
    'server/access/seal.ts',
  ],
  'server/corridor/': [
    ...COMMON,
    NETWORK,
    'server/context.ts',
    'server/config.ts',
    'server/access/audit.ts',
    'server/access/seal.ts',
    'server/access/session.ts',
    'server/access/session-lookup.ts',
    'server/postgres/clock.ts',
    'server/postgres/host-connections.ts',
  ],
  'server/jobs/': [
    ...COMMON,
    'server/config.ts',
    'server/context.ts',
    'server/access/reseal.ts',
    'server/access/seal.ts',
    'server/nouns/',
    'server/ledger/sums.ts',
    'server/ledger/calendar.ts',
  ],
  'server/postgres/': ['contract/time.ts', 'server/config.ts', 'server/metrics.ts', 'server/turns.ts'],
  'server/backup/': [
    ...COMMON,
    'server/access/key-check.ts',
    'server/access/seal.ts',
    'server/access/secret-key.ts',
    'server/config.ts',
    'server/postgres/',
    'server/verify/',
  ],
  'server/verify/': [
    ...DATABASE,
    'server/config.ts',
    'server/postgres/after-a-copy.ts',
    'server/postgres/schema.ts',
  ],
  'server/commands/': ['contract/', 'server/'],
}

/** What lies beside the rooms of the web: session, screens and the rhythms of a page. */
const BESIDE = entriesOf('web').filter((path) => /\.tsx?$/.test(path) && !/\/(main|routes)\.tsx$/.test(path))

/** What the rooms of the web that call the server may import. */
const CALLING = ['contract/', ...BESIDE, 'web/calls/', 'web/parts/']

/** What each room of the web may import from this repository, besides itself. */
const WEB_MAY_IMPORT: Record<string, readonly string[]> = {
  'web/parts/': [],
  'web/tables/': [
    'contract/',
    'web/parts/',
    'web/userAgent.ts',
    'web/clock.ts',
    'web/levels.ts',
    'web/phone.ts',
    'web/preferences.ts',
    'web/screens.ts',
    'web/zone.ts',
  ],
  'web/calls/': [
    'contract/',
    'web/parts/',
    'web/clock.ts',
    'web/drafts.ts',
    'web/levels.ts',
    'web/screens.ts',
    'web/session.tsx',
    'web/useDelayedNavigation.ts',
    'web/zone.ts',
  ],
  'web/accounts/': [...CALLING, 'web/tables/'],
  'web/clients/': [...CALLING, 'web/tables/'],
  'web/boxes/': [...CALLING, 'web/tables/'],
  'web/shell/': [...CALLING, 'web/tables/', 'web/accounts/', 'web/clients/'],
  'web/pages/': [...CALLING, 'web/tables/', 'web/accounts/', 'web/boxes/', 'web/clients/', 'web/shell/'],
}

const imported = files.flatMap(({ imports }) => imports).length

test(`the rules apply to ${files.length} files in ${rooms.length} rooms and ${nouns.length} nouns, with ${imported} imports`, () => {
  for (const room of ROOMS) expect(inRoom(room).length, room).toBeGreaterThan(5)
  for (const room of rooms)
    expect(
      files.some(({ path }) => path.startsWith(room)),
      room,
    ).toBe(true)
  expect(imported).toBeGreaterThan(200)
  expect(nouns.length).toBeGreaterThan(8)
})

test('tests that some machines cannot run say so where they are skipped', () => {
  const needs = 'test/support/needs.ts'
  const skips = /(?:test|describe)\.runIf\(|\bskip(?:If)?\(/
  for (const { path, imports } of everywhere.filter(({ path, text }) => path !== needs && skips.test(text)))
    expect(imports, path).toContain(needs)
})

test('every room of the server has its rule, and imports only what it may', () => {
  expect(rooms.sort()).toEqual(Object.keys(MAY_IMPORT).sort())
  expectKept(MAY_IMPORT)
})

test('every room of the web has its rule, and imports only what it may', () => {
  const withFiles = entriesOf('web').filter((room) => files.some(({ path }) => path.startsWith(room)))
  expect(withFiles.filter((path) => path.endsWith('/')).sort()).toEqual(Object.keys(WEB_MAY_IMPORT).sort())
  expectKept(WEB_MAY_IMPORT)
})

test('what lies beside the rooms of the web imports calls and parts alone, but main.tsx and routes.tsx the shell too', () => {
  const others = Object.keys(WEB_MAY_IMPORT).filter(
    (room) => !['web/calls/', 'web/parts/', 'web/pages/'].includes(room),
  )
  const isWayIn = (path: string) => path === 'web/main.tsx' || path === 'web/routes.tsx'
  for (const file of inRoom('web').filter(({ path }) => path.split('/').length === 2))
    expectNone(file, (path) =>
      others.some((room) => path.startsWith(room) && !(isWayIn(file.path) && room === 'web/shell/')),
    )
})

test('no rooms import each other in a circle', () => {
  for (const table of [MAY_IMPORT, WEB_MAY_IMPORT])
    expect(circlesIn(roomsAsFiles(Object.keys(table)))).toEqual([])
})

test('CONTRIBUTING names every room', () => {
  const text = readFileSync(join(ROOT, 'CONTRIBUTING.md'), 'utf8')
  for (const room of Object.keys({ ...MAY_IMPORT, ...WEB_MAY_IMPORT }))
    expect(text).toContain(`\`${room.slice(0, -1)}\``)
})

test('every decision stands in the index of decisions, and every link there leads to a file', () => {
  const folder = join(ROOT, 'docs/decisions')
  const index = readFileSync(join(folder, 'README.md'), 'utf8')
  const linked = [...index.matchAll(/\]\(([^#)][^)]*)\)/g)].map(([, name]) => name as string)
  const records = readdirSync(folder).filter((name) => name !== 'README.md')
  expect(records.length).toBeGreaterThan(100)
  expect(records.filter((name) => !linked.includes(name))).toEqual([])
  expect(linked.filter((name) => !existsSync(join(folder, name)))).toEqual([])
})

test('the contract imports only zod and itself', () => {
  for (const file of inRoom('contract'))
    expectOnly(file, (path) => path === 'zod/mini' || path.startsWith('contract/'))
})

test('server and web share nothing but the contract', () => {
  for (const file of inRoom('server')) expectNone(file, (path) => path.startsWith('web/'))
  for (const file of inRoom('web'))
    expectNone(
      file,
      (path) =>
        path.startsWith('server/') || (path.startsWith('node:') && !file.path.endsWith('vite.config.ts')),
    )
})

test('at the top of the server is only the way in, and what every room needs', () => {
  const names = entriesOf('server').filter((path) => path.endsWith('.ts'))
  const wayIn = ['app', 'config', 'context', 'handlers', 'listening', 'log', 'main', 'refusal']
  expect(names.sort()).toEqual(
    [...wayIn, 'compression', 'gone', 'metrics', 'turns'].map((name) => `server/${name}.ts`).sort(),
  )
})

test('neither server/app.ts nor the pipeline of a call contains SQL', () => {
  for (const path of ['app.ts', 'corridor/pipeline.ts', 'corridor/parse.ts', 'corridor/send-refusal.ts'])
    expect(find(`server/${path}`).text, path).not.toMatch(/\bsql`/)
})

test('the server measures how long it waits by the clock that no setting of the time moves', () => {
  const reading = inRoom('server')
    .filter(({ path, text }) => text.includes('Date.now()') && !path.startsWith('server/commands/demo/'))
    .map(({ path }) => path)
  expect(reading.sort()).toEqual(['server/boxes/memory/presence.ts', 'server/postgres/clock.ts'])
})

test('a noun imports no other noun', () => {
  for (const noun of nouns) {
    const isOther = (path: string) => path.startsWith('server/nouns/') && !path.startsWith(noun)
    for (const file of files.filter(({ path }) => path.startsWith(noun))) expectNone(file, isOther)
  }
})

test('nouns, the tree and the ledger import no Fastify', () => {
  for (const file of files.filter(({ path }) => /^server\/(nouns|tree|ledger)\//.test(path)))
    expectNone(file, (path) => /^@?fastify/.test(path))
})

test('only server/ledger/transfer.ts writes transfers and holdings', () => {
  for (const file of inRoom('server')) {
    if (file.path === 'server/ledger/transfer.ts') continue
    expect(file.text, file.path).not.toMatch(
      /\b(?:insert\s+into|update|delete\s+from|merge\s+into|truncate)\s+(?:only\s+)?(?:transfer|holding)\b/i,
    )
  }
})

test('no file of the web but main.tsx imports a page', () => {
  for (const file of inRoom('web')) {
    if (file.path === 'web/main.tsx') continue
    expectNone(file, (path) => path.startsWith('web/pages/'))
  }
})

test('only web/calls/api.ts calls the server, and only web/importFetched.ts fetches scripts', () => {
  const callers = inRoom('web')
    .filter(({ text }) => /\bfetch\(/.test(text))
    .map(({ path }) => path)
    .sort()
  expect(callers).toEqual(['web/calls/api.ts', 'web/importFetched.ts'])
})

test('only web/parts/dialog/Cancel.tsx draws the button that closes a dialog', () => {
  const drawers = inRoom('web')
    .filter(({ text }) => />\s*Cancel\s*</.test(text))
    .map(({ path }) => path)
  expect(drawers).toEqual(['web/parts/dialog/Cancel.tsx'])
})

test('no file but contract/quantities.ts chooses between a noun and its plural by whether a count is 1', () => {
  // 'credit' : 'credits', 'credit is' : 'credits are', 'a credit' : `${count} credits`, and the other way round.
  const oneFirst = /=== 1 \? ['`](?:an? )?(\w+)\b[^'`]*['`] : ['`](?:\$\{\w+\} )?\1s\b/
  const manyFirst = /(?:> 1|!== 1) \? ['`](?:\$\{\w+\} )?(\w+)s\b[^'`]*['`] : ['`](?:an? )?\1\b/
  for (const { path, text } of files) {
    expect(text, path).not.toMatch(oneFirst)
    expect(text, path).not.toMatch(manyFirst)
  }
})

test('every suite that vitest.config.ts names is there', () => {
  const text = readFileSync(join(ROOT, 'vitest.config.ts'), 'utf8')
  const suites = [...text.matchAll(/'([^'*\n]*\.test\.ts)'/g)].flatMap(([, name]) =>
    alternativesOf(name as string),
  )
  expect(suites.length).toBeGreaterThan(10)
  expect(suites.filter((path) => !existsSync(join(ROOT, path)))).toEqual([])
})

test('a suite of the server that puts something else in place of a module has a process of its own', () => {
  const text = readFileSync(join(ROOT, 'vitest.config.ts'), 'utf8')
  const [, list = ''] = /const IN_PROCESSES_OF_THEIR_OWN = \[([^\]]*)\]/.exec(text) ?? []
  const alone = [...list.matchAll(/'([^']*)'/g)].flatMap(([, name]) => alternativesOf(name as string))
  const replacing = everywhere.filter(
    ({ path, text }) => /^(server|test)\/.*\.test\.ts$/.test(path) && /^vi\.mock\(/m.test(text),
  )
  expect(replacing.length).toBeGreaterThan(3)
  expect(replacing.map(({ path }) => path).filter((path) => !alone.includes(path))).toEqual([])
})

test('every law that makes more tries in `npm run faults` is one that it runs', () => {
  const text = readFileSync(join(ROOT, 'vitest.config.ts'), 'utf8')
  const long = alternativesOf(/LONG_LAWS = '(.+)'/.exec(text)?.[1] ?? '')
  const laws = readdirSync(join(ROOT, 'test/laws')).map((name) => `test/laws/${name}`)
  const growing = laws.filter(
    (path) => path.endsWith('.test.ts') && /\bruns\(/.test(readFileSync(join(ROOT, path), 'utf8')),
  )
  expect(long.sort()).toEqual(growing.sort())
})

test('no imports form a circle', () => {
  expect(everywhere.length).toBeGreaterThan(files.length)
  expect(circlesIn(everywhere)).toEqual([])
})

test('no two file names of a folder differ only by case', () => {
  const names = everywhere.map(({ path }) => path.toLowerCase().replace(/\.tsx?$/, ''))
  expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([])
})

test.each([
  ['the web or the contract', ['web', 'contract']],
  ['the server', ['server']],
])('a name that %s exports stands for one thing', (_, among) => {
  const places = new Map<string, Set<string>>()
  // A schema and its type are one thing, and stand in one file.
  for (const { path, text } of among.flatMap(inRoom))
    for (const [, name = ''] of text.matchAll(
      /^export (?:async )?(?:const|function|type|interface|class) (\w+)/gm,
    ))
      places.set(name, (places.get(name) ?? new Set()).add(path))
  expect(places.size).toBeGreaterThan(300)
  expect([...places].filter(([, paths]) => paths.size > 1)).toEqual([])
})

test('no name in the web hides a global name of the browser', () => {
  expect(browserNames.size).toBeGreaterThan(500)
  const taken = inRoom('web')
    .filter(({ path }) => !path.endsWith('vite.config.ts'))
    .flatMap(({ path, text }) =>
      namesIn(text)
        .filter((name) => browserNames.has(name))
        .map((name) => `${path} ${name}`),
    )
  expect(taken).toEqual([])
})

test('no file imports anything from outside the repository', () => {
  for (const file of files) expectNone(file, (path) => path.startsWith('..'))
})

/** Returns the entries of a folder; folders end in a slash. */
function entriesOf(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { withFileTypes: true })
    .filter(({ name }) => !name.endsWith('.test.ts'))
    .map((entry) => `${folder}/${entry.name}${entry.isDirectory() ? '/' : ''}`)
}

/** Expects that the files of each room of a table import only from it and what the table allows. */
function expectKept(table: Record<string, readonly string[]>) {
  for (const [room, mayImport] of Object.entries(table)) {
    for (const file of files.filter(({ path }) => path.startsWith(room)))
      expectNone(
        file,
        (path) => isOwn(path) && ![room, ...mayImport].some((allowed) => path.startsWith(allowed)),
      )
  }
}

/** Returns each room as one file that imports the other rooms that its files do. */
function roomsAsFiles(all: readonly string[]): File[] {
  return all.map((room) => {
    const paths = files.filter(({ path }) => path.startsWith(room)).flatMap(({ imports }) => imports)
    return {
      path: room,
      text: '',
      imports: all.filter((other) => other !== room && paths.some((path) => path.startsWith(other))),
    }
  })
}

function isOwn(path: string): boolean {
  return ROOMS.some((room) => path.startsWith(`${room}/`))
}

function read(path: string): File {
  const text = readFileSync(join(ROOT, path), 'utf8')
  const named = [...text.matchAll(/(?:\bfrom|\bimport)\s*\(?\s*'([^']+)'/g)].map(([, name]) => name as string)
  const imports = named.map((name) =>
    name.startsWith('.') ? relative(ROOT, join(ROOT, dirname(path), name)) : name,
  )
  return { path, text, imports }
}

/** Imports of types count as well: two files that need each other's types cannot be understood apart. */
function circlesIn(all: readonly File[]): string[] {
  const importsOf = new Map(all.map(({ path, imports }) => [path, imports]))
  const done = new Set<string>()
  const walk = (path: string, way: readonly string[]): string[] => {
    const at = way.indexOf(path)
    if (at >= 0) return [[...way.slice(at), path].join(' → ')]
    if (done.has(path)) return []
    done.add(path)
    return (importsOf.get(path) ?? []).flatMap((next) => walk(next, [...way, path]))
  }
  return all.flatMap(({ path }) => walk(path, []))
}

/** Returns the paths that one with `{a,b}` in it stands for, or else the path itself. */
function alternativesOf(path: string): string[] {
  const [, before, names, after] = /^(.*)\{(.*)\}(.*)$/.exec(path) ?? []
  return names === undefined ? [path] : names.split(',').map((name) => `${before}${name}${after}`)
}

/** Returns the names that a file declares or imports at its top level. */
function namesIn(text: string): string[] {
  const declared = text.matchAll(
    /^(?:export )?(?:async )?(?:const|let|function|class|interface|type) (\w+)/gm,
  )
  const imported = [...text.matchAll(/^import (?:type )?\{([^}]*)\}/gm)].flatMap(([, list = '']) =>
    list.split(',').map((one) => one.replace(/^\s*(type )?(\w+ as )?/, '').trim()),
  )
  return [...[...declared].map(([, name]) => name as string), ...imported]
}

function inRoom(room: string): File[] {
  return files.filter(({ path }) => path.startsWith(`${room}/`))
}

function find(path: string): File {
  const file = files.find((one) => one.path === path)
  if (!file) throw new Error(`${path} is not there`)
  return file
}

function expectOnly(file: File, allowed: (path: string) => boolean) {
  expect(
    file.imports.filter((path) => !allowed(path)),
    file.path,
  ).toEqual([])
}

function expectNone(file: File, forbidden: (path: string) => boolean) {
  expect(file.imports.filter(forbidden), file.path).toEqual([])
}

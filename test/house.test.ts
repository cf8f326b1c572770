import { globSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { expect, test } from 'vitest'

/** The walls of the house, executed: which room may import from which. */

const ROOT = join(import.meta.dirname, '..')
const ROOMS = ['contract', 'server', 'web']

type File = { path: string; imports: string[]; text: string }

const everywhere = [...ROOMS, 'test', 'bench'].flatMap((room) =>
  readdirSync(join(ROOT, room), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => read(join(room, name))),
)

/** What is shipped. */
const files = everywhere.filter(
  ({ path }) => !/\.test\.tsx?$/.test(path) && ROOMS.some((room) => path.startsWith(`${room}/`)),
)

/** What a browser's scripts find without an import: `window` and `open`, `Window` and `Selection`. */
const browserNames = new Set(
  globSync('node_modules/@typescript/typescript-*/lib/lib.dom.d.ts', { cwd: ROOT })
    .slice(0, 1)
    .flatMap((path) => [
      ...readFileSync(join(ROOT, path), 'utf8').matchAll(/^declare (?:var|function) (\w+)/gm),
    ])
    .map(([, name]) => name as string),
)

/** A room of the server is a folder in it; a noun is whatever lies in its room: a file, or a folder of them. */
const rooms = entriesOf('server').filter((path) => path.endsWith('/'))
const nouns = entriesOf('server/nouns')

/** How a room speaks with the database: one statement, and a transaction of them. */
const DATABASE = ['server/postgres/begin.ts', 'server/postgres/locks.ts', 'server/postgres/pool.ts']
/** What any room may use. */
const COMMON = ['contract/', 'server/network.ts', 'server/refusal.ts', 'server/turns.ts', ...DATABASE]
/** What seals and hashes, which keeps no account and no session. */
const SECRETS = ['server/access/password.ts', 'server/access/seal.ts']

/** What each room of the server may import of the house, beside itself. */
const WALLS: Record<string, readonly string[]> = {
  'server/tree/': [...COMMON, 'server/context.ts'],
  'server/ledger/': COMMON,
  'server/nouns/': [...COMMON, ...SECRETS, 'server/context.ts', 'server/tree/', 'server/ledger/'],
  'server/access/': [
    ...COMMON,
    'server/context.ts',
    'server/config.ts',
    'server/files.ts',
    'server/postgres/data-folder.ts',
    'server/tree/',
    'server/corridor/audit.ts',
  ],
  'server/corridor/': [...COMMON, ...SECRETS, 'server/context.ts', 'server/config.ts', 'server/tree/'],
  'server/jobs/': [
    ...COMMON,
    'server/config.ts',
    'server/access/reseal.ts',
    'server/access/seal.ts',
    'server/nouns/',
    'server/ledger/calendar.ts',
    'server/corridor/idempotency.ts',
  ],
  'server/postgres/': ['server/config.ts', 'server/files.ts'],
  'server/commands/': ['contract/', 'server/'],
}

const imported = files.flatMap(({ imports }) => imports).length

test(`the walls were looked at: ${files.length} files of ${rooms.length} rooms and ${nouns.length} nouns, with ${imported} imports`, () => {
  for (const room of ROOMS) expect(inRoom(room).length, room).toBeGreaterThan(5)
  for (const room of rooms)
    expect(
      files.some(({ path }) => path.startsWith(room)),
      room,
    ).toBe(true)
  expect(imported).toBeGreaterThan(200)
  expect(nouns.length).toBeGreaterThan(8)
})

test('every room of the server has its walls, and imports what they let through', () => {
  expect(rooms.sort()).toEqual(Object.keys(WALLS).sort())
  for (const [room, mayImport] of Object.entries(WALLS)) {
    for (const file of files.filter(({ path }) => path.startsWith(room)))
      expectNone(
        file,
        (path) => isOfHouse(path) && ![room, ...mayImport].some((allowed) => path.startsWith(allowed)),
      )
  }
})

test('the contract imports zod and itself alone', () => {
  for (const file of inRoom('contract'))
    expectOnly(file, (path) => path === 'zod/mini' || path.startsWith('contract/'))
})

test('server and web meet in the contract and nowhere else', () => {
  for (const file of inRoom('server')) expectNone(file, (path) => path.startsWith('web/'))
  for (const file of inRoom('web'))
    expectNone(
      file,
      (path) =>
        path.startsWith('server/') || (path.startsWith('node:') && !file.path.endsWith('vite.config.ts')),
    )
})

test('the corridor has no SQL of its own', () => {
  expect(find('server/app.ts').text).not.toMatch(/\b(sql|begun)`/)
})

test('a noun knows no other noun', () => {
  for (const noun of nouns) {
    const isOther = (path: string) => path.startsWith('server/nouns/') && !path.startsWith(noun)
    for (const file of files.filter(({ path }) => path.startsWith(noun))) expectNone(file, isOther)
  }
})

test('nouns, the tree and the ledger know no framework', () => {
  for (const file of files.filter(({ path }) => /^server\/(nouns|tree|ledger)\//.test(path)))
    expectNone(file, (path) => /^@?fastify/.test(path))
})

test('credits are written in the ledger alone', () => {
  for (const file of inRoom('server')) {
    if (file.path === 'server/ledger/transfer.ts') continue
    expect(file.text, file.path).not.toMatch(/insert into transfer|update holding|insert into holding/)
  }
})

test('parts know nothing of the product', () => {
  for (const file of inRoom('web/parts'))
    expectNone(
      file,
      (path) => path.startsWith('contract/') || (path.startsWith('web/') && !path.startsWith('web/parts/')),
    )
})

test('a table knows neither pages nor calls', () => {
  for (const file of inRoom('web/tables'))
    expectNone(
      file,
      (path) =>
        path.startsWith('web/pages/') || ['web/api.ts', 'web/session.tsx', 'web/queries.ts'].includes(path),
    )
})

test('a page imports no other page, and of the others only the login is imported', () => {
  for (const file of inRoom('web')) {
    if (file.path === 'web/main.tsx') continue
    expectNone(file, (path) => path.startsWith('web/pages/'))
  }
})

test('fetch is called in one file of the web', () => {
  const callers = inRoom('web')
    .filter(({ text }) => /\bfetch\(/.test(text))
    .map(({ path }) => path)
  expect(callers).toEqual(['web/api.ts'])
})

test('no file imports itself in a circle', () => {
  expect(everywhere.length).toBeGreaterThan(files.length)
  expect(circlesIn(everywhere)).toEqual([])
})

test('no two files of a folder differ by case alone', () => {
  const names = everywhere.map(({ path }) => path.toLowerCase().replace(/\.tsx?$/, ''))
  expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([])
})

test('nothing in the web takes a name that the browser has given away', () => {
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

test('the product stands on its own: nothing outside its folder is named', () => {
  for (const file of files) expectNone(file, (path) => path.startsWith('..'))
})

/** What lies in a folder, a folder with a slash at its end. */
function entriesOf(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { withFileTypes: true })
    .filter(({ name }) => !name.endsWith('.test.ts'))
    .map((entry) => `${folder}/${entry.name}${entry.isDirectory() ? '/' : ''}`)
}

function isOfHouse(path: string): boolean {
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

/** Imports of types count like others: what needs each other is one thing, however it is cut. */
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

/** What a file declares or imports at its top. */
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

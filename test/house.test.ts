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

/** A noun is whatever lies in `server/nouns`: a file, or a folder of them. */
const nouns = readdirSync(join(ROOT, 'server/nouns'), { withFileTypes: true })
  .filter(({ name }) => !name.endsWith('.test.ts'))
  .map((entry) => `server/nouns/${entry.name}${entry.isDirectory() ? '/' : ''}`)

test('the walls were looked at: every room has files, and imports were found in them', () => {
  for (const room of ROOMS) expect(inRoom(room).length, room).toBeGreaterThan(5)
  expect(files.flatMap(({ imports }) => imports).length).toBeGreaterThan(200)
  expect(nouns.length).toBeGreaterThan(8)
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

test('a noun knows no other noun, no corridor and no framework', () => {
  for (const noun of nouns) {
    const isOther = (path: string) => path.startsWith('server/nouns/') && !path.startsWith(noun)
    for (const file of files.filter(({ path }) => path.startsWith(noun)))
      expectNone(
        file,
        (path) =>
          isOther(path) || /^server\/(app\.ts|handlers\.ts|corridor\/)/.test(path) || /^@?fastify/.test(path),
      )
  }
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

test('a page imports no other page, and nobody but the router imports a page', () => {
  for (const file of inRoom('web')) {
    if (['web/screens.tsx', 'web/routes.tsx', 'web/main.tsx'].includes(file.path)) continue
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

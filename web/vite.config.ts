import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { extname, join, resolve } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import react from '@vitejs/plugin-react'
import subsetFont from 'subset-font'
import { defineConfig, type Plugin, type Rolldown } from 'vite'
import type { Role } from '../contract/roles.ts'
import { firstCalls } from './calls/firstCalls.ts'
import { screenAt } from './screens.ts'

/** What every dashboard needs, without what only lists and forms of clients share. */
const PARTS = new RegExp(
  [
    '/web/(parts|tables)/(?!chart/|dialog/|Progress|Buttons|table/(SelectionBar|Segments)|form/|copy|clients|due|expiry|macs|phone|tree)',
    '/web/(NewestOnly|Question|TableCard|useServedPage)',
    '/web/accounts/(BalanceTile|ExportButton|LatestTransactions|useLatest)',
    '/lucide-react/',
  ].join('|'),
)

export default defineConfig({
  root: import.meta.dirname,
  plugins: [
    fonts(),
    withoutAnswers(),
    withoutUnused(),
    withoutLanguage(),
    fetchedFirst(),
    react(),
    boot(),
    compressed(),
  ],
  build: {
    outDir: '../dist/web',
    emptyOutDir: true,
    target: 'es2022',
    // An inlined font would be downloaded with every style sheet; a file is cached.
    assetsInlineLimit: 0,
    // One style sheet is smaller than the headers of several.
    cssCodeSplit: false,
    modulePreload: {
      polyfill: false,
      // Vite leaves out the part itself, and all files of one that has no others.
      resolveDependencies: (file, others) => [...new Set([file, ...others])],
    },
    manifest: true,
    rolldownOptions: {
      output: {
        // On a slow connection every extra file costs a round trip, so files that are loaded together are one chunk.
        codeSplitting: {
          // A group also takes what its modules import, unless one before it has it, so that their order matters.
          groups: [
            { name: 'login', tags: ['$initial'] },
            // What the login shares with pages that have no form.
            {
              debugName: 'common',
              name: (id, graph) => (chunkOfLogin(id, graph) === 'common' ? 'common' : null),
            },
            { debugName: 'shell', name: (id, graph) => (neededBy('routes.tsx', id, graph) ? 'shell' : null) },
            { debugName: 'forms', name: (id, graph) => chunkOfLogin(id, graph) },
            // A file for a few lines alone costs more than the lines: each has 350 bytes of headers.
            { name: 'parts', test: PARTS, minShareCount: 2 },
            {
              name: 'growth',
              test: /\/web\/(parts\/chart\/Chart|accounts\/(GrowthCharts|firstStep))/,
              minShareCount: 2,
            },
            {
              name: 'client',
              test: /\/web\/(clients\/(deletion|Gone|Warning|AskForMore|startOptions|useSelected)|tables\/(expiry|phone)|phone|parts\/table\/Segments)/,
              minShareCount: 2,
            },
            {
              name: 'inputs',
              test: /\/web\/(parts\/form\/|calls\/use(IsOld|SureBalance))/,
              minShareCount: 2,
            },
            // Fetched together once the person turns to a control.
            {
              debugName: 'dialogs',
              name: (id, graph) => (DIALOGS.some((file) => neededBy(file, id, graph)) ? 'dialogs' : null),
            },
          ],
        },
      },
    },
  },
  server: { proxy: { '/v1': 'http://127.0.0.1:8080' } },
})

type Graph = Pick<Rolldown.PluginContext, 'getModuleInfo'>

/** Returns whether a file of the bundle includes a module that it cannot run without. */
function neededBy(file: string, id: string, graph: Graph): boolean {
  const needed = closures.get(file) ?? new Set([join(import.meta.dirname, file)])
  closures.set(file, needed)
  for (const one of needed) {
    for (const next of graph.getModuleInfo(one)?.importedIds ?? []) needed.add(next)
  }
  return needed.has(id)
}

/** The frame around every page and the pages without a form, which are opened first and most. */
const FORMLESS = [
  'routes.tsx',
  ...['AdminDashboard', 'BranchDashboard', 'DealerDashboard', 'AllClients', 'Clients', 'Accounts'].map(
    (page) => `pages/${page}.tsx`,
  ),
]

/** Returns the chunk of a module that the login needs. */
function chunkOfLogin(id: string, graph: Graph): string | null {
  if (!neededBy('pages/Login.tsx', id, graph)) return null
  return FORMLESS.some((file) => neededBy(file, id, graph)) ? 'common' : 'forms'
}

const DIALOGS = [
  ...['parts/dialog/DialogFrame.tsx', 'parts/dialog/Cancel.tsx', 'parts/Progress.tsx', 'parts/Buttons.tsx'],
  '../node_modules/@mui/material/Drawer/index.mjs',
]

const closures = new Map<string, Set<string>>()

/**
 * Inlines `shell/boot.js` into the page before its styles, so that it needs no request. The server's CSP allows it by
 * its hash. The plugin fills in the files that it preloads.
 */
function boot(): Plugin {
  const file = join(import.meta.dirname, 'shell/boot.js')
  return {
    name: 'boot',
    transformIndexHtml: {
      order: 'post',
      handler(html, { bundle = {} }) {
        const source = readFileSync(file, 'utf8').replace('AHEAD', () => JSON.stringify(ahead(bundle)))
        return html.replace('<!-- shell/boot.js -->', () => `<script>${smaller(source)}</script>`)
      },
    },
  }
}

/**
 * Returns the files that the first screen needs and the page does not name, those of a visitor and those of a session,
 * and by role and path the files of each page and the calls that it makes first.
 */
function ahead(bundle: Rolldown.OutputBundle) {
  const files = Object.values(bundle)
  const named = (pattern: RegExp) =>
    files.map(({ fileName }) => fileName).filter((name) => pattern.test(name))
  const font = named(/inter-basic/)
  const chunks = files.filter((file) => file.type === 'chunk')
  const entry = chunks.find(({ isEntry }) => isEntry)
  // The development server has no bundled files to preload.
  if (!entry) return null
  const needed = (...begun: string[]) => {
    const files = new Set(chunks.filter(({ name }) => begun.includes(name)).map(({ fileName }) => fileName))
    for (const name of files) {
      const chunk = chunks.find(({ fileName }) => fileName === name)
      for (const one of chunk?.imports ?? []) if (one !== entry.fileName) files.add(one)
    }
    return files
  }
  const served = (names: Iterable<string>) => Array.from(names, (name) => `/${name}`)
  const screens = needed('shell', 'parts')
  const ofPage = (path: string, role: Role) =>
    [...needed(screenAt(path, role)?.page ?? '')].filter((file) => !screens.has(file))
  return {
    entry: `/${entry.fileName}`,
    font: `/${font[0]}`,
    captcha: ['/v1/captcha', ...served(named(/captchaWorker/))],
    login: served(needed('forms')),
    screens: served(screens),
    first: mapped(firstCalls(), (paths, role) =>
      mapped(paths, (urls, path) => ({ urls, files: served(ofPage(path, role as Role)) })),
    ),
  }
}

function mapped<From, To>(
  record: Record<string, From>,
  of: (value: From, key: string) => To,
): Record<string, To> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, of(value, key)]))
}

const INTER = join(import.meta.dirname, '../node_modules/@fontsource-variable/inter/files')
/** The file of the package in which each of our fonts has its characters. */
const SOURCES: Record<string, string> = {
  'inter-basic': 'inter-latin-wght-normal.woff2',
  'inter-latin': 'inter-latin-wght-normal.woff2',
  'inter-latin-ext': 'inter-latin-ext-wght-normal.woff2',
}
/** What browsers apply by default, and tabular figures. */
const FEATURES = ['calt', 'ccmp', 'kern', 'liga', 'locl', 'mark', 'mkmk', 'rclt', 'rlig', 'tnum']
const FACE =
  /font-weight: (\d+) (\d+);\s+src: url\("@fonts\/([\w-]+)\.woff2"\)[^;]+;\s+unicode-range:([^;]+);/g

/** Makes the fonts that `inter.css` names. Those of the package have more weights, characters and features. */
function fonts(): Plugin {
  const folder = join(import.meta.dirname, '../node_modules/.cache/fonts')
  return {
    name: 'fonts',
    async config() {
      rmSync(folder, { recursive: true, force: true })
      mkdirSync(folder, { recursive: true })
      const css = readFileSync(join(import.meta.dirname, 'fonts/inter.css'), 'utf8')
      for (const [, min, max, name = '', range = ''] of css.matchAll(FACE)) {
        const font = await subsetFont(readFileSync(join(INTER, SOURCES[name] ?? name)), charactersIn(range), {
          targetFormat: 'woff2',
          variationAxes: { wght: { min: Number(min), max: Number(max) } },
          keepFeatures: FEATURES,
          noHinting: true,
        })
        writeFileSync(join(folder, `${name}.woff2`), font)
      }
      return { resolve: { alias: { '@fonts': folder } } }
    },
  }
}

/** Returns the characters of a `unicode-range`. */
function charactersIn(range: string): string {
  const codes = [...range.matchAll(/U\+([0-9A-F]+)(?:-([0-9A-F]+))?/g)].flatMap(
    ([, first = '', last = first]) => {
      const begin = Number.parseInt(first, 16)
      return Array.from({ length: Number.parseInt(last, 16) - begin + 1 }, (_, at) => begin + at)
    },
  )
  return String.fromCodePoint(...codes)
}

/** Leaves out of each call what only the server reads: its summary and the shape of its answer. */
function withoutAnswers(): Plugin {
  return {
    name: 'without-answers',
    enforce: 'pre',
    transform(code, id) {
      if (!id.includes('/contract/calls/')) return null
      const cuts: [number, number][] = []
      walk(this.parse(code, { lang: 'ts' }), ({ type, callee, arguments: given }) => {
        if (type !== 'CallExpression' || callee?.name !== 'call') return
        for (const { key, start, end } of given?.[0]?.properties ?? []) {
          if (key?.name === 'summary' || key?.name === 'output') cuts.push([start, end])
        }
      })
      let rest = code
      for (const [start, end] of cuts.reverse()) {
        rest = rest.slice(0, start) + rest.slice(end).replace(/^\s*,/, '')
      }
      return { code: rest, map: null }
    },
  }
}

/** A node of a syntax tree, with what is asked of it. */
interface Node {
  type: string
  start: number
  end: number
  name?: string
  callee?: Node
  arguments?: Node[]
  properties?: Node[]
  key?: Node
}

/** Visits a syntax tree in the order of its text. */
function walk(node: object, visit: (node: Node) => void): void {
  if ('type' in node) visit(node as Node)
  for (const child of Object.values(node)) if (child && typeof child === 'object') walk(child, visit)
}

/** Leaves out what MUI brings and the console never runs: themes of CSS variables, and the ripple of a click. */
function withoutUnused(): Plugin {
  const unused = /@mui\/material\/(styles\/createThemeWithVars|ButtonBase\/TouchRipple)\.mjs$/
  const code = `export default () => { throw new Error('The build leaves this out: see vite.config.ts') }`
  return {
    name: 'without-unused',
    enforce: 'pre',
    load: (id) => (unused.test(id) ? code : null),
  }
}

/** uPlot reads the browser's language for numbers that the console never shows, and fails where that is no valid tag. */
function withoutLanguage(): Plugin {
  return {
    name: 'without-language',
    transform: (code, id) =>
      id.includes('/uplot/') ? { code: code.replace('nav.language', "'en'"), map: null } : null,
  }
}

/** Lets each `import()` fetch its files first, instead of Vite's own way, which only hints at them. */
function fetchedFirst(): Plugin {
  const file = join(import.meta.dirname, 'importFetched.ts')
  return {
    name: 'fetched-first',
    enforce: 'pre',
    load: (id) =>
      id === '\0vite/preload-helper.js'
        ? `export { importFetched as __vitePreload } from ${JSON.stringify(file)}`
        : null,
  }
}

/** Removes comments and indentation from the script. */
function smaller(source: string) {
  return source.replace(/^\s*\/\/.*\n/gm, '').replace(/^\s+/gm, '')
}

/** Writes .br and .gz files at build time, so that the server compresses nothing. */
export function compressed(): Plugin {
  let folder = ''
  return {
    name: 'compressed',
    apply: 'build',
    configResolved(config) {
      folder = resolve(config.root, config.build.outDir)
    },
    async closeBundle() {
      for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
        if (entry.isFile() && /^\.(js|css|html|svg|json)$/.test(extname(entry.name))) {
          await compress(join(entry.parentPath, entry.name))
        }
      }
    },
  }
}

async function compress(file: string) {
  const bytes = await readFile(file)
  const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length }
  const brotli = brotliCompressSync(bytes, { params })
  const gzip = gzipSync(bytes, { level: 9 })
  if (brotli.length < bytes.length) await writeFile(`${file}.br`, brotli)
  if (gzip.length < bytes.length) await writeFile(`${file}.gz`, gzip)
}

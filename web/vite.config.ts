import { readFileSync } from 'node:fs'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { extname, join, resolve } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin, type Rolldown } from 'vite'

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), boot(), compressed()],
  build: {
    outDir: '../dist/web',
    emptyOutDir: true,
    target: 'es2022',
    // A font as a data URL would be paid for by every page; a file is fetched once and kept.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    manifest: true,
    rolldownOptions: {
      output: {
        // Over a slow line every file more begins a round trip later, so what is fetched together comes together.
        codeSplitting: {
          groups: [
            { name: 'login', tags: ['$initial'] },
            { debugName: 'shell', name: (id, graph) => (neededBy('routes.tsx', id, graph) ? 'shell' : null) },
            { name: 'parts', test: /\/web\/(parts|tables)\/(?!chart\/)|\/lucide-react\//, minShareCount: 2 },
          ],
        },
      },
    },
  },
  server: { proxy: { '/v1': 'http://127.0.0.1:8080' } },
})

/** Whether a file of the console cannot run without a module. */
function neededBy(file: string, id: string, graph: Pick<Rolldown.PluginContext, 'getModuleInfo'>): boolean {
  const needed = closures.get(file) ?? new Set([join(import.meta.dirname, file)])
  closures.set(file, needed)
  for (const one of needed) {
    for (const next of graph.getModuleInfo(one)?.importedIds ?? []) needed.add(next)
  }
  return needed.has(id)
}

const closures = new Map<string, Set<string>>()

/**
 * Writes `shell/boot.js` into the page, before its styles, so that it waits for no request; the server allows it by
 * its hash. It learns which files to fetch ahead.
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

/** What the first screen needs besides the files that the page itself names: of a stranger, and of who is signed in. */
function ahead(bundle: Rolldown.OutputBundle) {
  const files = Object.values(bundle)
  const named = (pattern: RegExp) =>
    files.map(({ fileName }) => fileName).filter((name) => pattern.test(name))
  const font = named(/inter-latin-wght/)
  const chunks = files.filter((file) => file.type === 'chunk')
  const entry = chunks.find(({ isEntry }) => isEntry)
  // The development server has no files to name, and the script nothing to fetch.
  if (!entry) return null
  const begun = chunks.filter(({ name }) => name === 'shell' || name === 'parts')
  const screens = new Set(begun.map(({ fileName }) => fileName))
  for (const name of screens) {
    const chunk = chunks.find(({ fileName }) => fileName === name)
    for (const needed of chunk?.imports ?? []) if (needed !== entry.fileName) screens.add(needed)
    for (const style of chunk?.viteMetadata?.importedCss ?? []) screens.add(style)
  }
  const served = (names: Iterable<string>) => [...names, ...font].map((name) => `/${name}`)
  return {
    entry: `/${entry.fileName}`,
    login: served(named(/captchaWorker/)),
    screens: served(screens),
  }
}

/** The script without its comments and indents. */
function smaller(source: string) {
  return source.replace(/^\s*\/\/.*\n/gm, '').replace(/^\s+/gm, '')
}

/** Writes a .br and a .gz beside every file that shrinks, once, so that the server only picks one. */
function compressed(): Plugin {
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

import { readFileSync } from 'node:fs'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { extname, join, resolve } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin, type Rolldown } from 'vite'

export default defineConfig({
  root: import.meta.dirname,
  plugins: [withoutSummaries(), react(), boot(), compressed()],
  build: {
    outDir: '../dist/web',
    emptyOutDir: true,
    target: 'es2022',
    // An inlined font would be downloaded with every style sheet; a file is cached.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    manifest: true,
    rolldownOptions: {
      output: {
        // On a slow connection every extra file costs a round trip, so files that are loaded together are one chunk.
        codeSplitting: {
          groups: [
            { name: 'login', tags: ['$initial'] },
            { debugName: 'shell', name: (id, graph) => (neededBy('routes.tsx', id, graph) ? 'shell' : null) },
            // Without what lists and forms of clients share: no dashboard needs it.
            {
              name: 'parts',
              test: /\/web\/(parts|tables)\/(?!chart\/|dialog\/Menu|dialog\/DialogFrame|table\/SelectionBar|form\/Masked|form\/masks|form\/SwitchInput|copy|clients|due|expiry|macs|tree)|\/lucide-react\//,
              minShareCount: 2,
            },
          ],
        },
      },
    },
  },
  server: { proxy: { '/v1': 'http://127.0.0.1:8080' } },
})

/** Returns whether a file of the bundle includes a module that it cannot run without. */
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
 * Returns the files that the first screen needs and the page does not name: those of a visitor, and those of a
 * session.
 */
function ahead(bundle: Rolldown.OutputBundle) {
  const files = Object.values(bundle)
  const named = (pattern: RegExp) =>
    files.map(({ fileName }) => fileName).filter((name) => pattern.test(name))
  const font = named(/inter-latin-wght/)
  const chunks = files.filter((file) => file.type === 'chunk')
  const entry = chunks.find(({ isEntry }) => isEntry)
  // The development server has no bundled files to preload.
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

/** Leaves the summaries of the calls out: only the server's documentation shows them. */
function withoutSummaries(): Plugin {
  return {
    name: 'without-summaries',
    enforce: 'pre',
    transform(code, id) {
      if (!id.includes('/contract/calls/')) return null
      const without = code.replace(/^ +summary:\s*(['"`])(?:\\.|(?!\1).)*\1,\n/gm, '')
      if (without.includes('summary:')) throw new Error('A summary of a call was not recognised.')
      return { code: without, map: null }
    },
  }
}

/** Removes comments and indentation from the script. */
function smaller(source: string) {
  return source.replace(/^\s*\/\/.*\n/gm, '').replace(/^\s+/gm, '')
}

/** Writes .br and .gz files at build time, so that the server compresses nothing. */
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

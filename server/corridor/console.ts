import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { IncomingMessage, type OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { basename, dirname, join } from 'node:path'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import helmet, { type HelmetOptions } from 'helmet'
import { encodingFor } from '../compression.ts'
import { type CaptchaConfig, StartFault } from '../config.ts'
import { ID_HEADER } from './request-id.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** A route that boxes alone ask: they read no header that protects a browser. */
    isForBoxes?: boolean
  }
}

const BUILT = join(import.meta.dirname, '../../dist/web')
/** The build before, whose files its pages still ask for. */
const BEFORE = join(import.meta.dirname, '../../dist/web.old')
const YEAR = 365 * 86_400

/** Paths of the widget alone, because its hosts may serve other scripts that a stranger could misuse. */
const CAPTCHA_SOURCES: Record<
  CaptchaConfig['provider'],
  { script: string[]; frame: string[]; connect: string[] }
> = {
  altcha: { script: [], frame: [], connect: [] },
  none: { script: [], frame: [], connect: [] },
  recaptcha: {
    script: ['https://www.google.com/recaptcha/', 'https://www.gstatic.com/recaptcha/'],
    frame: ['https://www.google.com/recaptcha/', 'https://recaptcha.google.com/recaptcha/'],
    connect: ['https://www.google.com/recaptcha/'],
  },
  hcaptcha: {
    script: ['https://js.hcaptcha.com/1/', 'https://newassets.hcaptcha.com/captcha/'],
    frame: ['https://newassets.hcaptcha.com/captcha/'],
    connect: ['https://api.hcaptcha.com/', 'https://hcaptcha.com/'],
  },
  turnstile: {
    script: ['https://challenges.cloudflare.com/turnstile/'],
    frame: [
      'https://challenges.cloudflare.com/cdn-cgi/challenge-platform/',
      'https://challenges.cloudflare.com/turnstile/',
    ],
    connect: [],
  },
}

/** The page as a build made it, plain and compressed. */
interface BuiltPage {
  html: Buffer
  br: Buffer
  gzip: Buffer
  etag: string
}

/**
 * The page with which this process has started, undefined where none can be read. A build that is made meanwhile belongs
 * to the next process: its page has other inline scripts, which the policy of this one forbids.
 */
const PAGE = readPage()

function readPage(): BuiltPage | undefined {
  const path = join(BUILT, 'index.html')
  try {
    const html = readFileSync(path)
    const etag = `W/"${createHash('sha256').update(html).digest('base64url')}"`
    return { html, br: readFileSync(`${path}.br`), gzip: readFileSync(`${path}.gz`), etag }
  } catch {
    return undefined
  }
}

/** Refuses a start after which every address would answer 404, while the server calls itself ready. @throws StartFault */
export function requirePage(): void {
  if (PAGE) return
  throw new StartFault(
    'The console is not built, or this user may not read it: run `rm -rf dist && node boxtree.mjs build` as its owner.',
  )
}

/** The headers that a browser reads only with a page, a picture that is opened alone, or a worker. */
const OF_DOCUMENTS = [
  'content-security-policy',
  'cross-origin-opener-policy',
  'origin-agent-cluster',
  'referrer-policy',
  'x-dns-prefetch-control',
  'x-download-options',
  'x-frame-options',
  'x-permitted-cross-domain-policies',
  'x-xss-protection',
]

/** A worker runs under the policy of its own file, not under that of the page. */
const WORKER = /worker/i

/** The policy of an answer that is no page: opened as one, it may load nothing. */
const NOTHING = "default-src 'none'; frame-ancestors 'none'"

/**
 * Gives every answer the headers that keep a browser from misusing it, but those of routes for boxes. Files
 * of the console and calls then lose what only documents need: on a slow line a visit would carry it dozens of times.
 */
export function protectBrowsers(app: FastifyInstance, captcha: CaptchaConfig['provider']): void {
  const headers = headersOf(policyFor(captcha))
  app.addHook('onRequest', (request, reply, done) => {
    if (!request.routeOptions.config.isForBoxes) reply.headers(headers)
    done()
  })
}

/** Returns the headers that helmet gives every answer. It would put them together anew for each. */
function headersOf(options: HelmetOptions): OutgoingHttpHeaders {
  const request = new IncomingMessage(new Socket())
  const response = new ServerResponse(request)
  helmet(options)(request, response, (error) => {
    if (error) throw error
  })
  return response.getHeaders()
}

function policyFor(captcha: CaptchaConfig['provider']): HelmetOptions {
  const { script, frame, connect } = CAPTCHA_SOURCES[captcha]
  return {
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        'default-src': ["'none'"],
        'script-src': ["'self'", ...(PAGE ? inlineScripts(PAGE.html.toString()) : []), ...script],
        'worker-src': ["'self'"],
        // Emotion inserts its style sheets into the page.
        'style-src': ["'self'", "'unsafe-inline'"],
        'img-src': ["'self'", 'data:'],
        'font-src': ["'self'"],
        'connect-src': ["'self'", ...connect],
        'frame-src': frame.length > 0 ? frame : ["'none'"],
        'manifest-src': ["'self'"],
        'form-action': ["'self'"],
        'frame-ancestors': ["'none'"],
        'base-uri': ["'none'"],
      },
    },
    // Sent only where a proxy says that the request came by https: see hsts.ts.
    strictTransportSecurity: false,
    crossOriginEmbedderPolicy: false,
    referrerPolicy: { policy: 'no-referrer' },
    xFrameOptions: { action: 'deny' },
  }
}

/** Gives an answer that is no page the short policy, instead of the page's. */
export async function shortenPolicy(_request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const isPage = String(reply.getHeader('content-type')).startsWith('text/html')
  if (!isPage) reply.header('content-security-policy', NOTHING)
}

/**
 * Serves the built console: hashed files cached for a year, also those of the build before, and the page itself at
 * every other address. While servers are upgraded one after the other, a page asks either for its files.
 */
export async function serveConsole(app: FastifyInstance): Promise<void> {
  const page = PAGE
  if (!page) return
  await app.register(fastifyStatic, {
    root: BUILT,
    preCompressed: true,
    dotfiles: 'ignore',
    allowedPath: (path) => path !== '/' && path !== '/index.html',
    cacheControl: false,
    acceptRanges: false,
    setHeaders(reply, path) {
      // By the folder of the file alone: Boxtree may itself lie in one of that name.
      const forever = basename(dirname(path)) === 'assets'
      reply.header('cache-control', forever ? `max-age=${YEAR}, immutable` : 'no-cache')
      if (forever && !WORKER.test(basename(path))) for (const name of OF_DOCUMENTS) reply.removeHeader(name)
      // What never changes is never asked for again, and each of its many answers is the same: its name tells enough.
      if (forever) for (const name of ['etag', 'last-modified', ID_HEADER]) reply.removeHeader(name)
    },
  })
  app.setNotFoundHandler((request, reply) => {
    const { url } = request
    if (ASSET.test(url) && existsSync(join(BEFORE, url)))
      return reply.code(200).sendFile(url.slice(1), BEFORE)
    return url.startsWith('/assets/') ? reply.code(404).send() : sendPage(request, reply, page)
  })
}

const ASSET = /^\/assets\/[\w-][\w.-]*$/

function sendPage(request: FastifyRequest, reply: FastifyReply, page: BuiltPage) {
  reply.headers({ 'cache-control': 'no-cache', etag: page.etag, vary: 'accept-encoding' })
  reply.type('text/html; charset=utf-8')
  if (request.headers['if-none-match'] === page.etag) return reply.code(304).send()
  const encoding = encodingFor(request)
  if (encoding) reply.header('content-encoding', encoding)
  return reply.code(200).send(encoding ? page[encoding] : page.html)
}

/** Returns the hashes of the page's inline scripts, by which the policy allows them. */
function inlineScripts(html: string): string[] {
  return [...html.matchAll(/<script>(.*?)<\/script>/gs)].map(([, script = '']) => {
    return `'sha256-${createHash('sha256').update(script).digest('base64')}'`
  })
}

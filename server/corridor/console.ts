import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import helmet from '@fastify/helmet'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance } from 'fastify'
import type { Captcha } from '../config.ts'

const BUILT = join(import.meta.dirname, '../../dist/web')
const YEAR = 365 * 86_400

/** Whose scripts and frames the page may load: the chosen provider's alone, and nobody's where we ask ourselves. */
const CAPTCHA_HOSTS: Record<Captcha['provider'], readonly string[]> = {
  altcha: [],
  none: [],
  recaptcha: ['https://www.google.com', 'https://www.gstatic.com'],
  hcaptcha: ['https://hcaptcha.com', 'https://*.hcaptcha.com'],
  turnstile: ['https://challenges.cloudflare.com'],
}

/** Serves the built console: hashed files for a year, every other address with the page that finds its screen. */
export async function serveConsole(app: FastifyInstance, captcha: Captcha['provider']): Promise<void> {
  const captchaHosts = CAPTCHA_HOSTS[captcha]
  const page = join(BUILT, 'index.html')
  const isBuilt = existsSync(page)
  await app.register(helmet, {
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        'default-src': ["'none'"],
        'script-src': [
          "'self'",
          ...(isBuilt ? inlineScripts(readFileSync(page, 'utf8')) : []),
          ...captchaHosts,
        ],
        'worker-src': ["'self'"],
        // Emotion writes its style sheets into the page.
        'style-src': ["'self'", "'unsafe-inline'"],
        'img-src': ["'self'", 'data:'],
        'font-src': ["'self'"],
        'connect-src': ["'self'", ...captchaHosts],
        'frame-src': captchaHosts.length > 0 ? [...captchaHosts] : ["'none'"],
        'manifest-src': ["'self'"],
        'form-action': ["'self'"],
        'frame-ancestors': ["'none'"],
        'base-uri': ["'none'"],
      },
    },
    // Said where a proxy brought the request by https: see app.ts.
    strictTransportSecurity: false,
    crossOriginEmbedderPolicy: false,
    referrerPolicy: { policy: 'no-referrer' },
    xFrameOptions: { action: 'deny' },
  })
  if (!isBuilt) return
  await app.register(fastifyStatic, {
    root: BUILT,
    preCompressed: true,
    dotfiles: 'ignore',
    cacheControl: false,
    setHeaders(reply, path) {
      const forever = path.includes('/assets/')
      reply.header('cache-control', forever ? `public, max-age=${YEAR}, immutable` : 'no-cache')
    },
  })
  app.setNotFoundHandler((request, reply) => {
    const isScreen = request.method === 'GET' && !request.url.startsWith('/assets/')
    return isScreen ? reply.sendFile('index.html') : reply.code(404).send()
  })
}

/** The scripts that the page itself holds, as the policy names them: by their hashes. */
function inlineScripts(html: string): string[] {
  return [...html.matchAll(/<script>(.*?)<\/script>/gs)].map(([, script = '']) => {
    return `'sha256-${createHash('sha256').update(script).digest('base64')}'`
  })
}

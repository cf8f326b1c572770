import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'

/** Where boxes open the page: the same file in each of these folders. */
const PAGE_FOLDERS = ['/c/', '/stalker_portal/c/']

const FILES = [
  { name: '', file: 'index.html', type: 'text/html; charset=utf-8' },
  { name: 'page.js', file: 'page.js', type: 'text/javascript; charset=utf-8' },
  { name: 'page.css', file: 'page.css', type: 'text/css; charset=utf-8' },
]

/** Its own scripts and calls alone; a picture comes from wherever the playlist says. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  'media-src *',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** Serves the page that a box opens to sign in and to watch. */
export function servePage(boxes: FastifyInstance): void {
  for (const { name, file, type } of FILES) {
    const text = readFileSync(join(import.meta.dirname, 'page', file), 'utf8')
    for (const folder of PAGE_FOLDERS) {
      boxes.get(folder + name, async (_request, reply) => {
        reply.header('content-security-policy', POLICY).header('x-content-type-options', 'nosniff')
        // A box keeps what it may for ever, and nobody can tell it to look again.
        return reply.header('cache-control', 'no-cache').type(type).send(text)
      })
    }
  }
}

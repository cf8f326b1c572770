import { Agent, get, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import Fastify, { type FastifyInstance } from 'fastify'
import { afterEach, describe, expect, test } from 'vitest'
import { resetAfter } from '../../test/support/reset-after.ts'
import { watchAnswers } from './answer-log.ts'
import { answerEarly } from './early-answer.ts'

let app: FastifyInstance
const agent = new Agent({ keepAlive: true, maxSockets: 1 })
afterEach(() => app.close())

/** The addresses from which the requests came that were looked at before Fastify. */
let addresses: string[] = []
let whileClosing = async () => {}

/** Opens a server that answers /quick before Fastify, and everything itself. */
async function open(trustedProxies: string[] = []): Promise<void> {
  addresses = []
  whileClosing = async () => {}
  app = Fastify({ forceCloseConnections: 'idle', return503OnClosing: false })
  watchAnswers(app)
  app.get('/*', async () => 'by Fastify')
  answerEarly(app, trustedProxies, ({ url }, ip) => {
    addresses.push(ip)
    if (url === '/broken') throw new Error('This is read wrongly')
    if (url !== '/quick') return null
    return {
      call: 'watchdog/get_events',
      headers: ['content-type', 'text/plain; charset=utf-8'],
      body: 'before Fastify',
    }
  })
  app.addHook('preClose', () => whileClosing())
  await app.listen({ host: '127.0.0.1', port: 0 })
}

async function ask(path: string, headers: Record<string, string> = {}) {
  const { port } = app.server.address() as AddressInfo
  const answer = await new Promise<IncomingMessage>((resolve, reject) =>
    get({ port, host: '127.0.0.1', path, headers, agent }, resolve).on('error', reject),
  )
  let text = ''
  for await (const chunk of answer.setEncoding('utf8')) text += chunk
  return { text, headers: answer.headers }
}

describe('a request that is answered before Fastify sees it', () => {
  test('gets the whole answer and an id, and others on the same connection go to Fastify', async () => {
    await open()
    for (const [path, text] of [
      ['/quick', 'before Fastify'],
      ['/other', 'by Fastify'],
      ['/quick', 'before Fastify'],
    ] as const)
      expect((await ask(path)).text).toBe(text)
    const { headers } = await ask('/quick')
    expect(headers['x-request-id']).toMatch(/^[0-9a-f]{12}$/)
    expect(headers).toMatchObject({ 'content-length': '14', 'content-type': 'text/plain; charset=utf-8' })
  })

  test('comes from the address that a trusted proxy names, and from its own where nobody is trusted', async () => {
    const forwarded = { 'x-forwarded-for': '203.0.113.9, 198.51.100.7', 'x-request-id': 'of-the-proxy' }
    await open(['127.0.0.1', '198.51.100.0/24'])
    expect((await ask('/quick', forwarded)).headers['x-request-id']).toBe('of-the-proxy')
    expect(addresses).toEqual(['203.0.113.9'])
    await app.close()
    await open()
    expect((await ask('/quick', forwarded)).headers['x-request-id']).not.toBe('of-the-proxy')
    expect(addresses).toEqual(['127.0.0.1'])
  })

  test('goes to Fastify where looking for its answer fails', async () => {
    await open()
    expect((await ask('/broken')).text).toBe('by Fastify')
    expect((await ask('/quick')).text).toBe('before Fastify')
  })

  test('goes to Fastify where its sender has reset the connection, whose address is not known then', async () => {
    await open()
    await resetAfter('GET /quick HTTP/1.1\r\nhost: here\r\n\r\n', (app.server.address() as AddressInfo).port)
    await ask('/quick')
    expect(addresses.at(-1)).toBe('127.0.0.1')
    expect(addresses).not.toContain('')
  })

  test('goes to Fastify once the server is closing, which ends its connection', async () => {
    await open()
    await ask('/quick')
    let last: unknown
    whileClosing = async () => {
      const { text, headers } = await ask('/quick')
      last = [text, headers.connection]
    }
    await app.close()
    expect(last).toEqual(['by Fastify', 'close'])
  })
})

import { EventEmitter, once } from 'node:events'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import Fastify, { type FastifyRequest } from 'fastify'
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { MINUTE_MS } from '../../contract/time.ts'
import { offers } from '../../test/support/needs.ts'
import { openWorld, type World } from '../../test/support/world.ts'
import { allowUpload, closeIdleConnections, limitConnections } from './connections.ts'

const MOST_OF_ADDRESS = 400
const MOST = 2_000
const MOST_OF_CONNECTION = 32

const hasLoopbacks = offers(
  process.platform !== 'darwin',
  'The tests of connections from many addresses',
  'the addresses from 127.0.0.2 on, which macOS does not have',
)

/** By default a stream server is on this machine. */
const ELSEWHERE = { env: { STREAM_SERVERS: '192.0.2.1' } }

let world: World
let open: Socket[]
beforeEach(() => {
  open = []
})
afterEach(async () => {
  vi.useRealTimers()
  for (const socket of open) socket.destroy()
  await world?.close()
})

test('a playlist that is still coming after 10 minutes loses its connection, and one that has come keeps it', async () => {
  vi.useFakeTimers()
  const uploads = ['coming', 'come'].map(() => {
    const [raw, destroy] = [new EventEmitter(), vi.fn()]
    allowUpload({ raw, socket: { destroy } } as unknown as FastifyRequest)
    return { raw, destroy }
  })
  uploads[1]?.raw.emit('close')
  const cut = () => uploads.map(({ destroy }) => destroy.mock.calls.length)
  vi.advanceTimersByTime(599_999)
  expect(cut()).toEqual([0, 0])
  vi.advanceTimersByTime(1)
  expect(cut()).toEqual([1, 0])
})

describe('connections', () => {
  test.runIf(hasLoopbacks)('of one address are limited to 400, while another address is served', async () => {
    world = await openWorld(ELSEWHERE)
    await openMany(MOST_OF_ADDRESS + 50, '127.0.0.1')
    expect(await standing()).toBe(MOST_OF_ADDRESS)
    expect(await healthFrom('127.0.0.2')).toMatch(/^HTTP\/1\.1 200 /)
    expect(await healthFrom('127.0.0.1')).toBe('')
  })

  test('of an address are no longer counted once they are closed', async () => {
    world = await openWorld(ELSEWHERE)
    await openMany(MOST_OF_ADDRESS, '127.0.0.1')
    expect(await healthFrom('127.0.0.1')).toBe('')
    open[0]?.destroy()
    await expect.poll(() => healthFrom('127.0.0.1')).toMatch(/^HTTP\/1\.1 200 /)
  })

  test.runIf(hasLoopbacks)(
    'are limited to 2,000 in all, and the log reports a flood in one line',
    async () => {
      world = await openWorld()
      for (let address = 1; address <= 6; address += 1) await openMany(390, `127.0.0.${address}`)
      expect(await standing()).toBe(MOST)
      const lines = world.server.logged.filter((line) => line.includes('turned_away'))
      expect(lines).toHaveLength(1)
    },
  )

  test('have at most 32 requests that wait for their answers: one with more is closed', async () => {
    world = await openWorld()
    const [patient, greedy] = (await openMany(2, '127.0.0.1')) as [Socket, Socket]
    const ready = 'GET /v1/health HTTP/1.1\r\nhost: x\r\n\r\n'
    const refused = once(greedy, 'close')
    greedy.write(ready.repeat(MOST_OF_CONNECTION + 1))
    await refused
    expect(greedy.bytesRead).toBe(0)
    let answers = 0
    patient.setEncoding('utf8').on('data', (text: string) => {
      answers += text.split('HTTP/1.1 200 ').length - 1
    })
    for (let times = 1; times <= 3; times += 1) {
      patient.write(ready.repeat(MOST_OF_CONNECTION))
      await expect.poll(() => answers).toBe(times * MOST_OF_CONNECTION)
    }
  })

  test('of a trusted proxy are not limited by address', async () => {
    world = await openWorld({ env: { TRUSTED_PROXIES: '127.0.0.1' } })
    await openMany(MOST_OF_ADDRESS + 50, '127.0.0.1')
    expect(await standing()).toBe(MOST_OF_ADDRESS + 50)
  })

  test('of a stream server, which asks for all its viewers, are not limited by address', async () => {
    world = await openWorld({ env: { STREAM_SERVERS: '127.0.0.1' } })
    await openMany(MOST_OF_ADDRESS + 50, '127.0.0.1')
    expect(await standing()).toBe(MOST_OF_ADDRESS + 50)
  })

  test.runIf(hasLoopbacks)('that are idle make room where there are many', async () => {
    world = await openWorld(ELSEWHERE)
    for (let address = 1; address <= 5; address += 1) {
      const sockets = await openMany(390, `127.0.0.${address}`)
      const answered = sockets.map((socket) => once(socket, 'data').catch(() => {}))
      for (const socket of sockets) socket.write('GET /v1/health HTTP/1.1\r\nhost: x\r\n\r\n')
      await Promise.all(answered)
      // Only who has been idle for a while.
      if (address === 4) await pause(1_100)
    }
    expect(await standing()).toBeLessThan(1_000)
    const [fresh] = (await openMany(1, '127.0.0.8')) as [Socket]
    for (let address = 9; address <= 11; address += 1) await openMany(390, `127.0.0.${address}`)
    fresh.write('GET /v1/health HTTP/1.1\r\nhost: x\r\n\r\n')
    const asked = performance.now()
    await once(fresh, 'data')
    await openMany(390, '127.0.0.6')
    // On a slow machine it has been idle for a second, too.
    if (performance.now() - asked < 900) expect(fresh.closed).toBe(false)
    expect(await healthFrom('127.0.0.7')).toMatch(/^HTTP\/1\.1 200 /)
  })

  test('that are idle make room also where no other is accepted any more', async () => {
    world = await openWorld(ELSEWHERE)
    world.server.app.server.maxConnections = 1
    const [idle] = (await openMany(1, '127.0.0.1')) as [Socket]
    idle.write('GET /v1/health HTTP/1.1\r\nhost: x\r\n\r\n')
    await expect.poll(() => healthFrom('127.0.0.1'), { timeout: 10_000 }).toMatch(/^HTTP\/1\.1 200 /)
  })

  test.runIf(hasLoopbacks)(
    'make no room while an answer is still being sent, but then its reader must take some of it within 10 seconds',
    async () => {
      const { app, port, slow, atServer, whole } = await openLargeAnswer()
      await pause(1_100)
      expect(atServer()?.timeout).toBe(MINUTE_MS)
      for (let address = 1; address <= 5; address += 1) await openMany(390, `127.0.0.${address}`, port)
      await expect.poll(() => atServer()?.timeout).toBe(10_000)
      slow.resume()
      await whole()
      for (const socket of open) socket.destroy()
      await app.close()
    },
  )

  test('are closed once a minute passes in which nothing of an answer is taken, but not while it is taken slowly or still made', async () => {
    const { app, port, slow, whole } = await openLargeAnswer({ minuteMs: 1_000 })
    let pieces = 0
    const takeSome = () => ++pieces % 32 === 0 && slow.pause()
    slow.on('data', takeSome)
    const taking = setInterval(() => slow.resume(), 50)
    onTestFinished(() => clearInterval(taking))
    const made = fetch(`http://127.0.0.1:${port}/once-one-is-closed`)
    const still = connectFrom('127.0.0.1', port).pause()
    open.push(still)
    still.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n')
    expect(await (await made).text()).toBe('made')
    slow.off('data', takeSome)
    await whole()
    await app.close()
  })

  test('are closed by a server that stops once their answer is sent', async () => {
    const { app, slow, whole } = await openLargeAnswer()
    const closed = app.close()
    await pause(200)
    slow.resume()
    await whole()
    await closed
  })

  test('through a trusted proxy are limited to 400 requests under way for each address that it names', async () => {
    world = await openWorld({ env: { TRUSTED_PROXIES: '127.0.0.1' } })
    const begun = (address: string) =>
      `POST /v1/authenticate HTTP/1.1\r\nhost: x\r\nx-forwarded-for: ${address}\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n{`
    const sockets = await openMany(MOST_OF_ADDRESS, '127.0.0.1')
    for (const [index, socket] of sockets.entries())
      socket.write(begun(`2001:db8:0:1::${(index + 1).toString(16)}`))
    const ask = (address: string) => healthFrom('127.0.0.1', `x-forwarded-for: ${address}\r\n`)
    await expect.poll(() => ask('2001:db8:0:1:ffff::')).toMatch(/^HTTP\/1\.1 503 .+"code":"unavailable"/s)
    expect(await ask('2001:db8:0:2::1')).toMatch(/^HTTP\/1\.1 200 /)
    for (const socket of sockets) socket.destroy()
    await expect.poll(() => ask('2001:db8:0:1:ffff::')).toMatch(/^HTTP\/1\.1 200 /)
  })
})

/** Asks a server for an answer that is too large for any buffer, and reads no more than its beginning. */
async function openLargeAnswer({ minuteMs = MINUTE_MS } = {}) {
  world = await openWorld()
  const app = Fastify({ forceCloseConnections: 'idle' })
  limitConnections(app, { trustedProxies: [], streamServers: [] }, app.log)
  closeIdleConnections(app)
  expect(app.server.timeout).toBe(MINUTE_MS)
  app.server.timeout = minuteMs
  const closed = Promise.withResolvers<void>()
  let first: Socket | undefined
  app.server.on('connection', (socket) => {
    first ??= socket
    socket.once('close', closed.resolve)
  })
  const size = 200_000_000
  app.get('/', (_, reply) => reply.send(Buffer.alloc(size)))
  app.get('/once-one-is-closed', () => closed.promise.then(() => 'made'))
  await app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.server.address() as AddressInfo
  const slow = connectFrom('127.0.0.1', port)
  open.push(slow)
  let received = 0
  slow.on('data', (piece) => {
    received += piece.length
  })
  slow.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n')
  await once(slow, 'data')
  slow.pause()
  const whole = () => expect.poll(() => received, { timeout: 20_000 }).toBeGreaterThan(size)
  return { app, port, slow, atServer: () => first, whole }
}

/** Opens connections that send nothing; some of them may be refused at once. */
async function openMany(count: number, from: string, port?: number): Promise<Socket[]> {
  const sockets = Array.from({ length: count }, () => connectFrom(from, port))
  await Promise.all(sockets.map((socket) => once(socket, 'connect')))
  open.push(...sockets)
  return sockets
}

function connectFrom(localAddress: string, port = Number(new URL(world.server.url).port)): Socket {
  return connect({ port, host: '127.0.0.1', localAddress }).on('error', () => {})
}

/** Returns the number of the server's connections once it no longer changes. */
async function standing(): Promise<number> {
  const count = () =>
    new Promise<number>((resolve) => world.server.app.server.getConnections((_error, is) => resolve(is)))
  let [before, now] = [-1, await count()]
  while (before !== now) {
    await new Promise((resolve) => setTimeout(resolve, 100))
    ;[before, now] = [now, await count()]
  }
  return now
}

/** Returns the answer of the health check over a new connection; an empty string where that is refused. */
async function healthFrom(address: string, headers = ''): Promise<string> {
  const socket = connectFrom(address)
  socket.write(`GET /v1/health HTTP/1.1\r\nhost: x\r\nconnection: close\r\n${headers}\r\n`)
  let answer = ''
  socket.setEncoding('utf8').on('data', (chunk) => {
    answer += chunk
  })
  await new Promise((resolve) => socket.once('close', resolve))
  return answer
}

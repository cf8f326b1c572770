import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { calls } from '../contract/calls.ts'
import type { REFUSALS } from '../contract/refusals.ts'
import { hold } from '../test/support/hold.ts'
import { resetAfter } from '../test/support/reset-after.ts'
import {
  type Answer,
  holdToRefusal,
  newClient,
  openWorld,
  suiteWorld,
  type World,
} from '../test/support/world.ts'

const world = await suiteWorld()
const { dealer } = await world.family({ credits: 5 })

const JSON_TYPE = { 'content-type': 'application/json' }

async function refusal(code: keyof typeof REFUSALS, answer: Answer | Promise<Answer>): Promise<Answer> {
  const got = await answer
  holdToRefusal(got)
  expect(got.body).toMatchObject({ status: 'ERROR', code })
  expect(got.headers.get('content-type')).toBe('application/json; charset=utf-8')
  expect(got.headers.get('cache-control')).toBe('no-store')
  return got
}

describe('an unknown path under /v1', () => {
  test.each([
    ['GET', '/v1'],
    ['GET', '/v1/'],
    ['GET', '/v1/nothing'],
    ['POST', '/v1/nothing/here'],
    ['GET', '/v1/api/renew'],
    ['POST', '/v1/api/clients'],
    ['PUT', '/v1/api/client'],
    ['PATCH', '/v1/admin/message'],
    ['OPTIONS', '/v1/admin/message'],

    ['GET', '/v1/api/client/a/b'],
    ['GET', '/v1/api/client/%zz'],
    ['GET', `/v1/api/client/${'x'.repeat(400)}`],
    ['GET', '/v1/API/clients'],
    ['GET', '/v1//api/clients'],
  ])('gets a 404 as JSON, with or without a session: %s %s', async (method, path) => {
    const signedIn = await refusal('not_found', dealer.fetch(method, path))
    const nobody = await refusal('not_found', world.nobody().fetch(method, path))
    expect(nobody.text).toBe(signedIn.text)
  })

  test.each([
    ['text/plain', 'x'],
    ['application/json', '{'],
    ['application/json', ''],
    ['application/x-www-form-urlencoded', 'a=1'],
    ['application/json', JSON.stringify('x'.repeat(2 ** 21))],
  ])('gets a 404 whatever it is sent: %s', async (type, body) => {
    const headers = { 'content-type': type }
    await refusal('not_found', world.nobody().fetch('POST', '/v1/nothing', { headers, body }))
  })
})

test.each(['%00', '%ED%A0%80', '%FF', '%C0%AF', '%2e%2e%2f', '%F0%9F%98%80', '%25', 'a%2Fb'])(
  'a name written as %s is not found, and causes no fault',
  async (name) => {
    for (const path of [
      `/v1/api/client/${name}`,
      `/v1/api/clients?search=${name}`,
      `/v1/api/clients?${name}=1`,
    ]) {
      const answer = await dealer.fetch('GET', path)
      expect([200, 400, 404]).toContain(answer.status)
      if (answer.status !== 200) holdToRefusal(answer)
    }
  },
)

describe('the body of a request', () => {
  const post = (body: string, headers: Record<string, string> = JSON_TYPE, person = dealer) =>
    person.fetch('POST', '/v1/api/renew', { headers, body })

  test.each(['{', '{"name":', 'name=x', '{"name":"x",}', "{'name':'x'}", '\u0000', 'undefined'])(
    'is refused if it is no JSON: %j',
    async (body) => {
      await refusal('invalid_input', post(body))
    },
  )

  test.each(['latin1', 'utf16le'] as const)('is refused if it is not in UTF-8: %s', async (encoding) => {
    const client = newClient({ login: 'not-utf-8', password: 'schlüssel' })
    const body = new Uint8Array(Buffer.from(JSON.stringify(client), encoding))
    const headers = { 'content-type': `application/json; charset=${encoding}` }
    const answer = await refusal('invalid_input', dealer.fetch('POST', '/v1/api/client', { headers, body }))
    expect(answer.body).toMatchObject({ message: expect.stringContaining('UTF-8') })
    await dealer.refused('not_found', calls.clients.detail, { name: client.login })
  })

  test.each(['null', '[]', '"text"', '1', 'true', '[{"name":"x","months":1}]'])(
    'is refused if it is no object: %s',
    async (body) => {
      await refusal('invalid_input', post(body))
      await refusal('invalid_input', dealer.fetch('POST', '/v1/logout', { headers: JSON_TYPE, body }))
    },
  )

  test.each(['{"__proto__":{"months":1}}', '{"constructor":{"prototype":{}}}', '{"toString":1}', '{"":1}'])(
    'cannot change the objects of the server: %s',
    async (body) => {
      await refusal('invalid_input', post(body))
    },
  )

  test('has only fields of its call, and the refusal names the first unknown one', async () => {
    const answer = await refusal('invalid_input', post('{"name":"abcde","months":1,"credits":0,"more":1}'))
    expect(answer.body).toMatchObject({
      message: "There is no field 'credits', 'more' here.",
      errors: { credits: "There is no field 'credits', 'more' here" },
    })
  })

  test('is refused over 32 KiB', async () => {
    await refusal('too_large', post(`{"name":"${'x'.repeat(32 * 1024)}"}`))
  })

  test('may have 256 KiB if it names many clients', async () => {
    const quote = (length: number) => {
      const body = `{"clients":["${'x'.repeat(length)}"],"months":1}`
      return dealer.fetch('POST', '/v1/api/quote', { headers: JSON_TYPE, body })
    }
    await refusal('invalid_input', quote(200 * 1024))
    await refusal('too_large', quote(256 * 1024))
  })

  test('may have 32 MiB if it is a playlist', async () => {
    const give = (more: number) => {
      const [begin, end] = ['{"name":"list.m3u","file":"', '"}']
      const body = `${begin}${'x'.repeat(32 * 2 ** 20 + more - begin.length - end.length)}${end}`
      return world.admin.fetch('POST', '/v1/admin/playlist/file', { headers: JSON_TYPE, body })
    }
    const refused = await refusal('invalid_input', give(0))
    expect(refused.body).toMatchObject({ errors: { file: 'The file is larger than 16 MB when compressed' } })
    await refusal('too_large', give(1))
  })

  test('is refused over 32 KiB also for a login, which has no session', async () => {
    const body = `{"login_username":"${'x'.repeat(32 * 1024)}"}`
    const answer = world.nobody().fetch('POST', '/v1/authenticate', { headers: JSON_TYPE, body })
    await refusal('too_large', answer)
  })

  test.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data',
    'application/xml',
    'nonsense',
  ])('is refused if it has another type: %s', async (type) => {
    await refusal('unsupported_media', post('{"name":"x"}', { 'content-type': type }))
  })

  test('may be left out if the call takes no input', async () => {
    const person = await world.signIn(dealer.name)
    expect((await person.fetch('POST', '/v1/logout')).status).toBe(200)
  })

  test.each(['application/json', 'application/x-www-form-urlencoded', 'text/plain', 'nonsense'])(
    'counts as left out if it is empty, whatever its type: %s',
    async (type) => {
      const headers = { 'content-type': type }
      const person = await world.again(dealer)
      expect((await person.fetch('POST', '/v1/logout', { headers, body: '' })).status).toBe(200)
      const ended = await world.admin.fetch('DELETE', '/v1/admin/message', { headers })
      expect(ended.status).toBe(200)
      const answer = await refusal('invalid_input', post('', headers))
      expect(answer.body).toMatchObject({ errors: { name: 'This field is required' } })
    },
  )

  test('is never read without a session', async () => {
    await refusal('no_session', post('{', JSON_TYPE, world.nobody()))
    await refusal('no_session', post('x'.repeat(300_000), { 'content-type': 'text/plain' }, world.nobody()))
    await refusal('wrong_role', post('{', JSON_TYPE, world.admin))
  })

  test('is never read where nothing takes it', async () => {
    for (const path of ['/nothing', '/clients', '/'])
      for (const type of ['application/json', 'text/plain']) {
        const answer = await world
          .nobody()
          .fetch('POST', path, { headers: { 'content-type': type }, body: '['.repeat(300_000) })
        expect([path, answer.status, answer.body]).toMatchObject([path, 404, { code: 'not_found' }])
      }
  })
})

describe('a connection', () => {
  /** Writes raw bytes to a server, and returns all that it sends until it closes the connection. */
  async function write(bytes: string, { server } = world): Promise<string> {
    const { hostname, port } = new URL(server.url)
    const socket = connect(Number(port), hostname)
    socket.write(bytes)
    let answer = ''
    for await (const chunk of socket.setEncoding('utf8')) answer += chunk
    return answer
  }

  test.each([
    ['invalid_input', 400, 'nonsense\r\n\r\n'],
    ['invalid_input', 400, 'GET /v1/health HTTP/9.9\r\n\r\n'],
    ['invalid_input', 400, 'POST /v1/api/renew HTTP/1.1\r\nhost: x\r\ncontent-length: -1\r\n\r\n'],
    ['too_large', 413, `GET /v1/health HTTP/1.1\r\nhost: x\r\nx: ${'y'.repeat(17 * 1024)}\r\n\r\n`],
    ['too_large', 413, `GET /v1/health?${'y'.repeat(17 * 1024)} HTTP/1.1\r\nhost: x\r\n\r\n`],
  ])('with a malformed request ends with the refusal %s', async (code, status, bytes) => {
    const answer = await write(bytes)
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
    const [, body = ''] = answer.split('\r\n\r\n')
    expect(JSON.parse(body)).toMatchObject({ status: 'ERROR', code })
  })

  test('may bring 15 KiB of headers', async () => {
    const headers = `host: x\r\nconnection: close\r\nx: ${'y'.repeat(15 * 1024)}`
    expect(await write(`GET /v1/health HTTP/1.1\r\n${headers}\r\n\r\n`)).toMatch(/^HTTP\/1\.1 200 /)
  })

  test('ends when a body without a length becomes too large', async () => {
    const headers = `host: x\r\naccess-token: ${dealer.token}\r\ncontent-type: application/json\r\ntransfer-encoding: chunked`
    const piece = `10000\r\n${'x'.repeat(0x10000)}\r\n`
    const answer = await write(`POST /v1/api/renew HTTP/1.1\r\n${headers}\r\n\r\n${piece.repeat(5)}`)
    expect(answer).toMatch(/^HTTP\/1\.1 413 /)
  })

  test.concurrent.each([
    ['of headers', ''],
    ['of a body', 'content-length: 500\r\n\r\n{'],
    ['of a body without a length', 'transfer-encoding: chunked\r\n\r\n'],
  ])('ends after 20 seconds if a byte %s comes each second', async (_what, begun) => {
    const byte = begun.includes('chunked') ? '1\r\nx\r\n' : 'x'
    const head = 'POST /v1/authenticate HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n'
    const socket = connect(Number(new URL(world.server.url).port), '127.0.0.1')
    const began = performance.now()
    const drip = setInterval(() => socket.write(byte), 1_000)
    socket.write(head + begun)
    let answer = ''
    socket.setEncoding('utf8').on('data', (chunk) => {
      answer += chunk
    })
    // A byte that is sent after the server has hung up resets the connection.
    socket.on('end', () => clearInterval(drip)).on('error', () => {})
    await once(socket, 'close')
    clearInterval(drip)
    const seconds = (performance.now() - began) / 1000
    expect(answer).toMatch(/^HTTP\/1\.1 400 .+The request took too long to come\./s)
    expect(seconds).toBeGreaterThanOrEqual(18)
    expect(seconds).toBeLessThan(40)
  })

  test.concurrent('may take longer if it is the playlist of an admin', async () => {
    const socket = beginPlaylist(world.admin.token)
    await pause(25_000)
    socket.write('}')
    const [answer] = await once(socket, 'data')
    expect(String(answer)).toMatch(/^HTTP\/1\.1 400 .+name: This field is required\./s)
    // The next one on the same connection has the time of any other.
    const began = performance.now()
    socket.write('GET')
    const [late] = await once(socket, 'data')
    expect(String(late)).toContain('The request took too long to come.')
    expect(performance.now() - began).toBeLessThan(40_000)
  })

  test.concurrent.each([
    ['a dealer', dealer.token],
    ['a stranger', 'unknown'],
  ])('ends after 20 seconds if it is the playlist of %s', async (_who, token) => {
    const began = performance.now()
    await once(beginPlaylist(token).resume(), 'close')
    expect(performance.now() - began).toBeLessThan(40_000)
  })

  /** Begins a request whose body lacks its last byte. */
  function beginPlaylist(token: string): Socket {
    const socket = connect(Number(new URL(world.server.url).port), '127.0.0.1')
    const headers = `host: x\r\naccess-token: ${token}\r\ncontent-type: application/json\r\ncontent-length: 2`
    socket.write(`POST /v1/admin/playlist/file HTTP/1.1\r\n${headers}\r\n\r\n{`)
    return socket
  }

  test.concurrent('ends without an answer if nothing comes, as on one that a browser opened ahead', async () => {
    const socket = connect(Number(new URL(world.server.url).port), '127.0.0.1')
    let answer = ''
    for await (const chunk of socket.setEncoding('utf8')) answer += chunk
    expect(answer).toBe('')
  })

  test('leaves no error in the log if the caller disconnects in the middle of a body', async () => {
    const { logged, app } = world.server
    const connections = () =>
      new Promise<number>((resolve) => app.server.getConnections((_error, count) => resolve(count)))
    await world.nobody().fetch('GET', '/v1/health')
    const others = await connections()
    const before = logged.length
    const sockets = Array.from({ length: 50 }, () =>
      connect(Number(new URL(world.server.url).port), '127.0.0.1'),
    )
    const begun =
      'POST /v1/authenticate HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n{'
    await Promise.all(
      sockets.map((socket) => new Promise<void>((resolve) => socket.write(begun, () => resolve()))),
    )
    await world.nobody().fetch('GET', '/v1/health')
    for (const socket of sockets) socket.resetAndDestroy()
    await expect.poll(connections).toBeLessThanOrEqual(others)
    expect(logged.slice(before).filter((line) => JSON.parse(line).level >= 40)).toEqual([])
  })
})

describe('a refusal', () => {
  test('of a missing field names it', async () => {
    const answer = await dealer.send(calls.clients.renew, {})
    expect(answer.body).toEqual({
      status: 'ERROR',
      code: 'invalid_input',
      message: 'name: This field is required.',
      errors: { name: 'This field is required', months: 'Credits must be a whole number from 1 to 12' },
    })
  })

  test('of what is wrong with a body as a whole names no field', async () => {
    const answer = await dealer.send(calls.clients.multisave, { clients: ['anybody'] })
    expect(answer.body).toEqual({
      status: 'ERROR',
      code: 'invalid_input',
      message: 'There must be a package or a status.',
      errors: {},
    })
  })

  test('of a wrong role is the same for every call', async () => {
    const roles = await Promise.all([
      refusal('wrong_role', dealer.send(calls.admin.clients)),
      refusal('wrong_role', dealer.send(calls.admin.remove, { name: 'x' })),
      refusal('wrong_role', world.admin.send(calls.clients.renew, {})),
    ])
    expect(new Set(roles.map(({ text }) => text)).size).toBe(1)
  })
})

test('every answer has Cache-Control: no-store', async () => {
  for (const answer of [
    await dealer.send(calls.session.user),
    await dealer.send(calls.clients.list),
    await world.nobody().send(calls.session.captcha),
    await world.nobody().fetch('GET', '/v1/health'),
  ]) {
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([200, 'no-store'])
  }
})

test('a server that closes completes the answers under way, and waits for nothing else', async () => {
  const leaving = await openWorld()
  const { sql } = leaving.server
  const input = { login_username: 'nobody', login_password: 'guessed' }
  const underWay = Array.from({ length: 9 }, () => leaving.nobody().send(calls.session.login, input))
  while ((await sql`select from login_try`).length === 0) await pause(1)
  const began = Date.now()
  await leaving.close()
  expect(Date.now() - began).toBeLessThan(60_000)
  for (const answer of await Promise.all(underWay)) expect(answer.status).toBe(401)
})

test('a server that closes waits for a call, and not for a connection that was opened ahead', async () => {
  const leaving = await openWorld()
  const { dealer } = await leaving.family()
  const { server } = leaving
  const finish = hold(dealer, calls.clients.create, newClient())
  await once(server.app.server, 'request')
  const ahead = connect(Number(new URL(server.url).port), '127.0.0.1').resume()
  await once(server.app.server, 'connection')
  const closing = leaving.close()
  await once(ahead, 'close')
  // A server that waited for both would have closed the connection of the call first, which is older.
  expect(await finish()).toBe(200)
  await closing
})

describe('without its database', () => {
  let lost: World
  beforeAll(async () => {
    lost = await openWorld()
    await lost.server.sql.end({ timeout: 1 })
  })
  afterAll(() => lost.close())

  test.each([
    ['GET', '/v1/health'],
    ['GET', '/v1/api/user'],
    ['POST', '/v1/api/renew'],
  ])('the server answers 503 and says when to come back: %s %s', async (method, path) => {
    const answer = await lost.admin.fetch(method, path)
    expect(answer).toMatchObject({
      status: 503,
      body: {
        status: 'ERROR',
        code: 'unavailable',
        message: 'Boxtree cannot reach its database at the moment. Please try again shortly.',
      },
    })
    expect(answer.headers.get('retry-after')).toBe('2')
    expect(answer.headers.get('cache-control')).toBe('no-store')
  })
})

test.each([
  ['a call of a person', 'url', '/v1/captcha'],
  ['a call of a box', 'boxUrl', '/portal.php?type=stb&action=handshake'],
  ['the question of a stream server', 'boxUrl', '/stream/check'],
] as const)('%s whose sender has reset its connection is no fault', async (_, gate, path) => {
  const before = world.server.logged.length
  const { port } = new URL(world.server[gate])
  await resetAfter(`GET ${path} HTTP/1.1\r\nhost: here\r\n\r\n`, Number(port))
  // What came before has been taken once this is answered.
  expect((await fetch(`${world.server[gate]}/v1/live`)).status).toBe(200)
  const isFault = (line: string) => JSON.parse(line).level >= 50
  expect(world.server.logged.slice(before).filter(isFault)).toEqual([])
})

test('an error of the server is a 500 without internals, and is logged with them', async () => {
  const broken = await openWorld()
  try {
    await broken.server.ownerSql`alter table broadcast rename to broadcast_hidden`
    const answer = await broken.admin.fetch('GET', '/v1/admin/message')
    expect(answer.status).toBe(500)
    expect(answer.body).toEqual({
      status: 'ERROR',
      code: 'internal',
      message: 'Something went wrong on our side.',
    })
    expect(broken.server.logged.join()).toContain('relation \\"broadcast\\" does not exist')
  } finally {
    await broken.close()
  }
})

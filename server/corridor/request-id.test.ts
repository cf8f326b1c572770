import { connect } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { calls } from '../../contract/calls.ts'
import { Box } from '../../test/support/box.ts'
import { openWorld, type World } from '../../test/support/world.ts'

let world: World
afterEach(() => world.close())

type Line = { level: number; msg: string; request_id?: string; call?: string }

/** Returns what the log has had since the server began to listen. */
function lines(): Line[] {
  const all: Line[] = world.server.logged.map((line) => JSON.parse(line))
  return all.filter(({ msg }) => !msg.startsWith('Server listening'))
}

async function idOf(path: string, headers: Record<string, string> = {}): Promise<string | null> {
  return (await fetch(world.server.url + path, { headers })).headers.get('x-request-id')
}

describe('the id of a request', () => {
  test('is in its answer, in its refusal and in every line that the log has of it', async () => {
    world = await openWorld()
    await world.server.ownerSql`alter table broadcast rename to broadcast_hidden`
    const answer = await fetch(`${world.server.url}/v1/admin/message`, {
      headers: { 'access-token': world.admin.token, 'x-forwarded-for': '203.0.113.5' },
    })
    const id = answer.headers.get('x-request-id')
    expect(id).toMatch(/^[0-9a-f]{12}$/)
    expect(await answer.json()).toMatchObject({ code: 'internal', request_id: id })
    await logged(3)
    expect(lines().map(({ msg, request_id }) => [msg.slice(0, 22), request_id])).toEqual([
      ['requests are forwarded', id],
      ['a call failed', id],
      ['answered', id],
    ])
  })

  test('is in the answer and the log also where the request cannot be read', async () => {
    world = await openWorld()
    const socket = connect(Number(new URL(world.server.url).port), '127.0.0.1')
    socket.write('nonsense\r\n\r\n')
    let answer = ''
    for await (const chunk of socket.setEncoding('utf8')) answer += chunk
    const [head = '', body = ''] = answer.split('\r\n\r\n')
    const id = /^x-request-id: (\S+)$/m.exec(head)?.[1]
    expect(JSON.parse(body)).toMatchObject({ code: 'invalid_input', request_id: id })
    expect(lines()).toMatchObject([{ msg: 'a request could not be read', request_id: id }])
    expect(await idOf('/v1/api/client/%zz')).toMatch(/^[0-9a-f]{12}$/)
  })

  test('is in what the log has of a failed call of a box', async () => {
    world = await openWorld()
    await world.server.ownerSql`alter table box_login rename to box_login_hidden`
    const box = new Box(world.server)
    await box.handshake()
    const { status, headers } = await box.ask('stb/get_profile')
    expect(lines().filter(({ level }) => level >= 50)).toMatchObject([
      { request_id: headers.get('x-request-id') },
    ])
    expect(status).toBe(503)
  })

  test('is that of a trusted proxy, where it has 1 to 64 plain characters', async () => {
    world = await openWorld({ env: { TRUSTED_PROXIES: '127.0.0.1' } })
    const good = ['a', 'A-z_0.9', 'x'.repeat(64)]
    for (const id of good) expect(await idOf('/v1/nothing', { 'x-request-id': id })).toBe(id)
    for (const id of ['', 'x'.repeat(65), 'a b', 'a"b', 'a,b', '<b>', 'ä'])
      expect(await idOf('/v1/nothing', { 'x-request-id': id }), id).toMatch(/^[0-9a-f]{12}$/)
  })

  test('is never what anybody else claims', async () => {
    world = await openWorld({ env: { TRUSTED_PROXIES: '192.0.2.1' } })
    const [first, second] = [
      await idOf('/v1/nothing', { 'x-request-id': 'mine' }),
      await idOf('/v1/nothing', { 'x-request-id': 'mine' }),
    ]
    expect(first).toMatch(/^[0-9a-f]{12}$/)
    expect(second).not.toBe(first)
  })
})

describe('the log', () => {
  test('has no health check, whether it succeeds or fails', async () => {
    world = await openWorld({ env: { LOG_LEVEL: 'debug' } })
    const ask = () =>
      Promise.all(['live', 'ready', 'health'].map((path) => fetch(`${world.server.url}/v1/${path}`)))
    expect((await ask()).map(({ status }) => status)).toEqual([200, 200, 200])
    await world.server.sql.end({ timeout: 1 })
    expect((await ask()).map(({ status }) => status)).toEqual([200, 503, 503])
    expect(lines()).toEqual([])
  })

  test('names the calls of people, and at the level debug those of boxes and the files of the console too', async () => {
    world = await openWorld({ env: { LOG_LEVEL: 'debug' } })
    await idOf('/v1/api/user')
    await logged(1)
    await world.admin.call(calls.session.user)
    await logged(2)
    await new Box(world.server).ask('stb/handshake')
    await logged(3)
    await idOf('/clients')
    await logged(4)
    const measured = { time: expect.any(Number), ms: expect.any(Number) }
    expect(lines()).toMatchObject([
      { ...measured, level: 30, call: 'session.user', status: 401 },
      { ...measured, level: 30, call: 'session.user', status: 200, account: world.admin.id },
      { ...measured, level: 20, call: 'stb/handshake', status: 200 },
      { ...measured, level: 20, call: expect.stringMatching(/^GET /) },
    ])
  })

  test('at the level debug has the polls of boxes, which are answered before Fastify sees them', async () => {
    world = await openWorld({ env: { LOG_LEVEL: 'debug' } })
    const { dealer } = await world.family({ credits: 1 })
    const { mac } = await world.client(dealer)
    const box = new Box(world.server, { mac })
    await box.signIn()
    await box.poll()
    const { headers } = await box.ask('watchdog/get_events', { init: '0' })
    const polls = () => lines().filter(({ call }) => call === 'watchdog/get_events')
    await expect.poll(() => polls().length).toBe(2)
    expect(polls().at(-1)).toMatchObject({
      ...{ level: 20, msg: 'answered', status: 200, ms: expect.any(Number) },
      request_id: headers.get('x-request-id'),
    })
  })

  test.each([
    ['info', 1],
    ['warn', 0],
  ])(
    'at the level %s has %i answers of people, and none of boxes or with a file',
    async (LOG_LEVEL, count) => {
      world = await openWorld({ env: { LOG_LEVEL } })
      await new Box(world.server).ask('stb/handshake')
      await idOf('/clients')
      await idOf('/v1/api/user')
      await logged(count)
      expect(lines()).toHaveLength(count)
    },
  )
})

/** Waits for lines: an answer is logged when the last of it was sent. */
async function logged(count: number): Promise<void> {
  await expect.poll(() => lines().length).toBe(count)
}

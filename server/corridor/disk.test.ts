import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { everyCall } from '../../contract/call.ts'
import { calls } from '../../contract/calls.ts'
import { type Family, newClient, openWorld, PASSWORD, type World } from '../../test/support/world.ts'
import { freeSpaceOf } from '../postgres/files.ts'

const MB = 2 ** 20

let free: number
let world: World
let family: Family
beforeAll(async () => {
  free = 1024 * MB
  world = await openWorld({ freeSpace: () => free, env: { FREE_DISK_MB: '300' } })
  family = await world.family({ credits: 5 })
})
afterAll(() => world.close())
beforeEach(() => {
  free = 300 * MB
})

describe('a disk with less free space than FREE_DISK_MB', () => {
  test('refuses a change with a 503 that says what to do, and nothing is changed', async () => {
    const { dealer } = family
    const { name } = await world.client(dealer, { months: 1 })
    const before = await world.stored()
    free -= 1
    const answer = await dealer.fetch('POST', '/v1/api/renew', {
      headers: { 'content-type': 'application/json', 'idempotency-key': 'while-full' },
      body: JSON.stringify({ name, months: 1 }),
    })
    expect(answer).toMatchObject({
      status: 503,
      body: {
        status: 'ERROR',
        code: 'disk_full',
        message:
          'The disk of the server is nearly full, so this try changed nothing. Please ask whoever runs Boxtree to free space on it; everything can still be looked at.',
      },
    })
    expect(answer.headers.get('retry-after')).toBe('30')
    expect(await world.stored()).toEqual(before)
  })

  test('allows changes again as soon as it has room, and a refused one under the same key', async () => {
    const { dealer } = family
    const { name } = await world.client(dealer, { months: 1 })
    const renew = () => dealer.fetch('POST', '/v1/api/renew', renewal(name))
    free = 0
    expect((await renew()).status).toBe(503)
    free = 300 * MB
    expect((await renew()).status).toBe(200)
  })

  test('allows signing in, reading, a quote, an export and signing out', async () => {
    const { dealer, superreseller } = family
    const { name } = await world.client(dealer, { months: 1 })
    free = 150 * MB
    const person = await world.signIn(dealer.name, PASSWORD)
    await person.call(calls.session.user)
    await person.call(calls.clients.list)
    await person.call(calls.clients.quote, { clients: [name], months: 1 })
    const { ticket } = await person.call(calls.clients.export, { format: 'csv' })
    expect((await person.fetch('GET', `/v1/exports/${ticket}`)).text).toContain(name)
    const days = { from: '2026-05-01', to: '2026-05-31' }
    await superreseller.call(calls.desk.superreseller.exportTransactions, days)
    await person.call(calls.session.logout)
  })

  test('allows only signing in, reading and signing out below half of it', async () => {
    const { dealer } = family
    const { name } = await world.client(dealer, { months: 1 })
    const { ticket } = await dealer.call(calls.clients.export, { format: 'csv' })
    free = 150 * MB - 1
    const person = await world.signIn(dealer.name, PASSWORD)
    await person.call(calls.clients.list)
    await person.call(calls.clients.quote, { clients: [name], months: 1 })
    const before = await world.stored()
    const answer = await person.fetch('POST', '/v1/api/clients/export')
    expect(answer).toMatchObject({ status: 503, body: { code: 'disk_full' } })
    expect(await world.stored()).toEqual(before)
    expect((await person.fetch('GET', `/v1/exports/${ticket}`)).text).toContain(name)
    await person.call(calls.session.logout)
  })

  test('refuses every other call that is not a GET', async () => {
    free = 0
    const going = ['session.login', 'session.logout', 'clients.quote', 'clients.multiquote']
    const changing = everyCall(calls).filter(({ name, method }) => method !== 'GET' && !going.includes(name))
    expect(changing.length).toBeGreaterThan(20)
    for (const call of changing) {
      const role = call.roles[0] as keyof Family | 'admin'
      const caller = role === 'admin' ? world.admin : family[role]
      const answer = await caller.fetch(call.method, `/v1${call.path}`)
      expect(answer, call.name).toMatchObject({ status: 503, body: { code: 'disk_full' } })
    }
  })

  test('is shown in the health check, which stays a 200, and once in the log each time it fills or empties', async () => {
    const health = async () => (await world.nobody().fetch('GET', '/v1/health')).body
    expect(await health()).toMatchObject({ status: 'OK', writes: true })
    const logged = world.server.logged.length
    free = 299 * MB
    expect(await health()).toMatchObject({ status: 'OK', writes: false })
    expect(await health()).toMatchObject({ status: 'OK', writes: false })
    free = 149 * MB
    expect(await health()).toMatchObject({ status: 'OK', writes: false })
    free = 300 * MB
    expect(await health()).toMatchObject({ status: 'OK', writes: true })
    const lines = world.server.logged.slice(logged).filter((line) => line.includes('free_mb'))
    expect(lines.map((line) => JSON.parse(line).msg)).toEqual([
      'the disk is nearly full: changes are refused until there is room',
      'the disk is all but full: only signing in and reading go on',
      'the disk has room again: changes are made',
    ])
  })
})

test('freeSpaceOf() reads the free space of a real folder', async () => {
  expect(freeSpaceOf(world.server.config.dataDir)).toBeGreaterThan(0)
})

test('a server with an external database checks no disk', async () => {
  const elsewhere = await openWorld()
  try {
    const { dealer } = await elsewhere.family()
    await dealer.call(calls.clients.create, newClient())
    expect((await dealer.fetch('GET', '/v1/health')).body).toMatchObject({ status: 'OK', writes: true })
  } finally {
    await elsewhere.close()
  }
})

function renewal(name: string) {
  return {
    headers: { 'content-type': 'application/json', 'idempotency-key': `once-${name}` },
    body: JSON.stringify({ name, months: 1 }),
  }
}

test('a change for which the disk of an external database has no room is refused likewise', async () => {
  const { ownerSql } = world.server
  const { dealer } = await world.family({ credits: 2 })
  const { name } = await world.client(dealer, { months: 1 })
  await ownerSql.unsafe(`
    create function no_room() returns trigger language plpgsql as
      $$ begin raise 'could not extend file' using errcode = 'disk_full'; end $$;
    create trigger no_room before insert on transfer execute function no_room()`)
  try {
    const before = await world.stored()
    const answer = await dealer.fetch('POST', '/v1/api/renew', renewal(name))
    expect(answer).toMatchObject({
      status: 503,
      body: {
        code: 'disk_full',
        message: expect.stringMatching(
          /^The disk of the database is full, so this try changed nothing\. Please ask/,
        ),
      },
    })
    expect(await world.stored()).toEqual(before)
  } finally {
    await ownerSql.unsafe('drop trigger no_room on transfer; drop function no_room')
  }
})

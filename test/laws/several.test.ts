import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { calls } from '../../contract/calls.ts'
import { startServer, type TestServer } from '../support/server.ts'
import { openWorld, PASSWORD, type World } from '../support/world.ts'

let world: World
let second: TestServer
beforeAll(async () => {
  world = await openWorld()
  second = await startServer({ database: world.server.database, clock: () => world.clock.now })
})
afterAll(async () => {
  await second.close()
  await world.close()
})

describe('two servers on one database behave as one:', () => {
  test('a session begun at one is good at the other, and ends at both', async () => {
    const { dealer } = await world.family()
    const here = await world.signIn(dealer.name)
    const there = world.at(second, here)
    expect(await there.call(calls.session.user)).toEqual(await here.call(calls.session.user))
    await there.call(calls.session.logout)
    await here.refused('no_session', calls.session.user)
  })

  test('a password changed at one ends the other sessions at both', async () => {
    const { dealer } = await world.family()
    const here = await world.signIn(dealer.name)
    const there = world.at(second, await world.again(dealer))
    await here.call(calls.session.password, { old_password: PASSWORD, password: 'a-new-password' })
    await there.refused('no_session', calls.session.user)
  })

  test('a client made at one is read at the other, password and all', async () => {
    const { dealer } = await world.family()
    const { name } = await world.client(dealer, { password: 'seen-at-both' })
    expect(await world.at(second, dealer).call(calls.clients.detail, { name })).toMatchObject({
      password: 'seen-at-both',
    })
  })

  test('a message set at one is shown at the other', async () => {
    await world.admin.call(calls.admin.setMessage, { message: 'To all' })
    const there = world.at(second, world.admin)
    expect((await there.call(calls.desk.admin.message)).message).toBe('To all')
  })

  test("a ticket of one leads to the other's file, once in all", async () => {
    const { dealer } = await world.family()
    const { ticket } = await dealer.call(calls.clients.export, { format: 'csv' })
    const fetched = await Promise.all(
      [dealer, world.at(second, dealer)].map((person) => person.send(calls.files.download, { ticket })),
    )
    expect(fetched.map(({ status }) => status).sort()).toEqual([200, 404])
  })
})

test('a restart changes nothing: a session lasts, and wrong logins stay counted', async () => {
  const { dealer, reseller } = await world.family()
  const options = { database: world.server.database, clock: () => world.clock.now }
  const right = { login_username: dealer.name, login_password: PASSWORD }
  const wrong = { login_username: reseller.name, login_password: 'wrong' }
  const before = await startServer(options)
  const stranger = world.at(before, world.nobody())
  const { token } = await stranger.call(calls.session.login, right)
  for (let tries = 0; tries < 10; tries += 1) {
    await stranger.refused('wrong_login', calls.session.login, wrong)
  }
  await before.close()
  const after = await startServer(options)
  try {
    const { name } = await world.at(after, world.nobody(token)).call(calls.session.user)
    expect(name).toBe(dealer.name)
    await world.at(after, world.nobody()).refused('too_many_tries', calls.session.login, wrong)
  } finally {
    await after.close()
  }
})

test('a server whose SECRET_KEY is not that of the database is refused', async () => {
  const { database } = world.server
  const other = startServer({ database, secretKey: Buffer.alloc(32, 'another') })
  await expect(other).rejects.toThrow('SECRET_KEY is not the key that this database was written with')
})

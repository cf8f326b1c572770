import { afterAll, describe, expect, test } from 'vitest'
import { calls } from '../../contract/calls.ts'
import { startServer } from '../support/server.ts'
import { PASSWORD, suiteWorld } from '../support/world.ts'

const world = await suiteWorld()
const second = await world.another()
afterAll(() => second.close())

describe('on two servers with one database', () => {
  test('a session of one is valid on the other, and ends on both', async () => {
    const { dealer } = await world.family()
    const here = await world.signIn(dealer.name)
    const there = world.at(second, here)
    expect(await there.call(calls.session.user)).toEqual(await here.call(calls.session.user))
    await there.call(calls.session.logout)
    await here.refused('no_session', calls.session.user)
  })

  test('a password changed on one ends the other sessions on both', async () => {
    const { dealer } = await world.family()
    const here = await world.signIn(dealer.name)
    const there = world.at(second, await world.again(dealer))
    await here.call(calls.session.password, { old_password: PASSWORD, password: 'a-new-password' })
    await there.refused('no_session', calls.session.user)
  })

  test('a client created on one is read on the other, with its password', async () => {
    const { dealer } = await world.family()
    const { name } = await world.client(dealer, { password: 'seen-at-both' })
    expect(await world.at(second, dealer).call(calls.clients.detail, { name })).toMatchObject({
      password: 'seen-at-both',
    })
  })

  test('a message set on one is shown on the other', async () => {
    await world.admin.call(calls.admin.setMessage, { message: 'To all' })
    const there = world.at(second, world.admin)
    expect((await there.call(calls.desk.admin.message)).message).toBe('To all')
  })

  test('an export ticket of one downloads one file in all', async () => {
    const { dealer } = await world.family()
    const { ticket } = await dealer.call(calls.clients.export, { format: 'csv' })
    const fetched = await Promise.all(
      [dealer, world.at(second, dealer)].map((person) => person.send(calls.files.download, { ticket })),
    )
    expect(fetched.map(({ status }) => status).sort()).toEqual([200, 404])
  })
})

test('sessions and the counts of wrong logins survive a restart of the server', async () => {
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

test("a server with another SECRET_KEY than the database's does not start", async () => {
  const { database } = world.server
  const other = startServer({ database, secretKey: Buffer.alloc(32, 'another') })
  await expect(other).rejects.toThrow('is not the key of this database')
})

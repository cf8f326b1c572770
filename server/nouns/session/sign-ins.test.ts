import { expect, test } from 'vitest'
import { calls } from '../../../contract/calls.ts'
import { PASSWORD, type Person, suiteWorld } from '../../../test/support/world.ts'

const { login, list, end, signIns, user } = calls.session

const world = await suiteWorld()

const AGENT = 'Mozilla/5.0 (X11; Linux x86_64; rv:132.0) Gecko/20100101 Firefox/132.0'

async function signIn({ name }: Person, password = PASSWORD, agent = AGENT) {
  const { body } = await world
    .nobody()
    .send(login, { login_username: name, login_password: password }, { headers: { 'user-agent': agent } })
  return world.nobody((body as { token?: string }).token)
}

test('an account sees its own sessions, since when, from where and with what', async () => {
  const { dealer, reseller } = await world.family()
  await signIn(reseller)
  world.clock.pass({ minutes: 3 })
  const own = await signIn(dealer)
  // One that has expired is no session any more.
  await world.again(dealer, world.clock.now)
  const { data } = await own.call(list)
  expect(data).toHaveLength(2)
  expect(data[0]).toEqual({
    id: expect.any(Number),
    since: world.clock.now.toISOString(),
    expiry: new Date(world.clock.now.getTime() + 3_600_000).toISOString(),
    address: '127.0.0.1',
    agent: AGENT,
    this: true,
  })
  expect(data[1]).toMatchObject({ address: null, this: false })
})

test('the browser of a session is told in 200 printable characters at most', async () => {
  const { dealer } = await world.family()
  const own = await signIn(dealer, PASSWORD, `M\u00f6zilla\t${'x'.repeat(300)}`)
  const { data } = await own.call(list)
  expect(data.find((row) => row.this)?.agent).toBe(`Mzilla${'x'.repeat(194)}`)
})

test('an account ends its sessions one by one, with their tickets, and nobody else does', async () => {
  const { dealer, reseller } = await world.family()
  const [one, two] = [await signIn(dealer), await signIn(dealer)]
  const { ticket } = await one.call(calls.clients.export, { format: 'csv' })
  const idOf = async (person: Person) => (await person.call(list)).data.find((row) => row.this)?.id ?? 0
  const id = await idOf(one)
  for (const stranger of [reseller, world.admin]) await stranger.refused('not_found', end, { id })
  const { message } = await two.refused('invalid_input', end, { id: await idOf(two) })
  expect(message).toBe('This is the session that you are using. Log out to end it.')
  await two.call(end, { id })
  await one.refused('no_session', user)
  expect((await world.nobody().fetch('GET', `/v1/exports/${ticket}`)).status).toBe(404)
  await two.refused('not_found', end, { id })
  await two.call(user)
})

test('an account sees its newest 50 sign-ins of each outcome, the newest first, however many wrong ones came since', async () => {
  const { dealer, reseller } = await world.family()
  await signIn(dealer, 'wrong-password')
  world.clock.pass({ minutes: 1 })
  const own = await signIn(dealer)
  await own.refused('wrong_password', calls.session.password, {
    old_password: 'not-mine',
    password: 'another-password',
  })
  await reseller.call(calls.tree.suspend, { name: dealer.name })
  world.clock.pass({ minutes: 1 })
  await signIn(dealer)
  await reseller.call(calls.tree.lift, { name: dealer.name })
  const { data } = await dealer
    .refused('no_session', signIns)
    .then(async () => (await world.again(dealer)).call(signIns))
  expect(data.map(({ outcome }) => outcome)).toEqual(['suspended', 'failed', 'succeeded', 'failed'])
  expect(data[0]).toMatchObject({ at: world.clock.now.toISOString(), address: '127.0.0.1', agent: AGENT })
  await world.server.sql`
    insert into sign_in (account, at, address, agent, outcome)
    select ${dealer.id}, ${world.clock.now}, 'x', '', 'failed' from generate_series(1, 120)`
  const newest = async () =>
    (await (await world.again(dealer)).call(signIns)).data.map(({ outcome }) => outcome)
  expect(await newest()).toEqual([...Array(50).fill('failed'), 'suspended', 'succeeded'])
  // Of a flood the newest 10,000 tries are read, and the sign-ins for themselves.
  await world.server.sql`
    insert into sign_in (account, at, address, agent, outcome)
    select ${dealer.id}, ${world.clock.now}, 'x', '', 'failed' from generate_series(1, 10000)`
  expect(await newest()).toEqual([...Array(50).fill('failed'), 'succeeded'])
})

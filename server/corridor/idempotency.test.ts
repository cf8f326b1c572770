import { afterAll, describe, expect, test } from 'vitest'
import { calls } from '../../contract/calls.ts'
import { newClient, PASSWORD, type Person, suiteWorld, unique } from '../../test/support/world.ts'

const { create, renew, retrieve } = calls.clients

const world = await suiteWorld()
const second = await world.another()
afterAll(() => second.close())

async function dealerWith(credits: number): Promise<{ dealer: Person; name: string }> {
  const { dealer } = await world.family({ credits })
  return { dealer, name: (await world.client(dealer)).name }
}

async function balance(dealer: Person): Promise<number> {
  return (await dealer.call(calls.credits.dealer)).credits
}

describe('a repeated call with the same key and body', () => {
  test('gets the first answer again, and has no second effect', async () => {
    const { dealer, name } = await dealerWith(5)
    const key = unique()
    const first = await dealer.send(renew, { name, months: 2 }, { key })
    world.clock.pass({ hours: 1 })
    const again = await dealer.send(renew, { name, months: 2 }, { key })
    expect(first.status).toBe(200)
    expect([again.status, again.text]).toEqual([200, first.text])
    expect(await balance(dealer)).toBe(3)
  })

  test('has one effect and one answer if it is sent to two servers at the same time', async () => {
    const { dealer, name } = await dealerWith(5)
    const key = unique()
    const other = world.at(second, dealer)
    const all = Array.from({ length: 10 }, (_, index) =>
      (index % 2 ? other : dealer).send(renew, { name, months: 1 }, { key }),
    )
    const answers = await Promise.all(all)
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1)
    expect(answers[0]?.status).toBe(200)
    expect(await balance(dealer)).toBe(4)
  })

  test('is recognised after a new sign-in', async () => {
    const { dealer } = await dealerWith(0)
    const input = newClient()
    const [before, after] = [await world.signIn(dealer.name), await world.signIn(dealer.name)]
    const first = await before.send(create, input, { key: 'reload' })
    expect((await after.send(create, input, { key: 'reload' })).text).toBe(first.text)
    expect((await dealer.call(calls.clients.list)).count).toBe(2)
  })

  test('has an effect again after 24 hours, also with another body', async () => {
    const { dealer, name } = await dealerWith(5)
    const key = unique()
    const once = (months: number) => dealer.call(renew, { name, months }, { key })
    const first = await once(1)
    world.clock.pass({ hours: 23, minutes: 59, seconds: 59 })
    expect(await once(1)).toEqual(first)
    world.clock.pass({ seconds: 1 })
    expect((await once(2)).credits).toBe(2)
    expect((await once(2)).credits).toBe(2)
  })
})

describe('another body under the same key', () => {
  test('is refused and has no effect', async () => {
    const { dealer, name } = await dealerWith(5)
    const key = unique()
    await dealer.call(renew, { name, months: 1 }, { key })
    const { message } = await dealer.refused('key_reused', renew, { name, months: 2 }, { key })
    expect(message).toBe('This Idempotency-Key was used for something else.')
    expect(await balance(dealer)).toBe(4)
  })

  test('is refused if both are sent at the same moment, whichever arrives first', async () => {
    const { dealer, name } = await dealerWith(20)
    const key = unique()
    const answers = await Promise.all(
      [1, 2, 3, 4].map((months) => dealer.send(renew, { name, months }, { key })),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409])
    const done = answers.findIndex(({ status }) => status === 200) + 1
    expect(await balance(dealer)).toBe(20 - done)
  })
})

test('a refusal is not stored: the same key succeeds once the call can', async () => {
  const { dealer, name } = await dealerWith(1)
  const { name: parent } = dealer
  const key = unique()
  await dealer.refused('insufficient_credits', renew, { name, months: 2 }, { key })
  expect((await world.stored()).get('idempotency_key')).not.toContain(key)
  await dealer.refused('invalid_input', renew, { name, months: 99 }, { key })
  const owner = await ownerOf(parent)
  const superreseller = await ownerOf(owner.name)
  await world.give(world.admin, superreseller, 1)
  await world.give(superreseller, owner, 1)
  await world.give(owner, dealer, 1)
  expect((await dealer.call(renew, { name, months: 2 }, { key })).credits).toBe(0)
})

describe('the same key', () => {
  test('of two accounts is two submits', async () => {
    const [one, two] = [await dealerWith(1), await dealerWith(1)]
    for (const { dealer, name } of [one, two]) {
      expect((await dealer.call(renew, { name, months: 1 }, { key: 'the-same' })).credits).toBe(0)
    }
  })

  test('under two calls is two submits', async () => {
    const { dealer, name } = await dealerWith(1)
    await dealer.call(renew, { name, months: 1 }, { key: 'paths' })
    await dealer.call(retrieve, { login: name, credits: 1 }, { key: 'paths' })
    expect(await balance(dealer)).toBe(1)
  })

  test('under two calls of one path is two submits', async () => {
    await world.admin.call(calls.admin.setMessage, { message: 'Hello' }, { key: 'methods' })
    await world.admin.call(calls.admin.removeMessage, {}, { key: 'methods' })
    expect((await world.admin.call(calls.desk.admin.message)).message).toBe('')
  })
})

describe('an idempotency key', () => {
  test.each(['!', '~', 'x'.repeat(255), 'a"b\\c'])('may be %j', async (key) => {
    const { dealer, name } = await dealerWith(1)
    for (let times = 0; times < 2; times += 1) await dealer.call(renew, { name, months: 1 }, { key })
    expect(await balance(dealer)).toBe(0)
  })

  test.each(['', 'x'.repeat(256), 'two words', 'é', 'tab\tbed'])('may not be %j', async (key) => {
    const { dealer, name } = await dealerWith(1)
    const { message } = await dealer.refused('invalid_input', renew, { name, months: 1 }, { key })
    expect(message).toBe('An Idempotency-Key has 1 to 255 visible ASCII characters.')
    expect(await balance(dealer)).toBe(1)
  })

  test('is stored with only an HMAC of the body', async () => {
    const { dealer } = await dealerWith(0)
    const key = unique()
    await dealer.call(create, newClient({ password: 'planted-secret' }), { key })
    const kept = (await world.stored()).get('idempotency_key')
    expect(kept).toContain(key)
    expect(kept).not.toContain('planted')
  })

  test('is not stored for a call that changes nothing, and neither is anything else', async () => {
    const { dealer, name } = await dealerWith(5)
    const before = await world.stored()
    const input = { clients: [name], months: 2 }
    for (const options of [{}, { key: 'a-price' }, { key: 'a-price' }, { key: 'another-price' }]) {
      expect(await dealer.call(calls.clients.quote, input, options)).toMatchObject({ cost: 2 })
    }
    await dealer.call(calls.clients.list)
    expect(await world.stored()).toEqual(before)
  })

  test('is not stored for a call that found nothing to change, and a repeat changes what has become different', async () => {
    const { dealer, name } = await dealerWith(0)
    const { save } = calls.clients
    const everything = {
      ...{ login: name, password: 'as-before', desc: 'Hall', phone: '4165550199', alt_player: true },
      ...{ status: false, package_selection: 7, locked: true, ministra: false },
    }
    await dealer.call(save, everything)
    const { mac } = await dealer.call(calls.clients.detail, { name })
    const before = await world.stored()
    for (const input of [{ login: name }, { ...everything, stb_mac: mac, o_mac: mac, months: 0 }]) {
      expect(await dealer.call(save, input, { key: 'as-it-is' })).toMatchObject({ status: 'OK', name })
    }
    expect(await world.stored()).toEqual(before)
    await dealer.call(save, { login: name, desc: 'Garden' })
    await dealer.call(save, everything, { key: 'as-it-is' })
    expect(await dealer.call(calls.clients.detail, { name })).toMatchObject({ description: 'Hall' })
    await dealer.refused('key_reused', save, { login: name }, { key: 'as-it-is' })
  })

  test('is not stored for signing in and out', async () => {
    const { dealer } = await dealerWith(0)
    const input = { login_username: dealer.name, login_password: PASSWORD }
    const tokens = []
    for (let times = 0; times < 2; times += 1) {
      tokens.push((await world.nobody().call(calls.session.login, input, { key: 'sign-in' })).token)
    }
    expect(new Set(tokens).size).toBe(2)
    for (const token of tokens) await world.nobody(token).call(calls.session.logout, {}, { key: 'sign-out' })
    expect((await world.stored()).get('idempotency_key')).not.toMatch(/sign-/)
  })
})

/** Signs in as the owner of an account. */
async function ownerOf(name: string): Promise<Person> {
  const [above] = await world.server.sql<{ name: string }[]>`
    select p.name from account a join account p on p.id = a.parent where a.name = ${name}`
  return world.signIn(above?.name ?? '')
}

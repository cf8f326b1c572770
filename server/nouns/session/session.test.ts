import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { DEFAULT_SETTINGS } from '../../../contract/appearance.ts'
import { calls } from '../../../contract/calls.ts'
import { ROLES } from '../../../contract/roles.ts'
import { solved } from '../../../test/support/captcha.ts'
import { hold, somebodyWaits } from '../../../test/support/hold.ts'
import { ADMIN } from '../../../test/support/server.ts'
import { openWorld, PASSWORD, type Person, suiteWorld } from '../../../test/support/world.ts'
import { setAdminPassword } from '../../access/admin.ts'
import { hashPassword } from '../../access/password.ts'

const { login, logout, user, password } = calls.session

const world = await suiteWorld({ env: { TIME_ZONE: 'Europe/Lisbon' } })
const people = { admin: world.admin, ...(await world.family({ credits: 7 })) }
// All come from one address: what one test got wrong is no longer counted in the next.
afterEach(() => world.clock.pass({ minutes: 16 }))

/** The credentials of somebody's sign-in. */
function credentials({ name, role }: Person, login_password = role === 'admin' ? ADMIN.password : PASSWORD) {
  return { login_username: name, login_password }
}

describe.each(ROLES)('a %s who signs in', (role) => {
  test('is told their name and role, then and whenever they ask again', async () => {
    const person = people[role]
    const { status, token, ...who } = await world.nobody().call(login, credentials(person))
    expect(status).toBe('OK')
    expect(who).toEqual({
      login_username: person.name,
      name: person.name,
      role,
      credits: { admin: null, superreseller: 0, reseller: 0, dealer: 7 }[role],
      settings: DEFAULT_SETTINGS,
      preferences: {},
      time_zone: 'Europe/Lisbon',
      expiry: new Date(world.clock.now.getTime() + 3_600_000).toISOString(),
      now: world.clock.now.toISOString(),
    })
    expect(await world.nobody(token).call(user)).toEqual(who)
  })
})

describe('a sign-in', () => {
  test('accepts the name in any case', async () => {
    const { name } = people.dealer
    expect((await world.signIn(name.toUpperCase())).name).toBe(name)
  })

  test('accepts the name with spaces around it, as the keyboards of phones add them', async () => {
    const { name } = people.dealer
    expect((await world.signIn(` ${name} `)).name).toBe(name)
    const blank = await world.nobody().send(login, { login_username: ' ', login_password: 'x' })
    expect(blank.body).toMatchObject({ errors: { login_username: 'Please type your username' } })
  })

  test('accepts a password of before with characters that no new one may have, which is then changed', async () => {
    const { dealer } = await world.family()
    const old_password = 'before\u00a0and\u3164after'
    await world.server.ownerSql`
      update account set password = ${await hashPassword(old_password, null)} where name = ${dealer.name}`
    const own = await world.signIn(dealer.name, old_password)
    await own.refused('invalid_input', password, { old_password, password: old_password })
    await own.call(password, { old_password, password: PASSWORD })
  })

  test('with a wrong password gets the same bytes as one with an unknown name', async () => {
    const wrong = await world.nobody().send(login, credentials(people.dealer, 'wrong-password'))
    const unknown = await world
      .nobody()
      .send(login, { login_username: 'nobody-at-all', login_password: PASSWORD })
    expect(wrong).toMatchObject({ status: 401, body: { code: 'wrong_login' } })
    expect(unknown.text).toBe(wrong.text)
    expect([...unknown.headers.keys()]).toEqual([...wrong.headers.keys()])
  })

  test.each([
    { login_username: '', login_password: 'x' },
    { login_username: 'admin', login_password: '' },
    { login_username: 'admin' },
    { login_username: ['admin'], login_password: { length: 8 } },
    { login_username: 'admin', login_password: 'x', remember: true },
    { login_username: 'nul\0', login_password: 'x' },
  ])('accepts only a name and a password: not %j', async (input) => {
    expect(await world.nobody().send(login, input)).toMatchObject({
      status: 400,
      body: { code: 'invalid_input' },
    })
  })

  test('removes the file with the first login', async () => {
    const file = join(world.server.config.dataDir, 'first-login')
    writeFileSync(file, 'login: admin\n')
    await world.nobody().refused('wrong_login', login, credentials(world.admin, 'wrong-password'))
    expect(existsSync(file)).toBe(true)
    await world.signIn(ADMIN.login, ADMIN.password)
    expect(existsSync(file)).toBe(false)
  })

  test('with a solved captcha succeeds, and a second one with the same solution does not', async () => {
    const guarded = await openWorld({ env: { CAPTCHA_PROVIDER: 'altcha' } })
    try {
      const { challenge } = await guarded.nobody().call(calls.session.captcha)
      const input = { ...credentials(guarded.admin), g_recaptcha_response: await solved(challenge) }
      await guarded.nobody().call(login, input)
      await guarded.nobody().refused('captcha_failed', login, input)
    } finally {
      await guarded.close()
    }
  })

  test('without a solved captcha is refused, and does not count as a wrong login', async () => {
    const guarded = await openWorld({ env: { CAPTCHA_PROVIDER: 'altcha' } })
    try {
      for (const g_recaptcha_response of [undefined, '', 'forged']) {
        await guarded.nobody().refused('captcha_failed', login, {
          ...credentials(guarded.admin),
          ...(g_recaptcha_response !== undefined && { g_recaptcha_response }),
        })
      }
      expect((await guarded.stored()).get('login_try')).toBe('')
    } finally {
      await guarded.close()
    }
  })
})

describe('the token of a session', () => {
  test('has 256 random bits, and is stored only as a hash', async () => {
    const tokens = [await world.signIn(people.dealer.name), await world.signIn(people.dealer.name)].map(
      ({ token }) => token,
    )
    expect(tokens[0]).not.toBe(tokens[1])
    const stored = [...(await world.stored()).values()].join()
    for (const token of tokens) {
      expect(token).toMatch(/^[\w-]{43}$/)
      expect(stored).not.toContain(token)
      expect(stored).not.toContain(Buffer.from(token, 'base64url').toString('latin1'))
    }
  })

  test('may be sent in either header', async () => {
    const { token } = await world.signIn(people.reseller.name)
    for (const headers of [
      { 'access-token': token },
      { authorization: `Bearer ${token}` },
      { authorization: `bearer ${token}` },
    ]) {
      expect((await world.nobody().call(user, {}, { headers })).role).toBe('reseller')
    }
  })

  test.each<Record<string, string>>([
    {},
    { 'access-token': '' },
    { 'access-token': 'x'.repeat(43) },
    { authorization: 'Bearer ' },
    { authorization: 'Basic YWRtaW46YWRtaW4=' },
    { 'access-token': "' or true --" },
  ])('is refused if it is missing or made up: %j', async (headers) => {
    await world.nobody().refused('no_session', user, {}, { headers })
  })

  test('cannot be replaced by its hash', async () => {
    const [row] = await world.server.sql<
      { token: string }[]
    >`select encode(token_hash, 'base64') as token from session`
    await world.nobody(row?.token).refused('no_session', user)
  })
})

describe('a session', () => {
  test('lasts one hour from the login, however much it is used', async () => {
    const person = await world.signIn(people.dealer.name)
    world.clock.pass({ minutes: 59 })
    await person.call(user)
    world.clock.pass({ seconds: 59, ms: 999 })
    await person.call(user)
    world.clock.pass({ ms: 1 })
    const { message } = await person.refused('no_session', user)
    expect(message).toBe('Your session has ended. Please sign in again.')
    await person.refused('no_session', logout)
  })

  test('that began while the clock was ahead ends once that is right, and not hours later', async () => {
    world.clock.pass({ days: 1 })
    const early = await world.signIn(people.dealer.name)
    world.clock.pass({ days: -1 })
    await early.refused('no_session', user)
    const { data } = await (await world.signIn(people.dealer.name)).call(calls.session.list)
    expect(data.filter(({ since }) => new Date(since) > world.clock.now)).toEqual([])
  })

  test('ends on the server with its logout, and other sessions go on', async () => {
    const [one, two] = [await world.signIn(people.dealer.name), await world.signIn(people.dealer.name)]
    expect(await one.call(logout)).toEqual({ status: 'OK' })
    await one.refused('no_session', user)
    await two.call(user)
  })

  test("goes on after it changes the password, which ends the account's other sessions", async () => {
    const { dealer } = await world.family()
    const [one, two] = [await world.signIn(dealer.name), await world.signIn(dealer.name)]
    expect(await one.call(password, { old_password: PASSWORD, password: 'a-new-password' })).toEqual({
      status: 'OK',
    })
    await one.call(user)
    await two.refused('no_session', user)
    await world.nobody().refused('wrong_login', login, credentials(dealer))
    await world.signIn(dealer.name, 'a-new-password')
  })

  test('cannot change the password without the present one', async () => {
    const { dealer } = await world.family()
    const other = await world.signIn(dealer.name)
    const wrong = { old_password: 'not-the-present', password: 'a-new-password' }
    const { errors } = await dealer.refused('wrong_password', password, wrong)
    expect(errors).toEqual({ old_password: 'The present password is not right.' })
    await other.call(user)
    for (const short of ['x'.repeat(7), 'x'.repeat(129)]) {
      const refusal = await dealer.refused('invalid_input', password, {
        old_password: PASSWORD,
        password: short,
      })
      expect(refusal.errors).toEqual({ password: 'Password should be between 8 and 128 characters' })
    }
  })

  test('that has ended tries no password, though it was used a moment ago', async () => {
    const { dealer } = await world.family({ credits: 1 })
    const { name } = await world.client(dealer)
    await dealer.call(calls.clients.renew, { name, months: 1 })
    await dealer.call(logout)
    const { ownerSql } = world.server
    const answers = await ownerSql.begin(async (sql) => {
      // Somebody who tries one waits here.
      await sql`lock table login_try in access exclusive mode`
      const change = { old_password: 'not-the-present', password: 'a-new-password' }
      return [
        await dealer.send(password, change),
        await dealer.send(calls.clients.renew, { name, months: 1 }),
      ]
    })
    for (const { body } of answers) expect(body).toMatchObject({ code: 'no_session' })
  })

  test('records each wrong present password as a wrong login of the account, also in the audit', async () => {
    const { dealer } = await world.family()
    const wrong = { old_password: 'not-the-present', password: 'a-new-password' }
    for (let tried = 0; tried < 10; tried += 1) await dealer.refused('wrong_password', password, wrong)
    expect(await world.nobody().send(login, credentials(dealer))).toMatchObject({ status: 429 })
    const right = { old_password: PASSWORD, password: 'a-new-password' }
    const closed = await dealer.send(password, right)
    expect(closed).toMatchObject({ status: 429, body: { code: 'too_many_tries' } })
    expect(closed.headers.get('retry-after')).toBe('900')
    const trail = await world.server.sql<{ event: string; count: number }[]>`
      select event, count(*) from audit where account = ${dealer.id} group by event order by event`
    expect(trail).toEqual([{ event: 'session.password.failed', count: 10 }])
    world.clock.pass({ minutes: 15 })
    await dealer.call(password, right)
  })

  test('records nothing of a wrong present password where a part of it cannot be recorded', async () => {
    const { dealer } = await world.family()
    const { ownerSql, sql } = world.server
    await ownerSql`alter table sign_in add constraint none_failed check (outcome <> 'failed') not valid`
    try {
      const wrong = { old_password: 'not-the-present', password: 'a-new-password' }
      await expect(dealer.send(password, wrong)).rejects.toThrow('answered 500')
    } finally {
      await ownerSql`alter table sign_in drop constraint none_failed`
    }
    expect(await sql`select event from audit where account = ${dealer.id}`).toEqual([])
    expect(await sql`select name from login_try where name = ${dealer.name.toLowerCase()}`).toEqual([])
  })

  test('may repeat a change of the password under its key, which is no wrong login', async () => {
    const { dealer } = await world.family()
    const change = { old_password: PASSWORD, password: 'a-new-password' }
    for (let times = 0; times < 12; times += 1) await dealer.call(password, change, { key: 'once' })
  })

  test('is told that the password was changed also where its try cannot be counted as right', async () => {
    const { dealer } = await world.family()
    const { ownerSql } = world.server
    await ownerSql.unsafe(`
      create function lose() returns trigger language plpgsql as $$ begin raise 'lost'; end $$;
      create trigger lose before update on login_try for each row execute function lose()`)
    const change = { old_password: PASSWORD, password: 'a-new-password' }
    expect(await dealer.call(password, change)).toEqual({ status: 'OK' })
    await ownerSql`drop function lose cascade`
    await world.signIn(dealer.name, 'a-new-password')
  })

  test('may send several changes of the password at once, and one of them succeeds', async () => {
    const { dealer } = await world.family()
    const change = (to: string) =>
      dealer.send(password, { old_password: PASSWORD, password: to }, { key: to })
    const answers = await Promise.all(
      ['first', 'second', 'third', 'fourth'].map((one) => change(`${one}-password`)),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400])
  })

  test('of the admin ends when npm run admin-password sets a new password', async () => {
    const own = await openWorld()
    try {
      expect(await setAdminPassword(own.server.sql, 'set-at-the-machine')).toBe('admin')
      await own.admin.refused('no_session', user)
      await own.nobody().refused('wrong_login', login, credentials(own.admin))
      await own.signIn('admin', 'set-at-the-machine')
      const trail = await own.server.sql`select event, address from audit where event like 'admin.%'`
      expect(trail).toEqual([{ event: 'admin.password', address: null }])
    } finally {
      await own.close()
    }
  })
})

describe('a sign-in under way while the password is changed', () => {
  test('is refused if the password that it checked has been changed', async () => {
    const { dealer } = await world.family()
    const { ownerSql } = world.server
    let answer: Promise<{ status: number }> | undefined
    await ownerSql.begin(async (sql) => {
      await sql`update account set password = (select password from account where role = 'admin')
        where id = ${dealer.id}`
      await sql`delete from session where account = ${dealer.id}`
      answer = world.nobody().send(login, credentials(dealer))
      await Promise.race([answer, somebodyWaits(sql)])
    })
    expect(await answer).toMatchObject({ status: 401, body: { code: 'wrong_login' } })
    expect(await world.server.sql`select from session where account = ${dealer.id}`).toEqual([])
  })

  test.each([
    [
      'its parent',
      (parent: Person, { name }: Person) =>
        parent.call(calls.level.dealer.changePassword, { name, password: 'set-by-the-parent' }),
    ],
    [
      'the account itself',
      (_parent: Person, own: Person) =>
        own.call(password, { old_password: PASSWORD, password: 'set-by-itself' }),
    ],
  ])('leaves no session that used the old password: changed by %s', async (_whom, change) => {
    for (let round = 0; round < 12; round += 1) {
      const { reseller, dealer } = await world.family()
      const [, ...signedIn] = await Promise.all([
        change(reseller, dealer),
        ...[1, 2, 3].map(() => world.nobody().send(login, credentials(dealer))),
      ])
      for (const { status, body } of signedIn) {
        if (status === 200) await world.nobody((body as { token: string }).token).refused('no_session', user)
        else expect(status).toBe(401)
      }
      world.clock.pass({ minutes: 16 })
    }
  })
})

describe('a renewal', () => {
  test.each<[string, (scene: Scene) => Promise<unknown>]>([
    ['its session is logged out', ({ dealer }) => dealer.call(logout)],
    ['its session expires', async () => world.clock.pass({ hours: 1 })],
    [
      'its parent sets the password',
      ({ reseller, dealer: { name } }) =>
        reseller.call(calls.level.dealer.changePassword, { name, password: 'set-by-the-parent' }),
    ],
  ])('whose body arrives after %s is refused, and spends nothing', async (_what, end) => {
    const scene = await newScene()
    const { dealer, name } = scene
    const { renew } = calls.clients
    const [right, unknown] = [
      hold(dealer, renew, { name, months: 1 }),
      hold(dealer, renew, { name: 'nobody-has-it', months: 1 }),
    ]
    // What comes later on other connections is answered later.
    for (let times = 0; times < 3; times += 1) await dealer.call(user)
    await end(scene)
    // Nor is told what would be said of the one that is not there.
    for (const finish of [right, unknown]) expect(await finish()).toBe(401)
    await spentNothing(scene)
  })

  test.each<[string, (scene: Scene) => Promise<unknown>]>([
    ['a logout', ({ dealer }) => dealer.call(logout)],
    [
      'a new password',
      ({ reseller, dealer: { name } }) =>
        reseller.call(calls.level.dealer.changePassword, { name, password: 'set-by-the-parent' }),
    ],
  ])('that waits for a lock on the credits during %s is refused, and spends nothing', async (_what, end) => {
    const scene = await newScene()
    const { dealer, name } = scene
    let answer: Promise<{ status: number }> | undefined
    await world.server.ownerSql.begin(async (sql) => {
      await sql`select from holding where account = ${dealer.id} for update`
      answer = dealer.send(calls.clients.renew, { name, months: 1 })
      await somebodyWaits(sql)
      await end(scene)
    })
    expect(await answer).toMatchObject({ status: 401, body: { code: 'no_session' } })
    await spentNothing(scene)
  })

  type Scene = { reseller: Person; dealer: Person; name: string }

  async function newScene(): Promise<Scene> {
    const { reseller, dealer } = await world.family({ credits: 5 })
    const { name } = await world.client(dealer, { months: 1 })
    return { reseller, dealer: await world.signIn(dealer.name), name }
  }

  async function spentNothing({ dealer }: Scene): Promise<void> {
    expect((await (await world.again(dealer)).call(calls.credits.dealer)).credits).toBe(4)
  }
})

test('only one of two logouts of a session at the same time succeeds', async () => {
  for (let round = 0; round < 10; round += 1) {
    const person = await world.signIn(people.reseller.name)
    const answers = await Promise.all([person.send(logout), person.send(logout)])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401])
  }
})

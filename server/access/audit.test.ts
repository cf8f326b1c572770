import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import * as z from 'zod/mini'
import { call, Done } from '../../contract/call.ts'
import { calls } from '../../contract/calls.ts'
import { secret } from '../../contract/secret.ts'
import { LIST } from '../../test/support/exports.ts'
import { newClient, openWorld, PASSWORD, suiteWorld, unique } from '../../test/support/world.ts'
import { audit } from './audit.ts'

const world = await suiteWorld({ env: { TRUSTED_PROXIES: '127.0.0.1' } })

type Row = { event: string; account: string | null; address: string; at: string; detail: unknown }

async function trail(): Promise<Row[]> {
  return world.server.sql<Row[]>`
    select event, a.name as account, address, at, detail from audit left join account a on a.id = audit.account
    order by audit.id`
}

async function newRows(act: () => Promise<unknown>): Promise<Row[]> {
  const before = (await trail()).length
  await act()
  return (await trail()).slice(before)
}

describe('the audit trail', () => {
  test('records who did what, when and from which address', async () => {
    const { dealer } = await world.family({ credits: 3 })
    const input = newClient({ months: 1, desc: 'Hall' })
    const [row, ...more] = await newRows(() =>
      dealer.call(calls.clients.create, input, { headers: { 'x-forwarded-for': '203.0.113.9' } }),
    )
    const { password: _, ...kept } = input
    expect(row).toEqual({
      event: 'clients.create',
      account: dealer.name,
      address: '203.0.113.9',
      at: world.clock.now.toISOString(),
      detail: { ...kept, ministra: false, phone: '' },
    })
    expect(more).toEqual([])
  })

  test('records every sign-in and every failed one', async () => {
    const { dealer } = await world.family()
    const unknown = unique()
    const rows = await newRows(async () => {
      await world.signIn(dealer.name)
      for (const login_username of [dealer.name, unknown]) {
        await world
          .nobody()
          .refused('wrong_login', calls.session.login, { login_username, login_password: 'wrong' })
      }
    })
    expect(rows.map(({ event, account, detail }) => [event, account, detail])).toEqual([
      ['session.login', dealer.name, { name: dealer.name }],
      ['session.login.failed', dealer.name, { name: dealer.name }],
      ['session.login.failed', null, { name: expect.stringMatching(/^digest [0-9a-f]{64}$/) }],
    ])
  })

  test('records a failed sign-in in one transaction, so that it takes no longer where there is such an account', async () => {
    const { dealer } = await world.family()
    const refuse = (login_username: string) =>
      world.nobody().refused('wrong_login', calls.session.login, { login_username, login_password: 'wrong' })
    const { sql } = world.server
    for (const name of [dealer.name, unique()]) {
      await refuse(name)
      const [written] = await sql<{ audit: string; tried: string; kept: string | null }[]>`
        select
          (select xmin::text from audit where event = 'session.login.failed' order by id desc limit 1) as audit,
          (select xmin::text from login_try order by id desc limit 1) as tried,
          (select xmin::text from sign_in where account = ${dealer.id} order by id desc limit 1) as kept`
      expect(written?.tried, name).toBe(written?.audit)
      if (name === dealer.name) expect(written?.kept).toBe(written?.audit)
    }
  })

  test('records no refused call and no repeat under a key', async () => {
    const { dealer } = await world.family({ credits: 1 })
    const { name } = await world.client(dealer)
    const rows = await newRows(async () => {
      await dealer.refused('insufficient_credits', calls.clients.renew, { name, months: 2 })
      await dealer.call(calls.clients.list)
      for (let times = 0; times < 2; times += 1) {
        await dealer.call(calls.clients.renew, { name, months: 1 }, { key: 'once' })
      }
    })
    expect(rows.map(({ event }) => event)).toEqual(['clients.renew'])
  })

  test('keeps of a large input the names of its fields, with sizes and digests, but every client that a change names', async () => {
    const { dealer } = await world.family()
    const filters = (fill: string) =>
      Object.fromEntries(
        Array.from({ length: 100 }, (_, at) => [`filter ${at}`, { search: fill.repeat(90) }]),
      )
    const texts = ['x', 'y'].map((fill) => JSON.stringify(filters(fill)))
    const rows = await newRows(async () => {
      for (const fill of ['x', 'y'])
        await dealer.call(calls.session.savePreferences, { shortcuts: false, filters: filters(fill) })
    })
    expect(rows.map(({ detail }) => detail)).toEqual(
      texts.map((text) => {
        const sha256 = createHash('sha256').update(text).digest('hex')
        return { shortcuts: false, filters: { characters: text.length, sha256 } }
      }),
    )
    const clients = Array.from({ length: 300 }, () => unique())
    const input = { clients, months: 1 }
    const [renewal] = await newRows(() =>
      audit(world.server.sql, calls.clients.multirenew, [{ address: '127.0.0.1', account: dealer, input }]),
    )
    expect(renewal?.detail).toEqual(input)
    const { name } = await world.client(dealer, { months: 0 })
    const selection = { ...LIST, clients: [name, ...clients] }
    const [exported] = await newRows(() => dealer.call(calls.clients.export, selection))
    const text = JSON.stringify(selection.clients)
    const sha256 = createHash('sha256').update(text).digest('hex')
    expect(exported?.detail).toEqual({ ...LIST, clients: { characters: text.length, sha256 } })
  })

  test('refuses changes to its rows, even by the owner of the tables', async () => {
    await world.family({ credits: 1 })
    const { sql, ownerSql } = world.server
    for (const statement of ['update audit set event = event', 'delete from audit', 'truncate audit']) {
      await expect(sql.unsafe(statement), statement).rejects.toMatchObject({ code: '42501' })
      await expect(ownerSql.unsafe(statement), statement).rejects.toMatchObject({ code: '42501' })
    }
  })
})

test('the secret fields of a new call stay out of the audit without further code', async () => {
  const { dealer } = await world.family()
  const pair = call({
    method: 'POST',
    path: '/api/pair',
    roles: ['dealer'],
    summary: 'A call that nobody wrote a list of secrets for',
    input: z.strictObject({
      login: z.string(),
      pin: secret(z.string()).check(z.minLength(4)),
      spare: z.optional(z.nullable(secret(z.string()))),
      boxes: z.array(z.object({ mac: z.string(), code: secret(z.string()) })),
    }),
    output: Done,
  })
  const [row] = await newRows(async () => {
    const { sql } = world.server
    const boxes = [{ mac: '00:1A:79:00:00:01', code: 'planted' }]
    const input = { login: 'tv100', pin: 'planted', spare: 'planted', boxes }
    await audit(sql, pair, [{ address: '127.0.0.1', account: dealer, input }])
  })
  expect(row?.detail).toEqual({ login: 'tv100' })
})

test('no secret is stored in a log, an audit row or any other row', async () => {
  const planted = {
    account: 'planted-account',
    own: 'planted-own-password',
    guess: 'planted-wrong-guess',
    client: 'planted-client',
    changed: 'planted-changed',
    captcha: 'planted-captcha-answer',
  }
  const { reseller } = await world.family()
  const login = unique()
  await reseller.call(calls.level.dealer.create, { login, password: planted.account })
  await world.nobody().send(calls.session.login, { login_username: login, login_password: planted.guess })
  const { token } = await world.nobody().call(calls.session.login, {
    login_username: login,
    login_password: planted.account,
    g_recaptcha_response: planted.captcha,
  })
  const dealer = world.nobody(token)
  const { login: name } = newClient()
  await dealer.call(calls.clients.create, newClient({ login: name, password: planted.client }), {
    key: unique(),
  })
  await dealer.call(calls.clients.save, { login: name, password: planted.changed }, { key: unique() })
  await dealer.call(calls.clients.detail, { name })
  await dealer.call(
    calls.session.password,
    { old_password: planted.account, password: planted.own },
    { key: unique() },
  )
  await reseller.call(
    calls.level.dealer.changePassword,
    { name: login, password: PASSWORD },
    { key: unique() },
  )
  await dealer.send(calls.clients.create, { ...newClient(), password: ['planted-in-a-list'] })
  await dealer.fetch('POST', '/v1/authenticate', {
    headers: { 'content-type': 'application/json' },
    body: '{"login_password": "planted-malformed',
  })
  const everything = [...world.server.logged, ...(await world.stored()).values()].join('\n')
  expect(everything).toContain(name)
  expect(everything).not.toContain('planted')
  expect(everything).not.toContain(token)
})

test('an error of the database is logged without the row that it quotes', async () => {
  const broken = await openWorld()
  try {
    await broken.server.ownerSql`alter table account add constraint never check (id < 0) not valid`
    const input = { login: unique(), password: PASSWORD }
    const { status } = await broken.admin.fetch('POST', '/v1/admin/superreseller', {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(input),
    })
    expect(status).toBe(500)
    const logged = broken.server.logged.join('\n')
    expect(logged).toContain('violates check constraint')
    for (const secret of ['argon2id', 'Failing row', input.login, PASSWORD]) {
      expect(logged).not.toContain(secret)
    }
  } finally {
    await broken.close()
  }
})

import { describe, expect, test } from 'vitest'
import { calls } from '../../../contract/calls.ts'
import { LEVEL_NAMES, LEVELS, type LevelName } from '../../../contract/levels.ts'
import { holdOpen, somebodyWaits } from '../../../test/support/hold.ts'
import {
  type Family,
  openWorld,
  PASSWORD,
  type Person,
  suiteWorld,
  unique,
} from '../../../test/support/world.ts'

const world = await suiteWorld()

const ADD = 0
const REMOVE = 1

/** Makes an account of a level and its owner, in a branch of the tree that no other test uses. */
async function pairOf(
  level: LevelName,
  credits = 0,
): Promise<{ owner: Person; child: Person; family: Family }> {
  const family = await world.family({ credits, to: level })
  const { owner } = LEVELS[level]
  return { owner: owner === 'admin' ? world.admin : family[owner], child: family[level], family }
}

describe.each(LEVEL_NAMES)('a %s', (level) => {
  const { list, create, detail, save, changePassword } = calls.level[level]

  test('is created with no credits, and can sign in', async () => {
    const { owner } = await pairOf(level)
    const login = unique()
    expect(await owner.call(create, { login, password: PASSWORD })).toEqual({ status: 'OK', name: login })
    expect(await owner.call(detail, { name: login })).toEqual({
      name: login,
      credits: 0,
      description: '',
      created: world.clock.now.toISOString(),
    })
    expect((await world.signIn(login)).role).toBe(level)
  })

  test('has its name stored as typed, and is found in any case', async () => {
    const { owner } = await pairOf(level)
    const login = `Mixed.${unique()}`
    await owner.call(create, { login, password: PASSWORD })
    expect(await owner.call(detail, { name: login.toUpperCase() })).toMatchObject({ name: login })
  })

  test('is on the list of its owner alone', async () => {
    const { owner, child } = await pairOf(level, 3)
    const other = await pairOf(level)
    const { data, count, onDate } = await owner.call(list)
    expect(onDate).toBe(world.clock.now.toISOString())
    expect(count).toBe(data.length)
    expect(data.filter(({ name }) => name === child.name)).toEqual([
      expect.objectContaining({ accountId: child.id, credits: 3, description: '', name: child.name }),
    ])
    const seen = data.some(({ name }) => name === other.child.name)
    expect(seen).toBe(owner.role === 'admin')
  })

  test('gets credits from its owner and gives them back', async () => {
    const { owner, child } = await pairOf(level, 5)
    expect(await balance(child)).toBe(5)
    const given = await owner.call(save, { name: child.name, credits: 2, transaction: REMOVE })
    expect(given).toEqual({ status: 'OK', credits: 3 })
    expect(await balance(child)).toBe(3)
    if (owner.role !== 'admin') expect(await balance(owner)).toBe(2)
    const got = await owner.call(save, { name: child.name, credits: 1, transaction: ADD })
    expect(got.credits).toBe(4)
  })

  test('cannot give back more than it holds', async () => {
    const { owner, child } = await pairOf(level, 5)
    const { message } = await owner.refused('insufficient_credits', save, {
      name: child.name,
      credits: 6,
      transaction: REMOVE,
    })
    expect(message).toBe(`${child.name} has 5 credits; 6 cannot be removed.`)
    expect(await balance(child)).toBe(5)
  })

  test('gets a transaction for each change of its credits, which names who acted', async () => {
    const { owner, child } = await pairOf(level, 5)
    await owner.call(save, { name: child.name, credits: 2, desc: 'Back', transaction: REMOVE })
    const rows = (await child.call(calls.desk[level].transactions)).filter(
      ({ login }) => login === child.name,
    )
    expect(
      rows.map(({ type, credits, actor, description, mac, expiry }) => [
        type,
        credits,
        actor,
        description,
        mac,
        expiry,
      ]),
    ).toEqual([
      ['REMOVE', 2, owner.name, 'Back', null, null],
      ['ADD', 5, owner.name, '', null, null],
    ])
  })

  test('can get a new description with 0 credits, which adds no transaction', async () => {
    const { owner, child } = await pairOf(level)
    for (const transaction of [ADD, REMOVE] as const) {
      const desc = `Shop ${transaction}`
      expect(await owner.call(save, { name: child.name, credits: 0, desc, transaction })).toEqual({
        status: 'OK',
        credits: 0,
      })
      expect(await owner.call(detail, { name: child.name })).toMatchObject({ description: desc })
    }
    expect(await owner.call(calls.level[level].history, { name: child.name })).toEqual([])
  })

  test('keeps its description if none is sent, and loses it if it is empty', async () => {
    const { owner, child } = await pairOf(level, 1)
    await owner.call(save, { name: child.name, credits: 0, desc: 'Shop', transaction: ADD })
    await owner.call(save, { name: child.name, credits: 1, transaction: REMOVE })
    expect(await owner.call(detail, { name: child.name })).toMatchObject({ description: 'Shop' })
    await owner.call(save, { name: child.name, credits: 0, desc: '', transaction: ADD })
    expect(await owner.call(detail, { name: child.name })).toMatchObject({ description: '' })
  })

  test('keeps its description if the change of its credits is refused', async () => {
    const { owner, child } = await pairOf(level)
    await owner.refused('insufficient_credits', save, {
      name: child.name,
      credits: 1,
      desc: 'New',
      transaction: REMOVE,
    })
    expect(await owner.call(detail, { name: child.name })).toMatchObject({ description: '' })
  })

  test('is described in a transaction as it is then, though its description is changed while that waits', async () => {
    const { owner, child } = await pairOf(level, 9)
    const { name, id } = child
    const { ownerSql, sql } = world.server
    const release = await holdOpen(
      ownerSql,
      (sql) => sql`select from holding where account = ${id} for update`,
    )
    const changes: Record<number, { desc?: string }> = { 3: { desc: 'new' }, 2: { desc: '' }, 1: {} }
    const saving = [3, 2, 1].map(async (credits, at) => {
      if (at > 0) await somebodyWaits(sql, at)
      return owner.call(save, { name, transaction: REMOVE, credits, ...changes[credits] })
    })
    await somebodyWaits(sql, saving.length)
    await release()
    await Promise.all(saving)
    // In whatever order they came to their turns.
    let now = ''
    const { data } = await child.call(calls.transactions.list)
    for (const { credits, description } of data.slice(0, 3).reverse()) {
      now = changes[credits]?.desc ?? now
      expect([credits, description]).toEqual([credits, now])
    }
    expect(await owner.call(detail, { name })).toMatchObject({ description: now })
  })

  test('gets a new password from its owner, which ends its sessions', async () => {
    const { owner, child } = await pairOf(level)
    await owner.call(changePassword, { name: child.name, password: 'another-password' })
    await child.refused('no_session', calls.session.user)
    await world.nobody().refused('wrong_login', calls.session.login, {
      login_username: child.name,
      login_password: PASSWORD,
    })
    await world.signIn(child.name, 'another-password')
  })

  test('can be changed only by its direct owner', async () => {
    const { owner, family } = await pairOf(level)
    const others = [family.superreseller, family.reseller, family.dealer].filter(({ role }) => role !== level)
    const stranger = (await pairOf(level)).child
    const strangers = owner.role === 'admin' ? [] : [stranger]
    for (const { name } of [...others, ...strangers, owner]) {
      await owner.refused('not_found', detail, { name })
      await owner.refused('not_found', save, { name, credits: 1, transaction: ADD })
      await owner.refused('not_found', changePassword, { name, password: PASSWORD })
      await owner.refused('not_found', calls.level[level].history, { name })
    }
  })
})

describe('an account name', () => {
  test.each(['', 'ab', 'a'.repeat(33), 'with space', 'Grüße', 'a/b', 'tab\tname', 'nul\0name'])(
    'has 3 to 32 letters, digits, dots, underscores and dashes: not %j',
    async (login) => {
      const { errors } = await world.admin.refused('invalid_input', calls.level.superreseller.create, {
        login,
        password: PASSWORD,
      })
      expect(errors).toHaveProperty('login')
    },
  )

  test.each([3, 32])('may have %i characters', async (length) => {
    const login = `._-${'x'.repeat(length)}`.slice(0, length).replace('x', unique().slice(-1))
    const made = await world.admin.call(calls.level.superreseller.create, { login, password: PASSWORD })
    expect(made.name).toBe(login)
  })

  test('is refused where any account has it, in any case', async () => {
    const { reseller, dealer, superreseller } = await world.family()
    const taken = {
      status: 'ERROR',
      code: 'name_taken',
      message: 'This login is taken.',
      errors: { login: 'This login is taken.' },
    }
    for (const { name } of [world.admin, superreseller, reseller, dealer]) {
      for (const login of [name, name.toUpperCase()]) {
        expect(
          await reseller.refused('name_taken', calls.level.dealer.create, { login, password: PASSWORD }),
        ).toEqual(taken)
      }
    }
  })

  test('goes to only one of two people who take it at the same time', async () => {
    const { reseller } = await world.family()
    const login = unique()
    const answers = await Promise.all(
      Array.from({ length: 4 }, () =>
        reseller.send(calls.level.dealer.create, { login, password: PASSWORD }),
      ),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400])
    expect(
      (await reseller.call(calls.level.dealer.list)).data.filter(({ name }) => name === login),
    ).toHaveLength(1)
  })
})

describe('an account password', () => {
  test.each(['', 'x'.repeat(7), 'x'.repeat(129)])('has 8 to 128 characters: not %j', async (password) => {
    const { errors } = await world.admin.refused('invalid_input', calls.level.superreseller.create, {
      login: unique(),
      password,
    })
    expect(errors).toEqual({ password: 'Password should be between 8 and 128 characters' })
  })

  test('is stored only as an argon2id hash', async () => {
    const login = unique()
    await world.admin.call(calls.level.superreseller.create, { login, password: 'a secret of mine' })
    const [row] = await world.server.sql<{ account: string; password: string }[]>`
      select account::text, password from account where name = ${login}`
    expect(row?.password).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}$/)
    expect(row?.account).not.toContain('a secret of mine')
  })
})

describe('credits', () => {
  test('can be issued by the admin without limit', async () => {
    const { superreseller } = await world.family()
    await world.give(world.admin, superreseller, 30_000)
    expect(await balance(superreseller)).toBe(30_000)
  })

  test('cannot be added beyond what the caller has, and the refusal says how much that is', async () => {
    const { superreseller, reseller } = await world.family()
    await world.give(world.admin, superreseller, 3)
    const change = { name: reseller.name, credits: 12, transaction: ADD } as const
    const { message } = await superreseller.refused('insufficient_credits', calls.level.reseller.save, change)
    expect(message).toBe('You have 3 credits; this needs 12.')
    expect([await balance(superreseller), await balance(reseller)]).toEqual([3, 0])
  })

  test.each([-1, 0.5, 10_001, 1e21, '5', null, [5], true])(
    'move in whole numbers from 0 to 10,000: not %j',
    async (credits) => {
      const { superreseller, reseller } = await world.family({ credits: 1 })
      const answer = await superreseller.send(calls.level.reseller.save, {
        name: reseller.name,
        credits,
        transaction: ADD,
      })
      expect(answer.status).toBe(400)
      expect(answer.body).toMatchObject({ code: 'invalid_input', errors: { credits: expect.any(String) } })
    },
  )

  test.each([2, -1, '0', true, null])('move by transaction 0 or 1: not %j', async (transaction) => {
    const { superreseller, reseller } = await world.family()
    const answer = await superreseller.send(calls.level.reseller.save, {
      name: reseller.name,
      credits: 1,
      transaction,
    })
    expect(answer.body).toMatchObject({
      code: 'invalid_input',
      errors: { transaction: 'Transaction must be 0 (add) or 1 (remove)' },
    })
  })

  test('may be any whole number, not only those that the console offers', async () => {
    const { superreseller } = await world.family()
    const { credits } = await world.admin.call(calls.level.superreseller.save, {
      name: superreseller.name,
      credits: 1_234,
      transaction: ADD,
    })
    expect(credits).toBe(1_234)
  })
})

test('a description has at most 100 characters', async () => {
  const { superreseller } = await world.family()
  const change = { name: superreseller.name, credits: 0, transaction: ADD } as const
  await world.admin.call(calls.level.superreseller.save, { ...change, desc: 'ü'.repeat(100) })
  const { errors } = await world.admin.refused('invalid_input', calls.level.superreseller.save, {
    ...change,
    desc: 'x'.repeat(101),
  })
  expect(errors).toEqual({ desc: 'Description cannot exceed 100 characters' })
})

test('the list of superresellers counts the accounts and clients beneath each, and all clients', async () => {
  const own = await openWorld()
  try {
    const one = await own.family({ credits: 5 })
    const two = await own.family()
    await own.child(one.superreseller)
    await own.child(one.reseller)
    await own.client(one.dealer)
    await own.client(two.dealer)
    const gone = await own.client(two.dealer)
    await own.admin.call(calls.admin.remove, { name: gone.name })
    await own.clock.pass({ days: 60 })
    const { data, count, totalClients } = await own.admin.call(calls.level.superreseller.list)
    const counts = new Map(
      data.map(({ name, resellers, dealers, clients }) => [name, [resellers, dealers, clients]]),
    )
    expect(counts.get(one.superreseller.name)).toEqual([2, 2, 1])
    expect(counts.get(two.superreseller.name)).toEqual([1, 1, 1])
    expect([count, totalClients]).toEqual([2, 2])
  } finally {
    await own.close()
  }
})

describe('the list of users', () => {
  test('has the caller and every account beneath it', async () => {
    const own = await openWorld()
    try {
      const one = await own.family()
      const two = await own.family()
      const sibling = await own.child(one.reseller)
      const rows = (...people: Person[]) =>
        people.map(({ name, role }) => ({ name, role })).sort((a, b) => (a.name < b.name ? -1 : 1))
      const all = [own.admin, ...Object.values(one), ...Object.values(two), sibling]
      const seen = async (person: Person) =>
        (await person.call(calls.session.users)).sort((a, b) => (a.name < b.name ? -1 : 1))
      expect(await seen(own.admin)).toEqual(rows(...all))
      expect(await seen(one.superreseller)).toEqual(
        rows(one.superreseller, one.reseller, one.dealer, sibling),
      )
      expect(await seen(one.reseller)).toEqual(rows(one.reseller, one.dealer, sibling))
      expect(await seen(two.dealer)).toEqual(rows(two.dealer))
    } finally {
      await own.close()
    }
  })
})

async function balance(person: Person): Promise<number> {
  return (await person.call(calls.credits[person.role as LevelName])).credits
}

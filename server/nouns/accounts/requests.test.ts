import { afterAll, describe, expect, test } from 'vitest'
import { calls } from '../../../contract/calls.ts'
import { proveTheBooks } from '../../../test/support/books.ts'
import { somebodyWaits } from '../../../test/support/hold.ts'
import { suiteWorld, unique } from '../../../test/support/world.ts'

const { own, ask, withdraw, list, grant, decline } = calls.requests

const world = await suiteWorld()
const second = await world.another()
afterAll(() => second.close())

describe('a request for credits', () => {
  test('is seen by the parent alone, and granted as a transfer of the parent', async () => {
    const { superreseller, reseller, dealer } = await world.family({ credits: 50, to: 'reseller' })
    const { id } = await dealer.call(ask, { credits: 30, note: 'For March\n' })
    expect(await reseller.call(list)).toEqual({
      data: [
        {
          id,
          created: world.clock.now.toISOString(),
          name: dealer.name,
          role: 'dealer',
          balance: 0,
          credits: 30,
          note: 'For March',
          suspended: false,
        },
      ],
      ended: [],
    })
    for (const other of [superreseller, world.admin, (await world.family()).reseller]) {
      expect((await other.call(list)).data.map((one) => one.id)).not.toContain(id)
      // Not even what was asked for is told.
      await other.refused('not_found', grant, { id, credits: 31 })
      await other.refused('not_found', decline, { id })
    }
    expect(await reseller.call(grant, { id, credits: 30 })).toEqual({ status: 'OK', credits: 30 })
    expect((await reseller.call(list)).data).toEqual([])
    expect(await dealer.call(own)).toMatchObject({
      parent: reseller.name,
      data: [{ id, state: 'granted', credits: 30, granted: 30, answered: world.clock.now.toISOString() }],
    })
    const [row] = await reseller.call(calls.desk.reseller.transactions)
    expect(row).toMatchObject({ type: 'ADD', credits: 30, login: dealer.name, actor: reseller.name })
    await proveTheBooks(world.server.sql, [superreseller.id])
  })

  test('is granted in part, but never beyond what was asked or what the parent has', async () => {
    const { reseller, dealer } = await world.family({ credits: 10, to: 'reseller' })
    const { id } = await dealer.call(ask, { credits: 20 })
    const { errors } = await reseller.refused('invalid_input', grant, { id, credits: 21 })
    expect(errors).toEqual({ credits: `${dealer.name} asked for 20 credits: grant 20 or fewer.` })
    await reseller.refused('insufficient_credits', grant, { id, credits: 11 })
    expect((await dealer.call(own)).data[0]).toMatchObject({ state: 'open', granted: null })
    await reseller.call(grant, { id, credits: 4 })
    expect((await dealer.call(own)).data[0]).toMatchObject({ state: 'granted', credits: 20, granted: 4 })
  })

  test('is declined with a note that the child reads', async () => {
    const { reseller, dealer } = await world.family()
    const { id } = await dealer.call(ask, { credits: 20 })
    await reseller.call(decline, { id, note: '  Pay first\n' })
    expect((await dealer.call(own)).data[0]).toMatchObject({ state: 'declined', answer: 'Pay first' })
    await reseller.refused('changed_since', grant, { id, credits: 1 })
  })

  test('is one at a time, and withdrawn by its child alone', async () => {
    const { reseller, dealer } = await world.family()
    const { id } = await dealer.call(ask, { credits: 5 })
    await dealer.refused('already_asked', ask, { credits: 6 })
    await (await world.child(reseller)).refused('not_found', withdraw, { id })
    await dealer.call(withdraw, { id })
    await dealer.refused('changed_since', withdraw, { id })
    await reseller.refused('changed_since', grant, { id, credits: 5 })
    await dealer.call(ask, { credits: 6 })
    expect((await dealer.call(own)).data.map(({ state }) => state)).toEqual(['open', 'withdrawn'])
  })

  test.each([0, -1, 10_001, 1.5, '5', null])('is for 1 to 10,000 credits: not %j', async (credits) => {
    const { dealer } = await world.family()
    const { body } = await dealer.send(ask, { credits })
    expect(body).toMatchObject({ code: 'invalid_input' })
  })

  test('of a suspended child gives it nothing until that is lifted', async () => {
    const { reseller, dealer } = await world.family({ credits: 9, to: 'reseller' })
    const { id } = await dealer.call(ask, { credits: 5 })
    await reseller.call(calls.tree.suspend, { name: dealer.name })
    expect((await reseller.call(list)).data).toMatchObject([{ id, suspended: true }])
    const { message, errors } = await reseller.refused('account_suspended', grant, { id, credits: 5 })
    expect(message).toBe(`${dealer.name} is suspended. Credits can be added once its suspension is lifted.`)
    expect(errors).toEqual({ credits: message })
    await reseller.call(calls.tree.lift, { name: dealer.name })
    expect((await reseller.call(grant, { id, credits: 5 })).credits).toBe(5)
  })

  test('that was withdrawn is not read by any list, however many of them an account makes', async () => {
    const { superreseller, reseller, dealer } = await world.family()
    const { id } = await dealer.call(ask, { credits: 5 })
    await superreseller.call(calls.tree.move, {
      name: dealer.name,
      to: (await world.child(superreseller)).name,
    })
    await world.server.ownerSql`
      insert into credit_request (account, credits, note, created, state, answered)
      select ${dealer.id}, 1, '', now(), 'withdrawn', ${world.clock.now}::timestamptz - nr * interval '1 second'
      from generate_series(1, 20000) nr`
    await world.server.ownerSql`analyze credit_request`
    const read = async () => {
      await world.server.ownerSql`select pg_stat_force_next_flush()`
      const [rows] = await world.server.ownerSql<{ read: number }[]>`
        select seq_tup_read + idx_tup_fetch as read from pg_stat_user_tables where relname = 'credit_request'`
      return rows?.read ?? 0
    }
    const before = await read()
    expect((await reseller.call(list)).ended).toMatchObject([{ id, state: 'withdrawn' }])
    // The server's connection tells what it read at the end of a later statement, at most a second after.
    await new Promise((passed) => setTimeout(passed, 1_200))
    await reseller.call(list)
    await expect.poll(read).toBeGreaterThan(before)
    expect((await read()) - before).toBeLessThan(1_000)
  })

  test('that a move or a closing has ended is told to the parent for 30 days', async () => {
    const { superreseller, reseller, dealer } = await world.family()
    const closed = await world.child(reseller)
    for (const person of [dealer, closed]) await person.call(ask, { credits: 5 })
    const to = await world.child(superreseller)
    await superreseller.call(calls.tree.move, { name: dealer.name, to: to.name })
    await reseller.call(calls.tree.close, { name: closed.name })
    const told = async () => (await reseller.call(list)).ended.map(({ name }) => name).sort()
    world.clock.pass({ days: 30, ms: -1 })
    expect(await told()).toEqual([dealer.name, closed.name].sort())
    world.clock.pass({ ms: 1 })
    expect(await told()).toEqual([])
  })

  test('is among the newest ten that its account sees of its own', async () => {
    const { dealer } = await world.family()
    await world.server.ownerSql`
      insert into credit_request (account, credits, note, created, state, answered)
      select ${dealer.id}, nr, '', ${world.clock.now}, 'withdrawn', ${world.clock.now} from generate_series(1, 11) nr`
    const { data } = await dealer.call(own)
    expect(data.map(({ credits }) => credits)).toEqual([11, 10, 9, 8, 7, 6, 5, 4, 3, 2])
  })

  test('that is granted, declined and withdrawn at once on two servers has one of these outcomes', async () => {
    const won = new Set<string>()
    // On a busy machine one outcome may win many rounds: more follow while no other was seen.
    for (let round = 0; round < 12 || (won.size < 2 && round < 120); round += 1) {
      const { superreseller, reseller, dealer } = await world.family({ credits: 20, to: 'reseller' })
      const { id } = await dealer.call(ask, { credits: 5 })
      const other = world.at(second, reseller)
      const ways = [
        () => reseller.send(grant, { id, credits: 5 }),
        () => other.send(grant, { id, credits: 5 }),
        () => other.send(decline, { id }),
        () => dealer.send(withdraw, { id }),
      ]
      const order = ways.map((_, at) => ways[(at + round) % ways.length] as (typeof ways)[number])
      const answers = await Promise.all(order.map((way) => way()))
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409])
      const [request] = (await dealer.call(own)).data
      won.add(String(request?.state))
      expect((await dealer.call(calls.credits.dealer)).credits).toBe(request?.state === 'granted' ? 5 : 0)
      await proveTheBooks(world.server.sql, [superreseller.id])
    }
    expect([...won].length).toBeGreaterThan(1)
  })

  test('is granted while its account asks again, and neither waits for the other in a circle', async () => {
    const { reseller, dealer } = await world.family({ credits: 9, to: 'reseller' })
    const { id } = await dealer.call(ask, { credits: 5 })
    let granting: Promise<unknown> | undefined
    await world.server.ownerSql.begin(async (sql) => {
      // What asking does, and the grant waits between its two statements.
      await sql`select lock_holdings(array(select id from holding where account = ${dealer.id}))`
      granting = reseller.call(grant, { id, credits: 5 })
      await somebodyWaits(world.server.sql)
      await sql`set local lock_timeout = '500ms'`
      await sql`
        insert into credit_request (account, credits, note, created) values (${dealer.id}, 1, '', now())
        on conflict (account) where state = 'open' do nothing`
    })
    expect(await granting).toEqual({ status: 'OK', credits: 5 })
    expect((await dealer.call(own)).data).toHaveLength(1)
  })

  test('is granted once under one key', async () => {
    const { reseller, dealer } = await world.family({ credits: 20, to: 'reseller' })
    const { id } = await dealer.call(ask, { credits: 5 })
    const key = unique()
    const first = await reseller.call(grant, { id, credits: 5 }, { key })
    expect(await reseller.call(grant, { id, credits: 5 }, { key })).toEqual(first)
    expect((await dealer.call(calls.credits.dealer)).credits).toBe(5)
  })
})

describe('a balance', () => {
  test('is low below the own threshold, else below the one of the parent, and both see it', async () => {
    const { reseller, dealer } = await world.family({ credits: 10 })
    const { name } = dealer
    const marks = async () => {
      const { low, low_below } = await dealer.call(calls.credits.dealer)
      const [listed] = (await reseller.call(calls.level.dealer.list)).data
      const seen = await reseller.call(calls.tree.account, { name })
      expect([listed?.low, seen.low]).toEqual([low, low])
      return [low, low_below]
    }
    expect(await marks()).toEqual([false, null])
    await reseller.call(calls.lowBalance.ofChild, { name, below: 11 })
    expect(await marks()).toEqual([true, null])
    await dealer.call(calls.lowBalance.own, { below: 10 })
    expect(await marks()).toEqual([false, 10])
    await dealer.call(calls.lowBalance.own, { below: 11 })
    expect(await marks()).toEqual([true, 11])
    await dealer.call(calls.lowBalance.own, { below: null })
    await reseller.call(calls.lowBalance.ofChild, { name, below: null })
    expect(await marks()).toEqual([false, null])
  })

  test('has its threshold set by the account itself, its parent and the admin alone', async () => {
    const { superreseller, reseller, dealer } = await world.family()
    const { ofChild } = calls.lowBalance
    await superreseller.refused('not_found', ofChild, { name: dealer.name, below: 5 })
    await reseller.refused('not_found', ofChild, { name: reseller.name, below: 5 })
    await world.admin.call(ofChild, { name: dealer.name, below: 5 })
    expect((await reseller.call(calls.tree.account, { name: dealer.name })).low_below).toBe(5)
  })
})

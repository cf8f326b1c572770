import { describe, expect, test } from 'vitest'
import { calls } from '../../../contract/calls.ts'
import { filesOf, LIST } from '../../../test/support/exports.ts'
import { holdOpen, somebodyWaits } from '../../../test/support/hold.ts'
import { PASSWORD, type Person, suiteWorld, unique } from '../../../test/support/world.ts'
import { hash } from '../../access/seal.ts'

const { clients } = calls

/** What ends the session that a ticket belongs to. */
const ENDS = [
  { what: 'the logout of its session, and not of another', end: logOut },
  { what: "the account's own new password", end: changeOwnPassword },
  { what: 'the new password that its parent gives it', end: resetPassword },
]
type Ending = { own: Person; another: Person; reseller: Person }

function logOut({ own }: Ending) {
  return own.call(calls.session.logout)
}

function changeOwnPassword({ own }: Ending) {
  return own.call(calls.session.password, { old_password: PASSWORD, password: 'another-password' })
}

function resetPassword({ own, reseller }: Ending) {
  return reseller.call(calls.level.dealer.changePassword, { name: own.name, password: 'another-password' })
}

const world = await suiteWorld()
const { fetchFile } = filesOf(world)
const family = await world.family()

describe('the ticket of a file', () => {
  test('works once, even if two requests use it at the same time', async () => {
    const { ticket } = await family.dealer.call(clients.export, LIST)
    const answers = await Promise.all([1, 2, 3].map(() => fetchFile(ticket)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 404, 404])
    expect((await fetchFile(ticket)).status).toBe(404)
  })

  test('works for one minute', async () => {
    const [first, second] = [
      await family.dealer.call(clients.export, LIST),
      await family.dealer.call(clients.export, LIST),
    ]
    world.clock.pass({ seconds: 59 })
    expect((await fetchFile(first.ticket)).status).toBe(200)
    world.clock.pass({ seconds: 1 })
    expect((await fetchFile(second.ticket)).status).toBe(404)
  })

  test('is answered like an unknown one after it was used', async () => {
    const { ticket } = await family.dealer.call(clients.export, LIST)
    await fetchFile(ticket)
    const [spent, unknown] = [await fetchFile(ticket), await fetchFile('x'.repeat(43))]
    expect(spent.text).toBe(unknown.text)
    expect(unknown.body).toMatchObject({ code: 'not_found' })
  })

  test('is stored only as a hash, and a repeat under the same Idempotency-Key gets another ticket', async () => {
    const key = unique()
    const [first, second] = [
      await family.dealer.call(clients.export, LIST, { key }),
      await family.dealer.call(clients.export, LIST, { key }),
    ]
    expect(second.ticket).not.toBe(first.ticket)
    const stored = [...(await world.stored()).values()].join()
    for (const { ticket } of [first, second]) {
      expect(stored).not.toContain(ticket)
      expect((await fetchFile(ticket)).status).toBe(200)
    }
  })

  test.each(ENDS)('stops working after $what', async ({ end }) => {
    const { reseller, dealer } = await world.family()
    const [own, another] = [await world.again(dealer), await world.again(dealer)]
    const { ticket } = await own.call(clients.export, LIST)
    const kept = await another.call(clients.export, LIST)
    await end({ own, another, reseller })
    expect((await fetchFile(ticket)).status).toBe(404)
    expect((await fetchFile(kept.ticket)).status).toBe(end === logOut ? 200 : 404)
  })

  test('is not issued where it waits for the end of its session', async () => {
    const { dealer } = await world.family()
    const own = await world.again(dealer)
    const { ownerSql } = world.server
    const release = await holdOpen(
      ownerSql,
      (sql) => sql`delete from session where token_hash = ${hash(own.token)}`,
    )
    const exporting = own.send(clients.export, LIST)
    await somebodyWaits(world.server.sql)
    await release()
    expect(await exporting).toMatchObject({ status: 401, body: { code: 'no_session' } })
  })

  test('stops working when its session expires', async () => {
    const soon = new Date(world.clock.now.getTime() + 30_000)
    const { ticket } = await (await world.again(family.dealer, soon)).call(clients.export, LIST)
    world.clock.pass({ seconds: 30 })
    expect((await fetchFile(ticket)).status).toBe(404)
  })
})

import { afterEach, expect, test, vi } from 'vitest'
import { calls } from '../../contract/calls.ts'
import { suiteWorld } from '../../test/support/world.ts'
import { hash } from './seal.ts'
import { openSessionLookup } from './session-lookup.ts'

const world = await suiteWorld()
afterEach(() => vi.restoreAllMocks())

function openLookup() {
  return openSessionLookup(world.server.sql, () => world.clock.now)
}

const ENDED = { code: 'no_session' }

test('the account of a session that has ended is remembered for a minute, for calls that judge the session again', async () => {
  const { dealer } = await world.family()
  const { find, findOrRemember } = openLookup()
  const [session, { id, name, role }] = [hash(dealer.token), dealer]
  const asked = performance.now()
  expect(await find(session)).toEqual({ id, name, role })
  const found = performance.now()
  await dealer.call(calls.session.logout)
  await expect(find(session)).rejects.toMatchObject(ENDED)
  expect(await findOrRemember(session)).toEqual({ id, name, role })
  const clock = vi.spyOn(performance, 'now')
  clock.mockReturnValue(asked + 59_000)
  expect(await findOrRemember(session)).toEqual({ id, name, role })
  clock.mockReturnValue(found + 61_000)
  await expect(findOrRemember(session)).rejects.toMatchObject(ENDED)
})

test('an unknown session is nobody’s, however it is asked for', async () => {
  const { find, findOrRemember } = openLookup()
  for (const one of [find, findOrRemember]) await expect(one(hash('unknown'))).rejects.toMatchObject(ENDED)
})

test('the accounts of the 10,000 sessions that were found last are remembered', async () => {
  const { dealer } = await world.family()
  const { find, findOrRemember } = openLookup()
  const { ownerSql } = world.server
  const expiry = new Date(world.clock.now.getTime() + 1_000_000)
  const made = await ownerSql<{ hash: Buffer }[]>`
    insert into session (token_hash, account, created, expiry, address, agent)
    select sha256(convert_to(${dealer.name} || n, 'UTF8')), ${dealer.id}, ${world.clock.now}, ${expiry}, '127.0.0.1', ''
    from generate_series(1, 10001) n returning token_hash as hash`
  // A few at once, because none of them may wait longer than a call does.
  for (let at = 0; at < made.length; at += 1_000)
    await Promise.all(made.slice(at, at + 1_000).map(({ hash }) => find(hash)))
  await ownerSql`delete from session where account = ${dealer.id}`
  const [first, second] = made
  await expect(findOrRemember(first?.hash as Buffer)).rejects.toMatchObject(ENDED)
  expect(await findOrRemember(second?.hash as Buffer)).toMatchObject({ id: dealer.id })
})

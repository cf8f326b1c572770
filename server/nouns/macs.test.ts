import { describe, expect, test } from 'vitest'
import { calls } from '../../contract/calls.ts'
import { suiteWorld, unique, uniqueMac } from '../../test/support/world.ts'

const { searchMac, remove } = calls.admin

const world = await suiteWorld({ env: { TRIALS_PER_DAY: '100' } })
const family = await world.family({ credits: 10 })

describe('the search of a MAC', () => {
  test('finds its client, with the expiry and the dealer, in any case', async () => {
    const { name, mac, expiry } = await world.client(family.dealer)
    const found = { name, mac, expiry, dealer: family.dealer.name }
    expect(await world.admin.call(searchMac, { mac })).toEqual(found)
    expect(await world.admin.call(searchMac, { mac: mac.toLowerCase() })).toEqual(found)
  })

  test('finds nothing where no client has it, or where its client was deleted', async () => {
    const { name, mac } = await world.client(family.dealer)
    await world.admin.call(remove, { name })
    await world.admin.refused('not_found', searchMac, { mac })
    await world.admin.refused('not_found', searchMac, { mac: uniqueMac() })
  })

  test.each(['00:1A:79', 'x', '00:1A:79:00:00:0G', '00:1B:79:00:00:00', '00:1A:79:00:00:000'])(
    'accepts only a whole MAC: not %s',
    async (mac) => {
      const { errors } = await world.admin.refused('invalid_input', searchMac, { mac })
      expect(errors).toHaveProperty('mac')
    },
  )
})

describe('a removal by the admin', () => {
  test("deletes any client, even an unexpired one whose months are lost, and adds a row to its dealer's transactions", async () => {
    const { dealer } = family
    const { credits } = await dealer.call(calls.credits.dealer)
    const { name, mac, expiry } = await world.client(dealer, { months: 3 })
    await world.admin.call(remove, { name: name.toUpperCase(), mac: mac.toLowerCase() })
    await dealer.refused('not_found', calls.clients.detail, { name })
    expect((await dealer.call(calls.credits.dealer)).credits).toBe(credits - 3)
    const [row] = await dealer.call(calls.desk.dealer.transactions)
    expect(row).toMatchObject({ type: 'DELETE', credits: 0, login: name, mac, expiry, actor: '—' })
    const [all] = await world.admin.call(calls.desk.admin.transactions)
    expect(all).toMatchObject({ type: 'DELETE', login: name, actor: 'admin' })
  })

  test('is refused where the client has another MAC than the one sent', async () => {
    const { dealer } = family
    const { name, mac } = await world.client(dealer)
    const other = uniqueMac()
    await dealer.call(calls.clients.save, { login: name, stb_mac: other, o_mac: mac })
    const { errors } = await world.admin.refused('changed_since', remove, { name, mac })
    expect(errors?.mac).toContain(other)
    await dealer.call(calls.clients.save, { login: name, ministra: true })
    await world.admin.refused('changed_since', remove, { name, mac: other })
    await world.admin.call(remove, { name, mac: null })
  })

  test('is refused where null was sent and the client has a MAC', async () => {
    const { name } = await world.client(family.dealer)
    await world.admin.refused('changed_since', remove, { name, mac: null })
  })

  test('is refused where the expiry is another than the one sent: paid months are not lost unseen', async () => {
    const { dealer } = family
    const { name, mac, expiry } = await world.client(dealer)
    await dealer.call(calls.clients.renew, { name, months: 1 })
    const { message } = await world.admin.refused('changed_since', remove, { name, mac, expiry })
    expect(message).toBe(`The expiry of ${name} has changed in the meantime. Please look again.`)
    const renewed = await dealer.call(calls.clients.detail, { name })
    await world.admin.call(remove, { name, mac, expiry: renewed.expiry })
  })

  test('gets a 404 for an unknown name', async () => {
    await world.admin.refused('not_found', remove, { name: unique() })
    await world.admin.refused('not_found', remove, { name: family.dealer.name })
  })
})

import { expect, test } from 'vitest'
import { calls } from '../../contract/calls.ts'
import { suiteWorld, uniqueMac } from '../../test/support/world.ts'

const { trials } = calls.clients

const world = await suiteWorld({ env: { TRIALS_PER_DAY: '2' } })

test('the trials that are left today are known before one is given, and are as many again tomorrow', async () => {
  const { dealer } = await world.family({ credits: 1 })
  const left = async () => (await dealer.call(trials, {})).left
  expect(await dealer.call(trials, {})).toEqual({ a_day: 2, left: 2, mac_had: false })
  await world.client(dealer, { months: 1 })
  expect(await left()).toBe(2)
  await world.client(dealer)
  await world.client(dealer)
  expect(await left()).toBe(0)
  world.clock.pass({ days: 1 })
  expect(await left()).toBe(2)
})

test('whether a MAC had a trial is known before, whichever dealer gave it, and a text that is no MAC had none', async () => {
  const { dealer } = await world.family()
  const other = (await world.family()).dealer
  const mac = uniqueMac()
  const had = async (asked: string) => (await other.call(trials, { mac: asked })).mac_had
  expect(await had(mac)).toBe(false)
  await world.client(dealer, { stb_mac: mac })
  expect([await had(mac), await had(mac.toLowerCase())]).toEqual([true, true])
  expect([await had('00:1A:79'), await had("' or 1=1 --")]).toEqual([false, false])
  world.clock.pass({ days: 31 })
  expect(await had(mac)).toBe(false)
})

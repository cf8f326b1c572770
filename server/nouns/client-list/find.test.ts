import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { calls } from '../../../contract/calls.ts'
import { openWorld, type Person, type World } from '../../../test/support/world.ts'

let world: World
let dealer: Person
beforeAll(async () => {
  world = await openWorld()
  dealer = (await world.family({ credits: 100 })).dealer
  for (const [login, months, more] of CLIENTS) await world.client(dealer, { login, months, ...more })
  await world.setExpiry('zoe.expired', '2026-04-01T23:59:59.000Z')
})
afterAll(() => world.close())

const CLIENTS: [login: string, months: number, more: { stb_mac?: string; desc?: string; phone?: string }][] =
  [
    ['maria', 6, { stb_mac: '00:1A:79:AB:CD:01', desc: 'Cafe Central' }],
    ['maria.costa', 5, { stb_mac: '00:1A:79:AB:CD:02', phone: '4165550123' }],
    ['Maria-2', 4, { stb_mac: '00:1A:79:AB:FF:03' }],
    ['ana.maria', 3, { stb_mac: '00:1A:79:00:00:04' }],
    ['joao_silva', 2, { stb_mac: '00:1A:79:00:00:05', desc: 'Next door to Maria' }],
    ['zoe.expired', 1, { stb_mac: '00:1A:79:00:00:06', desc: 'for maria' }],
    ['pedro', 1, { stb_mac: '00:1A:79:00:00:07', desc: '100% sure' }],
  ]

async function find(search: string, by = dealer): Promise<string[]> {
  const { data } = await by.call(calls.clients.find, { search })
  return data.map(({ name }) => name)
}

describe('finding a client', () => {
  test('has the exact login first, then those that begin so, then all others by expiry', async () => {
    expect(await find(' MARIA ')).toEqual([
      'maria',
      'Maria-2',
      'maria.costa',
      'zoe.expired',
      'joao_silva',
      'ana.maria',
    ])
    expect(await find('maria.')).toEqual(['maria.costa'])
  })

  test.each([
    ['00:1a:79:ab:cd:02', ['maria.costa']],
    ['001A79ABCD01', ['maria']],
    ['00-1a-79-ab-c', ['maria', 'maria.costa']],
    ['AB:CD', ['maria.costa', 'maria']],
    ['ab cd', ['maria.costa', 'maria']],
    ['AB-CD-02', ['maria.costa']],
    ['MAC: 00:1A:79:AB:CD:02', ['maria.costa']],
    ['(416) 555', ['maria.costa']],
    ['cafe', ['maria']],
    ['2026-11-15', ['maria']],
    ['100%', ['pedro']],
    ['o_s', ['joao_silva']],
    ['%', ['pedro']],
    ['nobody', []],
    ['   ', []],
  ])('finds by whatever the list is searched by: %s', async (search, names) => {
    expect(await find(search)).toEqual(names)
  })

  test('tells the phone and what is in the list, of at most six', async () => {
    const { data } = await dealer.call(calls.clients.find, { search: 'maria.costa' })
    expect(data).toEqual([
      {
        name: 'maria.costa',
        description: '',
        mac: '00:1A:79:AB:CD:02',
        ministra: false,
        expiry: '2026-10-15T23:59:59.000Z',
        status: true,
        phone: '4165550123',
      },
    ])
    expect(await find('a')).toHaveLength(6)
  })

  test("finds nobody else's clients, and none that are deleted", async () => {
    const other = (await world.family({ credits: 1 })).dealer
    expect(await find('maria', other)).toEqual([])
    expect(await find('00:1a:79:ab:cd:02', other)).toEqual([])
    const { name, mac } = await world.client(other, { login: 'maria.gone' })
    await world.admin.call(calls.admin.remove, { name })
    expect([...(await find('maria.gone', other)), ...(await find(mac, other))]).toEqual([])
  })

  test('finds the best among thousands', async () => {
    const great = (await world.family()).dealer
    await world.plantClients(great, { prefix: 'many-', last: 3_000, digits: 4 })
    expect(await find('many-2999', great)).toEqual(['many-2999'])
    const first = ['many-0001', 'many-0002', 'many-0003', 'many-0004', 'many-0005', 'many-0006']
    expect(await find('many', great)).toEqual(first)
    expect((await find('999', great)).sort()).toEqual(['many-0999', 'many-1999', 'many-2999'])
  })
})

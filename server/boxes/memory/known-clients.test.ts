import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type BoxClient, deviceOf, macOf } from '../client.ts'
import { KnownClients } from './known-clients.ts'

const IDS = { min: 1, max: 40 }
const macs = fc.oneof(
  fc.integer({ min: 0, max: 30 }).map((end) => `00:1A:79:00:00:${hex(end)}`),
  fc.constantFrom('00:00:00:00:00:00', 'FF:FF:FF:FF:FF:FF', '02:00:00:00:00:01', '00:00:00:1A:79:02'),
)
const identity = fc.option(fc.string({ minLength: 1, maxLength: 255, unit: 'binary' }))
const device = fc.record({
  ...{ stb_sn: identity, device_id: identity, device_id2: identity },
  mac: fc.option(macs),
  token_nonce: fc.option(fc.constantFrom('0123456789ABCDEF', 'FFFFFFFFFFFFFFFF')),
  takeovers_refused: fc.boolean(),
  locked_to_ip: fc.option(fc.constantFrom('203.0.113.7', '2001:db8:ffff:ffff::/64', 'what a proxy says')),
  cut: fc.boolean(),
})
const client: fc.Arbitrary<BoxClient> = fc
  .record({
    id: fc.oneof(fc.integer(IDS), fc.constant(2 ** 52 + 1)),
    dealer: fc.integer({ min: 1, max: 2 ** 40 }),
    name: fc.stringMatching(/^[A-Za-z0-9._-]{5,15}$/),
    mac: fc.option(macs),
    ...{ active: fc.boolean(), locked: fc.boolean(), alt_player: fc.boolean() },
    package_selection: fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }),
    ...{ expiry: moment(), waits_until: fc.oneof(fc.constant(0), moment()) },
    device: fc.option(device.map(deviceOf)),
  })
  // A client with a MAC is known by that one alone.
  .map((one) => (one.mac && one.device ? { ...one, device: { ...one.device, mac: null } } : one))

const acts = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: client.map((one) => ({ keep: one })) },
    { weight: 2, arbitrary: fc.integer(IDS).map((id) => ({ forget: id })) },
    { weight: 2, arbitrary: macs.map((mac) => ({ forgetMac: mac })) },
    { weight: 1, arbitrary: fc.constant({ clear: true as const }) },
  ),
  { maxLength: 200 },
)

test('clients in memory are found as they were kept, by id and by MAC, whatever is kept and forgotten between', () => {
  fc.assert(
    fc.property(acts, (acts) => {
      const known = new KnownClients(1_000)
      const byId = new Map<number, BoxClient>()
      const byMac = new Map<string, number>()
      const forget = (id: number | undefined) => {
        const before = id === undefined ? undefined : byId.get(id)
        if (!before) return
        byId.delete(before.id)
        const mac = macOf(before)
        if (mac && byMac.get(mac) === before.id) byMac.delete(mac)
      }
      for (const act of acts) {
        if ('keep' in act) {
          known.keep(act.keep)
          forget(act.keep.id)
          byId.set(act.keep.id, act.keep)
          const mac = macOf(act.keep)
          if (mac) byMac.set(mac, act.keep.id)
        } else if ('forget' in act) {
          known.forget(act.forget)
          forget(act.forget)
        } else if ('forgetMac' in act) {
          known.forgetMac(act.forgetMac)
          forget(byMac.get(act.forgetMac))
        } else {
          known.clear()
          byId.clear()
          byMac.clear()
        }
      }
      for (let id = IDS.min; id <= IDS.max; id += 1) expect(known.get(id)).toEqual(byId.get(id))
      for (const [id, one] of byId) expect([known.has(id), known.get(id)]).toEqual([true, one])
      for (let end = 0; end <= 30; end += 1) {
        const mac = `00:1A:79:00:00:${hex(end)}`
        expect(known.ofMac(mac)).toEqual(byId.get(byMac.get(mac) ?? 0))
        expect(known.hasMac(mac)).toBe(byMac.has(mac))
      }
    }),
  )
})

test('a token counts as checked whole, for its own MAC, and until another one is in', () => {
  const known = new KnownClients(10)
  const [mac, nonce, signature] = ['00:1A:79:00:00:01', '0123456789ABCDEF', 'A'.repeat(32)]
  const one = (id: number, mac: string, token_nonce: string | null): BoxClient => ({
    ...{ id, dealer: 1, name: `client${id}`, active: true, locked: false, alt_player: false, mac },
    ...{ package_selection: 1, expiry: 0, waits_until: 0 },
    device: {
      ...{ mac: null, prints: [0, 0, 0], takeovers_refused: false, locked_to_ip: null, cut: false },
      token_nonce,
    },
  })
  known.keep(one(1, mac, nonce))
  known.keep(one(2, '00:1A:79:00:00:02', nonce))
  known.keep(one(3, '00:1A:79:00:00:03', null))
  expect(known.hasChecked(mac, nonce + signature)).toBe(false)
  expect(known.hasChecked(mac, nonce + '0'.repeat(32))).toBe(false)
  known.noteChecked(mac, nonce + signature)
  expect(known.hasChecked(mac, nonce + signature)).toBe(true)
  const others = [
    ...[`${nonce}${'A'.repeat(31)}B`, `${'0'.repeat(16)}${signature}`, `${nonce}${signature}AA`],
    ...[(nonce + signature).slice(0, 46), `${nonce}${'A'.repeat(31)}g`, ''],
  ]
  for (const other of others) expect(known.hasChecked(mac, other), other).toBe(false)
  expect(known.hasChecked('00:1A:79:00:00:02', nonce + signature)).toBe(false)
  known.noteChecked('00:1A:79:00:00:03', '0'.repeat(48))
  expect(known.hasChecked('00:1A:79:00:00:03', '0'.repeat(48))).toBe(false)
  // One whose box is not the one that is in is not kept.
  known.noteChecked(mac, 'F'.repeat(16) + signature)
  expect(known.hasChecked(mac, nonce + signature)).toBe(true)
  expect(known.get(1)).toEqual(one(1, mac, nonce))
  known.keep(one(1, mac, nonce))
  expect(known.hasChecked(mac, nonce + signature)).toBe(false)
})

test('with as many clients as memory is for, one is forgotten for each new one', () => {
  const known = new KnownClients(20_000)
  const made = (id: number): BoxClient => ({
    ...{ id, dealer: 1, name: `client${id}`, active: true, locked: false, alt_player: false },
    ...{ mac: `00:1A:79:${hex(id >> 16)}:${hex(id >> 8)}:${hex(id)}`, package_selection: 1 },
    ...{ expiry: 0, waits_until: 0, device: null },
  })
  for (let id = 1; id <= 50_000; id += 1) known.keep(made(id))
  const kept = Array.from({ length: 50_000 }, (_, at) => made(at + 1)).filter(({ id }) => known.has(id))
  expect(kept).toHaveLength(20_000)
  expect(kept.at(-1)?.id).toBe(50_000)
  for (const one of kept) {
    expect(known.get(one.id)).toEqual(one)
    expect(known.ofMac(one.mac ?? '')).toEqual(one)
  }
})

function hex(byte: number): string {
  return (byte & 0xff).toString(16).toUpperCase().padStart(2, '0')
}

function moment(): fc.Arbitrary<number> {
  return fc.integer({ min: Date.UTC(2020), max: Date.UTC(2100) })
}

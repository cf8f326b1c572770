import { expect, test } from 'vitest'
import { type BoxClient, deviceOf, refusalOf } from './client.ts'

const NOW = new Date('2026-05-15T10:00:00.000Z')
const HOME = { address: '203.0.113.7', network: '203.0.113.7', counted: null }
const ELSEWHERE = { address: '198.51.100.1', network: '198.51.100.1', counted: null }
const DEALER = 7

function report(stb_sn: string) {
  return {
    ...{ stb_sn, device_id: '', device_id2: '', stb_type: '', version: '', image: '', hardware: '' },
  }
}

/** A client against whom everything speaks. */
const REFUSED: BoxClient = {
  ...{ id: 1, dealer: DEALER, name: 'client', mac: '00:1A:79:00:00:01', active: false, locked: true },
  ...{ alt_player: false, package_selection: 1, expiry: NOW.getTime() - 1, waits_until: 0 },
  device: deviceOf({
    ...{ mac: null, stb_sn: 'SN-1', device_id: null, device_id2: null, token_nonce: null },
    ...{ takeovers_refused: false, locked_to_ip: HOME.network, cut: false },
  }),
}

test('of all that speaks against a box, the reason to mend first is told', () => {
  const none = new Set<number>()
  const suspended = new Set([DEALER])
  const on = { ...REFUSED, active: true }
  const paid = { ...on, expiry: NOW.getTime() }
  expect(refusalOf(REFUSED, ELSEWHERE, suspended, NOW, report('SN-2'))).toBe('switched_off')
  expect(refusalOf(on, ELSEWHERE, suspended, NOW, report('SN-2'))).toBe('suspended')
  expect(refusalOf(on, ELSEWHERE, none, NOW, report('SN-2'))).toBe('expired')
  expect(refusalOf(paid, ELSEWHERE, none, NOW, report('SN-2'))).toBe('other_address')
  expect(refusalOf(paid, HOME, none, NOW, report('SN-2'))).toBe('other_box')
  expect(refusalOf(paid, HOME, none, NOW, report('SN-1'))).toBe(null)
})

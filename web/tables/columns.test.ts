import { expect, test } from 'vitest'
import type { RefusedBoxes } from '../../contract/boxes.ts'
import { matching, sorted } from '../parts/table/arrange.ts'
import { table } from '../parts/table/table.ts'
import { type Account, accounts } from './accounts.tsx'
import { refusedBoxes } from './boxes.tsx'
import { mac } from './columns.tsx'

const CREATED = '2026-05-15T10:00:00.000Z'

const account: Account = {
  accountId: 1,
  name: 'casa-digital',
  role: 'dealer',
  credits: 1_200,
  low: true,
  description: '',
  created: CREATED,
  resellers: 0,
  dealers: 0,
  clients: 34_567,
  active: 34_567,
  expiring: 0,
  expired: 0,
  used: 0,
  lasts: null,
  last_login: null,
  suspended: false,
  closed: null,
}

test.each(['1,200', '1200', '1,200 low', '34,567', '34567'])('a table is searched for %s', (search) => {
  expect(matching(accounts.dealer, [account], search)).toEqual([account])
})

test('unknown boxes are counted as far as they are kept', () => {
  const shown = (reason: RefusedBoxes['reason'], boxes: number) => refusedBoxes({ reason, boxes })
  expect(shown('unknown', 9_999)).toBe('9,999')
  expect(shown('unknown', 10_000)).toBe('10,000+')
  expect(shown('expired', 10_000)).toBe('10,000')
})

test('MACs are sorted by their digits, and not by the decimal numbers in them', () => {
  const inOrder = ['00:1A:79:01:94:89', '00:1A:79:0A:93:A6', '00:1A:79:10:00:00', '00:1A:79:9A:00:00']
  const macs = table<{ mac: string | null }>({
    name: 'macs',
    columns: [mac()],
    rowKey: (row) => String(row.mac),
    firstSort: { by: 'mac', order: 'asc' },
    pageSizes: [10],
    empty: 'No MACs',
  })
  const rows = [...inOrder.toReversed(), null].map((mac) => ({ mac }))
  expect(sorted(macs, rows, 'mac', 'asc').map((row) => row.mac)).toEqual([...inOrder, null])
})

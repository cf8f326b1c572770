import { expect, test } from 'vitest'
import { matching, sorted } from '../parts/table/arrange.ts'
import { type Table, table, textOf } from '../parts/table/table.ts'
import { type Account, accounts } from './accounts.tsx'
import { countOfUnknown, models } from './boxes.tsx'
import { mac } from './columns.tsx'
import { deviceHistory } from './deviceHistory.tsx'
import { sentEvents } from './sentEvents.tsx'
import { signIns } from './signIns.tsx'

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
  expect(countOfUnknown(9_999)).toBe('9,999')
  expect(countOfUnknown(10_000)).toBe('10,000+')
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

/** Returns what a table shows in a column once its rows are sorted by it, from some fields of each row. */
function inOrder<Row>(of: Table<Row>, key: string, rows: readonly Partial<Row>[]): string[] {
  const column = of.columns.find((one) => one.key === key)
  return sorted(of, rows as Row[], key, 'asc').map((row) => (column ? textOf(column, row) : ''))
}

const FIREFOX = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0'
const EDGE = 'Mozilla/5.0 (X11; Linux x86_64) Chrome/140.0.0.0 Safari/537.36 Edg/140.0.0.0'

test.each([
  {
    what: 'browsers',
    shown: inOrder(signIns, 'agent', [{ agent: '' }, { agent: FIREFOX }, { agent: 'curl' }, { agent: EDGE }]),
    order: ['curl', 'Edge on Linux', 'Firefox on Windows', 'Unknown'],
  },
  {
    what: 'outcomes of sign-ins',
    shown: inOrder(signIns, 'outcome', [
      { outcome: 'failed' },
      { outcome: 'suspended' },
      { outcome: 'succeeded' },
    ]),
    order: ['Signed in', 'Suspended', 'Wrong password'],
  },
  {
    what: 'changes of a box',
    shown: inOrder(deviceHistory, 'event', [
      { event: 'serial number' },
      { event: 'taken over', detail: '' },
      { event: 'first seen' },
      { event: 'taken over', detail: 'x' },
    ]),
    order: ['Box left for another client', 'First seen', 'Other box', 'Other serial number'],
  },
  {
    what: 'messages and commands to a box',
    shown: inOrder(sentEvents, 'event', [
      { event: 'reload', message: '' },
      { event: 'message', message: 'Please pay' },
      { event: 'message', message: 'Hello' },
    ]),
    order: ['Hello', 'Please pay', 'Reload'],
  },
  {
    what: 'states of accounts',
    shown: inOrder(accounts.dealer, 'suspended', [
      account,
      { ...account, suspended: true },
      { ...account, closed: CREATED },
    ]),
    order: ['Closed', 'Suspended', ''],
  },
])('$what are sorted by the words that are shown', ({ shown, order }) => expect(shown).toEqual(order))

test('a box that does not say what it is, is found as Unknown, and is last in both orders', () => {
  const boxes = [
    { stb_type: '', version: '', boxes: 1, online: 0 },
    { stb_type: 'MAG322', version: '', boxes: 1, online: 0 },
  ]
  expect(matching(models, boxes, 'unknown')).toEqual([boxes[0]])
  for (const order of ['asc', 'desc'] as const)
    expect(sorted(models, boxes, 'stb_type', order)).toEqual(boxes.toReversed())
})

import { expect, test } from 'vitest'
import { matching } from '../parts/table/arrange.ts'
import { type Account, accounts } from './accounts.tsx'

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

import type { Transaction } from '../../contract/shapes.ts'
import { Chip } from '../parts/Chip.tsx'
import { Ellipsis } from '../parts/Ellipsis.tsx'
import { type Column, type Table, table, widths } from '../parts/table/table.ts'
import type { Tone } from '../parts/tone.ts'
import { count, mac, moment, words } from './columns.tsx'

type Types = Partial<Record<Transaction['type'], Tone>>

/** The transactions of an account and of all accounts beneath it. */
export const transactions = declare({ empty: 'No transactions found' })

/** The dealer's dashboard. */
export const dealerTransactions = declare({ empty: 'No dealer transactions found' })

/** The reseller's dashboard, where a DELETE is a loss. */
export const resellerTransactions = declare({ empty: 'No transactions found', tones: { DELETE: 'bad' } })

/** The transactions of one client. */
export const clientTransactions = declare({
  empty: 'No transactions found',
  without: ['login', 'mac'],
})

function declare(facts: { empty: string; tones?: Types; without?: readonly string[] }): Table<Transaction> {
  const ofOne = facts.without?.includes('login') === true
  const columns: Column<Transaction>[] = [
    moment('created', 'Date', 'datetime', { narrow: ofOne ? 'title' : 'line' }),
    // All rows have the same login, so the type serves as the title on a phone.
    { ...type({ USED: 'bad', RETRIEVED: 'good', ...facts.tones }), narrow: ofOne ? 'title' : 'aside' },
    count('credits', 'Credits', { narrow: 'aside' }),
    {
      key: 'login',
      header: 'Login',
      width: 136,
      least: 112,
      mono: true,
      cell: ({ login }) => <Ellipsis text={login} identifier />,
      narrow: 'title',
    },
    mac(),
    words('description', 'Description'),
    moment('expiry', 'Expiry', 'date'),
  ]
  return table<Transaction>({
    columns: columns.filter(({ key }) => !facts.without?.includes(key)),
    rowKey: ({ id }) => String(id),
    firstSort: { by: 'created', order: 'desc' },
    pageSizes: [5, 10, 25],
    empty: facts.empty,
    search: 'Search Transactions',
  })
}

function type(tones: Types): Column<Transaction> {
  return {
    key: 'type',
    header: 'Type',
    width: widths.chip + 16,
    cell: ({ type }) => <Chip tone={tones[type] ?? 'plain'}>{type}</Chip>,
  }
}

import './marked.css'
import { UserPen } from 'lucide-react'
import { Link } from 'react-router'
import { UNNAMED } from '../../contract/accounts.ts'
import type { Transaction } from '../../contract/shapes.ts'
import { signOf, TRANSACTION_SORTS } from '../../contract/transactions.ts'
import { Chip } from '../parts/Chip.tsx'
import { Ellipsis } from '../parts/Ellipsis.tsx'
import { number } from '../parts/number.ts'
import { type Column, type Table, table, widths } from '../parts/table/table.ts'
import type { Tone } from '../parts/tone.ts'
import { to } from '../screens.ts'
import { AccountLink, count, mac, moment, text } from './columns.tsx'
import { searchFault, sortableBy } from './served.ts'

type Types = Partial<Record<Transaction['type'], Tone>>

/**
 * Who acted, as a link where it is the client's dealer. A narrow table shows the dealer, and marks rows in which
 * somebody else acted.
 */
const actor: Column<Transaction> = {
  key: 'actor',
  header: 'By',
  // At the least it shows a name of 15 letters.
  width: 136,
  least: 128,
  foldedInto: 'dealer',
  narrow: 'more',
  cell: ({ actor, dealer }) =>
    actor === dealer && actor !== UNNAMED ? (
      <AccountLink name={actor} />
    ) : (
      <Ellipsis text={actor} identifier />
    ),
}

const dealer: Column<Transaction> = {
  key: 'dealer',
  header: 'Dealer',
  // At the least it shows a name of 15 letters and a mark.
  width: 160,
  least: 150,
  narrow: 'more',
  text: ({ dealer }) => dealer ?? '',
  cell: (row) => <DealerAndActor row={row} />,
}

const login: Column<Transaction> = {
  key: 'login',
  header: 'Login',
  width: 136,
  least: 128,
  mono: true,
  cell: (row) => <LoginLink row={row} />,
  narrow: 'title',
}

function DealerAndActor({ row: { dealer, actor } }: { row: Transaction }) {
  const by = `by ${actor === UNNAMED ? 'somebody else' : actor}`
  if (dealer === null) {
    return (
      <span className="folded-only">
        <Ellipsis text={by} />
      </span>
    )
  }
  return (
    <span className="marked">
      {dealer === UNNAMED ? dealer : <AccountLink name={dealer} />}
      {actor !== dealer && (
        <span className="folded-only" role="img" aria-label={by} data-hint={by}>
          <UserPen aria-hidden size={16} />
        </span>
      )}
    </span>
  )
}

/** The transactions of an account and of all accounts beneath it, for those above. */
export const branchTransactions = declare({ name: 'transactions', names: true })

/** The dealer's dashboard. */
export const dealerTransactions = declare({ name: 'transactions', empty: 'No dealer transactions found' })

/** The reseller's dashboard, where a DELETE is a loss. */
export const resellerTransactions = declare({
  name: 'transactions',
  tones: { DELETE: 'bad' },
  names: true,
})

export const clientTransactions = declare({ name: 'client-transactions', ofOne: true })

/** The screen of all transactions, which the server sorts and pages. Each row has the sign of its own account. */
export const allTransactions = {
  ofBranch: served(true),
  ofDealer: served(false),
}

function served(names: boolean): Table<Transaction> {
  const one = declare({ name: 'all-transactions', names })
  const columns = sortableBy(TRANSACTION_SORTS, one.columns).map((column) => ({
    ...column,
    ...(column.key === 'credits' && { cell: ({ type, credits }: Transaction) => signed(type, credits) }),
  }))
  return table<Transaction>({
    ...one,
    columns,
    pageSizes: [10, 25, 50, 100],
    perPage: 25,
    beyond: 'For the rest, filter or export.',
    searchFault,
  })
}

/** Returns credits with the sign that they have in the balance of the row's own account. */
function signed(type: Transaction['type'], credits: number): string {
  const sign = { '1': '+', '-1': '−', '0': '' }[String(signOf(type))] ?? ''
  return `${sign}${number(credits)}`
}

interface Variant {
  name: string
  empty?: string
  tones?: Types
  /** Whether it is about one client, whose login and MAC stand above it. */
  ofOne?: boolean
  /** Whether it says who acted and whose client it was. */
  names?: boolean
}

function declare({
  name,
  empty = 'No transactions found',
  tones,
  ofOne = false,
  names = false,
}: Variant): Table<Transaction> {
  return table<Transaction>({
    name,
    columns: [
      // As wide as its digits: a window of 1366 has not a pixel more.
      { ...moment('created', 'Date', 'datetime', { narrow: ofOne ? 'title' : 'line' }), width: 157 },
      // All rows have the same login, so the type serves as the title on a phone.
      {
        ...type({ USED: 'bad', RETRIEVED: 'good', ...tones }),
        least: 84,
        narrow: ofOne ? 'title' : 'aside',
      },
      { ...count('credits', 'Credits', { narrow: 'aside' }), width: 64, least: 60 },
      ...(ofOne ? [] : [login, { ...mac<Transaction>(), width: 144 }]),
      { ...text<Transaction>('description', 'Description'), ...(names && { least: 70 }) },
      { ...moment('expiry', 'Expiry', 'date'), least: 92 },
      ...(names ? [actor, dealer] : []),
    ],
    rowKey: ({ id }) => String(id),
    firstSort: { by: 'created', order: 'desc' },
    pageSizes: [5, 10, 25],
    empty,
    search: 'Search Transactions',
  })
}

/** A login, which leads its dealer to the client, or the name of an account, which leads those above to it. */
function LoginLink({ row: { login, client, account } }: { row: Transaction }) {
  if (account) return <AccountLink name={account} />
  if (client === null) return <Ellipsis text={login} identifier />
  return (
    <Link to={to.client(client)} className="ellipsis identifier" data-hint={login} data-hint-cut="">
      {login}
    </Link>
  )
}

function type(tones: Types): Column<Transaction> {
  return {
    key: 'type',
    header: 'Type',
    width: widths.chip,
    cell: ({ type }) => <Chip tone={tones[type] ?? 'plain'}>{type}</Chip>,
  }
}

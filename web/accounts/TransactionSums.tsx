import { styled } from '@mui/material/styles'
import type { ReactNode } from 'react'
import { counted, inCredits } from '../../contract/quantities.ts'
import { TRANSACTION_TYPES, type Transaction } from '../../contract/shapes.ts'
import { signOf, type TransactionSum } from '../../contract/transactions.ts'
import { Skeleton } from '../parts/Skeleton.tsx'

interface TransactionSumsProps {
  /** Undefined while they load, and where nothing is asked for. */
  sums: readonly TransactionSum[] | undefined
  loading: boolean
  /** The type that is selected; undefined for all. */
  of: Transaction['type'] | undefined
  /** Whether the rows all concern one balance, so that they can be added. */
  ofOneBalance: boolean
}

/**
 * The sums by type of the transactions that the filters find. Above the dealer they are never added into one. Each type
 * has its place, also one that nothing was found of, so that the table beneath stays where it is.
 */
export function TransactionSums({ sums, loading, of, ofOneBalance }: TransactionSumsProps) {
  const change = sums?.reduce((sum, { type, credits }) => sum + signOf(type) * credits, 0)
  const shown = (value: ReactNode) => (loading ? <Skeleton width={72} /> : (value ?? '–'))
  return (
    <SumList aria-label="Sums" aria-busy={loading}>
      {TRANSACTION_TYPES.filter((type) => of === undefined || type === of).map((type) => (
        <div key={type}>
          <dt>{type}</dt>
          <dd>{shown(sums && sumText(sums.find((sum) => sum.type === type)))}</dd>
        </div>
      ))}
      {ofOneBalance && (
        <div>
          <dt>Change of balance</dt>
          <dd>{shown(change === undefined ? undefined : <strong>{signed(change)}</strong>)}</dd>
        </div>
      )}
    </SumList>
  )
}

function sumText(sum: TransactionSum | undefined): ReactNode {
  if (!sum) return 'None'
  const transactions = counted(sum.transactions, 'transaction')
  if (signOf(sum.type) === 0) return transactions
  return (
    <>
      <strong>{inCredits(sum.credits)}</strong> in {transactions}
    </>
  )
}

/** Returns credits with their sign: '+3 credits', '−1 credit', '0 credits'. */
function signed(count: number): string {
  const credits = inCredits(Math.abs(count))
  if (count === 0) return credits
  return `${count > 0 ? '+' : '−'}${credits}`
}

const SumList = styled('dl')(({ theme }) => ({
  display: 'grid',
  gridTemplateColumns: 'repeat(auto-fit, minmax(124px, 1fr))',
  gap: '8px 16px',
  marginBottom: 16,
  fontVariantNumeric: 'tabular-nums',
  '& dt, & dd': { fontSize: '0.75rem', color: theme.palette.text.secondary },
  // Two lines: the credits, and in how many transactions.
  '& dd': { minHeight: 40 },
  '& strong': { display: 'block', fontSize: '0.875rem', fontWeight: 600, color: theme.palette.text.primary },
}))

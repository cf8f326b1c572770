import { styled } from '@mui/material/styles'
import { signOf, type TransactionSum } from '../../contract/transactions.ts'
import { counted, inCredits } from '../../contract/words.ts'

interface TransactionSumsProps {
  /** Undefined while they load. */
  sums: readonly TransactionSum[] | undefined
  /** A dealer's rows all concern one balance, so that they can be added. */
  ofDealer: boolean
}

/** The sums by type of the transactions that the filters find. Above the dealer they are never added into one. */
export function TransactionSums({ sums, ofDealer }: TransactionSumsProps) {
  const change = sums?.reduce((sum, { type, credits }) => sum + signOf(type) * credits, 0)
  return (
    <Sums aria-label="Sums" aria-busy={sums === undefined}>
      {sums?.map(({ type, transactions, credits }) => (
        <div key={type}>
          <dt>{type}</dt>
          <dd>
            {signOf(type) !== 0 && (
              <>
                <strong>{inCredits(credits)}</strong> in{' '}
              </>
            )}
            {counted(transactions, 'transaction')}
          </dd>
        </div>
      ))}
      {ofDealer && change !== undefined && (
        <div>
          <dt>Change of the balance</dt>
          <dd>
            <strong>{signed(change)}</strong>
          </dd>
        </div>
      )}
    </Sums>
  )
}

/** Returns a number with its sign: '+3', '−2', '0'. */
function signed(count: number): string {
  const digits = Math.abs(count).toLocaleString('en-US')
  if (count === 0) return digits
  return `${count > 0 ? '+' : '−'}${digits}`
}

const Sums = styled('dl')(({ theme }) => ({
  display: 'flex',
  flexWrap: 'wrap',
  gap: '8px 32px',
  // Reserves the height of one row, so that little moves when they load.
  minHeight: 44,
  margin: '0 0 16px',
  fontVariantNumeric: 'tabular-nums',
  '& dt': { fontSize: '0.8125rem', color: theme.palette.text.secondary },
  '& dd': { margin: 0 },
  '& strong': { fontWeight: 600 },
}))

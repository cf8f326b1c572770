import { styled } from '@mui/material/styles'
import { useEffect } from 'react'
import { useWatch } from 'react-hook-form'
import { Ellipsis } from '../parts/Ellipsis.tsx'
import { Fault } from '../parts/ErrorState.tsx'
import { useEndOfError } from '../parts/form/useEndOfError.ts'
import { MomentText } from '../parts/MomentText.tsx'
import { own } from '../parts/own.ts'
import { Skeleton } from '../parts/Skeleton.tsx'
import { zone } from '../zone.ts'
import { Gone, missingOf } from './Gone.tsx'
import { Calculation, Rows, Sums } from './Sums.tsx'
import { type Quoted, useQuote } from './useQuote.ts'

interface QuoteProps {
  clients: readonly string[]
  /** False stops loading. Once the purchase is made, the next quote is of no interest. */
  asking: boolean
  /** Receives the server's answer for the months in the form; null while there is none. */
  onAnswer: (answer: Quoted | null) => void
  /** Receives those that somebody else has deleted or moved. */
  onGone?: ((names: readonly string[]) => void) | undefined
}

/** Shows the price of the months in the form and the new expiry, both calculated by the server. */
export function Quote({ clients, asking, onAnswer, onGone }: QuoteProps) {
  const months = Number(useWatch({ name: 'months' }))
  const { data, answer, isFetching, error, refetch } = useQuote(clients, months, asking)
  useEffect(() => onAnswer(answer), [answer, onAnswer])
  useEndOfError('months', answer !== null && answer.balance_after >= 0)
  if (error?.code === 'not_found') return <Gone names={clients} done="deleted or moved" onGone={onGone} />
  return (
    <>
      {error ? (
        <Calculation role="alert">
          <Fault message={error.message} onRetry={refetch} />
        </Calculation>
      ) : (
        <Calculation aria-busy={isFetching} aria-live="polite">
          <Sums cost={data?.cost} balance={data?.credits} />
          <Expiries clients={clients} answer={data} />
        </Calculation>
      )}
      <Gone names={missingOf(clients, data?.expiries)} done="deleted or moved" onGone={onGone} />
    </>
  )
}

/** Shows the expiry of each client before and after. Its height is reserved, so that loading moves nothing. */
function Expiries({ clients, answer }: { clients: readonly string[]; answer: Quoted | undefined }) {
  const [only] = clients
  if (clients.length === 1 && only !== undefined) {
    const expiry = answer?.expiries[0]
    return (
      <Rows>
        <div>
          <dt>New expiry</dt>
          <dd>{expiry ? <FromTo {...expiry} /> : <Skeleton width={160} />}</dd>
        </div>
      </Rows>
    )
  }
  return (
    <List
      tabIndex={0}
      role="region"
      aria-label="New expiry of each client"
      rows={Math.min(clients.length, 6.5)}
    >
      <ul>
        {answer?.expiries.map((expiry) => (
          <li key={expiry.name}>
            <Ellipsis text={expiry.name} identifier />
            <FromTo {...expiry} />
          </li>
        ))}
      </ul>
    </List>
  )
}

function FromTo({ expiry, new_expiry }: Quoted['expiries'][number]) {
  return (
    <span className="moment">
      <span className="wide-only">
        <MomentText inRows iso={expiry} zone={zone()} format="date" /> →{' '}
      </span>
      <strong>
        <MomentText inRows iso={new_expiry} zone={zone()} format="date" />
      </strong>
    </span>
  )
}

const List = styled(
  'div',
  own('rows'),
)<{ rows: number }>(({ theme, rows }) => ({
  height: rows * 32 + 9,
  margin: '4px -16px 0',
  padding: '4px 16px',
  overflowY: 'auto',
  borderTop: `1px solid ${theme.palette.divider}`,
  '& li': {
    display: 'flex',
    alignItems: 'center',
    justifyContent: 'space-between',
    gap: 16,
    height: 32,
    contentVisibility: 'auto',
    containIntrinsicHeight: '32px',
  },
}))

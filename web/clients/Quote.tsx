import { styled } from '@mui/material/styles'
import { useEffect } from 'react'
import { useWatch } from 'react-hook-form'
import { calls, type OutputOf } from '../../contract/calls.ts'
import { inCredits, shortage } from '../../contract/words.ts'
import { Ellipsis } from '../parts/Ellipsis.tsx'
import { Moment } from '../parts/Moment.tsx'
import { Skeleton } from '../parts/Skeleton.tsx'
import { useCall } from '../queries.ts'
import { zone } from '../zone.ts'

export type Quoted = OutputOf<typeof calls.clients.quote>

interface QuoteProps {
  clients: readonly string[]
  /** False stops loading. Once the purchase is made, the next quote is of no interest. */
  asking: boolean
  /** Receives the server's answer for the months in the form; null while there is none. */
  onAnswer: (answer: Quoted | null) => void
}

/** Shows the price of the months in the form and the new expiry, both calculated by the server. */
export function Quote({ clients, asking, onAnswer }: QuoteProps) {
  const months = Number(useWatch({ name: 'months' }))
  const { data, isPlaceholderData, isFetching, error } = useCall(
    calls.clients.quote,
    { clients: [...clients], months },
    { enabled: asking, keep: true },
  )
  const answer = data && !isPlaceholderData && !error ? data : null
  useEffect(() => onAnswer(answer), [answer, onAnswer])
  if (error && !data) return <Frame role="alert">{error.message}</Frame>
  return (
    <Frame aria-busy={isFetching} aria-live="polite">
      <Sums>
        <div>
          <dt>Cost</dt>
          <dd>{data ? inCredits(data.cost) : <Skeleton width={64} />}</dd>
        </div>
        <div>
          <dt>Balance</dt>
          <dd>{data ? inCredits(data.credits) : <Skeleton width={64} />}</dd>
        </div>
        <div data-short={data !== undefined && data.balance_after < 0}>
          <dt>Balance after</dt>
          <dd>{data ? afterwards(data) : <Skeleton width={64} />}</dd>
        </div>
      </Sums>
      <Expiries clients={clients} answer={data} />
    </Frame>
  )
}

function afterwards({ balance_after, credits: present, cost }: Quoted): string {
  return balance_after < 0 ? shortage(present, cost) : inCredits(balance_after)
}

/** Shows the expiry of each client before and after. Its height is reserved, so that loading moves nothing. */
function Expiries({ clients, answer }: { clients: readonly string[]; answer: Quoted | undefined }) {
  const [only] = clients
  if (clients.length === 1 && only !== undefined) {
    const expiry = answer?.expiries[0]
    return (
      <Sums>
        <div>
          <dt>New expiry</dt>
          <dd>{expiry ? <FromTo {...expiry} /> : <Skeleton width={160} />}</dd>
        </div>
      </Sums>
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
        <Moment inRows iso={expiry} zone={zone()} format="date" /> →{' '}
      </span>
      <strong>
        <Moment inRows iso={new_expiry} zone={zone()} format="date" />
      </strong>
    </span>
  )
}

const Frame = styled('div')(({ theme }) => ({
  padding: '4px 16px',
  borderRadius: 8,
  background: theme.palette.background.default,
  '&[role=alert]': { padding: 16, color: theme.palette.tones.bad.text },
  '& strong': { fontWeight: 600 },
}))

const Sums = styled('dl')(({ theme }) => ({
  '& > div': {
    display: 'flex',
    flexWrap: 'wrap',
    alignItems: 'center',
    justifyContent: 'space-between',
    gap: '0 16px',
    minHeight: 32,
  },
  '& dt': { color: theme.palette.text.secondary },
  '& dd': { fontWeight: 600, fontVariantNumeric: 'tabular-nums', textAlign: 'right' },
  '& .moment': { fontWeight: 400 },
  '& strong .moment': { fontWeight: 600 },
  '& [data-short=true] dd': { color: theme.palette.tones.bad.text },
}))

const List = styled('div', { shouldForwardProp: (name) => name !== 'rows' })<{ rows: number }>(
  ({ theme, rows }) => ({
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
  }),
)

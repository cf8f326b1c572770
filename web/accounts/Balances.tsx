import { styled } from '@mui/material/styles'
import { useQueryClient } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { Call } from '../../contract/call.ts'
import { calls } from '../../contract/calls.ts'
import { shortage, shortageOf } from '../../contract/quantities.ts'
import { loadAgain } from '../calls/cache.ts'
import { useBalance } from '../calls/useBalance.ts'
import { useCall } from '../calls/useCall.ts'
import { useIsOld, useWhyOld } from '../calls/useIsOld.ts'
import { useSureBalance } from '../calls/useSureBalance.ts'
import { Fault } from '../parts/ErrorState.tsx'
import { number } from '../parts/number.ts'
import { Skeleton } from '../parts/Skeleton.tsx'
import { useHeld } from '../parts/useHeld.ts'
import { useSession } from '../session.tsx'

/** The balances of the caller and of another account before a movement between them. */
export interface Before {
  /** Null for the admin, who has no limit; undefined while it is not known. */
  own: number | null | undefined
  name: string
  other: number | undefined
  /** Whether one of them is still from before the last change, so that nobody is to confirm the movement yet. */
  isOld: boolean
  /** Where the other one could not be loaded again. */
  fault: { message: string; retry: () => void } | null
}

/**
 * Returns the balances before a movement; `of` is the call that has told the other one. While `isHeld` is true they stay as
 * they were when it became true: while the credits move, where nobody knows whether they did, and while the question closes.
 */
export function useBefore(name: string, other: number, of: Call, isHeld: boolean): Before {
  const { credits } = useBalance()
  const own = useSureBalance()
  const isOtherOld = useIsOld(of)
  const isOld = isOtherOld || own !== credits
  const cache = useQueryClient()
  const why = useWhyOld(of)
  const fault = why && { message: why.message, retry: () => loadAgain(cache, [of]) }
  return useHeld({ own, name, other: isOtherOld ? undefined : other, isOld, fault }, isHeld)
}

/**
 * Says whose balance a movement exceeds, as far as it is known; null where nobody's. The other account receives
 * `change`, negative for credits that are taken back.
 */
export function lackOf({ own, name, other }: Before, change: number): string | null {
  if (own != null && change > own) return shortage(own, change)
  return other !== undefined && other + change < 0 ? shortageOf(name, other, -change) : null
}

interface BalancesProps {
  before: Before
  change: number
  /** Why it cannot be made, where that may be more than what it lacks. */
  refusal?: string | null
}

/** Shows both balances before and after a movement, and why it cannot be made. */
export function Balances({ before, change, refusal }: BalancesProps) {
  const { own, name, other, fault } = before
  const lack = lackOf(before, change)
  const { error } = useBalance({ whileShort: lack !== null })
  return (
    <>
      <BeforeAndAfter
        rows={[
          { who: 'You', before: own, change: -change, unknown: error !== null },
          { who: name, before: other, change, unknown: fault !== null },
        ]}
      />
      <Lack aria-live="polite">
        {refusal ?? lack ?? (fault && <Fault message={fault.message} onRetry={fault.retry} />)}
      </Lack>
    </>
  )
}

/** The line is always reserved, so that it moves nothing. */
const Lack = styled('div')(({ theme }) => ({ minHeight: 20, color: theme.palette.tones.bad.text }))

/** Shows the balances of an account that is closed and of its parent, which gets what is left, before and after. */
export function LeftBalances({ name, parent, credits }: { name: string; parent: string; credits: number }) {
  const isOwn = useSession().name === parent
  const own = useBalance()
  const { data, error } = useCall(calls.tree.account, { name: parent }, { enabled: !isOwn })
  const [before, fault] = isOwn ? [own.credits, own.error] : [data?.credits, error]
  return (
    <BeforeAndAfter
      rows={[
        { who: name, before: credits, change: -credits },
        { who: isOwn ? 'You' : parent, before, change: credits, unknown: fault !== null },
      ]}
    />
  )
}

/**
 * An account's balance, and what is added to it. `before` is null where the account has no limit, and undefined while
 * it loads or where it could not be loaded; `unknown` tells the latter.
 */
type Row = { who: string; before: number | null | undefined; change: number; unknown?: boolean }

function BeforeAndAfter({ rows }: { rows: readonly Row[] }) {
  return (
    <Compared>
      <thead>
        <tr>
          <th scope="col">Balance</th>
          <th scope="col">Before</th>
          <th scope="col">After</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ who, before, change, unknown = false }) => {
          const after = before == null ? before : before + change
          return (
            <tr key={who}>
              <th scope="row">{who}</th>
              <td>{balanceText(before, unknown)}</td>
              <td data-short={after != null && after < 0}>{balanceText(after, unknown)}</td>
            </tr>
          )
        })}
      </tbody>
    </Compared>
  )
}

/** The admin has no limit, and so no balance. */
function balanceText(balance: number | null | undefined, unknown: boolean): ReactNode {
  if (balance === null) return 'Unlimited'
  if (balance !== undefined) return number(balance)
  return unknown ? '–' : <Skeleton width="5ch" />
}

const Compared = styled('table')(({ theme }) => ({
  width: '100%',
  margin: '8px 0',
  borderCollapse: 'collapse',
  fontVariantNumeric: 'tabular-nums',
  '& th': { textAlign: 'left', fontWeight: 600, overflowWrap: 'anywhere' },
  '& thead th': { color: theme.palette.text.secondary },
  '& tr > *': { padding: '6px 0', borderBottom: `1px solid ${theme.palette.divider}` },
  '& td, & thead th:not(:first-of-type)': { textAlign: 'right', whiteSpace: 'nowrap', paddingLeft: 16 },
  '& td:last-of-type': { fontWeight: 600 },
  '& [data-short=true]': { color: theme.palette.tones.bad.text },
}))

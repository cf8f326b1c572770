import { styled } from '@mui/material/styles'
import type { ReactNode } from 'react'
import { calls } from '../../contract/calls.ts'
import { useBalance, useCall } from '../calls/useCall.ts'
import { Skeleton } from '../parts/Skeleton.tsx'
import { useHeld } from '../parts/useHeld.ts'
import { useSession } from '../session.tsx'

interface BalancesProps {
  /** The other account, and its balance. */
  name: string
  balance: number
  /** The credits that it receives; negative for those that are taken back. */
  change: number
  /** True while the credits move, and where nobody knows whether they did: then it shows the balances before that. */
  isHeld: boolean
}

/** Shows the balances of the caller and of another account before and after a movement between them. */
export function Balances({ name, balance, change, isHeld }: BalancesProps) {
  const { credits, error } = useBalance()
  const before = useHeld({ own: credits, other: balance }, isHeld)
  return (
    <BeforeAndAfter
      rows={[
        { who: 'You', before: before.own, change: -change, unknown: error !== null },
        { who: name, before: before.other, change },
      ]}
    />
  )
}

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
 * Each account's balance, null where it has no limit and undefined while it is loading or could not be loaded, which is then
 * `unknown`; and what is added to it.
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
  return balance?.toLocaleString('en-US') ?? (unknown ? '–' : <Skeleton width="5ch" />)
}

const Compared = styled('table')(({ theme }) => ({
  width: '100%',
  margin: '8px 0',
  borderCollapse: 'collapse',
  fontVariantNumeric: 'tabular-nums',
  '& th': { textAlign: 'left', fontWeight: 600, overflowWrap: 'anywhere' },
  '& thead th': { color: theme.palette.text.secondary },
  '& td, & thead th:not(:first-of-type)': { textAlign: 'right', whiteSpace: 'nowrap', paddingLeft: 16 },
  '& tr > *': { padding: '6px 0', borderBottom: `1px solid ${theme.palette.divider}` },
  '& td:last-of-type': { fontWeight: 600 },
  '& [data-short=true]': { color: theme.palette.tones.bad.text },
}))

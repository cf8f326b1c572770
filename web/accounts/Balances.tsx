import { styled } from '@mui/material/styles'
import { calls } from '../../contract/calls.ts'
import { useBalance, useCall } from '../calls/useCall.ts'
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
  const before = useHeld({ own: useBalance().credits, other: balance }, isHeld)
  return (
    <BeforeAndAfter
      rows={[
        { who: 'You', before: before.own, change: -change },
        { who: name, before: before.other, change },
      ]}
    />
  )
}

/** Shows the balances of an account that is closed and of its parent, which gets what is left, before and after. */
export function LeftBalances({ name, parent, credits }: { name: string; parent: string; credits: number }) {
  const isOwn = useSession().name === parent
  const { credits: own } = useBalance()
  const { data } = useCall(calls.tree.account, { name: parent }, { enabled: !isOwn })
  return (
    <BeforeAndAfter
      rows={[
        { who: name, before: credits, change: -credits },
        { who: isOwn ? 'You' : parent, before: isOwn ? own : data?.credits, change: credits },
      ]}
    />
  )
}

/** Each account's balance, null where it has no limit and undefined while it is loading, and what is added to it. */
type Row = { who: string; before: number | null | undefined; change: number }

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
        {rows.map(({ who, before, change }) => {
          const after = before == null ? before : before + change
          return (
            <tr key={who}>
              <th scope="row">{who}</th>
              <td>{balanceText(before)}</td>
              <td data-short={after != null && after < 0}>{balanceText(after)}</td>
            </tr>
          )
        })}
      </tbody>
    </Compared>
  )
}

/** The admin has no limit, and so no balance. */
function balanceText(balance: number | null | undefined): string {
  if (balance === null) return 'Unlimited'
  return balance === undefined ? '–' : balance.toLocaleString('en-US')
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

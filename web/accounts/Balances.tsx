import { styled } from '@mui/material/styles'
import { useBalance } from '../queries.ts'

interface BalancesProps {
  /** The other account, and its balance. */
  name: string
  balance: number
  /** The credits that it receives; negative for those that are taken back. */
  change: number
}

/** Shows the balances of the caller and of another account before and after a movement between them. */
export function Balances({ name, balance, change }: BalancesProps) {
  const { credits: own } = useBalance()
  const rows = [
    { who: 'You', before: own, after: own == null ? own : own - change },
    { who: name, before: balance, after: balance + change },
  ]
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
        {rows.map(({ who, before, after }) => (
          <tr key={who}>
            <th scope="row">{who}</th>
            <td>{inWords(before)}</td>
            <td data-short={after != null && after < 0}>{inWords(after)}</td>
          </tr>
        ))}
      </tbody>
    </Compared>
  )
}

/** The admin has no limit, and so no balance. */
function inWords(balance: number | null | undefined): string {
  if (balance === null) return 'Unlimited'
  return balance === undefined ? '–' : balance.toLocaleString('en-US')
}

const Compared = styled('table')(({ theme }) => ({
  width: '100%',
  margin: '8px 0',
  borderCollapse: 'collapse',
  fontVariantNumeric: 'tabular-nums',
  '& th': { textAlign: 'left', fontWeight: 500, overflowWrap: 'anywhere' },
  '& thead th': { color: theme.palette.text.secondary },
  '& td, & thead th:not(:first-of-type)': { textAlign: 'right', whiteSpace: 'nowrap', paddingLeft: 16 },
  '& tr > *': { padding: '6px 0', borderBottom: `1px solid ${theme.palette.divider}` },
  '& td:last-of-type': { fontWeight: 600 },
  '& [data-short=true]': { color: theme.palette.tones.bad.text },
}))

import { styled } from '@mui/material/styles'
import { calls, type OutputOf } from '../../contract/calls.ts'
import { packageLabel } from '../../contract/packages.ts'
import { counted, inCredits } from '../../contract/quantities.ts'
import { useCall } from '../calls/useCall.ts'
import { Card } from '../parts/Card.tsx'
import { Loaded } from '../parts/Loaded.tsx'
import { LARGE } from '../parts/large.ts'
import { number } from '../parts/number.ts'
import { Skeleton } from '../parts/Skeleton.tsx'

type Months = OutputOf<typeof calls.clients.spent>
type Month = Months['this_month']

/** What the dealer has spent this month and last, with the packages that it was spent on. */
export function SpentCard() {
  const loaded = useCall(calls.clients.spent, {})
  const { data } = loaded
  return (
    <Card title="Spent">
      <Loaded of={loaded}>
        <Two aria-busy={!data}>
          <Sum label="This month" month={data?.this_month} />
          <Sum label="Last month" month={data?.last_month} />
        </Two>
        <Rest>{data && <ByPackage {...data} />}</Rest>
      </Loaded>
    </Card>
  )
}

function Sum({ label, month }: { label: string; month: Month | undefined }) {
  return (
    <div>
      <dt>{label}</dt>
      <dd data-none={month?.spent === 0}>
        {month ? <strong>{number(month.spent)}</strong> : <Skeleton width={72} height={24} />}
      </dd>
      <dd>{month && usedText(month)}</dd>
    </div>
  )
}

function usedText({ used, retrieved, trials }: Month): string {
  const parts = [`${inCredits(used)} used`]
  if (retrieved > 0) parts.push(`${number(retrieved)} retrieved`)
  parts.push(counted(trials, 'trial'))
  return parts.join(', ')
}

function ByPackage({ this_month, last_month }: Months) {
  const values = [...this_month.packages, ...last_month.packages].map((row) => row.package_selection)
  const packages = [...new Set(values)]
  if (packages.length === 0) return null
  const spentOn = (month: Month, value: number | null) =>
    month.packages.find((row) => row.package_selection === value)?.spent ?? 0
  return (
    <Details>
      <summary>By package</summary>
      <table>
        <thead>
          <tr>
            <th scope="col">Package</th>
            <th scope="col">This month</th>
            <th scope="col">Last month</th>
          </tr>
        </thead>
        <tbody>
          {packages.map((value) => (
            <tr key={value}>
              <th scope="row">
                {value === null ? 'Moved to other dealers' : (packageLabel(value) ?? value)}
              </th>
              <td>{number(spentOn(this_month, value))}</td>
              <td>{number(spentOn(last_month, value))}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p>By the package that each client has now.</p>
    </Details>
  )
}

const Two = styled('dl')(({ theme }) => ({
  display: 'grid',
  gridTemplateColumns: '1fr 1fr',
  gap: 16,
  fontVariantNumeric: 'tabular-nums',
  '& dt, & dd:last-of-type': { color: theme.palette.text.secondary },
  '& dd': { minHeight: 32 },
  '& dd:last-of-type': { minHeight: 40, fontSize: '0.75rem' },
  '& strong': LARGE,
  '& [data-none=true] strong': { color: theme.palette.text.secondary },
}))

/** Keeps the height of the closed list, so that nothing moves when it loads. */
const Rest = styled('div')({ minHeight: 32, '@media (pointer: coarse)': { minHeight: 44 } })

const Details = styled('details')(({ theme }) => ({
  '& summary': {
    width: 'fit-content',
    minHeight: 32,
    paddingTop: 6,
    borderRadius: 4,
    color: theme.palette.accent.text,
    fontWeight: 600,
    cursor: 'pointer',
    '@media (pointer: coarse)': { minHeight: 44, paddingTop: 12 },
  },
  '& table': { width: '100%', borderCollapse: 'collapse', fontVariantNumeric: 'tabular-nums' },
  '& th, & td': {
    padding: '6px 0 6px 16px',
    borderTop: `1px solid ${theme.palette.divider}`,
    textAlign: 'right',
    fontWeight: 400,
  },
  '& th:first-of-type': { paddingLeft: 0, textAlign: 'left', overflowWrap: 'anywhere' },
  '& thead th': { fontSize: '0.75rem', fontWeight: 600, color: theme.palette.text.secondary, borderTop: 0 },
  '& p': { marginTop: 8, fontSize: '0.75rem', color: theme.palette.text.secondary },
}))

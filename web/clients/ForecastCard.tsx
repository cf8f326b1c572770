import { styled } from '@mui/material/styles'
import { calls, type OutputOf } from '../../contract/calls.ts'
import { counted, inCredits } from '../../contract/quantities.ts'
import { useCall } from '../calls/useCall.ts'
import { OnDay } from '../moments.tsx'
import { Card } from '../parts/Card.tsx'
import { Loaded } from '../parts/Loaded.tsx'
import { Skeleton } from '../parts/Skeleton.tsx'

type Estimate = OutputOf<typeof calls.clients.forecast>

/** An estimate of the credits that the next weeks need, and of how long the balance lasts. */
export function ForecastCard() {
  const loaded = useCall(calls.clients.forecast, {})
  const { data } = loaded
  return (
    <Card title="Forecast">
      <Loaded of={loaded}>
        <Facts aria-busy={!data}>
          <Need label="Next 14 days" held={data?.credits} need={data?.fortnight} />
          <Need label="Next 30 days" held={data?.credits} need={data?.month} />
          <div>
            <dt>You have</dt>
            <dd>{data ? <strong>{inCredits(data.credits)}</strong> : <Skeleton width={96} />}</dd>
          </div>
        </Facts>
        <Last data-short={data !== undefined && data.runs_out !== null}>{data && <End {...data} />}</Last>
      </Loaded>
    </Card>
  )
}

interface NeedProps {
  label: string
  held: number | undefined
  need: Estimate['month'] | undefined
}

function Need({ label, held = 0, need }: NeedProps) {
  return (
    <div data-short={need !== undefined && need.months > held}>
      <dt>{label}</dt>
      <dd>
        {need ? (
          <>
            {counted(need.clients, 'client')} {need.clients === 1 ? 'needs' : 'need'}{' '}
            <strong>{inCredits(need.months)}</strong>
          </>
        ) : (
          <Skeleton width={160} />
        )}
      </dd>
    </div>
  )
}

function End({ runs_out }: Estimate) {
  return (
    <>
      {runs_out === null ? (
        'Your credits are enough for the next 30 days.'
      ) : (
        <>
          From <OnDay iso={runs_out} /> on your credits are not enough.
        </>
      )}{' '}
      <small>An estimate: each client that expires is renewed once, as last time.</small>
    </>
  )
}

const Facts = styled('dl')(({ theme }) => ({
  fontVariantNumeric: 'tabular-nums',
  '& > div': {
    display: 'flex',
    flexWrap: 'wrap',
    justifyContent: 'space-between',
    gap: '0 16px',
    minHeight: 32,
    paddingTop: 6,
    borderTop: `1px solid ${theme.palette.divider}`,
  },
  '& > div:first-of-type': { borderTop: 0 },
  '& dt': { color: theme.palette.text.secondary },
  // It fills its line, so that it stays in its place when it loads.
  '& dd': { flex: 'auto', textAlign: 'right' },
  '& strong': { fontWeight: 600 },
  '& [data-short=true] strong': { color: theme.palette.tones.bad.text },
}))

const Last = styled('p')(({ theme }) => ({
  minHeight: 40,
  marginTop: 8,
  '&[data-short=true]': { color: theme.palette.tones.bad.text },
  '& small': { display: 'block', fontSize: '0.75rem', color: theme.palette.text.secondary },
}))

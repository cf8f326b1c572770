import Button from '@mui/material/Button'
import { styled } from '@mui/material/styles'
import { CalendarPlus } from 'lucide-react'
import { useState } from 'react'
import { Link } from 'react-router'
import { calls, type OutputOf } from '../../contract/calls.ts'
import type { DueWithin } from '../../contract/due.ts'
import { inCredits } from '../../contract/quantities.ts'
import { useCall } from '../calls/useCall.ts'
import { Card, CardFoot } from '../parts/Card.tsx'
import { chunk } from '../parts/chunk.ts'
import { Later } from '../parts/dialog/Later.tsx'
import { Loaded } from '../parts/Loaded.tsx'
import { LARGE } from '../parts/large.ts'
import { number } from '../parts/number.ts'
import { PassingButton } from '../parts/PassingButton.tsx'
import { Skeleton } from '../parts/Skeleton.tsx'
import { to } from '../screens.ts'
import { AskForMore } from './AskForMore.tsx'

/** How many clients are due soon, what renewing them costs, and the button that renews all. */
export function DueCard() {
  const loaded = useCall(calls.clients.due, {})
  const { data } = loaded
  const [renewing, setRenewing] = useState(false)
  const week = data?.counts.week ?? 0
  const isShort = data && week > data.credits
  // It is hidden once nobody is due any more, and then the title gets its focus.
  const RenewAll = week > 0 ? PassingButton : Button
  return (
    <Card
      title="Due"
      aside={
        <Button size="small" component={Link} to={to.due()} sx={{ marginRight: '-12px' }}>
          All that are due
        </Button>
      }
    >
      <Loaded of={loaded}>
        <Counts aria-busy={!data}>
          {SOON.map(({ within, label }) => (
            <li key={within}>
              <Link to={to.due(within === 'week' ? {} : { filter: within })}>
                <span>{label}</span>
                <strong data-none={data?.counts[within] === 0}>
                  {data ? number(data.counts[within]) : <Skeleton width={40} height={24} />}
                </strong>
              </Link>
            </li>
          ))}
        </Counts>
        <Foot>
          <span data-short={isShort}>
            {data && weekCost(data)} {isShort && <AskForMore />}
          </span>
          <RenewAll
            variant="contained"
            startIcon={<CalendarPlus size={18} />}
            // It keeps its space, so that nothing moves when it loads.
            style={week > 0 ? undefined : { visibility: 'hidden' }}
            onClick={() => setRenewing(true)}
          >
            Renew all {number(week)}
          </RenewAll>
        </Foot>
      </Loaded>
      <Later
        part={dialog}
        given={{
          open: renewing,
          asked: renewing ? THIS_WEEK : null,
          onClose: () => setRenewing(false),
        }}
      />
    </Card>
  )
}

const dialog = chunk(async () => (await import('./RenewDue.tsx')).RenewDue)
const THIS_WEEK = { within: 'week' } as const

const SOON: readonly { within: DueWithin; label: string }[] = [
  { within: 'today', label: 'Today' },
  { within: 'tomorrow', label: 'Tomorrow' },
  { within: 'week', label: 'In 7 days' },
]

function weekCost({ counts: { week }, credits: held }: OutputOf<typeof calls.clients.due>): string {
  if (week === 0) return 'Nobody expires in the next 7 days.'
  return `A month for each costs ${inCredits(week)}; you have ${inCredits(held)}.`
}

const Counts = styled('ul')(({ theme }) => ({
  display: 'grid',
  gridTemplateColumns: 'repeat(auto-fit, minmax(5rem, 1fr))',
  gap: 8,
  margin: '0 -8px',
  fontVariantNumeric: 'tabular-nums',
  '& a': { display: 'block', minHeight: 44, padding: '0 8px', borderRadius: 8, textDecoration: 'none' },
  '& a:hover strong': { color: theme.palette.accent.text },
  '& span': { color: theme.palette.text.secondary },
  '& strong': {
    display: 'block',
    minHeight: 32,
    ...LARGE,
  },
  '& strong[data-none=true]': { color: theme.palette.text.secondary },
}))

const Foot = styled(CardFoot)(({ theme }) => ({
  marginTop: 8,
  '& > span': { flex: '1 1 160px' },
  '& > [data-short=true]': { color: theme.palette.tones.bad.text },
}))

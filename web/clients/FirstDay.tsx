import Button from '@mui/material/Button'
import { styled } from '@mui/material/styles'
import { Check } from 'lucide-react'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { calls, type OutputOf } from '../../contract/calls.ts'
import { inCredits } from '../../contract/quantities.ts'
import { useBalance } from '../calls/useBalance.ts'
import { useCall } from '../calls/useCall.ts'
import { Card } from '../parts/Card.tsx'
import { number } from '../parts/number.ts'
import { PassingButton } from '../parts/PassingButton.tsx'
import { useKnowsPreferences, usePreferences } from '../preferences.ts'
import { useSavePreferences } from '../remembered.tsx'
import { to } from '../screens.ts'

type Page = OutputOf<typeof calls.clients.list>

/** The first steps of a dealer with at most one client, until they are hidden. */
export function FirstDay({ first, loading }: { first: Page | undefined; loading: boolean }) {
  const { first_day } = usePreferences()
  if (!useKnowsPreferences() || first_day === 'done') return null
  if (!first) return loading ? WAITING : null
  if (first.counts.all > 1) return null
  return <Steps client={first.data[0]?.name ?? null} />
}

/** The cards below stay hidden until it is known what the steps say, and so how far they push them down. */
const WAITING = (
  <div>
    <span data-waiting />
  </div>
)

function Steps({ client }: { client: string | null }) {
  const { credits: balance, loading } = useBalance()
  const { data: trials, isPending } = useCall(calls.clients.trials, {})
  const done = useSavePreferences()
  if (loading || isPending) return WAITING
  return (
    <First>
      <Card
        title="First steps"
        aside={
          client !== null && (
            <PassingButton
              size="small"
              disabled={done.loading}
              onClick={() => done.submit({ first_day: 'done' })}
            >
              Hide
            </PassingButton>
          )
        }
      >
        <ol>
          <Step
            done={balance != null && balance > 0}
            about={
              balance != null && balance > 0
                ? `You have ${inCredits(balance)}. A credit is a month of service.`
                : 'A credit is a month of service. Your reseller adds them; a trial needs none.'
            }
          >
            <Button variant="outlined" component={Link} to={to.creditRequests()}>
              Ask for credits
            </Button>
          </Step>
          <Step
            done={client !== null}
            about={
              trials
                ? `A trial costs nothing; you can give ${number(trials.left)} today.`
                : 'A trial costs nothing.'
            }
          >
            <Button variant={client === null ? 'contained' : 'outlined'} component={Link} to={to.newClient()}>
              Make a trial client
            </Button>
          </Step>
          <Step done={false} about="Its login and password go into the box, or to the client.">
            {client === null ? (
              <Button variant="outlined" disabled>
                Show the login
              </Button>
            ) : (
              <Button variant="contained" component={Link} to={to.client(client)}>
                Show the login
              </Button>
            )}
          </Step>
        </ol>
      </Card>
    </First>
  )
}

function Step({ done, about, children }: { done: boolean; about: string; children: ReactNode }) {
  return (
    <li>
      <span>
        {done && <Check aria-label="Done" size={18} />} {about}
      </span>
      {children}
    </li>
  )
}

const First = styled('div')(({ theme }) => ({
  '& ol': { display: 'grid', gap: 8, margin: 0, padding: 0, listStyle: 'none' },
  '& li': {
    display: 'flex',
    flexWrap: 'wrap',
    alignItems: 'center',
    justifyContent: 'space-between',
    gap: 8,
  },
  '& li span': { flex: '1 1 260px', color: theme.palette.text.secondary },
  '& svg': { verticalAlign: 'text-bottom', color: theme.palette.tones.good.text },
}))

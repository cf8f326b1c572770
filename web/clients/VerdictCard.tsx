import Button from '@mui/material/Button'
import { styled } from '@mui/material/styles'
import { CalendarPlus, CircleCheck, IdCard, TriangleAlert } from 'lucide-react'
import { useState } from 'react'
import { calls } from '../../contract/calls.ts'
import type { ClientDetail } from '../../contract/shapes.ts'
import { useIsOld } from '../calls/useIsOld.ts'
import { useSubmit } from '../calls/useSubmit.ts'
import { useNow } from '../clock.ts'
import { OnDay } from '../moments.tsx'
import { Dialog } from '../parts/dialog/Dialog.tsx'
import { whenUndisturbed } from '../parts/focus.ts'
import { LARGE } from '../parts/large.ts'
import { own } from '../parts/own.ts'
import { PassingButton } from '../parts/PassingButton.tsx'
import { Skeleton } from '../parts/Skeleton.tsx'
import { Awaited } from '../parts/Stack.tsx'
import type { Tone } from '../parts/tone.ts'
import { useShortcutsOn } from '../preferences.ts'
import { zone } from '../zone.ts'
import { CredentialSheet } from './CredentialSheet.tsx'
import { RenewDialog } from './RenewDialog.tsx'
import { ResetDialog } from './ResetDialog.tsx'
import { type Nearly, TakeMac } from './TakeMac.tsx'
import { type Verdict, verdictsOf } from './verdict.ts'

/** Says whether a client is served and, if not, why, with the button that mends it. `client` is undefined at first. */
export function VerdictCard({ client }: { client: ClientDetail | undefined }) {
  const now = useNow()
  const shortcuts = useShortcutsOn()
  const [asked, setAsked] = useState<'renewal' | 'credentials' | 'lock' | 'box' | null>(null)
  const [nearly, setNearly] = useState<Nearly | null>(null)
  const switching = useSubmit(calls.clients.save)
  const isOld = useIsOld(calls.clients.detail)
  const close = () => setAsked(null)
  const typePhone = () => {
    close()
    whenUndisturbed(() => document.querySelector<HTMLElement>('main [name=phone]')?.focus())
  }
  const verdicts = client ? verdictsOf(client, now, zone()) : []
  const mends = {
    renew: null,
    'switch on': {
      label: 'Switch on',
      act: () => client && switching.submit({ login: client.name, status: true }),
    },
    'forget the lock': { label: 'Forget the lock', act: () => setAsked('lock') },
    'forget the box': { label: 'Let the new box in', act: () => setAsked('box') },
    'take the MAC': {
      label: 'This box has another MAC: take it over',
      act: () => client?.near_box && setNearly({ ...client, ...client.near_box }),
    },
  }
  const [first] = verdicts
  const mend = first?.mend ? mends[first.mend] : null
  return (
    <Section aria-label="Verdict" aria-busy={!client}>
      <Reasons verdicts={verdicts} />
      <Ways style={client ? undefined : { visibility: 'hidden' }}>
        {mend && (
          <PassingButton variant="contained" disabled={switching.loading} onClick={mend.act}>
            {mend.label}
          </PassingButton>
        )}
        <Button
          variant={mend ? 'outlined' : 'contained'}
          startIcon={<CalendarPlus size={18} />}
          aria-keyshortcuts={shortcuts ? 'r' : undefined}
          onClick={() => setAsked('renewal')}
        >
          Renew
        </Button>
        <Button
          variant="outlined"
          startIcon={<IdCard size={18} />}
          // They are handed on: a password from before the last change would let nobody in.
          disabled={isOld}
          onClick={() => setAsked('credentials')}
        >
          Credentials
        </Button>
      </Ways>
      <RenewDialog
        open={asked === 'renewal' && client !== undefined}
        names={asked === 'renewal' && client ? [client.name] : null}
        onClose={close}
      />
      <ResetDialog
        title="Forget the lock?"
        yes="Forget the lock"
        client={asked === 'lock' && client ? client : null}
        onClose={close}
      />
      <ResetDialog
        title="Let the new box in?"
        yes="Let the new box in"
        client={asked === 'box' && client ? client : null}
        onClose={close}
      />
      <TakeMac about={nearly} onClose={() => setNearly(null)} />
      {client && (
        <Dialog open={asked === 'credentials'} title={`Credentials of ${client.name}`} onClose={close}>
          <CredentialSheet client={{ ...client, login: client.name }} onType={typePhone} />
        </Dialog>
      )}
    </Section>
  )
}

/** The verdict, and further reasons beneath it. */
function Reasons({ verdicts: [first, ...more] }: { verdicts: readonly Verdict[] }) {
  return (
    <Reasoning aria-live="polite" tone={first?.tone ?? 'plain'}>
      {first ? (
        <Sign {...first} />
      ) : (
        <>
          <Awaited height={24} />
          <p>
            <Skeleton width={160} />
          </p>
        </>
      )}
      {more.map((verdict) => (
        <p key={verdict.says} aria-live={verdict.ticks && 'off'}>
          <Said {...verdict} />
        </p>
      ))}
    </Reasoning>
  )
}

function Sign(verdict: Verdict) {
  const Icon = verdict.tone === 'good' ? CircleCheck : TriangleAlert
  return (
    <strong aria-live={verdict.ticks && 'off'}>
      <Icon aria-hidden size={22} />
      <span>
        <Said {...verdict} />
      </span>
    </strong>
  )
}

function Said({ says, until }: Verdict) {
  if (!until) return says
  return (
    <>
      {says} <OnDay iso={until.iso} />, {until.away}
    </>
  )
}

const Section = styled('section')(({ theme }) => ({
  display: 'flex',
  flexWrap: 'wrap',
  alignItems: 'start',
  justifyContent: 'space-between',
  gap: 16,
  minHeight: 74,
  padding: '16px 24px',
  borderRadius: 12,
  border: `1px solid ${theme.palette.divider}`,
  background: theme.palette.background.paper,
  [theme.breakpoints.down('sm')]: { padding: 16 },
}))

const Reasoning = styled(
  'div',
  own('tone'),
)<{ tone: Tone }>(({ theme, tone }) => ({
  flex: '1 1 260px',
  minWidth: 0,
  overflowWrap: 'anywhere',
  // As high as the buttons beside it.
  '& strong, & > span': { display: 'flex', alignItems: 'center', gap: 12, minHeight: 40 },
  '& strong': {
    ...LARGE,
    color: theme.palette.tones[tone].text,
  },
  // At this size figures of one width stand too far apart.
  '& strong time': { fontVariantNumeric: 'normal' },
  '& svg': { flex: 'none' },
  '& p': { marginLeft: 34, color: theme.palette.text.secondary },
}))

const Ways = styled('div')(({ theme }) => ({
  display: 'flex',
  flexWrap: 'wrap',
  gap: 8,
  [theme.breakpoints.down('sm')]: { flex: '1 1 100%', '& > *': { flex: '1 1 auto' } },
}))

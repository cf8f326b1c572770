import Button from '@mui/material/Button'
import { styled } from '@mui/material/styles'
import { RotateCcw } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import type { ClientDetail } from '../../contract/shapes.ts'
import { before, DAY_MS } from '../../contract/time.ts'
import { useNow } from '../clock.ts'
import { At } from '../moments.tsx'
import { Card } from '../parts/Card.tsx'
import { Chip } from '../parts/Chip.tsx'
import { Skeleton } from '../parts/Skeleton.tsx'
import { ResetDialog } from './ResetDialog.tsx'

interface DeviceCardProps {
  /** Undefined while it loads. */
  client: ClientDetail | undefined
  expired: boolean
}

/** Shows the data that a client's box has sent, and a button that clears it. */
export function DeviceCard({ client, expired }: DeviceCardProps) {
  const [asking, setAsking] = useState(false)
  return (
    <Card
      title="Device Information"
      aside={
        <Button
          variant="outlined"
          size="small"
          startIcon={<RotateCcw size={16} />}
          disabled={!client || expired}
          onClick={() => setAsking(true)}
        >
          Reset
        </Button>
      }
    >
      <Facts>
        {FACTS.map(({ label, long, show }) => {
          const value = client && (show(client) ?? NOT_KNOWN)
          return (
            <div key={label} data-long={value === NOT_KNOWN ? undefined : long}>
              <dt>{label}</dt>
              <dd>{value ?? <Skeleton width={120} />}</dd>
            </div>
          )
        })}
      </Facts>
      <ResetDialog
        title="Reset the device?"
        yes="Reset"
        client={asking && client ? client : null}
        onClose={() => setAsking(false)}
      />
    </Card>
  )
}

const NOT_KNOWN = 'N/A'

interface DeviceFact {
  label: string
  /** Takes a whole line on a phone, unless there is no value. */
  long?: true
  show: (client: ClientDetail) => ReactNode
}

const FACTS: readonly DeviceFact[] = [
  {
    label: 'STB serial number',
    show: ({ stb_sn }) => stb_sn && <span className="identifier">{stb_sn}</span>,
  },
  { label: 'STB type', show: ({ stb_type }) => stb_type },
  { label: 'Version', long: true, show: ({ version }) => version },
  {
    label: 'Online',
    show: ({ online }) => <Chip tone={online ? 'good' : 'plain'}>{online ? 'Online' : 'Offline'}</Chip>,
  },
  // A box that was switched off has not said that it stopped playing, so nothing is shown while it is offline.
  { label: 'Plays now', long: true, show: ({ online, watching }) => (online ? watching : null) },
  { label: 'Last active', show: ({ last_active }) => last_active && <At iso={last_active} /> },
  {
    label: 'Last address',
    show: ({ last_address }) => last_address && <span className="identifier">{last_address}</span>,
  },
  {
    label: 'Last watched TV',
    long: true,
    show: (client) => watched(client.time_last_play_tv, client.last_played_tv_content),
  },
  {
    label: 'Last watched VOD',
    long: true,
    show: (client) => watched(client.time_last_play_video, client.last_played_vod_content),
  },
  {
    label: 'Locked to IP',
    show: ({ locked_to_ip }) => locked_to_ip && <span className="identifier">{locked_to_ip}</span>,
  },
]

/** Returns the last content watched and its time; null where neither is known. */
function watched(iso: string | null, content: string | null) {
  if (!iso && !content) return null
  return (
    <>
      {content && <Content iso={iso}>{content}</Content>} {iso && <At iso={iso} />}
    </>
  )
}

/** Highlights content watched within the last 24 hours. */
function Content({ iso, children }: { iso: string | null; children: ReactNode }) {
  const now = useNow()
  const recent = iso !== null && new Date(iso) >= before(now, DAY_MS)
  return (
    <Chip tone={recent ? 'good' : 'plain'} hint={recent ? 'Watched within the last 24 hours' : undefined}>
      {children}
    </Chip>
  )
}

const Facts = styled('dl')(({ theme }) => ({
  '& > div': {
    display: 'flex',
    flexWrap: 'wrap',
    alignItems: 'baseline',
    gap: '0 16px',
    padding: '7px 0',
    borderTop: `1px solid ${theme.palette.divider}`,
  },
  '& > div:first-of-type': { borderTop: 0 },
  [theme.breakpoints.down('sm')]: { '& [data-long] dd': { flexBasis: '100%' } },
  '& dt': { flex: 'none', color: theme.palette.text.secondary },
  '& dd': {
    flex: 1,
    flexBasis: 'auto',
    minWidth: 0,
    minHeight: 22,
    textAlign: 'right',
    overflowWrap: 'anywhere',
  },
  // A title of a playlist may be longer than the card is wide.
  '& .chip': { maxWidth: '100%', height: 'auto', minHeight: '1.375rem', whiteSpace: 'normal' },
}))

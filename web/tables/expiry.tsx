import './clients.css'
import { PowerOff } from 'lucide-react'
import { type ExpiryState, expiryState } from '../../contract/clients.ts'
import { useNow } from '../clock.ts'
import { Chip } from '../parts/Chip.tsx'
import { MomentText } from '../parts/MomentText.tsx'
import type { Column } from '../parts/table/table.ts'
import { daysUntil, relativeDay, showMoment } from '../parts/time.ts'
import type { Tone } from '../parts/tone.ts'
import { zone } from '../zone.ts'

/**
 * Shows the last day of service, its state as a chip, and the days left once the expiry is near. Where no column
 * says the status, `inactive` says here that the client is switched off; only a phone has room for more than a mark. Its
 * word is that of the client's page: 'Inactive' beside the 'Active' of the expiry would contradict it.
 */
export function Expiry({ iso, inRows, inactive }: { iso: string; inRows?: boolean; inactive?: boolean }) {
  const now = useNow()
  const state = expiryState(iso, now)
  const away = relativeDay(daysUntil(iso, zone(), now))
  return (
    <span className="expiry">
      <MomentText iso={iso} zone={zone()} format="date" inRows={inRows} hint={away} />
      {inactive && (
        <>
          <span className="cards-only">
            <Chip tone="plain">Switched off</Chip>
          </span>
          <span className="folded-only" role="img" aria-label="Switched off" data-hint="Switched off">
            <PowerOff aria-hidden size={16} />
          </span>
        </>
      )}
      <Chip tone={LOOKS[state].tone} hint={away}>
        {LOOKS[state].word}
      </Chip>
      {state === 'expiring' && <small>{away}</small>}
    </span>
  )
}

export function expiry<Row extends { expiry: string }>(): Column<Row> {
  return {
    key: 'expiry',
    header: 'Expiry',
    width: 232,
    // There it hides the days left, which the hints of the date and the chip still say.
    least: 176,
    narrow: 'line',
    text: (row) => showMoment(row.expiry, zone(), 'date'),
    cell: (row) => <Expiry inRows iso={row.expiry} />,
    sort: (row) => row.expiry,
  }
}

const LOOKS: Record<ExpiryState, { word: string; tone: Tone }> = {
  active: { word: 'Active', tone: 'good' },
  expiring: { word: 'Expiring', tone: 'warn' },
  expired: { word: 'Expired', tone: 'bad' },
}

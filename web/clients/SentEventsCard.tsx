import Button from '@mui/material/Button'
import { MessageSquare, Power, RotateCw } from 'lucide-react'
import { useState } from 'react'
import { calls } from '../../contract/calls.ts'
import { useCall } from '../calls/useCall.ts'
import { TableCard } from '../TableCard.tsx'
import { sentEvents } from '../tables/sentEvents.tsx'
import { ChosenDialog } from './ChosenDialog.tsx'
import type { BoxEvent } from './chosenAct.ts'

/** How often what became of it is loaded again. */
const EVERY_MS = 30_000

/** What was sent to one client's box and what became of it, and the buttons that send more. */
export function SentEventsCard({ name, blocked }: { name: string; blocked: boolean }) {
  const loaded = useCall(calls.clients.told, { name }, { every: EVERY_MS })
  const [act, setAct] = useState<BoxEvent | null>(null)
  return (
    <TableCard
      label="Sent to the box"
      name="told"
      table={sentEvents}
      rows={loaded.data}
      loaded={loaded}
      tools={BUTTONS.map(({ act, label, icon }) => (
        <Button
          key={act}
          variant="outlined"
          size="small"
          startIcon={icon}
          disabled={blocked}
          onClick={() => setAct(act)}
        >
          {label}
        </Button>
      ))}
    >
      <ChosenDialog open={act !== null} act={act} names={[name]} onClose={() => setAct(null)} />
    </TableCard>
  )
}

const BUTTONS = [
  { act: 'message', label: 'Message', icon: <MessageSquare size={16} /> },
  { act: 'reboot', label: 'Reboot', icon: <Power size={16} /> },
  { act: 'reload', label: 'Reload portal', icon: <RotateCw size={16} /> },
] as const

import Button from '@mui/material/Button'
import { useQueryClient } from '@tanstack/react-query'
import { CalendarPlus } from 'lucide-react'
import { calls } from '../../contract/calls.ts'
import { loadAgain } from '../calls/cache.ts'
import { useExport } from '../calls/useExport.ts'
import { Menu } from '../parts/dialog/Menu.tsx'
import { useNotice } from '../parts/notices/Notices.tsx'
import { number } from '../parts/number.ts'
import { SelectionBar } from '../parts/table/SelectionBar.tsx'
import type { Act } from './chosenAct.ts'
import { leftOut } from './Gone.tsx'
import type { Chosen } from './useChosenClients.ts'
import type { ClientPage } from './useClientPage.ts'

interface ChosenBarProps {
  page: ClientPage
  chosen: Chosen
  onRenew: () => void
  onAct: (act: Act) => void
}

/** A notice has room for so many names. */
const MOST_NAMED = 10

/** What can be done with the selected clients. */
export function ChosenBar({ page, chosen, onRenew, onAct }: ChosenBarProps) {
  const { select, names, all, clear, drop } = chosen
  const notice = useNotice()
  const cache = useQueryClient()
  const leaveOut = (missing: readonly string[]) => {
    if (missing.length === 0) return
    drop(missing)
    loadAgain(cache)
    const others = missing.length - MOST_NAMED
    const names = missing.slice(0, MOST_NAMED).join(', ')
    notice.warning(
      `${leftOut(missing, 'deleted or moved')}.`,
      others > 0 ? `${names} and ${number(others)} more` : names,
    )
  }
  const { received, start, stop } = useExport(calls.clients.export, {
    onBegun: ({ missing }) => leaveOut(missing),
    onGone: ({ clients = [] }) => leaveOut(clients),
  })
  const { sort, order } = page.query
  const exportAs = (format: 'csv' | 'pdf') => start({ format, sort, order, clients: [...names] })
  return (
    <SelectionBar
      chosen={select.chosen}
      shown={(page.rows?.rows ?? []).map(({ name }) => name)}
      onClear={clear}
      all={all}
    >
      <Button variant="contained" startIcon={<CalendarPlus size={18} />} onClick={onRenew}>
        Renew selected
      </Button>
      <Menu
        label="More"
        inBar
        items={[
          { label: 'Change package', onChoose: () => onAct('package') },
          { label: 'Switch on', onChoose: () => onAct('on') },
          { label: 'Switch off', onChoose: () => onAct('off') },
          { label: 'Send a message', onChoose: () => onAct('message') },
          { label: 'Reboot the boxes', onChoose: () => onAct('reboot') },
          { label: 'Reload the portal', onChoose: () => onAct('reload') },
          { label: 'Delete expired', onChoose: () => onAct('delete') },
          ...(received
            ? [{ label: 'Stop the export', onChoose: stop }]
            : [
                { label: 'Export as CSV', onChoose: () => exportAs('csv') },
                { label: 'Export as PDF', onChoose: () => exportAs('pdf') },
              ]),
        ]}
      >
        {received ? 'Exporting…' : 'More'}
      </Menu>
    </SelectionBar>
  )
}

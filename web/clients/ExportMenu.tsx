import { Download } from 'lucide-react'
import { type ExportCall, type Received, useExport } from '../calls/useExport.ts'
import { Menu } from '../parts/dialog/Menu.tsx'
import { FOR_READERS } from '../parts/forReaders.ts'
import { Spinner } from '../parts/Spinner.tsx'
import type { ClientPage } from './useClientPage.ts'

/** Exports the filtered list as a file. During the download the button shows the progress and can stop it. */
export function ExportMenu({ call, page }: { call: ExportCall; page: ClientPage }) {
  const { received, start, stop } = useExport(call)
  const { search, sort, order, filter } = page.query
  const exportAs = (format: 'csv' | 'pdf') => start({ format, search, sort, order, filter })
  return (
    <Menu
      label="Export"
      icon={received ? <Spinner /> : <Download size={18} />}
      items={
        received
          ? [{ label: 'Stop the export', onChoose: stop }]
          : [
              { label: 'Export as CSV', onChoose: () => exportAs('csv') },
              { label: 'Export as PDF', onChoose: () => exportAs('pdf') },
            ]
      }
    >
      <span style={steady}>
        {received && <span style={FOR_READERS}>Export, </span>}
        {received ? progress(received, page.rows) : 'Export'}
      </span>
    </Menu>
  )
}

// As wide as 'Export', so that the buttons beside it do not move.
const steady = { minWidth: 52, fontVariantNumeric: 'tabular-nums' } as const

/** Returns the percentage of the clients received, or the size where the number of clients is unknown. */
function progress({ bytes, rows }: Received, all: ClientPage['rows']): string {
  if (rows > 0 && all && !all.capped)
    return `${Math.min(100, Math.round((rows / Math.max(1, all.count)) * 100))} %`
  return bytes < 1e6 ? `${Math.ceil(bytes / 1000)} kB` : `${(bytes / 1e6).toFixed(1)} MB`
}

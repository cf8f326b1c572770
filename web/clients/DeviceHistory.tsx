import { calls } from '../../contract/calls.ts'
import { useCall } from '../calls/useCall.ts'
import { TableCard } from '../TableCard.tsx'
import { deviceHistory } from '../tables/deviceHistory.tsx'

/** The changes of one client's box: of its serial number, its address, its MAC, and who reset it. */
export function DeviceHistory({ name }: { name: string }) {
  const history = useCall(calls.clients.deviceHistory, { name })
  return (
    <TableCard
      label="Device history"
      name="devices"
      table={deviceHistory}
      rows={history.data}
      loaded={history}
    />
  )
}

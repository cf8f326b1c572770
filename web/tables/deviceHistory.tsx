import type { DeviceChange } from '../../contract/shapes.ts'
import { Ellipsis } from '../parts/Ellipsis.tsx'
import { table } from '../parts/table/table.ts'
import { address, moment } from './columns.tsx'

export const deviceHistory = table<DeviceChange>({
  name: 'device-history',
  columns: [
    moment('at', 'Date', 'datetime', { narrow: 'title' }),
    {
      key: 'event',
      header: 'What',
      width: 152,
      narrow: 'aside',
      text: eventOf,
      sort: eventOf,
    },
    {
      key: 'detail',
      header: 'New value',
      mono: true,
      text: sinceThen,
      cell: (change) => <Ellipsis text={sinceThen(change)} identifier />,
    },
    { ...address<DeviceChange>(), header: 'From', least: 104 },
    {
      key: 'actor',
      header: 'By',
      width: 128,
      least: 80,
      text: ({ actor }) => actor ?? 'The box',
      cell: ({ actor }) => <Ellipsis text={actor ?? 'The box'} identifier={actor !== null} />,
    },
  ],
  rowKey: ({ id }) => String(id),
  firstSort: { by: 'at', order: 'desc' },
  pageSizes: [5, 10, 25],
  perPage: 5,
  // They are deleted after KEEP_DAYS, and a box that goes on as it is adds none.
  empty: 'No changes on record',
})

function sinceThen({ detail, mac_before }: DeviceChange): string {
  return mac_before === null ? detail : `${detail || 'None'} (before: ${mac_before})`
}

/** A box that was taken over by none has left for another client. */
function eventOf({ event, detail }: DeviceChange): string {
  return event === 'taken over' && detail === '' ? 'Box left for another client' : EVENTS[event]
}

const EVENTS: Record<DeviceChange['event'], string> = {
  'first seen': 'First seen',
  'serial number': 'Other serial number',
  address: 'Other address',
  'taken over': 'Other box',
  reset: 'Reset',
  'new MAC': 'New MAC',
}

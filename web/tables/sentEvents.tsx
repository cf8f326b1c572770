import type { SentEvent } from '../../contract/shapes.ts'
import { Ellipsis } from '../parts/Ellipsis.tsx'
import { table } from '../parts/table/table.ts'
import { type ChipLook, chip, moment, text } from './columns.tsx'

/** What was sent to a client's box, and what became of it. */
export const sentEvents = table<SentEvent>({
  name: 'told',
  columns: [
    moment('created', 'Date', 'datetime', { narrow: 'title' }),
    {
      key: 'event',
      header: 'What',
      cell: (sent) => <Ellipsis text={whatWasSent(sent)} />,
      text: whatWasSent,
      sort: whatWasSent,
    },
    chip('state', 'State', ({ state }) => STATES[state], { width: 88, narrow: 'aside' }),
    moment('told', 'Reached', 'datetime'),
    {
      ...text<SentEvent>('actor', 'By'),
      width: 128,
      least: 80,
      cell: ({ actor }) => <Ellipsis text={actor} identifier />,
    },
  ],
  rowKey: ({ id }) => String(id),
  firstSort: { by: 'created', order: 'desc' },
  pageSizes: [5, 10, 25],
  perPage: 5,
  empty: 'Nothing was sent to this box',
})

function whatWasSent({ event, message }: SentEvent): string {
  return message || EVENTS[event]
}

const EVENTS = { message: 'Message', reboot: 'Reboot', reload: 'Reload' } as const

const STATES: Record<SentEvent['state'], ChipLook> = {
  waiting: { label: 'Waiting', tone: 'plain' },
  sent: { label: 'Sent', tone: 'good' },
  shown: { label: 'Shown', tone: 'good' },
  'too late': { label: 'Too late', tone: 'warn' },
}

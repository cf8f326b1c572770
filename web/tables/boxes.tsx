import './clients.css'
import './second.css'
import type { ToldRefusal } from '../../contract/box-refusals.ts'
import {
  type BoxModel,
  MOST_UNKNOWN_BOXES,
  type RefusedBoxes,
  UNKNOWN_BOX_SORTS,
  type UnknownBox,
} from '../../contract/boxes.ts'
import { Ellipsis } from '../parts/Ellipsis.tsx'
import { number } from '../parts/number.ts'
import { type Column, table, textOf } from '../parts/table/table.ts'
import { to } from '../screens.ts'
import { address, CellLink, count, mac, moment, text } from './columns.tsx'
import { searchFault, sortableBy } from './served.ts'

type Refused = { reason: ToldRefusal; boxes: number }

/** Returns which boxes of clients were refused. The unknown ones have a count and a list of their own. */
export function refusedOfClients(refused: readonly RefusedBoxes[]): Refused[] {
  return refused.flatMap(({ reason, boxes }) => (reason === 'unknown' ? [] : [{ reason, boxes }]))
}

/** Why boxes of clients were refused when they asked last, and how many. */
export const refusals = table<Refused>({
  name: 'refusals',
  columns: [
    {
      key: 'reason',
      header: 'Reason',
      narrow: 'title',
      text: ({ reason }) => REASONS[reason],
      sort: ({ reason }) => REASONS[reason],
    },
    count('boxes', 'Boxes', { narrow: 'aside' }),
  ],
  rowKey: ({ reason }) => reason,
  firstSort: { by: 'boxes', order: 'desc' },
  pageSizes: [10, 25],
  empty: 'No box was refused',
})

/** Returns how many boxes are unknown, of which none is counted beyond those that are kept. */
export function countOfUnknown(boxes: number): string {
  return `${number(boxes)}${boxes >= MOST_UNKNOWN_BOXES ? '+' : ''}`
}

const REASONS: Readonly<Record<ToldRefusal, string>> = {
  switched_off: 'The client is switched off',
  suspended: 'Its dealer is suspended, with the service',
  expired: 'The client has expired',
  other_address: 'Locked to another address',
  other_box: 'Another box than the one before',
  too_many_boxes: 'Too many boxes within a day',
  other_client: 'Another client is signed in on it',
  no_trial: 'It cannot have another trial now',
  other_reason: 'A reason that this version of Boxtree does not know',
}

/** What boxes say that they are. */
export const models = table<BoxModel>({
  name: 'box-models',
  columns: [
    {
      key: 'stb_type',
      header: 'Type',
      width: 128,
      least: 88,
      narrow: 'title',
      text: ({ stb_type }) => stb_type || 'Unknown',
      cell: ({ stb_type }) => <Ellipsis text={stb_type || 'Unknown'} />,
    },
    text('version', 'Version'),
    count('boxes', 'Boxes', { narrow: 'aside' }),
    count('online', 'Online'),
  ],
  rowKey: ({ stb_type, version }) => JSON.stringify([stb_type, version]),
  firstSort: { by: 'boxes', order: 'desc' },
  pageSizes: [5, 10, 25, 50, 100],
  perPage: 5,
  empty: 'No box has signed in yet',
  notFound: 'No model matches',
  search: 'Search',
})

const asked = moment<UnknownBox>('asked', 'Last asked', 'datetime')
const firstAsked = moment<UnknownBox>('first_asked', 'First asked', 'datetime', { narrow: 'more' })

const unknownColumns: Column<UnknownBox>[] = [
  mac({ narrow: 'title' }),
  {
    key: 'similar',
    header: 'Similar client',
    width: 176,
    least: 136,
    text: ({ similar }) => similar?.name ?? '',
    cell: ({ similar }) => similar && <Similar {...similar} />,
  },
  { ...count<UnknownBox>('times', 'Times', { narrow: 'aside' }), width: 88 },
  {
    ...asked,
    cell: (row) => (
      <>
        {asked.cell?.(row)}
        <small className="folded-only second">first {textOf(firstAsked, row)}</small>
      </>
    ),
  },
  { ...firstAsked, foldedInto: 'asked' },
  { ...address<UnknownBox>(), width: 120, least: 112, narrow: 'more' },
  {
    key: 'stb_type',
    header: 'Type and version',
    least: 112,
    narrow: 'more',
    cell: ({ stb_type, version }) => (
      <Ellipsis text={[stb_type, version].filter(Boolean).join(', ') || 'Unknown'} />
    ),
  },
]

/** The unknown boxes that ask, which the server sorts and pages. */
export const unknownBoxes = table<UnknownBox>({
  name: 'unknown-boxes',
  columns: sortableBy(UNKNOWN_BOX_SORTS, unknownColumns),
  rowKey: ({ mac }) => mac,
  firstSort: { by: 'asked', order: 'desc' },
  pageSizes: [10, 25, 50],
  empty: 'No unknown box has asked',
  notFound: 'No box matches',
  search: 'Search Unknown Boxes',
  searchFault,
})

/** The client whose MAC is nearly that of a box, which may have been mistyped. */
function Similar({ name, mac, dealer, digits }: NonNullable<UnknownBox['similar']>) {
  const differs = digits === 1 ? 'one digit' : 'two digits'
  return (
    <CellLink
      to={to.allClients({ search: name })}
      className="ellipsis"
      data-hint={`${mac} of ${dealer} differs by ${differs}: it may be a typing mistake`}
    >
      <span className="ellipsis identifier">{name}</span>
      <small className="second quiet">by {differs}</small>
    </CellLink>
  )
}

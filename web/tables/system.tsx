import './second.css'
import { bytes, counted } from '../../contract/quantities.ts'
import {
  CLOCK_OFFSET_MS,
  JOB_LABELS,
  type Job,
  type JobName,
  NEARLY_FULL,
  type Server,
} from '../../contract/system.ts'
import { Chip } from '../parts/Chip.tsx'
import { Ellipsis } from '../parts/Ellipsis.tsx'
import type { Column, PlainTable } from '../parts/table/table.ts'
import type { Tone } from '../parts/tone.ts'
import { type ChipLook, chip, moment } from './columns.tsx'

export const servers: PlainTable<Server> = {
  columns: [
    {
      key: 'host',
      header: 'Server',
      least: 104,
      narrow: 'title',
      cell: ({ host }) => <Ellipsis text={host} identifier />,
    },
    chip('state', 'State', ({ state }) => STATES[state], { width: 88, narrow: 'aside' }),
    inOneLine('serves', 'Serves', { width: 184, least: 128 }, served),
    { key: 'version', header: 'Version', width: 72, cell: ({ version }) => <Version of={version} /> },
    moment('started', 'Started', 'date'),
    moment('seen', 'Last seen', 'datetime'),
    inOneLine('database', 'Database', { width: 112, least: 80 }, databaseOf),
    figure('clock', 'Clock', offsetOf, ({ clock_offset_ms: ms }) =>
      Math.abs(ms) > CLOCK_OFFSET_MS ? 'warn' : null,
    ),
    figure('disk', 'Disk free', roomOf, toneOfRoom),
  ],
  rowKey: ({ id }) => id,
  empty: 'No servers',
}

/** The release, and beneath it the digits that stand for the code. A server before these has none. */
function Version({ of }: { of: string }) {
  const [release = '', code] = of.split('+')
  return (
    <>
      <Ellipsis text={release} />
      {code && <small className="second">{code}</small>}
    </>
  )
}

const STATES: Record<Server['state'], ChipLook> = {
  serving: { label: 'Serving', tone: 'good' },
  stopping: { label: 'Stopping', tone: 'warn' },
  gone: { label: 'Gone', tone: 'bad' },
  unknown: { label: 'Unknown', tone: 'plain' },
}

function served({ console_port, box_port }: Server): string {
  if (console_port !== null && console_port === box_port) return `Console and boxes ${console_port}`
  return [
    ...(console_port === null ? [] : [`Console ${console_port}`]),
    ...(box_port === null ? [] : [`Boxes ${box_port}`]),
  ].join(', ')
}

function databaseOf({ database_host, disk_least }: Server): string {
  return database_host ?? (disk_least === null ? '' : 'Embedded')
}

/** How far its clock is ahead of the database's, in seconds. */
function offsetOf({ clock_offset_ms: ms }: Server): string {
  const seconds = (Math.abs(ms) / 1000).toFixed(1)
  const sign = ms < 0 ? '−' : '+'
  return `${seconds === '0.0' ? '' : sign}${seconds} s`
}

function roomOf({ disk_free }: Server): string {
  return disk_free === null ? '' : bytes(disk_free)
}

function toneOfRoom({ disk_free, disk_least }: Server): Tone | null {
  if (disk_free === null || disk_least === null || disk_free >= NEARLY_FULL * disk_least) return null
  return disk_free < disk_least ? 'bad' : 'warn'
}

/** How the jobs went last. */
export const jobs: PlainTable<Job> = {
  columns: [
    {
      key: 'name',
      header: 'Job',
      width: 112,
      narrow: 'title',
      text: ({ name }) => JOB_LABELS[name],
    },
    chip('state', 'Last run', wentOf, { width: 112, narrow: 'aside' }),
    moment('ended', 'Ended', 'datetime'),
    figure('took', 'Took', ({ took_ms }) => long(took_ms)),
    moment('next', 'Next', 'datetime'),
    inOneLine('about', 'About', { least: 120 }, ({ name, failure }) => failure ?? WHAT[name]),
  ],
  rowKey: ({ name }) => name,
  empty: 'No job has run yet',
}

const WHAT: Record<JobName, string> = {
  statistics: 'Writes the statistics of each day that has ended',
  'clean-up': 'Deletes old sessions, keys, tickets and history',
  counts: 'Adds up the clients of each account',
  boxes: 'Counts the boxes, and forgets the oldest unknown ones',
  playlist: 'Reads the playlist where that is due',
  sealing: 'Encrypts passwords again that a version before 0.2.0 stored',
}

function wentOf({ failures }: Job): ChipLook {
  if (failures === 0) return { label: 'Succeeded', tone: 'good' }
  return { label: failures === 1 ? 'Failed' : `Failed ${failures} times`, tone: 'bad' }
}

function long(ms: number): string {
  if (ms < 1_000) return `${ms} ms`
  return ms < 60_000 ? `${(ms / 1_000).toFixed(1)} s` : counted(Math.floor(ms / 60_000), 'minute')
}

/** A text that is cut at the end of its column. */
function inOneLine<Row>(
  key: string,
  header: string,
  widths: Pick<Column<Row>, 'width' | 'least'>,
  text: (row: Row) => string,
): Column<Row> {
  return { key, header, ...widths, text, cell: (row) => <Ellipsis text={text(row)} /> }
}

/** A number with its unit, marked where it has a tone. */
function figure<Row>(
  key: string,
  header: string,
  text: (row: Row) => string,
  toneOf: (row: Row) => Tone | null = () => null,
): Column<Row> {
  const cell = (row: Row) => {
    const tone = toneOf(row)
    return tone ? <Chip tone={tone}>{text(row)}</Chip> : text(row)
  }
  return { key, header, width: 72, align: 'right', text, cell }
}

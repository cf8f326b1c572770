import { styled } from '@mui/material/styles'
import { CircleAlert, CircleCheck, TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { calls, type OutputOf } from '../../contract/calls.ts'
import { bytes, counted } from '../../contract/quantities.ts'
import type { Backups, Finding, Server } from '../../contract/system.ts'
import { useCall } from '../calls/useCall.ts'
import { useNow } from '../clock.ts'
import { At } from '../moments.tsx'
import { PageHead } from '../PageHead.tsx'
import { Card } from '../parts/Card.tsx'
import { Chip } from '../parts/Chip.tsx'
import { ErrorState, Outdated } from '../parts/ErrorState.tsx'
import { Fact, FactList } from '../parts/FactList.tsx'
import { Skeleton } from '../parts/Skeleton.tsx'
import { Stack } from '../parts/Stack.tsx'
import { FewRows } from '../parts/table/FewRows.tsx'
import { timeAgo } from '../parts/time.ts'
import type { Tone } from '../parts/tone.ts'
import { jobs, servers } from '../tables/system.tsx'
import { zone } from '../zone.ts'

type State = OutputOf<typeof calls.system.state>

/** How often the screen is loaded again: as often as servers tell of themselves. */
const EVERY_MS = 15_000

/** How the servers, the database, the jobs and the backups are, and the problems. */
export function System() {
  const { data, error, refetch } = useCall(calls.system.state, {}, { every: EVERY_MS })
  // What a server that is gone told of itself last is not so any more.
  const there = data?.servers.filter(({ state }) => state !== 'gone') ?? []
  return (
    <>
      <PageHead title="System" />
      {error && !data && (
        <Card>
          <ErrorState message={error.message} onRetry={refetch} />
        </Card>
      )}
      {!error && !data && (
        <Stack>
          <Skeleton height={96} />
          <Beside>
            <Skeleton height={220} />
            <Skeleton height={220} />
            <Skeleton height={220} />
          </Beside>
          <Skeleton height={160} />
          <Skeleton height={480} />
        </Stack>
      )}
      {data && (
        <Stack>
          {error && <Outdated message={error.message} onRetry={refetch} />}
          <Findings findings={data.findings} />
          <Beside>
            <Boxtree schema={data.schema} servers={there} />
            <DatabaseCard state={data} />
            <BackupsCard backups={newestOf(there)} />
          </Beside>
          <Card title="Servers" flush>
            <FewRows label="Servers" table={servers} rows={data.servers} />
          </Card>
          <Card title="Jobs" flush>
            <FewRows label="Jobs" table={jobs} rows={data.jobs} />
          </Card>
        </Stack>
      )}
    </>
  )
}

function Findings({ findings }: { findings: readonly Finding[] }) {
  return (
    <Card title="Problems">
      <List aria-live="polite">
        {findings.length === 0 && (
          <Line data-tone="good">
            <CircleCheck aria-hidden size={18} /> None. All is well.
          </Line>
        )}
        {findings.map(({ urgent, sentence }) => (
          <Line key={sentence} data-tone={urgent ? 'bad' : 'warn'}>
            {urgent ? <CircleAlert aria-hidden size={18} /> : <TriangleAlert aria-hidden size={18} />}
            {sentence}
          </Line>
        ))}
      </List>
    </Card>
  )
}

function Boxtree({ schema, servers }: Pick<State, 'schema' | 'servers'>) {
  const versions = (of: (server: Server) => string) => [...new Set(servers.map(of))].join(', ')
  return (
    <Card title="Boxtree">
      <FactList>
        <Fact label="Version">{versions(({ version }) => version)}</Fact>
        <Fact label="Node">{versions(({ node }) => node)}</Fact>
        <Fact label="Schema">
          <span className="identifier">{schema}</span>
        </Fact>
        <Fact label="Time zone">{zone()}</Fact>
      </FactList>
    </Card>
  )
}

function DatabaseCard({ state: { database, servers } }: { state: State }) {
  const { version, host, writes, clock_behind, size } = database
  const disk = servers.find(({ disk_least }) => disk_least !== null)
  const changes = writes && !clock_behind
  return (
    <Card title="Database">
      <FactList>
        <Fact label="PostgreSQL">{version}</Fact>
        <Fact label="Primary">{host ?? 'Embedded'}</Fact>
        <Fact label="Changes">
          <Chip tone={changes ? 'good' : 'bad'}>{changes ? 'Possible' : 'Refused'}</Chip>
        </Fact>
        <Fact label="Standby">{standbyOf(database)}</Fact>
        <Fact label="Size">{bytes(size)}</Fact>
        <Fact label="Disk">{disk ? roomOf(disk) : 'Not checked: the database is external'}</Fact>
      </FactList>
      {disk && disk.disk_least !== null && disk.disk_least > 0 && (
        <Remark>
          Below {bytes(disk.disk_least)} free, changes stop; below {bytes(disk.disk_least / 2)}, exports stop
          too: people can only sign in and look.
        </Remark>
      )}
    </Card>
  )
}

function roomOf({ disk_free }: Server): string {
  return `${bytes(disk_free ?? 0)} free`
}

function standbyOf({ standbys, synchronous }: State['database']): string {
  if (synchronous === 'away') return 'Away, and changes wait for it'
  if (standbys === 0) return 'None'
  return synchronous === 'there' ? `${standbys}, and changes wait for it` : `${standbys}, no change waits`
}

function BackupsCard({ backups }: { backups: Backups | null }) {
  const now = useNow()
  if (!backups) {
    return (
      <Card title="Backups">
        <p>
          Boxtree makes none by itself. Set <code>BACKUP_EVERY</code> to a number of hours, such as 24, and{' '}
          <code>BACKUP_DIR</code> to a folder on another disk.
        </p>
      </Card>
    )
  }
  const { every_hours, kept, newest, test_restore: tested, next, failure } = backups
  const { label, tone } = tested ? TESTED[tested.outcome] : { label: 'Not ended', tone: 'plain' as const }
  return (
    <Card title="Backups">
      <FactList>
        <Fact label="Made every">{counted(every_hours, 'hour')}</Fact>
        <Fact label="Kept">{kept}</Fact>
        <Fact label="Newest">{newest ? <Ago iso={newest} now={now} /> : 'None yet'}</Fact>
        {newest && (
          <Fact label="Test restore">
            <Chip tone={tone} hint={tested?.sentence}>
              {label}
            </Chip>
          </Fact>
        )}
        <Fact label="Next">{Date.parse(next) > now.getTime() ? <At iso={next} /> : 'Now'}</Fact>
      </FactList>
      {failure && (
        <Remark>
          The last try, <At iso={failure.at} />, failed: {failure.message}
        </Remark>
      )}
    </Card>
  )
}

const TESTED: Record<NonNullable<Backups['test_restore']>['outcome'], { label: string; tone: Tone }> = {
  sound: { label: 'Sound', tone: 'good' },
  unsound: { label: 'Not sound', tone: 'bad' },
  'left out': { label: 'Not tested', tone: 'warn' },
}

/** Servers may share a folder of backups, or each has its own. */
function newestOf(servers: readonly Server[]): Backups | null {
  const all = servers.flatMap(({ backups }) => backups ?? [])
  return all.sort((a, b) => (b.newest ?? '').localeCompare(a.newest ?? ''))[0] ?? null
}

function Ago({ iso, now }: { iso: string; now: Date }): ReactNode {
  return (
    <>
      <At iso={iso} />, {timeAgo(iso, zone(), now)}
    </>
  )
}

const Beside = styled('div')({
  display: 'grid',
  gap: 24,
  overflowWrap: 'anywhere',
  '& > *': { minWidth: 0 },
  '@media (min-width: 640px)': {
    gridTemplateColumns: 'repeat(2, minmax(0, 1fr))',
    '& > :last-child': { gridColumn: 'span 2' },
  },
  '@media (min-width: 1200px)': {
    gridTemplateColumns: 'repeat(3, minmax(0, 1fr))',
    '& > :last-child': { gridColumn: 'auto' },
  },
})

const List = styled('div')({ display: 'grid', gap: 8, maxWidth: 960 })

const Line = styled('p')(({ theme }) => ({
  display: 'flex',
  gap: 12,
  overflowWrap: 'anywhere',
  '& svg': { flex: 'none', marginTop: 2 },
  '&[data-tone=good] svg': { color: theme.palette.tones.good.text },
  '&[data-tone=warn] svg': { color: theme.palette.tones.warn.text },
  '&[data-tone=bad] svg': { color: theme.palette.tones.bad.text },
}))

const Remark = styled('p')(({ theme }) => ({
  marginTop: 12,
  overflowWrap: 'anywhere',
  color: theme.palette.text.secondary,
}))

import { setTimeout as pause } from 'node:timers/promises'
import { PRESENT } from '../../server/postgres/schema.ts'
import { makeNextVersion } from '../support/next-version.ts'
import type { Cluster } from './cluster.ts'
import type { Load } from './load.ts'

/** What happens to a cluster under load, and what makes it whole again. */
export interface Scenario {
  name: string
  title: string
  act: (cluster: Cluster, load: Load) => Promise<void>
  /** Whether another machine must be the primary afterwards; otherwise nothing was tried. */
  replacesPrimary?: true
  /** Whether no request may fail. */
  isPlanned?: true
}

/** After so many writes they are back. */
const BACK = 100
const AWAY_MS = 20_000
const FROZEN_MS = 30_000
/** How long two versions serve beside each other, in milliseconds. */
const BESIDE_MS = 3_000

export const SCENARIOS: readonly Scenario[] = [
  {
    name: 'server',
    title: 'a server killed',
    async act({ servers: [server] }, load) {
      await server.kill()
      await load.untilAcknowledged(BACK)
      await server.start()
    },
  },
  {
    name: 'postgres',
    title: "the primary's PostgreSQL killed",
    replacesPrimary: true,
    async act(cluster, load) {
      const primary = await cluster.withRole('leader')
      primary.killPostgres()
      await load.untilAcknowledged(BACK)
    },
  },
  {
    name: 'machine',
    title: "the primary's machine killed",
    replacesPrimary: true,
    act: (cluster, load) => lose('leader', cluster, load),
  },
  {
    name: 'standby',
    title: "the standby's machine killed",
    act: (cluster, load) => lose('sync_standby', cluster, load),
  },
  {
    name: 'switchover',
    title: 'a switchover',
    replacesPrimary: true,
    async act(cluster) {
      const primary = await cluster.withRole('leader')
      await primary.switchOver()
    },
  },
  {
    name: 'etcd',
    title: `etcd away for ${AWAY_MS / 1000} s`,
    async act({ nodes }) {
      const wake = nodes.map((node) => node.freezeEtcd())
      await pause(AWAY_MS)
      for (const one of wake) one()
    },
  },
  {
    name: 'frozen',
    title: `the primary's PostgreSQL frozen for ${FROZEN_MS / 1000} s`,
    replacesPrimary: true,
    act: (cluster) => freeze(cluster, false),
  },
  {
    name: 'frozen-with-patroni',
    title: 'the same, with its Patroni',
    replacesPrimary: true,
    act: (cluster) => freeze(cluster, true),
  },
  {
    name: 'roll',
    title: 'both servers restarted, one after the other',
    isPlanned: true,
    async act({ servers }) {
      for (const server of servers) await server.roll()
    },
  },
  {
    name: 'upgrade',
    title: 'both upgraded to a next version, and taken back',
    isPlanned: true,
    async act(cluster) {
      const next = makeNextVersion(cluster.folder)
      for (const root of [next, undefined])
        for (const server of cluster.servers) {
          await server.roll(root)
          await pause(BESIDE_MS)
        }
      if ((await cluster.step()) === PRESENT.step) throw new Error('The next version has changed no table')
      cluster.versionOfTables = next
    },
  },
]

/** Kills the machine that has a role, until there are writes without it. */
async function lose(role: 'leader' | 'sync_standby', cluster: Cluster, load: Load): Promise<void> {
  const node = await cluster.withRole(role)
  node.lose()
  await load.untilAcknowledged(BACK)
  node.startAgain()
}

async function freeze(cluster: Cluster, patroniToo: boolean): Promise<void> {
  const primary = await cluster.withRole('leader')
  const wake = primary.freeze({ patroniToo })
  await pause(FROZEN_MS)
  wake()
}

import type { calls } from '../../../contract/calls.ts'
import type { ServerReport } from '../../../contract/system.ts'
import type { Context, Handlers, Self } from '../../context.ts'
import { databaseOf, schemaOf, sizeOf } from './database.ts'
import { findingsOf, type State } from './findings.ts'
import { playlistStateOf } from './playlist.ts'
import { lastRuns } from './runs.ts'
import { serversOf } from './servers.ts'

// What may have to be waited for is asked before the transaction, which would keep a connection meanwhile.
export const system: Handlers<typeof calls.system> = {
  state: {
    async outside({ business }, _input, begin) {
      const here = await askedHere(business.self)
      return begin(async (context) => {
        const [state, size, schema] = await Promise.all([
          stateOf(context, here),
          sizeOf(context.sql),
          schemaOf(context.sql),
        ])
        const { database, servers, jobs } = state
        return {
          schema,
          database: { ...database, size },
          servers: [...servers],
          jobs: [...jobs],
          findings: findingsOf(state),
        }
      })
    },
  },
  findings: {
    async outside({ business }, _input, begin) {
      const here = await askedHere(business.self)
      return begin(async (context) => ({ findings: findingsOf(await stateOf(context, here)) }))
    },
  },
}

/** Asks whether a change can be committed, and what this server tells of itself. */
async function askedHere(self: Self): Promise<Here> {
  const [writes, own] = await Promise.all([self.canWrite(), self.report()])
  return { writes, own }
}

type Here = { writes: boolean; own: ServerReport }

async function stateOf({ sql, now, business }: Context, { writes, own }: Here): Promise<State> {
  const [database, servers, jobs, playlist] = await Promise.all([
    databaseOf(sql, business.database),
    serversOf(sql, { own, now }),
    lastRuns(sql),
    playlistStateOf(sql),
  ])
  const newest = business.self.clockBehind()
  return {
    database: { ...database, writes, clock_behind: newest !== null },
    newest,
    silentProxy: business.self.seesSilentProxy(),
    servers,
    jobs,
    playlist,
    playlistMinutes: business.playlist.minutes,
    now,
  }
}

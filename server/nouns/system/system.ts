import type { calls } from '../../../contract/calls.ts'
import type { Context, Handlers } from '../../context.ts'
import { databaseOf, schemaOf, sizeOf } from './database.ts'
import { findingsOf, type State } from './findings.ts'
import { lastRuns } from './runs.ts'
import { serversOf } from './servers.ts'

// Whether a change can be committed is tried before the transaction, which would keep a connection from that commit.
export const system: Handlers<typeof calls.system> = {
  state: {
    async outside({ business }, _input, begin) {
      const writes = await business.self.canWrite()
      return begin(async (context) => {
        const [state, size, schema] = await Promise.all([
          stateOf(context, writes),
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
      const writes = await business.self.canWrite()
      return begin(async (context) => ({ findings: findingsOf(await stateOf(context, writes)) }))
    },
  },
}

async function stateOf({ sql, now, business }: Context, writes: boolean): Promise<State> {
  const { self } = business
  const [database, servers, jobs] = await Promise.all([
    databaseOf(sql, business.database),
    serversOf(sql, { own: self.report(), now }),
    lastRuns(sql),
  ])
  return { database: { ...database, writes, clock_behind: self.isClockBehind() }, servers, jobs, now }
}

import { realpathSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { MAJOR } from '../server/postgres/binaries.ts'
import type { Sql } from '../server/postgres/pool.ts'

/** Has PostgreSQL count its statements from its next start on. Returns what undoes that for the start after it. */
export function countStatements(dataDir: string): () => void {
  writeFileSync(
    settingsOf(dataDir),
    "shared_preload_libraries = 'pg_stat_statements'\npg_stat_statements.track = 'all'\n",
    { mode: 0o644 },
  )
  return () => countNoStatements(dataDir)
}

/** Undoes what an interrupted run has left: counting takes time from whatever is measured. */
export function countNoStatements(dataDir: string): void {
  rmSync(settingsOf(dataDir), { force: true })
}

function settingsOf(dataDir: string): string {
  return join(realpathSync(join(dataDir, `postgres-${MAJOR}`)), 'local.conf')
}

/** Returns how many statements clients have sent since the count began, and how many of them write presence. */
export async function statementsSoFar(
  sql: Sql,
): Promise<{ all: number; presence: number; presenceMs: number }> {
  const [row] = await sql<{ all: number; presence: number; presenceMs: number }[]>`
    select sum(calls)::float8 as all,
      coalesce(sum(calls) filter (where writes), 0)::float8 as presence,
      coalesce(max(mean_exec_time) filter (where writes), 0) as "presenceMs"
    from pg_stat_statements, lateral (select query like '%insert into presence%') as kind (writes) where toplevel`
  return row ?? { all: 0, presence: 0, presenceMs: 0 }
}

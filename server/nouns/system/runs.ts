import { JOBS, type Job, type JobName } from '../../../contract/system.ts'
import { begin } from '../../postgres/begin.ts'
import type { Sql } from '../../postgres/pool.ts'

export type Run = {
  name: JobName
  took_ms: number
  /** Why it failed; null where it did not. */
  failure: string | null
  next: Date | null
}

/** The most characters of a failure that are kept; the log has it whole. */
const LONGEST_FAILURE = 300

/** Notes how a run of a job went. Nothing depends on it, so its commit waits for no disk and for no standby. */
export async function noteRun(sql: Sql, { name, took_ms, failure, next }: Run): Promise<void> {
  const why = failure === null ? null : failure.slice(0, LONGEST_FAILURE)
  const note = async (sql: Sql) => {
    if (why === null) {
      await sql`
        insert into job (name, took_ms, succeeded, failures, next) values (${name}, ${took_ms}, moment(), 0, ${next})
        on conflict (name) do update set ended = moment(), took_ms = excluded.took_ms, succeeded = moment(),
          failures = 0, failure = null, next = excluded.next`
    } else {
      await sql`
        insert into job (name, took_ms, failures, failure, next) values (${name}, ${took_ms}, 1, ${why}, ${next})
        on conflict (name) do update set ended = moment(), took_ms = excluded.took_ms,
          failures = job.failures + 1, failure = excluded.failure, next = excluded.next`
    }
  }
  await begin(sql, note, 'may be lost')
}

/** Returns how each job went last, on whichever server. A newer version may have jobs that this one does not know. */
export async function lastRuns(sql: Sql): Promise<Job[]> {
  const rows = await sql<Job[]>`
    select name, ended, took_ms, succeeded, failures, failure, next from job
    where name = any(${[...JOBS]}::text[]) order by name`
  return [...rows]
}

import { setTimeout as pause } from 'node:timers/promises'
import { codeOf } from '../error-code.ts'
import { type Access, begin } from '../postgres/begin.ts'
import type { Sql } from '../postgres/pool.ts'

/**
 * Runs a transaction, and again where the database ended it to resolve a deadlock, as between two calls that swap their
 * MACs: it was rolled back, and succeeds once the other is through.
 */
export async function retryDeadlocks<Result>(
  sql: Sql,
  access: Access,
  work: (sql: Sql) => Promise<Result>,
): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await begin(sql, work, access)
    } catch (error) {
      if (codeOf(error) !== DEADLOCK || attempt === MOST_ATTEMPTS) throw error
    }
    await pause(PAUSE_MS * attempt)
  }
}

/** PostgreSQL's code. */
const DEADLOCK = '40P01'
const MOST_ATTEMPTS = 5
const PAUSE_MS = 50

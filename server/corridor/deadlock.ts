import { setTimeout as pause } from 'node:timers/promises'
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
      const isDeadlock = error instanceof Error && 'code' in error && error.code === '40P01'
      if (!isDeadlock || attempt === MOST_ATTEMPTS) throw error
    }
    await pause(PAUSE_MS * attempt)
  }
}

const MOST_ATTEMPTS = 5
const PAUSE_MS = 50

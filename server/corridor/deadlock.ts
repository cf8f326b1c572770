import { setTimeout as pause } from 'node:timers/promises'
import { type Access, begin } from '../postgres/begin.ts'
import { codeOf } from '../postgres/errors.ts'
import type { Sql } from '../postgres/pool.ts'

/**
 * Runs a transaction again that the database ended to resolve a deadlock, as between two calls that swap their MACs.
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

const DEADLOCK = '40P01'
const MOST_ATTEMPTS = 5
const PAUSE_MS = 50

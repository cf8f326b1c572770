import { type Embedded, startEmbedded } from '../server/postgres/embedded.ts'
import { openPool, type Sql } from '../server/postgres/pool.ts'

/** The database of a running console, with a pool of one connection to it. */
interface Opened {
  database: Embedded
  sql: Sql
  close(): Promise<void>
}

/** Opens the database of a running console, as the console's role or as the superuser. */
export async function openDatabaseOf(dataDir: string, role: 'server' | 'superuser'): Promise<Opened> {
  const database = await startEmbedded({ dataDir, say: () => {}, guest: true })
  const sql = openPool(database[role], { max: 1, isLong: true })
  // As the console has it: planning each time takes longer than running.
  if (role === 'server') await sql`set plan_cache_mode = force_generic_plan`
  return {
    database,
    sql,
    async close() {
      await sql.end()
      await database.stop()
    },
  }
}

/** Opens it as the console's role for the time of `work`. */
export async function withDatabaseOf<T>(dataDir: string, work: (sql: Sql) => Promise<T>): Promise<T> {
  const { sql, close } = await openDatabaseOf(dataDir, 'server')
  try {
    return await work(sql)
  } finally {
    await close()
  }
}

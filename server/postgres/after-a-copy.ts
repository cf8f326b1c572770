import type { Sql } from './pool.ts'

// What an import or a copy leaves in a database, which a start refuses and `verify` finds.

/** What is said where PostgreSQL checks nothing that is written in the console's sessions. */
export const TRIGGERS_OFF =
  'PostgreSQL runs none of the triggers that guard the ledger: session_replication_role is replica, as somebody sets it for an import. As a superuser, take that back where it was set: alter database … reset session_replication_role, alter role … reset session_replication_role, or in postgresql.conf.'

/** Whether the triggers are switched off in this session, and with them the foreign keys. */
export async function areTriggersOff(sql: Sql): Promise<boolean> {
  const [is] = await sql<
    { off: boolean }[]
  >`select current_setting('session_replication_role') = 'replica' as off`
  return is?.off ?? false
}

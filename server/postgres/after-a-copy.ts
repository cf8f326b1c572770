import type { Sql } from './pool.ts'
import { KNOWN_TABLES } from './schema.ts'

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

/**
 * Names the tables whose next row would get the number of one that is there: each such row is refused, until one falls
 * into a gap and stands before older ones. Returns null where there are none.
 * @param sql the owner's: nobody else may read what numbers come next, and then none are found
 */
export async function numbersTaken(sql: Sql): Promise<string | null> {
  const numbered = await numberedColumns(sql)
  const looks = numbered.map(
    ({ table, column, sequence }) => `
      select '${table}' as "table" from ${sequence}
      where (select max(${column}) from "${table}") >= last_value + is_called::int`,
  )
  if (looks.length === 0) return null
  const taken = await sql.unsafe<{ table: string }[]>(looks.join(' union all '))
  if (taken.length === 0) return null
  const remedies = numbered
    .filter(({ table }) => taken.some((one) => one.table === table))
    .map(({ table, column, sequence }) => `select setval('${sequence}', max(${column})) from ${table};`)
  return `The next numbers of ${taken.map(({ table }) => table).join(', ')} are those of rows that are there, as a copy by logical replication leaves them. Run as the owner of the tables: ${remedies.join(' ')}`
}

/** Has the next number of each table be one after those of its rows, where it is not. */
export async function countOn(sql: Sql): Promise<void> {
  for (const { table, column, sequence } of await numberedColumns(sql))
    await sql.unsafe(`
      select setval('${sequence}', highest) from ${sequence}, (select max(${column}) as highest from "${table}") of_rows
      where highest >= last_value + is_called::int`)
}

/** The columns whose numbers PostgreSQL gives, with the sequences that this role may read. */
function numberedColumns(sql: Sql): Promise<{ table: string; column: string; sequence: string }[]> {
  return sql`
    select relname as "table", quote_ident(attname) as "column",
      pg_get_serial_sequence(quote_ident(relname), attname) as sequence
    from pg_attribute a join pg_class c on c.oid = a.attrelid
    where relnamespace = 'public'::regnamespace and relname = any (${[...KNOWN_TABLES]}::text[])
      and attidentity in ('a', 'd')
      and has_sequence_privilege(pg_get_serial_sequence(quote_ident(relname), attname), 'select') order by 1`
}

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Sql } from '../../postgres/pool.ts'

/**
 * What in the database itself no longer keeps the ledger, a sentence each: triggers and functions that were removed,
 * turned off or rewritten, rules that are gone, and rights of the server's role that it must not have.
 */
export async function brokenGuards(sql: Sql, role: string): Promise<string[]> {
  return [
    ...(await brokenTriggers(sql)),
    ...(await rewrittenFunctions(sql)),
    ...(await missingRules(sql)),
    ...(await excessiveRights(sql, role)),
  ]
}

/** What stands between a mistake and the ledger: each trigger with the table that it is on and what it runs. */
const TRIGGERS: readonly (readonly [table: string, trigger: string])[] = [
  ['transfer', 'post_transfers'],
  ['transfer', 'appended_only'],
  ['audit', 'appended_only'],
  ['account', 'open_holdings'],
  ['service', 'count_inserted'],
  ['service', 'count_updated'],
  ['service', 'count_deleted'],
  ['service', 'list_service'],
  ['client', 'list_client'],
]

const FUNCTIONS = [
  'post_transfers',
  'refuse_change',
  'open_holdings',
  'lock_holdings',
  'count_services',
  'count_clients',
  'list_service',
  'list_client',
] as const

async function brokenTriggers(sql: Sql): Promise<string[]> {
  const found = await sql<{ on: string; name: string; enabled: string }[]>`
    select tgrelid::regclass::text as on, tgname as name, tgenabled as enabled from pg_trigger where not tgisinternal`
  return TRIGGERS.flatMap(([table, trigger]) => {
    const there = found.find(({ on, name }) => on === table && name === trigger)
    if (!there) return [`The trigger ${trigger} on ${table} is gone.`]
    return there.enabled === 'O' || there.enabled === 'A'
      ? []
      : [`The trigger ${trigger} on ${table} is turned off.`]
  })
}

/** A function is as it was made when its text stands in one of the migrations, letter for letter. */
async function rewrittenFunctions(sql: Sql): Promise<string[]> {
  const folder = join(import.meta.dirname, '../../../db')
  const migrations = readdirSync(folder)
    .filter((name) => name.endsWith('.sql'))
    .map((name) => readFileSync(join(folder, name), 'utf8').replaceAll('\r\n', '\n'))
    .join('\n')
  const found = await sql<{ name: string; text: string }[]>`
    select proname as name, prosrc as text from pg_proc where pronamespace = 'public'::regnamespace`
  return FUNCTIONS.flatMap((name) => {
    const versions = found.filter((one) => one.name === name)
    if (versions.length === 0) return [`The function ${name} is gone.`]
    return versions.every(({ text }) => migrations.includes(text))
      ? []
      : [`The function ${name} was rewritten.`]
  })
}

/** How many rules of each kind the migrations give a table: c checks, f foreign keys, p primary, u unique. */
const RULES: Record<string, Record<string, number>> = {
  holding: { c: 2, f: 1, p: 1, u: 1 },
  transfer: { c: 5, f: 7, p: 1 },
}

async function missingRules(sql: Sql): Promise<string[]> {
  const found = await sql<{ on: string; name: string; kind: string; sound: boolean }[]>`
    select conrelid::regclass::text as on, conname as name, contype as kind, convalidated and conenforced as sound
    from pg_constraint where connamespace = 'public'::regnamespace`
  const sound = found.filter((rule) => rule.sound)
  const missing = Object.entries(RULES).filter(([table, kinds]) =>
    Object.entries(kinds).some(
      ([kind, count]) => sound.filter((rule) => rule.on === table && rule.kind === kind).length < count,
    ),
  )
  return [
    ...(sound.some(({ on, name }) => on === 'holding' && name === 'never_negative')
      ? []
      : ['The rule never_negative, that no balance falls below nothing, is gone.']),
    ...missing.map(([table]) => `A rule of the table ${table} is gone or was never checked.`),
  ]
}

/** What nobody but the owner may do, by table. */
const FORBIDDEN: Record<string, readonly string[]> = {
  transfer: ['UPDATE', 'DELETE', 'TRUNCATE', 'TRIGGER'],
  audit: ['UPDATE', 'DELETE', 'TRUNCATE', 'TRIGGER'],
  holding: ['INSERT', 'UPDATE', 'DELETE', 'TRUNCATE', 'TRIGGER'],
  dealer_clients: ['INSERT', 'UPDATE', 'DELETE', 'TRUNCATE', 'TRIGGER'],
  directory: ['INSERT', 'UPDATE', 'DELETE', 'TRUNCATE', 'TRIGGER'],
  superreseller_clients: ['INSERT', 'UPDATE', 'DELETE', 'TRUNCATE', 'TRIGGER'],
}

async function excessiveRights(sql: Sql, role: string): Promise<string[]> {
  const [whole] = await sql<{ owns: boolean; superuser: boolean }[]>`
    select pg_has_role(r.oid, c.relowner, 'MEMBER') as owns, r.rolsuper as superuser
    from pg_roles r, pg_class c where r.rolname = ${role} and c.oid = 'transfer'::regclass`
  if (whole?.superuser)
    return [`The console's role ${role} is a superuser, whom no rule of the database holds.`]
  if (whole?.owns)
    return [`The console's role ${role} owns the ledger, so that the database cannot guard it.`]
  const asked = Object.entries(FORBIDDEN).flatMap(([table, rights]) =>
    rights.map((right) => ({ table, right })),
  )
  const granted = await sql<{ table: string; right: string }[]>`
    select "table", "right" from jsonb_to_recordset(${sql.json(asked)}) as asked ("table" text, "right" text)
    where has_table_privilege(${role}, "table", "right")
      or ("right" in ('INSERT', 'UPDATE') and has_any_column_privilege(${role}, "table", "right"))`
  return granted.map(
    ({ table, right }) => `The console's role ${role} has the right to ${right} on ${table}.`,
  )
}

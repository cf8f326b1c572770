import { areTriggersOff, TRIGGERS_OFF } from '../postgres/after-a-copy.ts'
import type { Sql } from '../postgres/pool.ts'
import { KNOWN_TABLES, PRESENT } from '../postgres/schema.ts'

/**
 * A sentence for each trigger, function, constraint and unique index of the ledger that is missing, was changed or is
 * off, for each trigger and rule beside ours, and for each right that is too much.
 * @param role the console's role; null where no right of it is judged
 */
export async function brokenGuards(sql: Sql, role: string | null): Promise<string[]> {
  return [
    ...((await areTriggersOff(sql)) ? [TRIGGERS_OFF] : []),
    ...(await brokenTriggers(sql)),
    ...(await othersRules(sql)),
    ...(await rewrittenFunctions(sql)),
    ...(await missingConstraints(sql)),
    ...(await missingIndexes(sql)),
    ...(role === null ? [] : await excessiveRights(sql, role)),
    ...(await playedClock(sql)),
  ]
}

export const WRITTEN = PRESENT.files.map(({ text }) => text).join('\n')

const TRIGGERS = [...WRITTEN.matchAll(/^create trigger (\w+)[^;]*?\bon (\w+)[^;]*/gm)]
/** Each function with its options and its body; one that is written as an expression has none. */
export const FUNCTIONS = [...WRITTEN.matchAll(/^create function (\w+)([^$;]*)(?:\$\$(.*?)\$\$)?;/gms)]
const CONSTRAINTS = [...WRITTEN.matchAll(/^create(?: unlogged)? table (\w+) \((.*?)^\)/gms)].flatMap(
  ([, table, columns = '']) =>
    [...columns.matchAll(/^ +constraint (\w+)/gm)].map(([, name]) => ({ table, name })),
)
const UNIQUE_INDEXES = [...WRITTEN.matchAll(/^create unique index (\w+)[^;]*/gm)]

async function brokenTriggers(sql: Sql): Promise<string[]> {
  const found = await sql<{ on: string; name: string; enabled: string; definition: string }[]>`
    select tgrelid::regclass::text as on, tgname as name, tgenabled as enabled, pg_get_triggerdef(oid, true) as definition
    from pg_trigger where not tgisinternal`
  const others = found.filter(
    ({ on, name }) =>
      KNOWN_TABLES.has(on) && !TRIGGERS.some(([, trigger, table]) => on === table && name === trigger),
  )
  const broken = TRIGGERS.flatMap(([written, trigger, table]) => {
    const there = found.find(({ on, name }) => on === table && name === trigger)
    if (!there) return [`The trigger ${trigger} on ${table} is gone.`]
    if (shapeOf(there.definition) !== shapeOf(written))
      return [`The trigger ${trigger} on ${table} was rewritten.`]
    return there.enabled === 'O' || there.enabled === 'A'
      ? []
      : [`The trigger ${trigger} on ${table} is turned off.`]
  })
  return [...broken, ...others.map(({ on, name }) => `The trigger ${name} on ${on} is not one of Boxtree's.`)]
}

/** Finds the rules by which a statement on our tables would do something else. A view is made of one. */
async function othersRules(sql: Sql): Promise<string[]> {
  const found = await sql<{ on: string; name: string }[]>`
    select relname as on, rulename as name from pg_rewrite join pg_class on pg_class.oid = ev_class
    where relnamespace = 'public'::regnamespace and relname = any (${[...KNOWN_TABLES]}::text[])`
  return found.map(({ on, name }) => `The rule ${name} on ${on} is not one of Boxtree's.`)
}

/**
 * Returns when a trigger runs which function, alike for our text and for PostgreSQL's. Of its condition, which
 * PostgreSQL writes in its own way, only that it has one.
 */
function shapeOf(definition: string): string {
  return definition
    .toLowerCase()
    .replaceAll(/\s+/g, ' ')
    .replace(/ when \(.*\) execute/, ' when execute')
    .replace(/(?<= (?:before|after) ).*?(?= on )/, (events) => events.split(' or ').sort().join(' or '))
}

async function rewrittenFunctions(sql: Sql): Promise<string[]> {
  const found = await sql<{ name: string; text: string; as_owner: boolean; settings: string[] | null }[]>`
    select proname as name, prosrc as text, prosecdef as as_owner, proconfig as settings
    from pg_proc where pronamespace = 'public'::regnamespace`
  return FUNCTIONS.flatMap(([, name, options = '', body = '']) => {
    const versions = found.filter((one) => one.name === name)
    if (versions.length === 0) return [`The function ${name} is gone.`]
    const isSame = versions.every(
      ({ text, as_owner, settings }) =>
        text === body &&
        as_owner === options.includes('security definer') &&
        (settings ?? []).includes(SEARCH_PATH) === options.includes('set search_path'),
    )
    return isSame ? [] : [`The function ${name} was rewritten.`]
  })
}

/** The setting of every function that runs as the owner: it finds nothing that another role has made. */
const SEARCH_PATH = 'search_path=public, pg_temp'

/** Of a constraint, its condition is not judged: PostgreSQL writes it in its own way, and each version in another. */
async function missingConstraints(sql: Sql): Promise<string[]> {
  // From PostgreSQL 18 on a constraint may exist without being enforced.
  const found = await sql<{ table: string; name: string }[]>`
    select conrelid::regclass::text as "table", conname as name from pg_constraint
    where connamespace = 'public'::regnamespace and convalidated
      and coalesce((to_jsonb(pg_constraint) ->> 'conenforced')::boolean, true)`
  const sound = new Set(found.map(({ table, name }) => `${table} ${name}`))
  return CONSTRAINTS.flatMap(({ table, name }) =>
    sound.has(`${table} ${name}`) ? [] : [`The constraint ${name} is gone or was never checked.`],
  )
}

async function missingIndexes(sql: Sql): Promise<string[]> {
  const found = await sql<{ definition: string }[]>`
    select pg_get_indexdef(indexrelid) as definition from pg_index where indisunique and indisvalid`
  const sound = new Set(found.map(({ definition }) => keyOf(definition)))
  return UNIQUE_INDEXES.flatMap(([written, name]) =>
    sound.has(keyOf(written)) ? [] : [`The unique index ${name} is gone or does not hold.`],
  )
}

/** Returns what a unique index forbids, alike for our text and for PostgreSQL's. */
function keyOf(definition: string): string {
  return definition
    .toLowerCase()
    .replaceAll(/public\.| using btree|::text|[()]/g, '')
    .replaceAll(/\s+/g, ' ')
}

const REMOVING = ['DELETE', 'TRUNCATE', 'TRIGGER']

/** The rights that only the owner may have. */
const FORBIDDEN = [
  // What the database alone writes.
  {
    rights: ['INSERT', 'UPDATE', ...REMOVING],
    tables: [
      'setup',
      'holding',
      'settled_count',
      'settled_total',
      'settled_month',
      'count_change',
      'box_change',
      'directory',
      'switched_off',
      'tree_move',
    ],
  },
  // What is only appended.
  {
    rights: ['UPDATE', ...REMOVING],
    tables: [
      'transfer',
      'audit',
      'mac_trial',
      'device_history',
      'sign_in',
      'statistic',
      'branch_day',
      'busy_day',
      'finished_month',
    ],
  },
  // What may change and is never removed.
  { rights: REMOVING, tables: ['box_event', 'credit_request', 'suspension'] },
]

/** The columns that the database alone may fill. */
const GIVEN: readonly (readonly [table: string, column: string])[] = [
  ['transfer', 'id'],
  ['transfer', 'created'],
  ['mac_trial', 'created'],
  ['audit', 'id'],
  ['audit', 'at'],
]

async function excessiveRights(sql: Sql, role: string): Promise<string[]> {
  // Who owns a schema may drop the tables of others in it, and is by default whoever owns the database.
  const [whole] = await sql<{ owns: boolean; makes: boolean; superuser: boolean }[]>`
    select pg_has_role(r.oid, c.relowner, 'MEMBER') or pg_has_role(r.oid, n.nspowner, 'MEMBER') as owns,
      has_schema_privilege(r.oid, n.oid, 'CREATE') as makes, r.rolsuper as superuser
    from pg_roles r, pg_class c join pg_namespace n on n.oid = c.relnamespace
    where r.rolname = ${role} and c.oid = 'transfer'::regclass`
  if (whole?.superuser)
    return [`The console's role ${role} is a superuser, whom no rule of the database holds.`]
  if (whole?.owns)
    return [`The console's role ${role} owns the ledger, so that the database cannot guard it.`]
  if (whole?.makes) return [`The console's role ${role} may make tables and functions.`]
  const asked = FORBIDDEN.flatMap(({ rights, tables }) =>
    tables.flatMap((table) => rights.map((right) => ({ table, right }))),
  )
  const granted = await sql<{ table: string; right: string }[]>`
    select "table", "right" from jsonb_to_recordset(${sql.json(asked)}) as asked ("table" text, "right" text)
    where has_table_privilege(${role}, "table", "right")
      or ("right" in ('INSERT', 'UPDATE') and has_any_column_privilege(${role}, "table", "right"))`
  const chosen = await sql<{ table: string; column: string }[]>`
    select "table", "column" from unnest(${GIVEN.map(([table]) => table)}::text[], ${GIVEN.map(([, column]) => column)}::text[])
      as given ("table", "column")
    where has_column_privilege(${role}, "table", "column", 'INSERT')`
  return [
    ...granted.map(({ table, right }) => `The console's role ${role} has the right to ${right} on ${table}.`),
    ...chosen.map(({ table, column }) => `The console's role ${role} may choose the ${column} in ${table}.`),
  ]
}

/** Reports the setting that lets sessions date their rows, which only a demonstration may have. */
async function playedClock(sql: Sql): Promise<string[]> {
  const played = await sql`select from setup where key = 'clock' and value = 'played'`
  return played.length > 0 ? [PLAYED] : []
}

export const PLAYED = 'The sessions of this database may choose the dates of what they write.'

import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, globSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import type { Database } from '../server/postgres/database.ts'
import { openPool, type Sql } from '../server/postgres/pool.ts'
import type { Renewer, Statement } from './renewal.ts'

interface Order {
  statements: readonly Statement[]
  connections: number
  renewers: readonly Renewer[]
  seconds: number
}

/** Returns the renewals per second of PostgreSQL's own benchmark tool, or a sentence why there are none. */
export async function pgbench(database: Database, order: Order): Promise<number | string> {
  const program = ['/usr/bin/pgbench', ...globSync('/usr/lib/postgresql/*/bin/pgbench')].find(existsSync)
  if (!program || typeof database.server === 'string')
    return 'pgbench is not installed, so the comparison with it is left out.'
  const owner = openPool(database.owner, { max: 1 })
  const folder = mkdtempSync(join(tmpdir(), 'boxtree-bench-'))
  try {
    await writeRenewers(owner, order)
    const script = join(folder, 'renewal.sql')
    writeFileSync(script, scriptOf(order))
    const { socket, database: name, user } = database.server
    const { stdout } = await promisify(execFile)(program, [
      ...['-h', dirname(socket), '-U', user, '-n', '-M', 'prepared', '-f', script],
      ...['-c', String(order.connections), '-j', '2', '-T', String(order.seconds), name],
    ])
    const failed = /failed transactions: (\d+)/.exec(stdout)?.[1]
    if (failed !== '0') throw new Error(stdout)
    return Number(/tps = ([\d.]+)/.exec(stdout)?.[1])
  } finally {
    await owner`drop table if exists renewer`
    await owner.end()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Writes the renewers into a table, because a pgbench script cannot hold a list. */
async function writeRenewers(owner: Sql, { renewers }: Order): Promise<void> {
  const rows = renewers.flatMap(({ id, token, superreseller, reseller, balance, consumed, clients }, nr) =>
    clients.map((login, turn) => {
      const hash = `\\x${createHash('sha256').update(token).digest('hex')}`
      return { nr, turn, dealer: id, superreseller, reseller, balance, consumed, hash, login }
    }),
  )
  await owner`
    create unlogged table renewer as select * from jsonb_to_recordset(${owner.json(rows)}) as row (
      nr int, turn int, dealer bigint, superreseller bigint, reseller bigint, balance bigint, consumed bigint,
      hash text, login text)`
  await owner`alter table renewer add primary key (nr, turn)`
  await owner`grant select on renewer to public`
  await owner`analyze renewer`
}

function scriptOf({ statements, connections, renewers }: Order): string {
  const each = Math.floor(renewers.length / connections)
  const clients = renewers[0]?.clients.length ?? 1
  return [
    `\\set nr :client_id * ${each} + random(0, ${each - 1})`,
    `\\set turn random(0, ${clients - 1})`,
    '\\set key random(1, 9000000000000000000)',
    'select * from renewer where nr = :nr and turn = :turn \\gset by_',
    ...statements.map(lineOf),
    '',
  ].join('\n')
}

const FROM = "greatest(:c_expiry::timestamptz, date_trunc('day', now()) + interval '86399 seconds')"
const UNTIL = `(${FROM} + interval '1 month')`
const CALL = "'POST /api/renew'"
const ROW = `jsonb_build_array(jsonb_build_object('type', 'USED', 'superreseller', :by_superreseller::bigint,
  'reseller', :by_reseller::bigint, 'dealer', :by_dealer::bigint, 'client', :c_id::bigint, 'actor', :by_dealer::bigint,
  'login', :c_name::text, 'mac', :c_mac::text, 'description', :c_description::text, 'expiry', ${UNTIL},
  'expiry_before', :c_expiry::text, 'counted_from', ${FROM}::date, 'credits', 1, 'source', :by_balance::bigint,
  'destination', :by_consumed::bigint, 'source_balance', :source::bigint - 1, 'destination_balance', :destination::bigint + 1))`

/** The parameters of each statement, found by a word that only it contains, and the prefix under which pgbench keeps its result. */
const PARAMETERS: readonly (readonly [word: RegExp, parameters: string[], prefix?: string])[] = [
  [/asked \(hex\)/, ["array[encode(:by_hash::bytea, 'hex')]", 'now()']],
  [/from session /, [':by_hash::bytea', 'now()'], 'a_'],
  [/^(begin|commit|select 1)/, []],
  [
    /insert into idempotency_key/,
    [':by_dealer', CALL, ':key', 'sha256(:key::text::bytea)', 'now()', "now() - interval '1 day'"],
  ],
  [/from client c join service/, [':by_dealer', 'array[lower(:by_login)]'], 'c_'],
  [/update service/, ['array[:c_id]', `array[${UNTIL}]`]],
  [/lock_holdings/, ['array[:by_balance, :by_consumed]']],
  [/insert into transfer/, [ROW]],
  [/update idempotency_key/, ['\'{"status":"OK"}\'', ':by_dealer', CALL, ':key']],
  [/insert into audit/, ["'clients.renew'", ':by_dealer', "'127.0.0.1'", '\'{"months":1}\'']],
]

function lineOf({ text }: Statement): string {
  const known = PARAMETERS.find(([word]) => word.test(text))
  if (!known) throw new Error(`A renewal has a statement that pgbench cannot send: ${text}`)
  const [, parameters, prefix] = known
  const filled = text.replace(/\$(\d+)/g, (_, nr) => `${parameters[Number(nr) - 1]}`)
  if (/lock_holdings/.test(text)) {
    // \gset takes a single row, so both balances go into one.
    return `select max(balance) filter (where id = :by_balance) as source, max(balance) filter (where id = :by_consumed) as destination from (${filled}) l \\gset`
  }
  return prefix ? `${filled} \\gset ${prefix}` : `${filled};`
}

import { execFile } from 'node:child_process'
import { existsSync, globSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import type { Embedded } from '../server/postgres/embedded.ts'
import { withPool } from '../server/postgres/pool.ts'

/** PostgreSQL's own benchmark tool; undefined where it is not installed. */
const PROGRAM = ['/usr/bin/pgbench', ...globSync('/usr/lib/postgresql/*/bin/pgbench')].find(existsSync)

export const MISSING =
  PROGRAM === undefined ? 'pgbench is not installed, so there is nothing to compare with.' : null

/**
 * The least that any ledger must do to move a credit: begin, lock both sides and look at the balance, move, record,
 * and commit to the disk. Each connection uses sides of its own, as the renewals do.
 */
const LEAST = `
  \\set dealer :client_id * :each + random(0, :each - 1)
  begin;
  select id, balance from bare_holding where id in (2 * :dealer, 2 * :dealer + 1) order by id for update;
  update bare_holding set balance = balance + case id when 2 * :dealer then -1 else 1 end
    where id in (2 * :dealer, 2 * :dealer + 1);
  insert into bare_transfer (source, destination, credits) values (2 * :dealer, 2 * :dealer + 1, 1);
  commit;`

/** Makes the tables of the bare transaction. They have what a ledger needs and nothing else. */
export async function makeBareLedger({ owner }: Pick<Embedded, 'owner'>, dealers: number): Promise<void> {
  await withPool(owner, { max: 1 }, async (sql) => {
    await sql`drop table if exists bare_holding, bare_transfer`
    await sql`
      create table bare_holding (id bigint primary key, balance bigint not null check (balance >= 0))
      with (fillfactor = 50)`
    await sql`
      create table bare_transfer (id bigint generated always as identity primary key,
        created timestamptz not null default now(), source bigint not null, destination bigint not null,
        credits integer not null check (credits > 0))`
    await sql`insert into bare_holding select id, 1000000000 from generate_series(0, ${2 * dealers - 1}::int) id`
    await sql`vacuum analyze bare_holding`
  })
}

/** Removes those tables, which the console's database does not know. */
export async function removeBareLedger({ owner }: Pick<Embedded, 'owner'>): Promise<void> {
  await withPool(owner, { max: 1 }, async (sql) => {
    await sql`drop table bare_holding, bare_transfer`
  })
}

interface Order {
  connections: number
  dealers: number
  seconds: number
}

/** Returns the bare transactions per second. */
export async function pgbench(database: Pick<Embedded, 'socket'>, order: Order): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'boxtree-bench-'))
  try {
    const script = join(folder, 'least.sql')
    writeFileSync(script, LEAST)
    const { stdout } = await promisify(execFile)(PROGRAM as string, [
      ...['-h', dirname(database.socket), '-U', 'boxtree_owner', '-n', '-M', 'prepared', '-f', script],
      ...['-D', `each=${Math.floor(order.dealers / order.connections)}`],
      ...['-c', String(order.connections), '-j', '2', '-T', String(order.seconds), 'boxtree'],
    ])
    if (!/failed transactions: 0 /.test(stdout)) throw new Error(stdout)
    return Number(/tps = ([\d.]+)/.exec(stdout)?.[1])
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

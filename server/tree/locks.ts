import { LOCKS } from '../postgres/locks.ts'
import type { Sql } from '../postgres/pool.ts'

/**
 * Waits until nobody else suspends, moves or closes an account, and keeps them waiting until the transaction ends. So
 * what is read of the tree after this stays as it is, and two changes of the tree never deadlock.
 */
export async function lockTree(sql: Sql): Promise<void> {
  await sql`select pg_advisory_xact_lock(${LOCKS.tree})`
}

/** Locks the path above an account against a suspension until the transaction ends. Its own row is locked already. */
export async function lockPath(sql: Sql, account: number): Promise<void> {
  await sql`
    select from account p
    where p.id in (select unnest(array[a.superreseller, a.reseller]) from account a where a.id = ${account})
    order by p.id for share of p`
}

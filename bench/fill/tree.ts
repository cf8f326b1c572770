import { DEFAULT_SETTINGS } from '../../contract/appearance.ts'
import { createFirstAdmin } from '../../server/access/admin.ts'
import { hashPassword } from '../../server/access/password.ts'
import { pick } from '../../server/commands/demo/dice.ts'
import { LAST } from '../../server/commands/demo/invented.ts'
import type { Sql } from '../../server/postgres/pool.ts'

/** The password of every account. */
export const PASSWORD = 'boxtree-bench'

/** A dealer with its holdings and those of the accounts above it, by their ids. */
export interface Dealer {
  id: number
  reseller: number
  superreseller: number
  balance: number
  consumed: number
  names: { dealer: string; reseller: string; superreseller: string }
  above: { admin: number; issue: number; superreseller: number; reseller: number }
}

/**
 * Creates the accounts of all levels, with `dealers` dealers. Returns the dealers. The first account of each level is
 * the biggest: nearly a third of the resellers belong to the first superreseller, and the first dealer is in that
 * branch.
 */
export async function createAccounts(sql: Sql, dealers: number, created: string): Promise<Dealer[]> {
  const resellers = Math.max(4, dealers / 10)
  const superresellers = Math.max(2, resellers / 10)
  await createFirstAdmin(sql, 'admin', PASSWORD)
  await sql`update account set created = ${created}`
  await insert('superreseller', 'media', superresellers, null, () => 0)
  await insert('reseller', 'streams', resellers, 'superreseller', (at) =>
    at < resellers * 0.3 ? 0 : 1 + (at % (superresellers - 1)),
  )
  await insert('dealer', 'tv', dealers, 'reseller', (at) => at % resellers)
  return readDealers(sql)

  async function insert(
    role: string,
    trade: string,
    count: number,
    above: string | null,
    ownerOf: (at: number) => number,
  ): Promise<void> {
    const numbers = Array.from({ length: count }, (_, at) => at)
    const names = numbers.map((at) => `${pick(LAST)}-${trade}-${at + 1}`)
    await sql`
      with owner as (
        select *, row_number() over (order by id) - 1 as at from account where role = ${above ?? 'admin'}
      )
      insert into account (name, role, parent, superreseller, reseller, password, settings, created)
      select made.name, ${role}, owner.id,
        case when ${role} = 'dealer' then owner.superreseller when ${role} = 'reseller' then owner.id end,
        case when ${role} = 'dealer' then owner.id end,
        ${await hashPassword(PASSWORD, null)}, ${sql.json(DEFAULT_SETTINGS)}, ${created}
      from unnest(${names}::text[], ${numbers.map(ownerOf)}::bigint[]) with ordinality as made (name, owner, at)
      join owner on owner.at = made.owner order by made.at`
  }
}

function readDealers(sql: Sql): Promise<Dealer[]> {
  return sql<Dealer[]>`
    select d.id, r.id as reseller, s.id as superreseller, b.id as balance, c.id as consumed,
      jsonb_build_object('dealer', d.name, 'reseller', r.name, 'superreseller', s.name) as names,
      jsonb_build_object('admin', a.id, 'issue', ah.id, 'superreseller', sh.id, 'reseller', rh.id) as above
    from account d
    join account r on r.id = d.reseller join account s on s.id = d.superreseller join account a on a.role = 'admin'
    join holding b on b.account = d.id and b.kind = 'balance'
    join holding c on c.account = d.id and c.kind = 'consumed'
    join holding rh on rh.account = r.id join holding sh on sh.account = s.id join holding ah on ah.account = a.id
    where d.role = 'dealer' order by d.id`
}

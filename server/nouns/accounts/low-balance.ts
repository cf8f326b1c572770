import type { calls } from '../../../contract/calls.ts'
import { type Handlers, Unchanged } from '../../context.ts'
import type { Sql } from '../../postgres/pool.ts'
import { managedBy } from '../../tree/beneath.ts'

export const lowBalance: Handlers<typeof calls.lowBalance> = {
  own: ({ sql, account }, { below }) => set(sql, account.id, 'low_own', below),

  async ofChild(context, { name, below }) {
    const { id } = await managedBy(context, name, 'lock')
    return set(context.sql, id, 'low_by_parent', below)
  },
}

async function set(sql: Sql, account: number, threshold: 'low_own' | 'low_by_parent', below: number | null) {
  const changed = await sql`
    update account set ${sql(threshold)} = ${below}
    where id = ${account} and ${sql(threshold)} is distinct from ${below}`
  const output = { status: 'OK' as const }
  return changed.count > 0 ? output : new Unchanged(output)
}

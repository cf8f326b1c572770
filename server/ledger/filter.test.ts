import { expect, test } from 'vitest'
import { ROLES, type Role } from '../../contract/roles.ts'
import { suiteWorld } from '../../test/support/world.ts'
import { begin } from '../postgres/begin.ts'
import { isSelected } from './filter.ts'
import { ledgerOf } from './rows.ts'

const world = await suiteWorld()
const people = { admin: world.admin, ...(await world.family()) }

test('transactions of a rare type are found without the renewals, by a plan that was made before the type was known', async () => {
  for (const role of ROLES) {
    const index = role === 'admin' ? 'transfer_rare' : `transfer_rare_of_${role}`
    expect(await planOfDeletions(role), role).toContain(`${index} on`)
  }
})

/** Returns the plan for a page of the rows of deletions that an account may see, whose type is a parameter. */
function planOfDeletions(role: Role): Promise<string> {
  return begin(world.server.sql, async (sql) => {
    const which = isSelected(sql, { type: 'DELETE', search: '' }, 'UTC')
    const head = sql`order by t.created desc, t.id desc limit 10`
    const { string, types } = await sql`
      select t.id from ${ledgerOf(sql, { id: people[role].id, role }, { which, head })} ${head}`.describe()
    await sql`set local enable_seqscan = off`
    await sql`set local plan_cache_mode = force_generic_plan`
    await sql.unsafe(`prepare rare as ${string}`)
    const given = types.map(() => 'null').join()
    const lines = await sql.unsafe<{ 'QUERY PLAN': string }[]>(`explain execute rare (${given})`)
    await sql`deallocate rare`
    return lines.map((line) => line['QUERY PLAN']).join('\n')
  })
}

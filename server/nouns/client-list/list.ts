import type { calls } from '../../../contract/calls.ts'
import { pageOf } from '../../../contract/page.ts'
import type { AnyClientRow } from '../../../contract/shapes.ts'
import type { Context, Handler } from '../../context.ts'
import { planForValues } from '../../postgres/begin.ts'
import { isOnline } from '../../tree/presence.ts'
import { listColumns } from '../../tree/selection.ts'
import type { ListQuery } from './page.ts'
import { findPage } from './plan.ts'

/** Returns a page of the dealer's own clients; for the admin, of all clients. */
export const listClients: Handler<typeof calls.clients.list> = listPage
export const listAllClients: Handler<typeof calls.admin.clients> = listPage

async function listPage(context: Context, query: ListQuery) {
  // A plan made for any dealer and any term would be wrong for the biggest dealer and most terms.
  await planForValues(context.sql)
  const { counts, count, capped, ids } = await findPage(context, query)
  return { ...pageOf(await rowsOf(context, ids), count, query), count_capped: capped, counts }
}

/** Returns the rows of these clients, in this order. */
export function rowsOf({ sql, now }: Context, ids: readonly number[]): Promise<AnyClientRow[]> {
  return sql<AnyClientRow[]>`
    select ${listColumns(sql)}, coalesce(${isOnline(sql, now)}, false) as online
    from unnest(${ids}::bigint[]) with ordinality as picked (id, place) join client c on c.id = picked.id
    join service s on s.client = c.id join account d on d.id = c.dealer
    left join presence p on p.client = c.id
    order by place`
}

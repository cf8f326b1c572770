import { change } from '../../postgres/begin.ts'
import { openLookup } from '../../postgres/lookup.ts'
import type { Sql } from '../../postgres/pool.ts'
import { withTimeout } from '../../postgres/timeout.ts'
import type { BoxTurns } from '../box-turns.ts'
import type { BoxClient } from '../client.ts'
import { Away } from '../refusals.ts'

/** The most favourites of a client. */
const MOST_FAVOURITES = 1_000

export type Favourites = ReturnType<typeof openFavourites>

/** The channels that boxes have marked, by client. */
export function openFavourites(sql: Sql, isAway: () => boolean, turns: BoxTurns) {
  // By one query for all that wait, because each page of a list asks for them.
  const find = openLookup((clients) => favouritesOf(sql, clients))
  return {
    /** @throws Away */
    async of({ id }: BoxClient): Promise<ReadonlySet<number>> {
      if (isAway()) throw new Away()
      return (await find(String(id))) ?? NONE
    },

    /** @throws Away */
    async keep({ id }: BoxClient, channels: readonly number[]): Promise<void> {
      if (isAway()) throw new Away()
      const kept = [...new Set(channels)].slice(0, MOST_FAVOURITES)
      await turns.run(id, () =>
        change(
          sql,
          () => sql`
            insert into favourite (client, channels)
            -- A client that is being deleted leaves none. Its row is what the foreign key locks anyway.
            select id, ${kept}::integer[] from client where id = ${id} and deleted is null for key share
            on conflict (client) do update set channels = excluded.channels where favourite.channels <> excluded.channels`,
        ),
      )
    },
  }
}

const NONE: ReadonlySet<number> = new Set()

async function favouritesOf(sql: Sql, clients: readonly string[]): Promise<Map<string, Set<number>>> {
  const rows = await withTimeout(
    sql,
    () => sql<{ client: string; channels: number[] }[]>`
      select client::text, channels from favourite where client = any (${clients}::bigint[])`,
  )
  return new Map(rows.map(({ client, channels }) => [client, new Set(channels)]))
}

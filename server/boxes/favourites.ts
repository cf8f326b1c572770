import { change } from '../postgres/begin.ts'
import type { Sql } from '../postgres/pool.ts'
import { withTimeout } from '../postgres/timeout.ts'
import type { BoxTurns } from './box-turns.ts'
import type { Client } from './client.ts'
import { Away } from './refusals.ts'

/** The most favourites of a client. */
const MOST_FAVOURITES = 1_000

export type Favourites = ReturnType<typeof openFavourites>

/** The channels that boxes have marked, by client. */
export function openFavourites(sql: Sql, isAway: () => boolean, turns: BoxTurns) {
  return {
    /** @throws Away */
    async of({ id }: Client): Promise<Set<number>> {
      if (isAway()) throw new Away()
      const [row] = await withTimeout(
        sql,
        () => sql<{ channels: number[] }[]>`select channels from favourite where client = ${id}`,
      )
      return new Set(row?.channels)
    },

    /** @throws Away */
    async keep({ id }: Client, channels: readonly number[]): Promise<void> {
      if (isAway()) throw new Away()
      const kept = [...new Set(channels)].slice(0, MOST_FAVOURITES)
      await turns.run(id, () =>
        change(
          sql,
          () => sql`
            insert into favourite (client, channels) values (${id}, ${kept})
            on conflict (client) do update set channels = excluded.channels where favourite.channels <> excluded.channels`,
        ),
      )
    },
  }
}

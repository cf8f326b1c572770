import type { FastifyBaseLogger } from 'fastify'
import { withTimeout } from '../postgres/begin.ts'
import type { Sql } from '../postgres/pool.ts'
import { Away } from './refusals.ts'

/** The newest tokens that are kept of a client, which may watch and record at once. */
const MOST_TOKENS = 8
/** How often new uses are stored, in milliseconds. */
const WRITE_EVERY = 1_000
const MOST_CLIENTS = 2_000_000

/**
 * The stream tokens that were used in time, by their signatures. They are stored as well, so that another server, and this
 * one after a restart, goes on with them.
 */
export function openUses(sql: Sql, log: FastifyBaseLogger, isAway: () => boolean) {
  const used = new Map<number, string[]>()
  let unwritten = new Map<number, string[]>()
  const writing = setInterval(() => void write(), WRITE_EVERY)
  writing.unref()

  return {
    /** Whether a token was used before. @throws Away where this server does not know and the database cannot be asked */
    async has(client: number, signature: string): Promise<boolean> {
      if (used.get(client)?.includes(signature)) return true
      if (isAway()) throw new Away()
      const [row] = await withTimeout(
        sql,
        () => sql<{ tokens: string[] }[]>`select tokens from stream_use where client = ${client}`,
      )
      if (!row?.tokens.includes(signature)) return false
      remember(client, signature)
      return true
    },

    add(client: number, signature: string): void {
      if (used.get(client)?.includes(signature)) return
      remember(client, signature)
      unwritten.set(client, [signature, ...(unwritten.get(client) ?? [])].slice(0, MOST_TOKENS))
    },

    write,
    async stop(): Promise<void> {
      clearInterval(writing)
      await write()
    },
  }

  function remember(client: number, signature: string): void {
    const tokens = [signature, ...(used.get(client) ?? [])].slice(0, MOST_TOKENS)
    used.delete(client)
    used.set(client, tokens)
    if (used.size > MOST_CLIENTS) used.delete(used.keys().next().value ?? 0)
  }

  async function write(): Promise<void> {
    if (unwritten.size === 0) return
    const now = unwritten
    unwritten = new Map()
    const rows = [...now].sort(([one], [other]) => one - other)
    try {
      await withTimeout(
        sql,
        () => sql`
          insert into stream_use as kept (client, tokens)
          select client, string_to_array(tokens, ' ')
          from unnest(${rows.map(([client]) => client)}::bigint[], ${rows.map(([, tokens]) => tokens.join(' '))}::text[])
            as used (client, tokens)
          order by client
          on conflict (client) do update set tokens = (excluded.tokens || kept.tokens)[1:${MOST_TOKENS}]`,
      )
    } catch (err) {
      for (const [client, tokens] of now) {
        const merged = [...(unwritten.get(client) ?? []), ...tokens]
        unwritten.set(client, merged.slice(0, MOST_TOKENS))
      }
      log.warn({ err }, 'the first uses of stream tokens could not be stored, and wait')
    }
  }
}

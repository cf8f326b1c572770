import type { FastifyBaseLogger } from 'fastify'
import { change } from '../../postgres/begin.ts'
import type { Sql } from '../../postgres/pool.ts'
import { withTimeout } from '../../postgres/timeout.ts'
import { Away } from '../refusals.ts'
import { familyOf, GOOD_FOR_MS, type StreamTokenFields } from './stream-token.ts'

/** The newest tokens that are kept of a client, which may watch and record at once. */
const MOST_TOKENS = 8
/** How often new uses are stored, in milliseconds. */
const WRITE_EVERY_MS = 1_000
const MOST_CLIENTS = 2_000_000
/** The clients whose tokens one statement stores: after the database was away, all may wait. */
const MOST_AT_ONCE = 100_000

/** The network in which a client has used its newest token, and when that was made, in milliseconds since 1970. */
type Newest = { network: string; made: number }

/**
 * A client's tokens. The first `watched` of them were still used two minutes after they were made, the one used last
 * first; the channels of the others may only have been switched through. `kept` is when they were kept like this, in
 * milliseconds since 1970: each of them was made before. `newest` has one network of each family.
 */
type UsedTokens = { tokens: readonly string[]; watched: number; kept: number; newest: readonly Newest[] }

const NONE: UsedTokens = { tokens: [], watched: 0, kept: 0, newest: [] }

/** The use of a token: what it says, and the network of who watches; null where that is not compared. */
type Use = Pick<StreamTokenFields, 'client' | 'signature' | 'made'> & { network: string | null }

/**
 * The newest stream tokens that each client has used in time, by their signatures. They are stored as well, so that
 * another server, and this one after a restart, goes on with them.
 */
export function openUsedTokens(
  sql: Sql,
  log: FastifyBaseLogger,
  isAway: () => boolean,
  clock: () => Date,
  mostAtOnce = MOST_AT_ONCE,
) {
  /** Those that were kept last are last. */
  const used = new Map<number, UsedTokens>()
  /** The clients who have a new token that is not stored yet. */
  let unwritten = new Set<number>()
  /** The last writing. One waits for the one before, so that whoever stops waits for both. */
  let written = Promise.resolve()
  const writing = setInterval(() => void write(), WRITE_EVERY_MS)
  writing.unref()

  return {
    /**
     * Whether a newer token of the client was used in another network of the same family. One subscription is for one
     * household: a box's own token can be copied, and each copy gets links for its own network.
     */
    isSuperseded({ client, network, made }: Use): boolean {
      const newest = newestOf(client, network)
      return newest !== undefined && newest.network !== network && made <= newest.made
    },

    /**
     * Whether a token was used before. @throws Away where this server does not know and the database cannot be asked
     */
    async has(use: Use): Promise<boolean> {
      const { client, signature } = use
      if (!used.get(client)?.tokens.includes(signature)) {
        if (isAway()) throw new Away()
        const [row] = await withTimeout(
          sql,
          () => sql<{ tokens: string[] }[]>`select tokens from stream_use where client = ${client}`,
        )
        if (!row?.tokens.includes(signature)) return false
      }
      watch(client, signature)
      noteNetwork(use)
      return true
    },

    /** Notes the first use of a token. */
    add(use: Use): void {
      const { client, signature } = use
      const { tokens, watched } = used.get(client) ?? NONE
      if (!tokens.includes(signature)) {
        keep(client, [...tokens.slice(0, watched), signature, ...tokens.slice(watched)], watched)
        unwritten.add(client)
      }
      noteNetwork(use)
    },

    write,
    async stop(): Promise<void> {
      clearInterval(writing)
      await write()
    },
  }

  /** Puts a token that is used on and on before all others, so that it outlives those that are zapped through. */
  function watch(client: number, signature: string): void {
    const { tokens, watched } = used.get(client) ?? NONE
    const at = tokens.indexOf(signature)
    if (at === 0 && watched > 0) return
    const isNew = at === -1 || at >= watched
    const others = tokens.filter((token) => token !== signature)
    // One place is left for the next that is begun.
    keep(client, [signature, ...others], Math.min(watched + Number(isNew), MOST_TOKENS - 1))
  }

  function keep(client: number, tokens: string[], watched: number): void {
    const { newest } = used.get(client) ?? NONE
    used.delete(client)
    used.set(client, { tokens: tokens.slice(0, MOST_TOKENS), watched, kept: clock().getTime(), newest })
    if (used.size > MOST_CLIENTS) used.delete(used.keys().next().value ?? 0)
  }

  /** Of a family, what a client has used last; nothing that a clock which was ahead has noted. */
  function newestOf(client: number, network: string | null): Newest | undefined {
    if (network === null) return undefined
    const newest = used.get(client)?.newest.find(isOfFamilyOf(network))
    return newest && newest.made <= clock().getTime() ? newest : undefined
  }

  function noteNetwork({ client, network, made }: Use): void {
    const known = used.get(client)
    const last = newestOf(client, network)
    if (!known || network === null || (last && made <= last.made)) return
    const isOfFamily = isOfFamilyOf(network)
    const others = known.newest.filter((one) => !isOfFamily(one))
    // A string of its own: a slice would keep the whole request in memory for a day.
    const own = Buffer.from(network).toString()
    used.set(client, { ...known, newest: [...others, { network: own, made }] })
  }

  /** Forgets the clients none of whose tokens is valid any longer. */
  function forget(): void {
    const over = clock().getTime() - GOOD_FOR_MS
    for (const [client, { kept }] of used) {
      if (kept >= over) return
      used.delete(client)
    }
  }

  function write(): Promise<void> {
    written = written.then(writeAll)
    return written
  }

  async function writeAll(): Promise<void> {
    forget()
    if (unwritten.size === 0) return
    const now = unwritten
    unwritten = new Set()
    const clients = [...now].sort((one, other) => one - other)
    let stored = 0
    try {
      for (; stored < clients.length; stored += mostAtOnce)
        await store(clients.slice(stored, stored + mostAtOnce))
    } catch (err) {
      for (const client of clients.slice(stored)) unwritten.add(client)
      log.warn({ err }, 'the first uses of stream tokens could not be stored, and wait')
    }
  }

  async function store(clients: number[]): Promise<void> {
    const tokens = clients.map((client) => used.get(client)?.tokens.join(' ') ?? '')
    await change(
      sql,
      () => sql`
        insert into stream_use as kept (client, tokens)
        select client, string_to_array(tokens, ' ')
        from unnest(${clients}::bigint[], ${tokens}::text[]) as used (client, tokens)
        -- Not of a client that was deleted. Asked one by one, as a join would read all services for a few.
        where (select true from service s where s.client = used.client)
        order by client
        on conflict (client) do update set tokens = array(
          select token from unnest(excluded.tokens || kept.tokens) with ordinality one (token, place)
          group by token order by min(place) limit ${MOST_TOKENS}
        )`,
    )
  }
}

function isOfFamilyOf(network: string): (one: Newest) => boolean {
  const family = familyOf(network)
  return (one) => familyOf(one.network) === family
}

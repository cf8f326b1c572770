import type { FastifyBaseLogger } from 'fastify'
import type { BoxRefusal } from '../../contract/boxes.ts'
import { withTimeout } from '../postgres/begin.ts'
import type { Sql } from '../postgres/pool.ts'
import type { Client, Place } from './client.ts'

/** The last answer that a client's box got, and its last poll. Moments are texts, as the driver wants them in arrays. */
type Answer = {
  /** Null where the box was let in. */
  refusal: BoxRefusal | null
  answered: string
  /** When the box was let in last, from where, and with which token's nonce; null where it was not since the last write. */
  polled: string | null
  address: string | null
  nonce: string | null
}

/** The last answers to all boxes. They wait in memory, and `write` stores those that changed by one statement. */
export function openPresence(sql: Sql, log: FastifyBaseLogger) {
  let waiting = new Map<number, Answer>()
  let writing: Promise<void> = Promise.resolve()
  return {
    letIn({ id, device }: Client, { address }: Place, now: Date): void {
      const at = now.toISOString()
      waiting.set(id, {
        refusal: null,
        answered: at,
        polled: at,
        address,
        nonce: device?.token_nonce ?? null,
      })
    },

    refused({ id }: Client, refusal: BoxRefusal, now: Date): void {
      const { polled = null, address = null, nonce = null } = waiting.get(id) ?? {}
      waiting.set(id, { refusal, answered: now.toISOString(), polled, address, nonce })
    },

    /** Stores what waits. Where the database is away, it goes on waiting. */
    write(): Promise<void> {
      writing = writing.then(writeWaiting)
      return writing
    },
  }

  async function writeWaiting(): Promise<void> {
    if (waiting.size === 0) return
    const answers = waiting
    waiting = new Map()
    try {
      await withTimeout(sql, async () => store(sql, answers))
    } catch (err) {
      for (const [client, answer] of answers) if (!waiting.has(client)) waiting.set(client, answer)
      log.warn({ err }, 'the last polls of boxes could not be stored, and wait')
    }
  }
}

/** A poll counts only while its token does: a reset may have been committed before the poll is stored. */
async function store(sql: Sql, answers: ReadonlyMap<number, Answer>): Promise<void> {
  const rows = [...answers].sort(([one], [other]) => one - other)
  const column = <Key extends keyof Answer>(key: Key) => rows.map(([, answer]) => answer[key])
  await sql`
    with told as materialized (
      select t.client, t.refusal, t.answered, case when d.token_nonce = t.nonce then t.polled end as polled,
        case when d.token_nonce = t.nonce then t.address end as address
      from unnest(${rows.map(([client]) => client)}::bigint[], ${column('refusal')}::text[],
          ${column('answered')}::timestamptz[], ${column('polled')}::timestamptz[], ${column('address')}::text[],
          ${column('nonce')}::text[])
        t (client, refusal, answered, polled, address, nonce)
      join service s on s.client = t.client
      left join device d on d.client = t.client
    ),
    moved as (
      insert into device_history (client, at, event, detail, address)
      select client, told.polled, 'address', told.address, told.address from told join presence p using (client)
      where told.address <> p.address
    )
    insert into presence as kept (client, polled, address, refusal, answered)
    select client, polled, address, refusal, answered from told
    where polled is not null or refusal is not null order by client
    on conflict (client) do update set polled = coalesce(excluded.polled, kept.polled),
      address = coalesce(excluded.address, kept.address), refusal = excluded.refusal, answered = excluded.answered
    where kept.answered <= excluded.answered`
}

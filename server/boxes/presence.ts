import type { FastifyBaseLogger } from 'fastify'
import type { BoxRefusal } from '../../contract/box-refusals.ts'
import { change } from '../postgres/begin.ts'
import type { Sql } from '../postgres/pool.ts'
import type { Client, Place } from './client.ts'

/** The last answer that a client's box got, and its last poll. Moments are in milliseconds since 1970. */
type Answer = {
  /** Null where the box was let in. */
  refusal: BoxRefusal | null
  answered: number
  /** When the box was let in last, from where, and with which token's nonce; null where it was not since the last write. */
  polled: number | null
  address: string | null
  nonce: string | null
  /** What it plays: empty where it has stopped, null where it has not said since the last write. */
  watching: string | null
  /** The channel that it played last, and when; null where it has played none since the last write. */
  title: string | null
  played: number | null
}

export type Presence = ReturnType<typeof openPresence>

/** The last answers to all boxes. They wait in memory, and `write` stores those that changed by one statement. */
export function openPresence(sql: Sql, log: FastifyBaseLogger) {
  let waiting = new Map<number, Answer>()
  let writing: Promise<void> = Promise.resolve()
  return {
    letIn,

    refused({ id }: Client, refusal: BoxRefusal, now: Date): void {
      const answer = answerTo(id)
      answer.refusal = refusal
      answer.answered = now.getTime()
    },

    /** A box that is in plays a channel, or has stopped where `title` is empty. */
    plays(client: Client, place: Place, title: string, now: Date): void {
      const answer = letIn(client, place, now)
      answer.watching = title
      if (title === '') return
      answer.title = title
      answer.played = now.getTime()
    },

    /** Stores what waits. Where the database is away, it goes on waiting. */
    write(): Promise<void> {
      writing = writing.then(writeWaiting)
      return writing
    },
  }

  function letIn({ id, device }: Client, { address }: Place, now: Date): Answer {
    const nonce = device?.token_nonce ?? null
    const answer = answerTo(id)
    // What another box played is not what this one plays.
    if (answer.nonce !== nonce) answer.watching = answer.title = answer.played = null
    answer.refusal = null
    answer.answered = answer.polled = now.getTime()
    answer.address = address
    answer.nonce = nonce
    return answer
  }

  function answerTo(id: number): Answer {
    const known = waiting.get(id)
    if (known) return known
    const answer: Answer = {
      ...{ refusal: null, answered: 0, polled: null, address: null, nonce: null },
      ...{ watching: null, title: null, played: null },
    }
    waiting.set(id, answer)
    return answer
  }

  async function writeWaiting(): Promise<void> {
    if (waiting.size === 0) return
    const answers = waiting
    waiting = new Map()
    try {
      await change(sql, () => store(sql, answers))
    } catch (err) {
      for (const [client, answer] of answers) waiting.set(client, joined(answer, waiting.get(client)))
      log.warn({ err }, 'the last polls of boxes could not be stored, and wait')
    }
  }
}

/** Returns a newer answer with what the older one says beyond it. What another box played is left out. */
function joined(older: Answer, newer: Answer | undefined): Answer {
  if (newer === undefined) return older
  if (newer.nonce !== null && newer.nonce !== older.nonce) return newer
  return {
    ...newer,
    polled: newer.polled ?? older.polled,
    address: newer.address ?? older.address,
    nonce: newer.nonce ?? older.nonce,
    watching: newer.watching ?? older.watching,
    title: newer.title ?? older.title,
    played: newer.played ?? older.played,
  }
}

/** A poll counts only while its token does: a reset may have been committed before the poll is stored. */
async function store(sql: Sql, answers: ReadonlyMap<number, Answer>): Promise<void> {
  // The statement looks clients up in this order, so that it finds several of a million in each page that it reads.
  const rows = [...answers].sort(([one], [other]) => one - other)
  await storePlayed(
    sql,
    rows.filter(([, { played }]) => played !== null),
  )
  const columns = columnsOf(rows)
  await sql`
    with told as materialized (
      select t.client, t.refusal, to_timestamp(t.answered / 1000.0) as answered,
        case when d.token_nonce = t.nonce then to_timestamp(t.polled / 1000.0) end as polled,
        case when d.token_nonce = t.nonce then t.address end as address,
        case when d.token_nonce = t.nonce then t.watching end as watching
      from unnest(${columns.client}::bigint[], ${columns.refusal}::text[], ${columns.answered}::bigint[],
          ${columns.polled}::bigint[], ${columns.address}::text[], ${columns.nonce}::text[],
          ${columns.watching}::text[])
        t (client, refusal, answered, polled, address, nonce, watching)
      -- One by one, because a plan for any number of rows would read all of a million devices for them.
      left join lateral (select true as exists, token_nonce from device where client = t.client offset 0) d on true
      -- A client that is deleted has neither.
      where d.exists or (select true from service s where s.client = t.client)
    ),
    moved as (
      insert into device_history (client, at, event, detail, address)
      select client, told.polled, 'address', told.address, told.address from told join presence p using (client)
      where told.address <> p.address
    )
    insert into presence as kept (client, polled, address, watching, refusal, answered)
    select client, polled, address, watching, refusal, answered from told
    where polled is not null or refusal is not null order by client
    on conflict (client) do update set polled = greatest(excluded.polled, kept.polled),
      address = case when excluded.polled < kept.polled then kept.address else coalesce(excluded.address, kept.address) end,
      watching =
        case when excluded.polled < kept.polled then kept.watching else coalesce(excluded.watching, kept.watching) end,
      refusal = case when kept.answered <= excluded.answered then excluded.refusal else kept.refusal end,
      answered = greatest(excluded.answered, kept.answered)
    -- Another gateway may have stored a later refusal, or a later poll.
    where kept.answered <= excluded.answered or greatest(excluded.polled, kept.polled) is distinct from kept.polled`
}

/** Returns each column for the statement, in one walk, because a hundred thousand answers may wait. */
function columnsOf(rows: readonly (readonly [number, Answer])[]) {
  const columns = {
    client: [] as number[],
    refusal: [] as (string | null)[],
    answered: [] as number[],
    polled: [] as (number | null)[],
    address: [] as (string | null)[],
    nonce: [] as (string | null)[],
    watching: [] as (string | null)[],
  }
  for (const [client, { refusal, answered, polled, address, nonce, watching }] of rows) {
    columns.client.push(client)
    columns.refusal.push(refusal)
    columns.answered.push(answered)
    columns.polled.push(polled)
    columns.address.push(address)
    columns.nonce.push(nonce)
    columns.watching.push(watching)
  }
  return columns
}

/** Stores the channels that were played last. It is a statement of its own, so that no reset waits for it in turn. */
async function storePlayed(sql: Sql, rows: readonly (readonly [number, Answer])[]): Promise<void> {
  if (rows.length === 0) return
  const column = <Key extends keyof Answer>(key: Key) => rows.map(([, answer]) => answer[key])
  await sql`
    with told (client, nonce, title, played) as (
      select * from unnest(${rows.map(([client]) => client)}::bigint[], ${column('nonce')}::text[],
        ${column('title')}::text[], ${column('played')}::bigint[])
    ),
    locked as (
      select d.client from device d join told t on t.client = d.client and t.nonce = d.token_nonce
      order by d.client for no key update of d
    )
    update device set time_last_play_tv = to_timestamp(told.played / 1000.0), last_played_tv_content = told.title
    from locked join told using (client) where device.client = locked.client`
}

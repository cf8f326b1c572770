import { setImmediate as nextTurn } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import type { BoxRefusal } from '../../../contract/box-refusals.ts'
import { soonAfter } from '../../../contract/time.ts'
import { change } from '../../postgres/begin.ts'
import type { Sql } from '../../postgres/pool.ts'
import type { BoxClient, Place } from '../client.ts'
import { type PlainPoll, PlainPolls } from './plain-polls.ts'

/**
 * The last answer that a client's box got, and its last poll. Moments are in milliseconds since the gateway was opened:
 * numbers as large as those since 1970 take twice the memory.
 */
type LastAnswer = {
  /** Null where the box was let in. */
  refusal: StoredRefusal | null
  answered: number
  /**
   * When the box was let in last, from where, and with which token's nonce; null where it was not since the last write.
   */
  polled: number | null
  address: string | null
  nonce: string | null
  /** What it plays, empty where it has stopped, and when it said so; null where it has not since the last write. */
  watching: string | null
  watched: number | null
  /** The channel that it played last, and when; null where it has played none since the last write. */
  title: string | null
  played: number | null
}

/**
 * The reasons that may be stored. Version 0.2.0 may run on the same database, and its calls fail where a row has a
 * reason that it does not know.
 */
type StoredRefusal = Exclude<BoxRefusal, 'other_client' | 'no_trial'>

/** Stores a newer reason as one that every version knows; `boxRefusal` (`tree/presence.ts`) tells them apart. */
export function storedAs(refusal: BoxRefusal): StoredRefusal {
  if (refusal === 'no_trial') return 'other_box'
  return refusal === 'other_client' ? 'too_many_boxes' : refusal
}

export type Presence = ReturnType<typeof openPresence>

/**
 * How many answers one statement stores: more than come within the ten seconds between two writes from a million boxes.
 * After the database was away all of them wait, and no single statement would store them within its limit.
 */
const MOST_AT_ONCE = 100_000

/** The last answers to all boxes. They wait in memory, and `write` stores those that changed. */
export function openPresence(sql: Sql, log: FastifyBaseLogger, clock: () => Date, mostAtOnce = MOST_AT_ONCE) {
  const opened = Date.now()
  let waiting = new LastAnswers()
  return {
    letIn({ id, device }: BoxClient, { address }: Place, now: Date): void {
      waiting.letIn(id, device?.token_nonce ?? null, address, now.getTime() - opened)
    },

    refused({ id }: BoxClient, refusal: BoxRefusal, now: Date): void {
      const answer = waiting.openedOf(id)
      answer.refusal = storedAs(refusal)
      answer.answered = now.getTime() - opened
    },

    /** A box that is in plays a channel, or has stopped where `title` is empty. */
    plays({ id, device }: BoxClient, { address }: Place, title: string, now: Date): void {
      const answer = waiting.openedOf(id)
      const played = now.getTime() - opened
      enter(answer, device?.token_nonce ?? null, address, played)
      answer.watching = title
      answer.watched = played
      if (title === '') return
      answer.title = title
      answer.played = played
    },

    /** Stores what waits. Where the database is away, it goes on waiting. */
    async write(): Promise<void> {
      if (waiting.size === 0) return
      const answers = waiting
      waiting = new LastAnswers()
      const clients = answers.clients()
      let stored = 0
      try {
        for (; stored < clients.length; stored += mostAtOnce)
          await writeSome(clients.subarray(stored, stored + mostAtOnce), answers)
      } catch (err) {
        for (const client of clients.subarray(stored)) waiting.keepOlder(client, answers.get(client))
        log.warn({ err }, 'the last polls of boxes could not be stored, and wait')
      }
    },
  }

  async function writeSome(clients: Float64Array, answers: LastAnswers): Promise<void> {
    const played = answers.playedOf(clients)
    const told = await columnsOf(clients, answers, TOLD)
    const shown = await columnsOf(played, answers, SHOWN)
    const moments = { opened, soon: soonAfter(clock()) }
    await change(sql, async () => {
      if (played.length > 0) await storePlayed(sql, shown, moments)
      await store(sql, told, moments)
    })
  }
}

/** The last answer to each box, most of which said no more than that it is in. */
class LastAnswers {
  readonly #plain = new PlainPolls()
  readonly #others = new Map<number, LastAnswer>()

  get size(): number {
    return this.#plain.size + this.#others.size
  }

  /** The clients, in the order of their ids. */
  clients(): Float64Array {
    const all = new Float64Array(this.size)
    all.set(this.#plain.clients())
    all.set([...this.#others.keys()], this.#plain.size)
    return all.sort()
  }

  /** Returns those of some clients whose boxes have played a channel. */
  playedOf(clients: Float64Array): Float64Array {
    return clients.filter((client) => (this.#others.get(client)?.played ?? null) !== null)
  }

  get(client: number): LastAnswer {
    const plain = this.#plain.get(client)
    return plain ? answerOf(plain) : (this.#others.get(client) ?? { ...NO_ANSWER })
  }

  letIn(client: number, nonce: string | null, address: string | null, at: number): void {
    const other = this.#others.get(client)
    if (other || nonce === null) enter(other ?? this.openedOf(client), nonce, address, at)
    else this.#plain.set(client, { at, address, nonce })
  }

  /** Returns the answer to a client's box, to be changed. */
  openedOf(client: number): LastAnswer {
    const known = this.#others.get(client)
    if (known) return known
    const answer = this.get(client)
    this.#plain.delete(client)
    this.#others.set(client, answer)
    return answer
  }

  /** Keeps an older answer where there is no newer one, and else what it says beyond that. */
  keepOlder(client: number, older: LastAnswer): void {
    const isKnown = this.#plain.get(client) !== undefined || this.#others.has(client)
    const answer = this.openedOf(client)
    Object.assign(answer, isKnown ? joined(older, answer) : older)
  }
}

const NO_ANSWER: LastAnswer = {
  ...{ refusal: null, answered: 0, polled: null, address: null, nonce: null },
  ...{ watching: null, watched: null, title: null, played: null },
}

function answerOf({ at, address, nonce }: PlainPoll): LastAnswer {
  return { ...NO_ANSWER, answered: at, polled: at, address, nonce }
}

/** Notes in an answer that its box was let in. What another box played is not what this one plays. */
function enter(answer: LastAnswer, nonce: string | null, address: string | null, at: number): void {
  if (answer.nonce !== nonce) answer.watching = answer.watched = answer.title = answer.played = null
  answer.refusal = null
  answer.answered = answer.polled = at
  answer.address = address
  answer.nonce = nonce
}

/** Returns a newer answer with what the older one says beyond it. What another box played is left out. */
function joined(older: LastAnswer, newer: LastAnswer): LastAnswer {
  if (newer.nonce !== null && newer.nonce !== older.nonce) return newer
  return {
    ...newer,
    polled: newer.polled ?? older.polled,
    address: newer.address ?? older.address,
    nonce: newer.nonce ?? older.nonce,
    watching: newer.watching ?? older.watching,
    watched: newer.watched ?? older.watched,
    title: newer.title ?? older.title,
    played: newer.played ?? older.played,
  }
}

/** What is stored of an answer, and of a channel that was played last, in the order in which the statements read it. */
const TOLD = ['nonce', 'address', 'answered', 'polled', 'refusal', 'watching', 'watched'] as const
const SHOWN = ['nonce', 'title', 'played'] as const

/**
 * What the moments are counted from, and after which one those that are stored already are of a clock that was ahead.
 */
type Moments = { opened: number; soon: Date }

/**
 * A poll counts only while its token does, and a refusal until a reset, which may have been committed before they are
 * stored. A box that moves to another network has that in its history, once an hour at most, since some ask from
 * another one each minute. What was stored while the clock was ahead is as if it were not.
 */
async function store(sql: Sql, columns: string, { opened, soon }: Moments): Promise<void> {
  const [polled, answered, watched] = [
    sql`case when kept.polled <= ${soon} then kept.polled end`,
    sql`case when kept.answered <= ${soon} then kept.answered end`,
    sql`case when kept.watched <= ${soon} then kept.watched end`,
  ]
  // Another box is in, which plays nothing until it says so, or the same one has said more.
  const playsOther = sql`(
    excluded.token_nonce <> kept.token_nonce or excluded.watched >= coalesce(${watched}, '-infinity'))`
  await sql`
    with told as materialized (
      select t.client, case when forgotten.exists is null then t.refusal end as refusal,
        to_timestamp((t.answered + ${opened}) / 1000.0) as answered,
        case when d.token_nonce = t.nonce then to_timestamp((t.polled + ${opened}) / 1000.0) end as polled,
        case when d.token_nonce = t.nonce then t.address end as address,
        case when d.token_nonce = t.nonce then t.nonce end as token_nonce,
        case when d.token_nonce = t.nonce then t.watching end as watching,
        case when d.token_nonce = t.nonce then to_timestamp((t.watched + ${opened}) / 1000.0) end as watched,
        p.address as address_before, p.polled as polled_before
      from (select string_to_array(${columns}::text, ${END}) as c offset 0) columns cross join lateral unnest(
          c[1]::bigint[], c[2]::text[], c[3]::text[], c[4]::bigint[], c[5]::bigint[], c[6]::text[], c[7]::text[], c[8]::bigint[])
        t (client, nonce, address, answered, polled, refusal, watching, watched)
      -- One by one, because a plan for any number of rows would read all of a million devices for them.
      left join lateral (select true as exists, token_nonce from device where client = t.client offset 0) d on true
      left join lateral (select address, polled from presence where client = t.client offset 0) p on true
      left join lateral (
        select true as exists from device_history h
        where t.refusal is not null and h.client = t.client and h.event in ('reset', 'new MAC')
          and h.at >= to_timestamp((t.answered + ${opened}) / 1000.0) and h.at <= ${soon} limit 1
      ) forgotten on true
      -- A client that is deleted has neither.
      where d.exists or (select true from service s where s.client = t.client)
    ),
    moved as (
      insert into device_history (client, at, event, detail, address)
      select client, polled, 'address', address, address from told
      where address <> address_before and (polled > polled_before or polled_before > ${soon})
        and network_of(address) is distinct from network_of(address_before)
        -- Asked of each for itself, and last: an index finds it, where a join would read the history of all clients.
        and (
          select true from device_history h
          where h.client = told.client and h.event = 'address' and h.at > told.polled - interval '1 hour' and h.at <= ${soon}
          limit 1
        ) is null
    )
    insert into presence as kept (client, polled, address, token_nonce, watching, watched, refusal, answered)
    select client, polled, address, token_nonce, watching, watched, refusal, answered from told
    where polled is not null or refusal is not null order by client
    on conflict (client) do update set polled = greatest(excluded.polled, ${polled}),
      address = case when excluded.polled < ${polled} then kept.address else coalesce(excluded.address, kept.address) end,
      token_nonce = coalesce(excluded.token_nonce, kept.token_nonce),
      watching = case when ${playsOther} then excluded.watching else kept.watching end,
      watched = case when ${playsOther} then excluded.watched else kept.watched end,
      refusal = case when ${answered} > excluded.answered then kept.refusal else excluded.refusal end,
      answered = greatest(excluded.answered, ${answered})
    -- Another gateway may have stored a later refusal, or a later poll.
    where (${answered} > excluded.answered) is not true
      or greatest(excluded.polled, ${polled}) is distinct from kept.polled or ${playsOther}`
}

/** Stores the channels that were played last. It is a statement of its own, so that no reset waits for it in turn. */
async function storePlayed(sql: Sql, columns: string, { opened, soon }: Moments): Promise<void> {
  await sql`
    with told (client, nonce, title, played) as (
      select t.* from (select string_to_array(${columns}::text, ${END}) as c offset 0) columns
      cross join lateral unnest(c[1]::bigint[], c[2]::text[], c[3]::text[], c[4]::bigint[]) t
    ),
    locked as (
      select d.client from device d join told t on t.client = d.client and t.nonce = d.token_nonce
      order by d.client for no key update of d
    )
    update device set time_last_play_tv = to_timestamp((told.played + ${opened}) / 1000.0),
      last_played_tv_content = told.title
    from locked join told using (client) where device.client = locked.client
      -- Another gateway may have stored a later one.
      and (device.time_last_play_tv > to_timestamp((told.played + ${opened}) / 1000.0)
        and device.time_last_play_tv <= ${soon}) is not true`
}

/** Ends a column. No title of a channel has it: a playlist loses its control characters when it is read. */
const END = '\x1f'
/** The answers that are put into columns at once. */
const SOME = 1_000

/**
 * Returns the clients and some columns of their answers, which do not change any more, each as PostgreSQL writes an
 * array. They are one text, for which the driver needs memory once. It is made of few answers at a time: hundreds of
 * thousands of small texts would double the server's memory, and nobody else would be answered meanwhile.
 */
async function columnsOf(
  clients: Float64Array,
  answers: LastAnswers,
  keys: readonly (keyof LastAnswer)[],
): Promise<string> {
  const columns = Array.from({ length: 1 + keys.length }, () => ['{'])
  for (let at = 0; at < clients.length; at += SOME) {
    const some = clients.subarray(at, at + SOME)
    const told = Array.from(some, (client) => answers.get(client))
    const texts = [some.join(), ...keys.map((key) => told.map((answer) => itemOf(answer[key])).join())]
    for (const [column, text] of texts.entries()) columns[column]?.push(at === 0 ? '' : ',', text)
    await nextTurn()
  }
  return columns.flatMap((pieces) => [...pieces, `}${END}`]).join('')
}

function itemOf(value: string | number | null): string {
  if (value === null) return 'NULL'
  // Addresses and nonces need no quotes.
  if (typeof value === 'number' || /^[\d.:A-F]+$/.test(value)) return String(value)
  return `"${value.replaceAll(/["\\]/g, '\\$&')}"`
}

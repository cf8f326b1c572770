import { randomBytes } from 'node:crypto'
import { beforeAll, describe, expect, inject, test } from 'vitest'
import { calls } from '../../contract/calls.ts'
import { type FreshDatabase, freshDatabase } from '../../test/support/database.ts'
import { type Family, type Person, suiteWorld } from '../../test/support/world.ts'
import { fillSums } from '../ledger/sums.ts'
import { fillBranchDays } from '../nouns/growth.ts'
import { fillStatistics } from '../nouns/statistics.ts'
import { TRIGGERS_OFF } from '../postgres/after-a-copy.ts'
import { begin } from '../postgres/begin.ts'
import { type Fragment, type Sql, withPool } from '../postgres/pool.ts'
import { PLAYED } from './guards.ts'
import { prove } from './proof.ts'
import { examine, type Findings, verify } from './verify.ts'

const ROLE = 'boxtree_server'

let family: Family
let other: Family
/** A family whose reseller was moved to another superreseller, and whose client to another dealer. */
let moved: Family
/** A family with a client and no credits. */
let poor: Family
/** Superresellers with nobody beneath them: one with credits, one with nothing but a session. */
let rich: Person
let idle: Person
/** The ids of rows of the ledger by what they record. */
const row: Record<string, number> = {}

const world = await suiteWorld()
beforeAll(async () => {
  moved = await world.family({ credits: 9 })
  const { name: withThem } = await world.client(moved.dealer, { months: 1 })
  const to = await world.child(world.admin)
  await world.admin.call(calls.tree.move, { name: moved.reseller.name, to: to.name })
  await moved.dealer.call(calls.clients.renew, { name: withThem, months: 1 })
  other = await world.family({ credits: 30 })
  await world.admin.call(calls.tree.moveClients, {
    from: moved.dealer.name,
    to: other.dealer.name,
    clients: [withThem],
  })
  poor = await world.family()
  await world.client(poor.dealer)
  const { superreseller, dealer: passed } = await world.family()
  const beside = await world.child(superreseller)
  await superreseller.call(calls.tree.move, { name: passed.name, to: beside.name })
  rich = await world.child(world.admin, 5)
  idle = await world.child(world.admin)
  family = await world.family({ credits: 100 })
  const { dealer, reseller } = family
  const { create, renew, retrieve, multirenew } = calls.clients
  const paid = await world.client(dealer, { months: 3 })
  const trial = await world.client(dealer, { months: '2d' })
  await dealer.call(renew, { name: trial.name, months: 2 })
  await dealer.call(multirenew, { clients: [paid.name, trial.name], months: 1 })
  await dealer.call(retrieve, { login: trial.name, credits: 2 })
  await world.client(other.dealer, { months: 1 })
  await reseller.call(calls.level.dealer.save, { name: dealer.name, credits: 10, transaction: 1 })
  const { id } = await dealer.call(calls.requests.ask, { credits: 5, note: '' })
  await reseller.call(calls.requests.grant, { id, credits: 3 })
  await dealer.call(create, {
    login: 'latecomer',
    password: 'secret',
    months: 1,
    ministra: true,
    package_selection: 1,
  })
  world.clock.pass({ days: 3 })
  const gone = await world.client(dealer)
  world.clock.pass({ days: 3 })
  await dealer.call(calls.clients.remove, { name: gone.name })
  await dealer.call(renew, { name: paid.name, months: 1 })
  const rows = await world.server.sql<{ id: number; type: string }[]>`
    select id, type from transfer where dealer = ${dealer.id} or type = 'MOVE' order by id desc`
  for (const { id, type } of rows) row[type] = id
  const [before] = await world.server.sql<{ first: number; next: number }[]>`
    select min(t.id) filter (where type = 'ADD') as first, max(t.id) as next from transfer t
    where t.reseller = ${moved.reseller.id}`
  row.movedBefore = before?.first ?? 0
  row.movedAfter = before?.next ?? 0
  // So that a month has ended as well.
  world.clock.pass({ days: 20 })
  await fillStatistics(world.server.sql, world.clock.now, 'UTC')
  await fillBranchDays(world.server.sql, world.clock.now, 'UTC')
  await fillSums(world.server.sql, world.clock.now, 'UTC', 1)
})

describe('a ledger without tampering', () => {
  test('is sound', async () => {
    const { first, others, transactions } = await verify(world.server.sql, ROLE)
    expect({ first, others }).toEqual({ first: null, others: [PLAYED] })
    expect(transactions).toBeGreaterThan(15)
  })

  test('is sound while credits move', async () => {
    const { dealer } = await world.family({ credits: 1_000 })
    let [busy, made] = [true, 0]
    const work = (async () => {
      for (; busy && made < 1_000; made += 1) await world.client(dealer, { months: 1 })
    })()
    for (let times = 0; times < 5; times += 1) {
      expect(await verify(world.server.sql, ROLE)).toMatchObject({ first: null, others: [PLAYED] })
    }
    busy = false
    await work
    expect(made).toBeGreaterThan(0)
  })
})

test('npm run verify finds that the triggers are switched off in the sessions of the console', async () => {
  await withPool(world.server.database.superuser, { max: 1 }, (pool) =>
    begin(pool, async (sql) => {
      await sql`set local session_replication_role = replica`
      expect((await examine([sql], ROLE)).others).toEqual([TRIGGERS_OFF, PLAYED])
    }),
  )
})

/** A manipulation by the database's owner, the row that must be reported for it, and the sentence. */
type Tampering = [
  what: string,
  blamed: () => number | null,
  said: RegExp,
  tamper: (sql: Sql) => Promise<unknown>,
]

/** The id of no client and of no holding. */
const MISSING = 999_999
const NOT_EMPTY = /The account .* is closed, but not empty/

const tamperings: Tampering[] = [
  [
    'credits of a row changed',
    () => row.USED as number,
    /moves 4/,
    (sql) => sql`update transfer set credits = 4 where id = ${row.USED as number}`,
  ],
  [
    'credits, balances and all made to fit, but not the months',
    () => row.USED as number,
    /pays 2 months .* which do not end on/,
    async (sql) => {
      await sql`
        update transfer set source_balance = source_balance + 1, destination_balance = destination_balance - 1
        where id >= ${row.USED as number} and type = 'USED' and dealer = ${family.dealer.id}`
      await sql`
        update transfer set source_balance = source_balance - 1, destination_balance = destination_balance + 1
        where id >= ${row.USED as number} and type = 'RETRIEVED' and dealer = ${family.dealer.id}`
      await sql`update transfer set credits = 2 where id = ${row.USED as number}`
    },
  ],
  [
    'two rows changed so that the sum stays',
    () => row.USED as number,
    /moves 4/,
    (sql) => sql`
      update transfer set credits = credits + case id when ${row.USED as number} then 1 else -1 end
      where id in (${row.USED as number}, (select max(id) from transfer where type = 'USED' and credits > 1))`,
  ],
  [
    'a row deleted',
    () => row.after as number,
    /from 100 to/,
    (sql) => sql`delete from transfer where id = ${row.USED as number}`,
  ],
  [
    'the newest row of all deleted',
    () => row.before as number,
    /but now/,
    (sql) => sql`delete from transfer where id = (select max(id) from transfer)`,
  ],
  [
    'a row inserted between others',
    () => row.slipped as number,
    /but now|from/,
    async (sql) => {
      const [slipped] = await sql<{ id: number }[]>`
        insert into transfer (created, type, credits, source, destination, source_balance, destination_balance,
          superreseller, reseller, dealer, actor, login, description)
        select created, type, credits, source, destination, source_balance - credits, destination_balance + credits,
          superreseller, reseller, dealer, actor, login, description
        from transfer where id = ${row.ADD as number} returning id`
      row.slipped = slipped?.id as number
    },
  ],
  [
    'a balance changed',
    () => row.last as number,
    /left the balance of .* but now/,
    (sql) => sql`
      update holding set balance = balance + 5 where account = ${family.dealer.id} and kind = 'balance'`,
  ],
  [
    'source and destination swapped',
    () => row.USED as number,
    /goes from the consumed of .* to the balance of/,
    (sql) => sql`
      update transfer set source = destination, destination = source, source_balance = destination_balance,
        destination_balance = source_balance where id = ${row.USED as number}`,
  ],
  [
    'a trial made to move credits',
    () => row.TRIAL as number,
    /moves credits, though no row of its type does/,
    (sql) => sql`update transfer set source_balance = 0 where id = ${row.TRIAL as number}`,
  ],
  [
    'a movement made one of nothing, once no constraint forbids it',
    () => row.USED as number,
    /moves 0 credits/,
    async (sql) => {
      await sql`alter table transfer drop constraint transfer_credits_check`
      await sql`update transfer set credits = 0 where id = ${row.USED as number}`
    },
  ],
  [
    'credits taken from a holding that does not exist',
    () => row.USED as number,
    /does not say where its credits come from or where they go/,
    (sql) => sql`update transfer set source = ${MISSING} where id = ${row.USED as number}`,
  ],
  [
    'credits given to a holding that does not exist',
    () => row.USED as number,
    /does not say where its credits come from or where they go/,
    (sql) => sql`update transfer set destination = ${MISSING} where id = ${row.USED as number}`,
  ],
  [
    'a client said to come from another path',
    () => row.MOVE as number,
    /does not come from the path of/,
    (sql) => sql`update transfer set from_reseller = ${family.reseller.id} where id = ${row.MOVE as number}`,
  ],
  [
    'a client named between accounts, once no constraint forbids it',
    () => row.ADD as number,
    /names a client, though it is between accounts/,
    async (sql) => {
      await sql`alter table transfer drop constraint transfer_client_check`
      await sql`
        update transfer set client = (select client from transfer where id = ${row.USED as number})
        where id = ${row.ADD as number}`
    },
  ],
  [
    'a client named that does not exist',
    () => row.USED as number,
    /names no client/,
    (sql) => sql`update transfer set client = ${MISSING} where id = ${row.USED as number}`,
  ],
  [
    'a login changed',
    () => row.USED as number,
    /is of .*, but says somebody/,
    (sql) => sql`update transfer set login = 'somebody' where id = ${row.USED as number}`,
  ],
  [
    'a trial given a date before its client',
    () => row.early as number,
    /is dated .*, before there was any/,
    async (sql) => {
      const [early] = await sql<{ id: number }[]>`
        update transfer set created = created - interval '2 hours'
        where type = 'TRIAL' and client = (select client from transfer where id = ${row.DELETE as number}) returning id`
      row.early = early?.id as number
    },
  ],
  [
    'a path changed',
    () => row.USED as number,
    /does not lie on the path of/,
    (sql) => sql`update transfer set reseller = ${other.reseller.id} where id = ${row.USED as number}`,
  ],
  [
    'a client moved to another dealer',
    () => row.newest as number,
    /belongs to a dealer who did not have the client .* then/,
    (sql) => sql`
      update client set dealer = ${other.dealer.id} where id = (select client from transfer where id = ${row.USED as number})`,
  ],
  [
    'the expiry before a purchase changed',
    () => row.renewed as number,
    /does not go on from/,
    (sql) => sql`
      update transfer set expiry_before = expiry_before - interval '1 day' where id = ${row.renewed as number}`,
  ],
  [
    'a client given months for nothing',
    () => row.newest as number,
    /leaves .* served until .* but it is until/,
    (sql) => sql`
      update service set expiry = expiry + interval '1 year' where client = (select client from transfer where id = ${row.USED as number})`,
  ],
  [
    'a trial given for a year',
    () => row.TRIAL as number,
    /begins .* with service that nobody has paid for/,
    (sql) => sql`update transfer set expiry = expiry + interval '1 year' where id = ${row.TRIAL as number}`,
  ],
  [
    'a first purchase that goes on from service that never was',
    () => row.first as number,
    /begins .* with service that nobody has paid for/,
    (sql) =>
      sql`update transfer set expiry_before = expiry_before + interval '1 year' where id = ${row.first as number}`,
  ],
  [
    'months counted from a later day',
    () => row.newest as number,
    /counts the months of .* from .*, and not from/,
    async (sql) => {
      await sql`
        update transfer set counted_from = counted_from + 365, expiry = expiry + interval '365 days'
        where id = ${row.newest as number}`
    },
  ],
  [
    'months taken back that leave the client nearly as long',
    () => row.RETRIEVED as number,
    /takes 2 months of .* back, and leaves it served until/,
    (sql) =>
      sql`update transfer set expiry = expiry + interval '20 days' where id = ${row.RETRIEVED as number}`,
  ],
  [
    'months taken back that leave the client less than they must',
    () => row.RETRIEVED as number,
    /takes 2 months of .* back, and leaves it served until/,
    (sql) =>
      sql`update transfer set expiry = expiry - interval '20 days' where id = ${row.RETRIEVED as number}`,
  ],
  [
    'a month taken back that was served already',
    () => row.slipped as number,
    /takes 1 months of .* back that were served already/,
    async (sql) => {
      const [slipped] = await sql<{ id: number }[]>`
        with used as (
          select * from transfer t where dealer = ${other.dealer.id} and type = 'USED'
            and not exists (select from transfer o where o.client = t.client and o.id <> t.id)
        ),
        given_back as (
          update holding h set balance = balance + case h.id when used.source then 1 else -1 end from used
          where h.id in (used.source, used.destination) returning h.id, h.balance
        ),
        left_with as (update service s set expiry = used.expiry_before from used where s.client = used.client)
        insert into transfer (created, type, credits, source, destination, source_balance, destination_balance,
          superreseller, reseller, dealer, client, actor, login, mac, description, expiry)
        select ${world.clock.now}, 'RETRIEVED', 1, destination, source, s.balance, d.balance,
          superreseller, reseller, dealer, client, actor, login, mac, description, expiry_before
        from used join given_back s on s.id = used.destination join given_back d on d.id = used.source returning id`
      row.slipped = slipped?.id as number
    },
  ],
  [
    'more taken back than was used',
    () => row.RETRIEVED as number,
    /takes back more than was ever used/,
    (sql) => tamperWithCredits(sql, row.RETRIEVED as number, 2),
  ],
  [
    'more moved with a client than was used on it',
    () => row.MOVE as number,
    /moves 3 months of .*, on whom 2 were used/,
    (sql) => tamperWithCredits(sql, row.MOVE as number, 1),
  ],
  [
    'more used than there was',
    () => row.USED as number,
    /takes the balance of .* below 0, to -/,
    (sql) => tamperWithCredits(sql, row.USED as number, 1_000),
  ],
  [
    'a type changed',
    () => row.REMOVE as number,
    /goes from the balance of .* though no row of its type does/,
    (sql) => sql`update transfer set type = 'ADD' where id = ${row.REMOVE as number}`,
  ],
  [
    'somebody else said to have acted',
    () => row.USED as number,
    /says that .* acted, who could not/,
    (sql) => sql`update transfer set actor = ${other.dealer.id} where id = ${row.USED as number}`,
  ],
  [
    'a client deleted by its dealer while it was served',
    () => row.DELETE as number,
    /deletes .*, who was served until/,
    async (sql) => {
      await sql`
        update transfer set created = created - interval '4 days' where id = ${row.DELETE as number}`
      await sql`
        update transfer set created = created - interval '4 days' where id > ${row.DELETE as number}`
    },
  ],
  [
    'a row given an earlier date',
    () => row.REMOVE as number,
    /is dated/,
    (sql) =>
      sql`update transfer set created = created - interval '2 hours' where id = ${row.REMOVE as number}`,
  ],
  [
    'a row given a later date than the one after it',
    () => row.after as number,
    /is dated .*, long before the row before it/,
    (sql) => sql`update transfer set created = created + interval '2 hours' where id = ${row.USED as number}`,
  ],
  [
    'the first row of a client deleted',
    () => row.DELETE as number,
    /is the first row of .*, but neither a USED nor a TRIAL/,
    (sql) => sql`
      delete from transfer where type = 'TRIAL' and client = (select client from transfer where id = ${row.DELETE as number})`,
  ],
  [
    'a trial given to a deleted client',
    () => row.slipped as number,
    /comes after .* was deleted/,
    async (sql) => {
      const [slipped] = await sql<{ id: number }[]>`
        insert into transfer (created, type, credits, superreseller, reseller, dealer, client, actor, login, description,
          expiry)
        select created, 'TRIAL', credits, superreseller, reseller, dealer, client, actor, login, description, expiry
        from transfer where id = ${row.DELETE as number} returning id`
      row.slipped = slipped?.id as number
    },
  ],
  [
    'a client deleted without a row',
    () => row.newest as number,
    /is the last of .*, which is gone without a row/,
    (sql) => sql`
      update client set deleted = now() where id = (select client from transfer where id = ${row.USED as number})`,
  ],
  [
    'a deleted client made undeleted',
    () => row.DELETE as number,
    /deletes .*, which is still there/,
    (sql) => sql`
      update client set deleted = null, password = '', mac = '00:1A:79:FF:FF:FF'
      where id = (select client from transfer where id = ${row.DELETE as number})`,
  ],
  [
    'credits given to a holding that never had any',
    () => null,
    /All balances together come to 7, not to 0.\n.* is 7, but no row ever moved it/,
    (sql) => sql`
      update holding set balance = 7 where id = (
        select h.id from holding h where not exists (
          select from transfer where h.id in (source, destination)) order by h.id limit 1)`,
  ],
  [
    'an account given a holding that is not of its role',
    () => null,
    /The account .* does not have the holdings of its role/,
    (sql) => sql`insert into holding (account, kind) values (${idle.id}, 'consumed')`,
  ],
  [
    'a client made without a row',
    () => null,
    /The client unwritten has no row in the ledger/,
    (sql) => sql`
      insert into client (dealer, name, password, ministra, phone, description, package_selection, created)
      values (${other.dealer.id}, 'unwritten', '', true, '', '', 1, now())`,
  ],
  [
    'a client counted that does not exist',
    () => null,
    /The clients of .* are not as many as were counted/,
    (sql) => sql`insert into count_change
      select id, superreseller, now(), 1 from account where id = ${other.dealer.id}`,
  ],
  [
    "a superreseller's clients miscounted",
    () => null,
    /The clients of .* are not as many as were counted/,
    (sql) => sql`insert into settled_count
      select id, now(), -1 from account where role = 'superreseller'`,
  ],
  [
    'all clients miscounted',
    () => null,
    /The clients of all dealers who are served until .* are not as many as were counted/,
    (sql) => sql`insert into settled_total (expiry, clients) values (now(), 1)`,
  ],
  [
    'the clients of a month miscounted',
    () => null,
    /The clients of .* in a month are not as many as were counted/,
    (sql) =>
      sql`insert into settled_month select id, '2020-01-01T00:00:00Z', 1 from account where role = 'superreseller'`,
  ],
  [
    'a client whose entry for the search is another',
    () => null,
    /The search entry of client .* differs from the client/,
    (sql) => sql`update directory set text = 'what it was' where dealer = ${other.dealer.id}`,
  ],
  [
    'a client that is on in the list of those that are off',
    () => null,
    /The client .* is not in the list of those that are switched off as it should be/,
    (sql) =>
      sql`insert into switched_off (dealer, expiry, client) select dealer, expiry, client from service limit 1`,
  ],
  [
    'a client that is off missing from that list',
    () => null,
    /The client .* is not in the list of those that are switched off as it should be/,
    async (sql) => {
      await sql`update client set active = false where id = (select min(client) from service)`
      await sql`delete from switched_off`
    },
  ],
  [
    'a second trial of a MAC with another client',
    () => null,
    /The MAC 00:1A:79:.* had two trials within 30 days/,
    (sql) => sql`
      insert into mac_trial (mac, client, created)
      select t.mac, (select max(id) from client), t.created + interval '29 days'
      from transfer t where t.type = 'TRIAL' and t.mac is not null order by t.id limit 1`,
  ],
  [
    'a second trial given to a client for the same MAC',
    () => null,
    /The MAC 00:1A:79:.* had two trials within 30 days/,
    (sql) => sql`
      insert into transfer (created, type, credits, superreseller, reseller, dealer, client, actor, login, description, mac,
        expiry)
      select t.created + interval '1 minute', 'TRIAL', 0, t.superreseller, t.reseller, t.dealer, t.client, t.actor, t.login,
        t.description, t.mac, t.expiry
      from transfer t
      where t.type = 'TRIAL' and t.mac is not null and not exists (
        select from transfer later where later.client = t.client and later.id > t.id
      ) order by t.id limit 1`,
  ],
  [
    'the console given the right to change the trials of MACs',
    () => null,
    /has the right to UPDATE on mac_trial/,
    (sql) => sql`grant update on mac_trial to boxtree_server`,
  ],
  [
    'a service given to another dealer',
    () => null,
    /The service of client .* names another dealer or login than the client/,
    (sql) => sql`
      update service set dealer = ${other.dealer.id} where client = (select client from transfer where id = ${row.USED as number})`,
  ],
  [
    'a move forgotten',
    () => row.movedBefore as number,
    /goes from the balance of .* though no row of its type does/,
    (sql) => tamperWithMoves(sql, sql`delete from tree_move`),
  ],
  [
    'a move said to be later',
    () => row.movedAfter as number,
    /does not lie on the path of/,
    (sql) => tamperWithMoves(sql, sql`update tree_move set last_transfer = last_transfer + 1000`),
  ],
  [
    'a move said to lead elsewhere',
    () => null,
    /The account .* is not where its moves have led/,
    (sql) =>
      tamperWithMoves(
        sql,
        sql`update tree_move set to_superreseller = ${other.superreseller.id} where account = ${moved.dealer.id}`,
      ),
  ],
  [
    'a move said to be before the one before it',
    () => null,
    /The account .* is not where its moves have led/,
    (sql) => sql`
      insert into tree_move (account, actor, last_transfer, from_superreseller, to_superreseller, clients)
      select account, actor, last_transfer - 1, to_superreseller, ${idle.id}::bigint, 0 from tree_move
      where account = ${moved.reseller.id}
      union all
      select account, actor, last_transfer, ${idle.id}, to_superreseller, 0 from tree_move
      where account = ${moved.reseller.id}`,
  ],
  ['an account closed that has credits', () => null, NOT_EMPTY, (sql) => close(sql, rich)],
  [
    'an account closed that has another beneath it',
    () => null,
    NOT_EMPTY,
    (sql) => close(sql, poor.superreseller),
  ],
  ['an account closed that has a client', () => null, NOT_EMPTY, (sql) => close(sql, poor.dealer)],
  [
    'an account closed that has a session',
    () => null,
    NOT_EMPTY,
    (sql) => sql`update account set closed = now() where id = ${idle.id}`,
  ],
  [
    'an account closed that has asked for credits',
    () => null,
    NOT_EMPTY,
    async (sql) => {
      await close(sql, idle)
      await sql`insert into credit_request (account, credits, note, created) values (${idle.id}, 1, '', now())`
    },
  ],
  [
    'a finished day of a superreseller restated',
    () => null,
    /The statistics of .* are not what there was/,
    (sql) => sql`update statistic set dealers = dealers + 1 where superreseller = ${moved.superreseller.id}`,
  ],
  [
    'a finished day of a branch restated',
    () => null,
    /The statistics of .* are not what there was/,
    (sql) => sql`update branch_day set used = used + 1 where account = ${moved.reseller.id}`,
  ],
  [
    'a sum of a finished day restated',
    () => null,
    /The transactions of .* in the day from .* do not add up to what was kept/,
    (sql) => sql`update busy_day set credits = credits + 1 where account = ${moved.reseller.id}`,
  ],
  [
    'a type left out of the sums of a finished day',
    () => null,
    /The transactions of .* in the day from .* do not add up to what was kept/,
    (sql) => sql`delete from busy_day where account = ${family.dealer.id} and type = 'TRIAL'`,
  ],
  [
    'a sum of a finished month restated',
    () => null,
    /The transactions of .* in the month from .* do not add up to what was kept/,
    (sql) => sql`update finished_month set credits = credits + 1 where account = ${moved.reseller.id}`,
  ],
  [
    'a type left out of the sums of a finished month',
    () => null,
    /The transactions of .* in the month from .* do not add up to what was kept/,
    (sql) => sql`delete from finished_month where account = ${family.dealer.id} and type = 'TRIAL'`,
  ],
  [
    'the trigger dropped',
    () => null,
    /post_transfers on transfer is gone/,
    (sql) => sql`drop trigger post_transfers on transfer`,
  ],
  [
    'the trigger turned off',
    () => null,
    /appended_only on audit is turned off/,
    (sql) => sql`alter table audit disable trigger appended_only`,
  ],
  [
    'a function rewritten',
    () => null,
    /refuse_change was rewritten/,
    (sql) => sql`
      create or replace function refuse_change() returns trigger language plpgsql as 'begin return null; end'`,
  ],
  [
    'a function given the body of another',
    () => null,
    /The function post_transfers was rewritten/,
    async (sql) => {
      const [other] = await sql<
        { body: string }[]
      >`select prosrc as body from pg_proc where proname = 'end_services'`
      await sql.unsafe(
        `create or replace function post_transfers() returns trigger language plpgsql as $body$${other?.body}$body$`,
      )
    },
  ],
  [
    'a trigger made to run another function',
    () => null,
    /The trigger appended_only on audit was rewritten/,
    (sql) => sql`
      create or replace trigger appended_only before delete or truncate on audit
      for each statement execute function tell_of_channels()`,
  ],
  [
    'a trigger that runs on fewer occasions',
    () => null,
    /The trigger appended_only on tree_move was rewritten/,
    (sql) => sql`
      create or replace trigger appended_only before delete or truncate on tree_move
      for each statement execute function refuse_change()`,
  ],
  [
    'a trigger given a condition that never holds',
    () => null,
    /The trigger keep_audit on audit was rewritten/,
    (sql) => sql`
      create or replace trigger keep_audit before update on audit for each row when (false) execute function keep_audit()`,
  ],
  [
    'a trigger of somebody else that drops rows of the ledger',
    () => null,
    /The trigger drop_rows on transfer is not one of Boxtree's/,
    async (sql) => {
      await sql`create function drop_rows() returns trigger language plpgsql as 'begin return null; end'`
      await sql`create trigger drop_rows before insert on transfer for each row execute function drop_rows()`
    },
  ],
  [
    'a rule that drops rows of the ledger',
    () => null,
    /The rule drop_rows on transfer is not one of Boxtree's/,
    (sql) => sql`create rule drop_rows as on insert to transfer where new.type = 'USED' do instead nothing`,
  ],
  [
    'the index against two clients of one MAC dropped',
    () => null,
    /The unique index client_mac_key is gone or does not hold/,
    (sql) => sql`drop index client_mac_key`,
  ],
  [
    'the index against two clients of one MAC made for each client',
    () => null,
    /The unique index client_mac_key is gone or does not hold/,
    async (sql) => {
      await sql`drop index client_mac_key`
      await sql`create unique index client_mac_key on client (mac, id) where deleted is null`
    },
  ],
  [
    'the constraint against negative balances made on another table',
    () => null,
    /The constraint holding_balance_check is gone or was never checked/,
    async (sql) => {
      await sql`alter table holding drop constraint holding_balance_check`
      await sql`alter table account add constraint holding_balance_check check (true)`
    },
  ],
  [
    'a function run with the rights of whoever calls it',
    () => null,
    /The function lock_holdings was rewritten/,
    (sql) => sql`alter function lock_holdings(bigint[]) security invoker`,
  ],
  [
    'a function of the owner run with what others have made',
    () => null,
    /The function lock_holdings was rewritten/,
    (sql) => sql`alter function lock_holdings(bigint[]) set search_path = pg_temp, public`,
  ],
  [
    'the console allowed to make tables',
    () => null,
    /may make tables and functions/,
    (sql) => sql.unsafe(`grant create on schema public to ${ROLE}`),
  ],
  [
    'a move said to have been made by somebody who could not',
    () => null,
    /was moved by .*, who could not/,
    (sql) => tamperWithMoves(sql, sql`update tree_move set actor = ${poor.superreseller.id}`),
  ],
  [
    'a request for credits said to be granted that was not',
    () => null,
    /The request of .* for credits was granted, but no row gave it 50/,
    (sql) => sql`
      insert into credit_request (account, credits, note, created, state, granted, answered)
      values (${family.dealer.id}, 50, '', ${world.clock.now}, 'granted', 50, ${world.clock.now})`,
  ],
  [
    'a move said to have taken more clients along',
    () => null,
    /What is beneath .* now is not what its history has left there/,
    (sql) => tamperWithMoves(sql, sql`update tree_move set clients = clients + 1`),
  ],
  [
    'the constraint against negative balances dropped',
    () => null,
    /The constraint holding_balance_check is gone or was never checked/,
    (sql) => sql`alter table holding drop constraint holding_balance_check`,
  ],
  [
    'the console given the right to choose a date',
    () => null,
    /may choose the created in transfer/,
    (sql) => sql.unsafe(`grant insert (created) on transfer to ${ROLE}`),
  ],
  [
    'the date of the ledger taken from the session',
    () => null,
    /The function moment was rewritten/,
    (sql) => sql`
      create or replace function moment() returns timestamptz language plpgsql stable as
      'begin return current_setting(''boxtree.moment'')::timestamptz; end'`,
  ],
  [
    'the console given a right that it must not have',
    () => null,
    /has the right to UPDATE on holding/,
    (sql) => sql.unsafe(`grant update (balance) on holding to ${ROLE}`),
  ],
]

describe('npm run verify finds what the owner of the tables tampered with:', () => {
  beforeAll(async () => {
    const { sql } = world.server
    const { dealer } = family
    const [found] = await sql<
      { after: number; renewed: number; first: number; newest: number; last: number; before: number }[]
    >`
      with used as (select * from transfer where id = ${row.USED as number}),
        newest as (select * from transfer order by id desc limit 1)
      select (select min(t.id) from transfer t, used where t.id > used.id and used.source in (t.source, t.destination)) as after,
        (select min(t.id) from transfer t, used where t.id > used.id and t.client = used.client) as renewed,
        (select min(t.id) from transfer t, used where t.client = used.client) as first,
        (select max(t.id) from transfer t, used where t.client = used.client) as newest,
        (select max(t.id) from transfer t, used where used.source in (t.source, t.destination)) as last,
        (select max(t.id) from transfer t, newest where t.id < newest.id and newest.source in (t.source, t.destination)) as before,
        ${dealer.id}::bigint as dealer`
    Object.assign(row, found)
  })

  test.each(tamperings)('%s', async (_what, blamed, said, tamper) => {
    const { first, others } = await after(tamper)
    const sentences = [first?.sentence, ...others].join('\n')
    expect(first?.id ?? null, sentences).toBe(blamed())
    expect(blamed() === null ? others.join('\n') : first?.sentence).toMatch(said)
  })
})

test('npm run verify finds views and functions that were rewritten, also what PostgreSQL keeps in its own way', async () => {
  const database = await freshDatabase()
  try {
    const { ownerSql } = database
    const lines: string[] = []
    expect(await prove(database, (line) => lines.push(line)), lines.join('\n')).toBe(0)
    await ownerSql`create or replace view dealer_out_of_service as select a.id as dealer from account a where false`
    await ownerSql`
      create or replace function is_suspended(of_account bigint) returns boolean language sql stable return false`
    expect(await prove(database, (line) => lines.push(line))).toBe(1)
    await ownerSql`drop view dealer_out_of_service`
    expect(await prove(database, (line) => lines.push(line))).toBe(1)
    expect(lines.filter((line) => /view|function/.test(line))).toEqual([
      'The view dealer_out_of_service was rewritten.',
      'The function is_suspended was rewritten.',
      'The view dealer_out_of_service is gone.',
      'The function is_suspended was rewritten.',
    ])
    // What it has made to compare them is gone.
    expect(
      await ownerSql`select from pg_class where relname ~ 'anew' union all select from pg_proc where proname ~ 'anew'`,
    ).toEqual([])
  } finally {
    await database.drop()
  }
})

test('npm run verify names what cannot be made for a comparison, and why it breaks off, and is unsound then', async () => {
  const database = await freshDatabase()
  try {
    const { ownerSql } = database
    const [, without] = await proofOf(database, () => ownerSql`alter table suspension rename lifted to ended`)
    expect(without).toContain(
      'The view dealer_out_of_service cannot be made: column s.lifted does not exist.',
    )
    await ownerSql`alter table suspension rename ended to lifted`
    const [code, lines] = await proofOf(database, () => ownerSql`drop view client_count cascade`)
    expect(code).toBe(1)
    expect(lines).toContain('The view client_count is gone.')
    expect(lines.slice(-2)).toEqual([
      'The rest was not looked at: relation "client_count" does not exist.',
      'The ledger is NOT sound.',
    ])
  } finally {
    await database.drop()
  }
})

test('npm run verify says that it compares nothing where the owner may create nothing', async () => {
  const database = await freshDatabase()
  try {
    const [code, lines] = await proofOf(database, () =>
      withPool(database.superuser, { max: 1 }, async (sql) => {
        await sql`alter schema public owner to postgres`
        await sql`revoke create on schema public from public`
      }),
    )
    expect(lines).toContain(
      'Warning: views, and functions that are written as an expression, were not compared, because boxtree_owner may create nothing in the schema public.',
    )
    expect(code, lines.join('\n')).toBe(0)
  } finally {
    await database.drop()
  }
})

test('npm run verify looks as a member of the role that owns the tables, as where that is a group', async () => {
  const database = await freshDatabase()
  const group = `group_${randomBytes(6).toString('hex')}`
  const run = (statement: string) => withPool(inject('postgres'), { max: 1 }, (sql) => sql.unsafe(statement))
  try {
    await run(`create role ${group}`)
    await run(`grant ${group} to boxtree_owner`)
    const [, lines] = await proofOf(database, () =>
      withPool(database.superuser, { max: 1 }, async (sql) => {
        await sql`alter table transfer owner to ${sql(group)}`
        await sql`create or replace view dealer_out_of_service as select a.id as dealer from account a where false`
      }),
    )
    expect(lines).toContain('The view dealer_out_of_service was rewritten.')
  } finally {
    await database.drop()
    await run(`drop role ${group}`)
  }
})

/** Returns the exit code of a proof after a change, and the lines that it printed. */
async function proofOf(
  database: Pick<FreshDatabase, 'server' | 'owner'>,
  change: () => PromiseLike<unknown>,
): Promise<[code: number, lines: string[]]> {
  await change()
  const lines: string[] = []
  return [await prove(database, (line) => lines.push(line)), lines]
}

async function tamperWithMoves(sql: Sql, tampering: Fragment): Promise<void> {
  await sql`alter table tree_move disable trigger user`
  await tampering
  await sql`alter table tree_move enable trigger user`
}

/** Has a row move more credits, and leave both balances as if they had been moved. */
function tamperWithCredits(sql: Sql, id: number, more: number) {
  return sql`
    update transfer set credits = credits + ${more}, source_balance = source_balance - ${more},
      destination_balance = destination_balance + ${more} where id = ${id}`
}

/** Closes an account that has no session any more. */
async function close(sql: Sql, { id }: Person): Promise<void> {
  await sql`delete from session where account = ${id}`
  await sql`update account set closed = now() where id = ${id}`
}

/** Returns the findings after a manipulation by the owner with triggers disabled, and rolls it back. */
async function after(tamper: (sql: Sql) => Promise<unknown>): Promise<Findings> {
  const undone = new Error('undone')
  let findings: Findings | null = null
  await begin(world.server.ownerSql, async (sql) => {
    await sql`alter table transfer disable trigger user`
    await tamper(sql)
    await sql`alter table transfer enable trigger user`
    findings = await examine([sql], ROLE)
    throw undone
  }).catch((error: unknown) => {
    if (error !== undone) throw error
  })
  if (!findings) throw new Error('nothing was examined')
  return findings
}

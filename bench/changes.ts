import { randomUUID } from 'node:crypto'
import { DEFAULT_SETTINGS } from '../contract/appearance.ts'
import { type Call, everyCall } from '../contract/call.ts'
import { calls } from '../contract/calls.ts'
import type { Role } from '../contract/roles.ts'
import type { Sql } from '../server/postgres/pool.ts'
import { startConsole } from '../test/support/console.ts'
import { newClient, unique } from '../test/support/world.ts'
import { Connection } from './connection.ts'
import { openDatabaseOf } from './database.ts'
import { PASSWORD } from './fill/tree.ts'
import { elsewhere, nameOf, openSession, openSessions, type Person, sessionOf, signIn } from './people.ts'
import { expiredOf, type Renewer, renewersOf } from './renewers.ts'
import { timed } from './timed.ts'

/** How often each call is made; an even number, so that what moves comes back. */
const TIMES = 12
/** How many clients a call of many changes; of those that it deletes, a tenth, because they do not come back. */
const MANY = 100
const DELETED = TIMES + TIMES * (MANY / 10)
const CREDITS = 1_000

/** The accounts of one database that make the calls, and what they change. */
interface Stage {
  sql: Sql
  /** The admin, and those above the dealer. */
  people: Record<Exclude<Role, 'dealer'>, Person>
  /** The dealer with the most clients. */
  dealer: Renewer & Person
  /** Its clients that have expired. */
  expired: string[]
  /** A dealer and a reseller outside the branch of `people`. */
  elsewhere: { dealer: Person; reseller: Person }
  /** Dealers that were created here. */
  created: string[]
  /** Makes a call. Returns its answer. */
  change(call: Call, by: Person, input: object): Promise<{ id: number }>
}

/** Who makes a call for the nth time, with which input. What it takes to find that out is not measured. */
type Prepared = readonly [Person, object]
type Prepare = (stage: Stage, nr: number) => Prepared | Promise<Prepared>

/** Calls that change something, or look at clients before they are changed, in the order in which they are measured. */
const CHANGES: readonly (readonly [Call, Prepare])[] = [
  [calls.clients.renew, ({ dealer }, nr) => [dealer, { name: dealer.clients[nr], months: 1 }]],
  [calls.clients.multirenew, ({ dealer }) => [dealer, { clients: dealer.clients, months: 1 }]],
  [calls.clients.quote, ({ dealer }) => [dealer, { clients: dealer.clients, months: 1 }]],
  [calls.clients.multiquote, ({ dealer }) => [dealer, { clients: dealer.clients }]],
  [calls.clients.save, ({ dealer }, nr) => [dealer, { login: dealer.clients[nr], desc: unique() }]],
  [
    calls.clients.multisave,
    ({ dealer }, nr) => [dealer, { clients: dealer.clients, package_selection: 1 + (nr % 2) }],
  ],
  [calls.clients.retrieve, ({ dealer }, nr) => [dealer, { login: dealer.clients[nr], credits: 1 }]],
  [
    calls.clients.reset,
    async ({ sql, dealer }, nr) => {
      const name = dealer.clients[nr] as string
      await sql`
        insert into device (client, stb_sn) select id, 'SN1' from client where name = ${name} and deleted is null
        on conflict (client) do update set stb_sn = excluded.stb_sn`
      return [dealer, { name }]
    },
  ],
  [calls.clients.remind, ({ dealer }, nr) => [dealer, { name: dealer.clients[nr], reminded: true }]],
  [calls.clients.tell, ({ dealer }, nr) => [dealer, { clients: [dealer.clients[nr]], event: 'reload' }]],
  [calls.clients.create, ({ dealer }) => [dealer, newClient({ ministra: true, months: 1 })]],
  [calls.clients.remove, ({ dealer, expired }, nr) => [dealer, { name: expired[nr] }]],
  [
    calls.clients.multiremove,
    ({ dealer, expired }, nr) => [
      dealer,
      { clients: expired.slice(TIMES + nr * (MANY / 10)).slice(0, MANY / 10) },
    ],
  ],
  [
    calls.admin.remove,
    async ({ people, dealer, change }) => {
      const client = newClient({ ministra: true, months: 1 })
      await change(calls.clients.create, dealer, client)
      return [people.admin, { name: client.login }]
    },
  ],
  [calls.admin.setMessage, ({ people }) => [people.admin, { message: unique() }]],
  [
    calls.tree.moveClients,
    ({ people, dealer, elsewhere }, nr) => {
      const [from, to] = nr % 2 === 0 ? [dealer, elsewhere.dealer] : [elsewhere.dealer, dealer]
      return [people.admin, { from: from.name, to: to.name, clients: dealer.clients }]
    },
  ],
  [calls.level.superreseller.save, ({ people }) => passed(people.admin, people.superreseller)],
  [calls.level.reseller.save, ({ people }) => passed(people.superreseller, people.reseller)],
  [calls.level.dealer.save, ({ people, dealer }) => passed(people.reseller, dealer)],
  [
    calls.level.dealer.create,
    ({ people, created }) => {
      const login = unique()
      created.push(login)
      return [people.reseller, { login, password: PASSWORD }]
    },
  ],
  [
    calls.level.dealer.changePassword,
    ({ people, created }, nr) => [people.reseller, { name: created[nr], password: PASSWORD }],
  ],
  [
    calls.tree.password,
    ({ people, created }, nr) => [people.admin, { name: created[nr], password: PASSWORD }],
  ],
  [calls.tree.close, ({ people, created }, nr) => [people.reseller, { name: created[nr] }]],
  [
    calls.requests.ask,
    async ({ dealer, sql, change }) => {
      await withdrawAny(sql, dealer, change)
      return [dealer, { credits: 1 }]
    },
  ],
  [calls.requests.withdraw, async (stage) => [stage.dealer, await asked(stage)]],
  [calls.requests.decline, async (stage) => [stage.people.reseller, await asked(stage)]],
  [calls.requests.grant, async (stage) => [stage.people.reseller, { ...(await asked(stage)), credits: 1 }]],
  [calls.lowBalance.own, ({ dealer }, nr) => [dealer, { below: nr + 1 }]],
  [
    calls.lowBalance.ofChild,
    ({ people, dealer }, nr) => [people.reseller, { name: dealer.name, below: nr + 1 }],
  ],
  [calls.session.savePreferences, ({ dealer }, nr) => [dealer, { shortcuts: nr % 2 === 0 }]],
  [
    calls.desk.dealer.saveSettings,
    ({ dealer }, nr) => [dealer, { ...DEFAULT_SETTINGS, mode: nr % 2 === 0 ? 'dark' : 'light' }],
  ],
  [
    calls.session.end,
    async ({ sql, dealer }) => [dealer, await sessionOf(sql, await openSession(sql, dealer.id))],
  ],
  [
    calls.session.logout,
    async ({ sql, dealer }) => [{ ...dealer, token: await openSession(sql, dealer.id) }, {}],
  ],
  [
    calls.tree.move,
    ({ people, dealer, elsewhere }, nr) => [
      people.admin,
      { name: dealer.name, to: (nr % 2 === 0 ? elsewhere : people).reseller.name },
    ],
  ],
  [
    calls.tree.suspend,
    async ({ people, change }, nr) => {
      const { name } = people.superreseller
      if (nr > 0) await change(calls.tree.lift, people.admin, { name })
      return [people.admin, { name, service_too: true }]
    },
  ],
  [
    calls.tree.lift,
    async ({ people, change }, nr) => {
      const { name } = people.superreseller
      if (nr > 0) await change(calls.tree.suspend, people.admin, { name, service_too: true })
      return [people.admin, { name }]
    },
  ],
]

/** The calls that change something and are not measured, by their names. */
export const UNMEASURED: readonly string[] = everyCall(calls)
  .filter((call) => call.changes && !CHANGES.some(([measured]) => measured === call))
  .map(({ name }) => name)

/** Makes each call on each database by turns. Returns the times of each call, by database. */
export async function* measureChanges(
  dataDirs: readonly string[],
): AsyncGenerator<{ call: string; times: number[][] }> {
  const stages: (Stage & { close(): Promise<void> })[] = []
  try {
    for (const dataDir of dataDirs) stages.push(await openStage(dataDir))
    for (const [call, prepare] of CHANGES) {
      const times: number[][] = stages.map(() => [])
      for (let nr = 0; nr < TIMES; nr += 1) {
        for (const [at, stage] of stages.entries()) {
          const [by, input] = await prepare(stage, nr)
          times[at]?.push(await timed(() => stage.change(call, by, input)))
        }
      }
      yield { call: call.name, times }
    }
  } finally {
    for (const stage of stages) await stage.close()
  }
}

async function openStage(dataDir: string): Promise<Stage & { close(): Promise<void> }> {
  const console = await startConsole({ dataDir })
  const database = await openDatabaseOf(dataDir, 'server')
  const { sql } = database
  const connection = await Connection.open(console.url)
  const change: Stage['change'] = async (call, { token }, input) =>
    JSON.parse(await connection.post(call.path, token, JSON.stringify(input), randomUUID()))
  const [renewer] = await renewersOf(sql, { dealers: 1, clients: MANY })
  if (!renewer) throw new Error('There is no dealer')
  const dealer = { ...renewer, name: await nameOf(sql, renewer.id) }
  const { admin } = await openSessions(sql)
  const people = {
    admin,
    superreseller: await signIn(sql, dealer.superreseller),
    reseller: await signIn(sql, dealer.reseller),
  }
  const give = (call: Call, by: Person, { name }: Person, credits: number) =>
    change(call, by, { name, credits, transaction: 0 })
  // The superreseller keeps half, and gives the other half to its reseller.
  await give(calls.level.superreseller.save, people.admin, people.superreseller, 2 * CREDITS)
  await give(calls.level.reseller.save, people.superreseller, people.reseller, CREDITS)
  return {
    ...{ sql, people, dealer, created: [], change },
    expired: await expiredOf(sql, dealer, DELETED),
    elsewhere: await elsewhere(sql, dealer.superreseller),
    async close() {
      connection.close()
      await database.close()
      await console.stop()
    },
  }
}

function passed(by: Person, { name }: Person): Prepared {
  return [by, { name, credits: 1, desc: unique(), transaction: 0 }]
}

async function asked({ sql, dealer, change }: Stage): Promise<{ id: number }> {
  await withdrawAny(sql, dealer, change)
  return { id: (await change(calls.requests.ask, dealer, { credits: 1 })).id }
}

/** Withdraws the dealer's open request, if it has one. */
async function withdrawAny(sql: Sql, dealer: Person, change: Stage['change']): Promise<void> {
  const open = await sql<{ id: number }[]>`
    select id from credit_request where account = ${dealer.id} and state = 'open'`
  for (const { id } of open) await change(calls.requests.withdraw, dealer, { id })
}

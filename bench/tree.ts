import { randomUUID } from 'node:crypto'
import { calls } from '../contract/calls.ts'
import type { Sql } from '../server/postgres/pool.ts'
import { startConsole } from '../test/support/console.ts'
import { Connection } from './connection.ts'
import { withDatabaseOf } from './database.ts'
import { type Figure, type Round, ratioOf } from './figure.ts'
import { PASSWORD } from './fill/tree.ts'
import type { Folders } from './fill.ts'
import { elsewhere, nameOf, openSession, openSessions, type Person, sessionOf } from './people.ts'
import { type Renewer, renewersOf } from './renewers.ts'
import { timed } from './timed.ts'

const ROUNDS = 9
/** A call that moves 1,000 clients is measured less often: it and what it is compared with write 1,000 rows each. */
const ROUNDS_OF_MANY = 5
const MANY = 1_000

/**
 * What is measured, with the most that it may cost beside a renewal made right before it. A move is rare, and writes
 * the counts of each dealer and each day of expiry anew; a password's hash is meant to be slow.
 */
const LIMITS = {
  'Asking for credits': 2,
  'Granting a request': 2,
  'Declining a request': 2,
  'Withdrawing a request': 2,
  'Setting when the own balance is low': 2,
  'Setting when that of a child is low': 2,
  'Ending another session': 2,
  'Closing an account': 2,
  'Setting a password from above': 50,
  'Suspending the biggest branch and its service': 2,
  'Lifting its suspension': 2,
  'Moving the dealer with a tenth of all clients': 25,
  'Moving the reseller with the most clients': 100,
} as const
type Measured = keyof typeof LIMITS

/** Makes a call that changes something, and fails unless it succeeds. */
type Change = (path: string, by: Person, input: object) => Promise<string>

/**
 * Measures the calls that change the tree of accounts, each beside a renewal of one client that was made right before,
 * and the move of a thousand clients beside a renewal of a thousand.
 */
export async function* treeFigures({ million }: Folders): AsyncGenerator<Figure> {
  const console = await startConsole({ dataDir: million })
  const connection = await Connection.open(console.url)
  const change: Change = (path, { token }, input) =>
    connection.post(path, token, JSON.stringify(input), randomUUID())
  try {
    const { singly, together } = await withDatabaseOf(million, async (sql) => ({
      singly: await measureAccounts(sql, change),
      together: await measureClients(sql, change),
    }))
    for (const [what, rounds] of singly) {
      yield ratioOf(rounds, { what: `${what}, beside a renewal`, limit: LIMITS[what], absolute: 'ms' })
    }
    yield ratioOf(together, {
      what: `Moving ${MANY} clients, beside a renewal of as many`,
      limit: 4,
      absolute: 'ms',
    })
  } finally {
    connection.close()
    await console.stop()
  }
}

async function measureAccounts(sql: Sql, change: Change): Promise<Map<Measured, Round[]>> {
  const people = await openSessions(sql)
  const { dealer: other, reseller } = await elsewhere(sql, people.superreseller.id)
  const dealer = { ...(await renewerOf(sql, other)), name: other.name }
  const [client] = dealer.clients
  const rounds = new Map<Measured, Round[]>()
  for (let round = 0; round < ROUNDS; round += 1) {
    const ask = async () => {
      const asked = await measured('Asking for credits', () =>
        change(calls.requests.ask.path, dealer, { credits: 1 }),
      )
      return { id: (JSON.parse(asked) as { id: number }).id }
    }
    const granted = { ...(await ask()), credits: 1 }
    await measured('Granting a request', () => change(calls.requests.grant.path, reseller, granted))
    const declined = await ask()
    await measured('Declining a request', () => change(calls.requests.decline.path, reseller, declined))
    const withdrawn = await ask()
    await measured('Withdrawing a request', () => change(calls.requests.withdraw.path, dealer, withdrawn))

    const below = round + 1
    await measured('Setting when the own balance is low', () =>
      change(calls.lowBalance.own.path, dealer, { below }),
    )
    await measured('Setting when that of a child is low', () =>
      change(calls.lowBalance.ofChild.path, reseller, { name: dealer.name, below }),
    )
    const other = await sessionOf(sql, await openSession(sql, dealer.id))
    await measured('Ending another session', () => change(calls.session.end.path, dealer, other))

    const login = `bench${Date.now().toString(36)}`
    await change(calls.level.dealer.create.path, reseller, { login, password: PASSWORD })
    await measured('Setting a password from above', () =>
      change(calls.tree.password.path, people.admin, { name: login, password: 'boxtree-new' }),
    )
    await measured('Closing an account', () => change(calls.tree.close.path, reseller, { name: login }))

    const { name } = people.superreseller
    await measured('Suspending the biggest branch and its service', () =>
      change(calls.tree.suspend.path, people.admin, { name, service_too: true }),
    )
    await measured('Lifting its suspension', () => change(calls.tree.lift.path, people.admin, { name }))

    await thereAndBack('Moving the dealer with a tenth of all clients', people.dealer, reseller)
    await thereAndBack('Moving the reseller with the most clients', people.reseller, {
      name: await nameOf(sql, dealer.superreseller),
    })
  }
  return rounds

  async function thereAndBack(what: Measured, moved: Person, to: { name: string }): Promise<void> {
    const [parent] = await sql<{ name: string }[]>`
      select p.name from account a join account p on p.id = a.parent where a.id = ${moved.id}`
    if (!parent) throw new Error(`${moved.name} has no parent`)
    for (const { name } of [to, parent]) {
      await measured(what, () => change(calls.tree.move.path, people.admin, { name: moved.name, to: name }))
    }
  }

  async function measured(what: Measured, work: () => Promise<string>): Promise<string> {
    const theirs = await timed(() => change(calls.clients.renew.path, dealer, { name: client, months: 1 }))
    let answer = ''
    const ours = await timed(async () => {
      answer = await work()
    })
    rounds.set(what, [...(rounds.get(what) ?? []), { ours, theirs }])
    return answer
  }
}

/** Moves clients of one dealer to another and back. */
async function measureClients(sql: Sql, change: Change): Promise<Round[]> {
  const { admin } = await openSessions(sql)
  const [from, to] = (await renewersOf(sql, { dealers: 2, clients: MANY })) as [Renewer, Renewer]
  const names = [await nameOf(sql, from.id), await nameOf(sql, to.id)]
  const rounds: Round[] = []
  for (let round = 0; round < ROUNDS_OF_MANY; round += 1) {
    const { clients } = from
    const theirs = await timed(() =>
      change(calls.clients.multirenew.path, { ...from, name: '' }, { clients, months: 1 }),
    )
    const [there, back] = [names, names.toReversed()].map(([from, to]) => ({ from, to, clients }))
    for (const move of [there, back]) {
      const ours = await timed(() => change(calls.tree.moveClients.path, admin, move as object))
      rounds.push({ ours, theirs })
    }
  }
  return rounds
}

/** Prepares a dealer that is not among the biggest with credits and one client. */
async function renewerOf(sql: Sql, { id, name }: Person): Promise<Renewer> {
  const renewers = await renewersOf(sql, { dealers: 64, clients: 1 })
  const renewer = renewers.find((one) => one.id === id)
  if (!renewer) throw new Error(`${name} is not among the first ${renewers.length} dealers`)
  return renewer
}

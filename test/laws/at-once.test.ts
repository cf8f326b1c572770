import fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import { calls } from '../../contract/calls.ts'
import { CONNECTIONS } from '../../server/postgres/pool.ts'
import { PLAYED } from '../../server/verify/guards.ts'
import { verify } from '../../server/verify/verify.ts'
import { proveTheBooks } from '../support/books.ts'
import { type Person, suiteWorld } from '../support/world.ts'
import { runs, seedOf } from './runs.ts'

// Renewals that come at once share transactions. This law tries any of them over two servers: each is answered as if it
// had come alone, and what was paid is what was added.

const world = await suiteWorld({ connections: CONNECTIONS })
const second = await world.another({ connections: CONNECTIONS })
afterAll(() => second.close())

const DEALERS = 3
const CLIENTS = 2
const CREDITS = 9
const START = 1

/** A renewal: who makes it, of which of its clients, and whether others come with the same key and body. */
type Asked = {
  dealer: number
  client: number
  months: number
  key: number | null
  there: boolean
  seen: boolean
}

const asked = fc.record({
  dealer: fc.nat(DEALERS - 1),
  client: fc.nat(CLIENTS - 1),
  months: fc.integer({ min: 1, max: 4 }),
  key: fc.option(fc.nat(2)),
  there: fc.boolean(),
  seen: fc.boolean(),
})

type Dealer = { here: Person; there: Person; clients: { name: string; expiry: string }[] }

async function dealers(): Promise<Dealer[]> {
  return Promise.all(
    Array.from({ length: DEALERS }, async () => {
      const { dealer } = await world.family({ credits: CREDITS })
      const clients = []
      for (let nr = 0; nr < CLIENTS; nr += 1) clients.push(await world.client(dealer, { months: START }))
      return { here: dealer, there: world.at(second, dealer), clients }
    }),
  )
}

/** Makes the renewal, and returns what it did: the months of a success, or the code of a refusal. */
async function make(all: readonly Dealer[], one: Asked): Promise<number | string> {
  const dealer = all[one.dealer] as Dealer
  const { name, expiry } = dealer.clients[one.client] as Dealer['clients'][0]
  const input = { name, months: one.months, ...(one.seen && { expiry }) }
  const key = one.key === null ? {} : { key: keyOf(one) }
  const { status, body } = await (one.there ? dealer.there : dealer.here).send(
    calls.clients.renew,
    input,
    key,
  )
  return status === 200 ? one.months : (body as { code: string }).code
}

/** The key says what is asked, so that the calls with one key have one body. */
function keyOf({ client, months, seen, key }: Asked): string {
  return `${client}-${months}-${seen}-${key}`
}

test(
  'renewals that come at once over two servers add the months that were paid for, and each key counts once',
  async () => {
    const outcomes = new Set<string>()
    const property = fc.asyncProperty(fc.array(asked, { minLength: 4, maxLength: 24 }), async (some) => {
      const all = await dealers()
      const made = await Promise.all(some.map((one) => make(all, one)))
      for (const [nr, dealer] of all.entries()) {
        const own = some.flatMap((one, at) => (one.dealer === nr ? [{ ...one, outcome: made[at] }] : []))
        for (const { outcome } of own) outcomes.add(typeof outcome === 'string' ? outcome : 'renewed')
        // Of one key and body, all are answered alike unless the first ones were refused, and it is paid for once.
        const paid = new Map<string, { client: number; months: number }>()
        own.forEach((one, at) => {
          if (typeof one.outcome === 'number') paid.set(one.key === null ? `alone ${at}` : keyOf(one), one)
        })
        const spent = [...paid.values()].reduce((sum, { months }) => sum + months, 0)
        const { credits } = await dealer.here.call(calls.credits.dealer)
        expect(credits).toBe(CREDITS - START * CLIENTS - spent)
        for (const [at, client] of dealer.clients.entries()) {
          const months = [...paid.values()].filter((one) => one.client === at).map((one) => one.months)
          const { expiry } = await dealer.here.call(calls.clients.detail, { name: client.name })
          expect(monthsBetween(client.expiry, expiry)).toBe(months.reduce((sum, one) => sum + one, 0))
          // Only the first renewal can have seen the expiry that the client had at first.
          const first = own.filter((one) => one.client === at && one.seen && typeof one.outcome === 'number')
          expect(new Set(first.map((one) => (one.key === null ? one : keyOf(one)))).size).toBeLessThan(2)
        }
      }
    })
    await fc.assert(property, {
      numRuns: runs(25, 400),
      seed: seedOf('renewals at once'),
      endOnFailure: true,
    })
    expect([...outcomes].sort()).toEqual(['changed_since', 'insufficient_credits', 'renewed'])
    await proveTheBooks(world.server.ownerSql)
    expect(await verify(world.server.sql, 'boxtree_server')).toMatchObject({ first: null, others: [PLAYED] })
  },
  runs(600_000, 1_200_000),
)

function monthsBetween(from: string, to: string): number {
  const [one, two] = [from, to].map((moment) => new Date(moment))
  if (!one || !two) throw new Error('no moment')
  return 12 * (two.getUTCFullYear() - one.getUTCFullYear()) + two.getUTCMonth() - one.getUTCMonth()
}

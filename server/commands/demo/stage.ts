import { atPlaceOf, everyCall } from '../../../contract/call.ts'
import { calls } from '../../../contract/calls.ts'
import { CREDIT_ACTION } from '../../../contract/credits.ts'
import type { LevelName } from '../../../contract/levels.ts'
import { HOUR_MS } from '../../../contract/time.ts'
import type { Account, Business, Context } from '../../context.ts'
import { handlers } from '../../handlers.ts'
import { begin } from '../../postgres/begin.ts'
import type { Sql } from '../../postgres/pool.ts'
import { balanceOf, findAccount } from '../../tree/account.ts'

/** Makes the calls of the demonstration as if they came over the wire, each at a chosen moment. */
export class Stage {
  now = new Date()
  /** The transaction of the day that is played; between days the pool, where each call has its own transaction. */
  sql: Sql
  readonly #pool: Sql
  readonly #business: Business
  readonly #accounts = new Map<string, Account>()

  constructor(pool: Sql, business: Business) {
    this.#pool = pool
    this.#business = business
    this.sql = pool
  }

  /** Plays one day in one transaction, with its calls seven seconds apart, from nine o'clock on. */
  async during(start: string, work: () => Promise<void>): Promise<void> {
    this.now = new Date(Math.min(new Date(start).getTime() + 9 * HOUR_MS, Date.now() - 1_000))
    await begin(this.#pool, async (sql) => {
      this.sql = sql
      await work()
    })
    this.sql = this.#pool
  }

  async act(name: string, call: string, input: object): Promise<void> {
    const { declared, act } = found(call)
    this.now = new Date(Math.min(this.now.getTime() + 7_000, Date.now() - 1_000))
    const context: Context = {
      sql: this.sql,
      now: this.now,
      clock: () => this.now,
      business: this.#business,
      address: '127.0.0.1',
      network: null,
      agent: '',
      gone: null,
      account: await this.#account(name),
      session: Buffer.alloc(32),
    }
    const atMoment = async (sql: Sql, work: (inside: Context) => Promise<unknown>) => {
      await sql`select set_config('boxtree.moment', ${context.now.toISOString()}, true)`
      return work({ ...context, sql })
    }
    const inside: Begin = (work) =>
      this.sql === this.#pool ? begin(this.#pool, (sql) => atMoment(sql, work)) : atMoment(this.sql, work)
    const read = declared.input.parse(input)
    declared.output.parse(await played(act, context, read, inside))
  }

  async pass(owner: string, level: LevelName, name: string, credits: number, desc: string): Promise<void> {
    await this.act(owner, `level.${level}.save`, { name, credits, desc, transaction: CREDIT_ACTION.add })
  }

  async balance(name: string): Promise<number> {
    return balanceOf(this.sql, await this.#account(name))
  }

  async #account(name: string): Promise<Account> {
    const known = this.#accounts.get(name)
    if (known) return known
    const account = await findAccount(this.sql, this.sql`a.name = ${name}`)
    if (!account) throw new Error(`there is no account ${name}`)
    this.#accounts.set(name, account)
    return account
  }
}

type Act = (context: Context, input: unknown) => Promise<unknown>
type Begin = (act: (inside: Context) => Promise<unknown>) => Promise<unknown>
type Outside = { outside: (context: Context, input: unknown, begin: Begin) => Promise<unknown> }

/** Nobody else acts at the same time, so a call that could share a transaction is alone. */
type Shared = { alone: Act }

function played(
  act: Act | Outside | Shared,
  context: Context,
  input: unknown,
  begin: Begin,
): Promise<unknown> {
  if ('outside' in act) return act.outside(context, input, begin)
  const alone = 'alone' in act ? act.alone : act
  return begin((inside) => alone(inside, input))
}

const DECLARED = new Map(everyCall(calls).map((call) => [call.name, call]))

function found(name: string) {
  const declared = DECLARED.get(name)
  if (!declared) throw new Error(`there is no call ${name}`)
  return { declared, act: atPlaceOf(declared, handlers) as Act | Outside | Shared }
}

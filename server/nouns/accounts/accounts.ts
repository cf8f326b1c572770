import { DEFAULT_SETTINGS } from '../../../contract/appearance.ts'
import type { calls, OutputOf } from '../../../contract/calls.ts'
import { CREDIT_ACTION } from '../../../contract/credits.ts'
import { LEVELS, type LevelName } from '../../../contract/levels.ts'
import { shortageOf } from '../../../contract/quantities.ts'
import { hashPassword } from '../../access/password.ts'
import { type Context, type Handlers, Unchanged } from '../../context.ts'
import { lockPlace, transfer } from '../../ledger/transfer.ts'
import { fieldRefusal } from '../../refusal.ts'
import { isLow } from '../../tree/account.ts'
import type { Beneath } from '../../tree/beneath.ts'
import { childOf, childrenOf } from '../../tree/child.ts'
import { countsInState } from '../../tree/client-counts.ts'
import { setPassword } from '../../tree/password.ts'
import { addTo, lockedChild } from './adding.ts'

type LevelHandlers = Omit<Handlers<typeof calls.level.reseller>, 'history'>

/** Returns the handlers by which an owner manages the accounts of one level. They find direct children only. */
export function accountsOf(level: LevelName): LevelHandlers {
  const { owner } = LEVELS[level]
  return {
    async list(context) {
      const data = await childrenOf(context)
      return { data, count: data.length, onDate: context.now.toISOString() }
    },

    create: {
      async outside(asker, { login, password }, begin) {
        const hash = await hashPassword(password, asker)
        return begin(async ({ sql, account, now }) => {
          const [taken] = await sql`select from account where lower(name) = lower(${login})`
          if (taken) throw fieldRefusal('name_taken', 'login', 'This login is taken.')
          const { superreseller } = await lockPlace(sql, account)
          await sql`
            insert into account (name, role, parent, superreseller, reseller, password, settings, created)
            values (
              ${login}, ${level}, ${account.id}, ${owner === 'superreseller' ? account.id : superreseller},
              ${owner === 'reseller' ? account.id : null}, ${hash}, ${sql.json(DEFAULT_SETTINGS)}, ${now})`
          return { status: 'OK', name: login }
        })
      },
    },

    async detail(context, { name }) {
      const { description, created, credits, ...child } = await childOf(context, name)
      return { name: child.name, credits, description, created }
    },

    async save(context, { name, credits, desc, transaction }) {
      // The holdings are locked before the account's row, as a move does.
      if (credits === 0) return setDescription(context, await childOf(context, name, 'lock'), desc)
      const child = await lockedChild(context, name)
      const description = desc ?? child.description
      const described = { ...child, description }
      const act = transaction === CREDIT_ACTION.add ? addTo : removeFrom
      const balance = await act(context, described, credits)
      await setDescription(context, child, desc)
      return { status: 'OK', credits: balance }
    },

    changePassword: {
      async outside(asker, { name, password }, begin) {
        const hash = await hashPassword(password, asker)
        return begin(async (context) => {
          await setPassword(context.sql, await childOf(context, name, 'lock'), hash)
          return { status: 'OK' }
        })
      },
    },
  }
}

/** Returns the child's balance afterwards. */
async function removeFrom({ sql, account }: Context, child: Beneath, credits: number): Promise<number> {
  const { name: login, description } = child
  const balance = await transfer(sql, {
    type: 'REMOVE',
    source: child.balance_holding,
    destination: account.balance_holding,
    rows: [{ credits, actor: account.id, login, description }],
    short: (has, needed) => shortageOf(login, has, needed),
  })
  return balance.source
}

/** Sets the description of a child, where one was sent that differs. Answers with the child's balance. */
async function setDescription({ sql }: Context, child: Beneath, description: string | undefined) {
  const output = { status: 'OK' as const, credits: child.credits }
  if (description === undefined || description === child.description) return new Unchanged(output)
  await sql`update account set description = ${description} where id = ${child.id}`
  return output
}

/** The handlers for superresellers. Their list also counts the accounts and clients beneath each. */
export const superresellers: LevelHandlers & Pick<Handlers<typeof calls.level.superreseller>, 'list'> = {
  ...accountsOf('superreseller'),

  async list(context) {
    const { sql, now } = context
    const data = await childrenOf<{ resellers: number; dealers: number; clients: number }>(
      context,
      sql`,
        (select count(*) from account r where r.superreseller = a.id and r.role = 'reseller' and r.closed is null) as resellers,
        (select count(*) from account d where d.superreseller = a.id and d.role = 'dealer' and d.closed is null) as dealers,
        (select coalesce(sum(clients), 0) from (${countsInState(sql, 'all', now)}) k where k.account = a.id) as clients`,
    )
    const totalClients = data.reduce((sum, { clients }) => sum + clients, 0)
    return { data, count: data.length, totalClients, onDate: now.toISOString() }
  },
}

export async function ownCredits({ sql, account }: Context): Promise<OutputOf<typeof calls.credits.dealer>> {
  const [own] = await sql<OutputOf<typeof calls.credits.dealer>[]>`
    select h.balance as credits, ${isLow(sql)} as low, a.low_own as low_below
    from account a join holding h on h.id = ${account.balance_holding} where a.id = ${account.id}`
  if (!own) throw new Error(`there is no account ${account.id}`)
  return own
}

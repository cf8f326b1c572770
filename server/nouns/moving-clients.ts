import type { calls } from '../../contract/calls.ts'
import { MOST_CHOSEN, macForms } from '../../contract/clients.ts'
import { pageOf } from '../../contract/page.ts'
import { counted } from '../../contract/quantities.ts'
import type { Account, Context, Handlers } from '../context.ts'
import { pathOf } from '../ledger/path.ts'
import { consumedOf } from '../ledger/purchases.ts'
import { factsOf, lockHoldings, note, placeOf, transfer } from '../ledger/transfer.ts'
import { likePattern, likePatterns } from '../postgres/like.ts'
import type { Sql } from '../postgres/pool.ts'
import { fieldRefusal, notFound, Refusal } from '../refusal.ts'
import { findAccount } from '../tree/account.ts'
import { beneathOf, requireOpen } from '../tree/beneath.ts'
import { type Client, clientsAmong, lockFirstClients, namesMissing } from '../tree/client.ts'
import { countOfDealer } from '../tree/client-counts.ts'
import { requireLiftable } from '../tree/suspension.ts'

/** The handlers that show the clients of a dealer to who moves them, and move them to another dealer. */
export const movingClients: Pick<Handlers<typeof calls.tree>, 'clients' | 'moveClients'> = {
  async clients(context, { name, search, page, per_page }) {
    const { sql } = context
    const { id } = await dealerBeneath(context, name, 'name')
    // Nothing else of a client is searched, because nothing else of it may be known.
    const isFound =
      search === ''
        ? sql`true`
        : sql`(c.name ilike ${likePattern(search)} or c.mac ilike any (${likePatterns(macForms(search))}))`
    const which = sql`from client c where c.dealer = ${id} and c.deleted is null and ${isFound}`
    const [all] = await sql<
      { count: number }[]
    >`${search === '' ? countOfDealer(sql, id) : sql`select count(*) ${which}`}`
    const data = await sql<{ name: string; mac: string | null; expiry: string }[]>`
      select c.name, c.mac, s.expiry from (
        select c.id, c.name, c.mac ${which} order by lower(c.name) limit ${per_page} offset ${(page - 1) * per_page}
      ) c
      -- One by one, because a plan for any number of rows would read all of a million services for them.
      join lateral (select expiry from service where client = c.id offset 0) s on true
      order by lower(c.name)`
    return pageOf(data, all?.count ?? 0, { page, per_page })
  },

  async moveClients(context, { from: fromName, to: toName, clients: names }) {
    const { sql } = context
    const from = await dealerBeneath(context, fromName, 'from')
    const to = await dealerBeneath(context, toName, 'to')
    if (from.id === to.id) throw fieldRefusal('invalid_input', 'to', `${to.name} has these clients already.`)
    const clients = await lockClients(sql, from, names)
    await carryOver(context, from, to, await withUse(sql, clients))
    const [left] = await sql<{ count: number }[]>`${countOfDealer(sql, from.id)}`
    return { status: 'OK', moved: clients.length, left: left?.count ?? 0 }
  },
}

async function dealerBeneath(context: Context, name: string, field: string): Promise<Account> {
  const found = requireOpen(await beneathOf(context, name))
  if (found.role !== 'dealer') throw fieldRefusal('invalid_input', field, `${found.name} is no dealer.`)
  const dealer = await findAccount(context.sql, context.sql`a.id = ${found.id}`)
  if (!dealer) throw notFound()
  return dealer
}

async function lockClients(
  sql: Sql,
  dealer: Account,
  names: readonly string[] | undefined,
): Promise<Client[]> {
  const locked = names
    ? await namedClients(sql, dealer, names)
    : await lockFirstClients(sql, dealer.id, MOST_CHOSEN)
  if (locked.length === 0) throw new Refusal('changed_since', 'There are no clients to move.')
  return locked
}

/** @throws Refusal that names those that the dealer no longer has, so that all others can be moved without them */
async function namedClients(sql: Sql, dealer: Account, names: readonly string[]): Promise<Client[]> {
  const found = await clientsAmong({ sql, account: dealer }, names, 'lock')
  const missing = namesMissing(names, found)
  const [gone, ...more] = missing
  if (gone === undefined) return found
  const others = more.length > 0 ? ` and ${counted(more.length, 'other')}` : ''
  const rest = found.length > 0 ? `: move the others without ${more.length > 0 ? 'them' : 'it'}` : ''
  throw new Refusal(
    'changed_since',
    `${dealer.name} has no client ${gone}${others} any more. Nobody was moved${rest}.`,
    { missing },
  )
}

/** A client with the months that were used on it, less those taken back. */
type Used = Client & { used: number }

async function withUse(sql: Sql, clients: readonly Client[]): Promise<Used[]> {
  const used = await sql<{ client: number; used: number }[]>`
    select client, sum(case type when 'USED' then credits else -credits end)::int as used from transfer
    where client = any (${clients.map(({ id }) => id)}::bigint[]) and type in ('USED', 'RETRIEVED') group by client`
  const usedOn = new Map(used.map((row) => [row.client, row.used]))
  return clients.map((client) => ({ ...client, used: usedOn.get(client.id) ?? 0 }))
}

/** Gives clients whose rows are locked to another dealer, with the months that were used on them. */
async function carryOver(
  context: Context,
  from: Account,
  to: Account,
  clients: readonly Used[],
): Promise<void> {
  const { sql, account } = context
  const [source, destination] = [consumedOf(from), consumedOf(to)]
  const locked = await lockHoldings(sql, [from.balance_holding, source, to.balance_holding, destination])
  // Read under the lock that a move, a closing and every spending call takes.
  const [left, came] = [from, to].map(({ id }) => locked.find((one) => one.account === id))
  if (!left || !came) throw new Error('two dealers have holdings')
  for (const dealer of [left, came]) {
    const isMine = account.role === 'admin' || [dealer.superreseller, dealer.reseller].includes(account.id)
    if (dealer.closed || !isMine) throw notFound()
  }
  await requireLiftable(sql, account, {
    from: [from.id, left.reseller, left.superreseller],
    to: [to.id, came.reseller, came.superreseller],
    // Where only the dealer is kept out, its clients are served, and whoever is above it may give them to another.
    dealer: from.id,
  })
  await sql`select move_clients(${clients.map(({ id }) => id)}::bigint[], ${to.id})`
  const rows = clients.map((client) => ({ ...factsOf(account, client), credits: client.used }))
  const paid = rows.filter(({ credits }) => credits > 0)
  if (paid.length > 0) {
    const short = () => `${from.name} has used less than ${counted(paid.length, 'client')} need.`
    await transfer(sql, { type: 'MOVE', source, destination, rows: paid, short })
  }
  const unpaid = rows.filter(({ credits }) => credits === 0)
  if (unpaid.length > 0) {
    await note(sql, 'MOVE', pathOf(placeOf(came)), unpaid, pathOf(placeOf(left)))
  }
}

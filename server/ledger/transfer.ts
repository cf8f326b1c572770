import { shortage } from '../../contract/quantities.ts'
import type { Role } from '../../contract/roles.ts'
import type { TRANSACTION_TYPES } from '../../contract/shapes.ts'
import { sendAhead } from '../postgres/begin.ts'
import type { Sql } from '../postgres/pool.ts'
import { fieldRefusal, notFound, Refusal } from '../refusal.ts'
import { type Path, type Placed, pathOf } from './path.ts'

/**
 * What a row of the ledger records besides its movement: whom it concerns, who acted, and the client as it was then.
 */
type Facts = {
  actor: number
  client?: number
  login: string
  mac?: string | null
  description: string
  expiry?: string
  expiryBefore?: string
  countedFrom?: string
}

export type Concerned = { id: number; name: string; mac: string | null; description: string }

/** Returns what a row records of a client that is served until `expiry`, and of who acts. */
export function factsOf(
  actor: { id: number },
  { id, name, mac, description, expiry }: Concerned & { expiry: string },
): Facts & { client: number } {
  return { actor: actor.id, client: id, login: name, mac, description, expiry }
}

type Type = (typeof TRANSACTION_TYPES)[number]

/** A movement of credits: each row moves `credits` from `source` to `destination`, and all name one actor. */
export type Movement = {
  type: Exclude<Type, 'TRIAL' | 'DELETE'>
  source: number
  destination: number
  rows: readonly (Facts & { credits: number })[]
  /** The sentence for a source that holds too little; by default it speaks of the caller's own balance. */
  short?: (balance: number, needed: number) => string
}

/** What the two holdings of a movement have afterwards. */
type Balances = { source: number; destination: number }

/**
 * Moves credits; only this and `transferFree` may. Locks both holdings in the order of their ids, refuses if the source
 * holds too little, and appends the rows, which moves the balances: all inside the caller's transaction.
 * Returns the balance of each side afterwards.
 */
export async function transfer(sql: Sql, movement: Movement): Promise<Balances> {
  const { source, destination } = movement
  const locked = await lockHoldings(sql, [source, destination])
  const from = locked.find(({ id }) => id === source)
  const to = locked.find(({ id }) => id === destination)
  if (!from || !to || from === to)
    throw new Error(`a transfer needs two holdings, got ${source} and ${destination}`)
  const { balances, rows } = moved(movement, from, to)
  await append(sql, rows)
  return balances
}

/**
 * Locks those holdings of accounts that no other transaction has locked, for `transferFree`. Returns them by their ids.
 */
export async function lockFreeHoldings(
  sql: Sql,
  accounts: readonly number[],
): Promise<Map<number, LockedHolding>> {
  const free = await sql<LockedHolding[]>`
    select id, kind, balance, account, role, superreseller, reseller, closed
    from lock_free_holdings(${[...new Set(accounts)]}::bigint[])`
  return new Map(free.map((holding) => [holding.id, holding]))
}

/**
 * Makes several movements in one statement. Left out are movements that `transfer` would refuse, and those whose two
 * holdings are not both in `free`. Two movements that share a holding have the same two, the same type and the same
 * actor: the database refuses others. Returns the balances after each movement; undefined where it was left out.
 */
export async function transferFree(
  sql: Sql,
  movements: readonly (Movement | undefined)[],
  free: ReadonlyMap<number, LockedHolding>,
): Promise<(Balances | undefined)[]> {
  const holdings = new Map(free)
  const rows: StoredRow[] = []
  const made = movements.map((movement) => {
    const from = movement && holdings.get(movement.source)
    const to = movement && holdings.get(movement.destination)
    if (!from || !to) return undefined
    try {
      const { balances, rows: own } = moved(movement, from, to)
      rows.push(...own)
      holdings.set(from.id, { ...from, balance: balances.source })
      holdings.set(to.id, { ...to, balance: balances.destination })
      return balances
    } catch (error) {
      if (error instanceof Refusal) return undefined
      throw error
    }
  })
  if (rows.length > 0) await append(sql, rows)
  return made
}

/** Returns the rows of a movement between two locked holdings, and what these have afterwards. @throws Refusal */
function moved(
  { type, source, destination, rows, short = shortage }: Movement,
  from: LockedHolding,
  to: LockedHolding,
): { balances: Balances; rows: StoredRow[] } {
  const needed = rows.reduce((sum, row) => sum + row.credits, 0)
  if (type === 'ADD') refuseParted(to, from)
  if (type === 'REMOVE') refuseParted(from, to)
  if (from.kind !== 'issue' && from.balance < needed) {
    const reason = short(from.balance, needed)
    // A purchase is refused at the field of the months, any other transfer at the field of the credits.
    throw fieldRefusal('insufficient_credits', type === 'USED' ? 'months' : 'credits', reason)
  }

  // Credits that are added or moved concern the account which gets them, all others the one which gives them.
  const goesTo = type === 'ADD' || type === 'MOVE'
  const path = pathOf(placeOf(goesTo ? to : from))
  const origin = type === 'MOVE' ? pathOf(placeOf(from)) : null
  const balances = { source: from.balance, destination: to.balance }
  const made = rows.map((row) => {
    balances.source -= row.credits
    balances.destination += row.credits
    return {
      ...stored(type, path, row, origin),
      credits: row.credits,
      source,
      destination,
      source_balance: balances.source,
      destination_balance: balances.destination,
    }
  })
  return { balances, rows: made }
}

/** Refuses a transfer between an account and one that is its parent no more: it was moved or closed meanwhile. */
function refuseParted(child: LockedHolding, parent: LockedHolding): void {
  const above = child.role === 'dealer' ? child.reseller : child.superreseller
  const isParent = above === null ? parent.role === 'admin' : above === parent.account
  if (!isParent || child.closed) throw notFound()
}

/**
 * Appends rows that move no credits, all of one account: a trial was given, clients were deleted, or clients on which
 * nothing was used have come from another dealer.
 * @param from the path of that dealer, of a MOVE alone
 */
export async function note(
  sql: Sql,
  type: 'TRIAL' | 'DELETE' | 'MOVE',
  path: Path,
  rows: readonly Facts[],
  from: Path | null = null,
): Promise<void> {
  await append(
    sql,
    rows.map((facts) => ({ ...stored(type, path, facts, from), credits: 0 })),
  )
}

/** A holding that is locked until the transaction ends, with the account that it belongs to and the path above it. */
export type LockedHolding = {
  id: number
  kind: 'issue' | 'balance' | 'consumed'
  balance: number
  account: number
  role: Role
  superreseller: number | null
  reseller: number | null
  /** Whether the account is closed. */
  closed: boolean
}

/**
 * Locks holdings in the order of their ids, and reads the paths of their accounts under these locks, which a move of an
 * account takes too. Only `lockFreeHoldings`, and a lock on the account's own row (`findBelow`), keep a path as safely.
 */
export function lockHoldings(sql: Sql, ids: readonly number[]): Promise<LockedHolding[]> {
  return sql<LockedHolding[]>`
    select id, kind, balance, account, role, superreseller, reseller, closed
    from lock_holdings(${ids}::bigint[])`
}

/**
 * Locks the balance of an account, so that it is neither moved nor closed until the transaction ends. Returns the place
 * that it then has.
 */
export async function lockPlace(sql: Sql, { balance_holding }: { balance_holding: number }): Promise<Placed> {
  const [holding] = await lockHoldings(sql, [balance_holding])
  if (!holding) throw new Error(`there is no holding ${balance_holding}`)
  return placeOf(holding)
}

/** Returns the place of the account that a locked holding belongs to. */
export function placeOf({ account, role, superreseller, reseller }: LockedHolding): Placed {
  return { id: account, role, superreseller, reseller }
}

function stored(type: Type, path: Path, facts: Facts, origin: Path | null) {
  return {
    type,
    ...path,
    from_superreseller: origin?.superreseller ?? null,
    from_reseller: origin?.reseller ?? null,
    from_dealer: origin?.dealer ?? null,
    client: facts.client ?? null,
    actor: facts.actor,
    login: facts.login,
    mac: facts.mac ?? null,
    description: facts.description,
    expiry: facts.expiry ?? null,
    expiry_before: facts.expiryBefore ?? null,
    counted_from: facts.countedFrom ?? null,
  }
}

type StoredRow = Record<string, string | number | null>

// One statement for any number of rows, and always the same text, so that the database plans it once.
async function append(sql: Sql, rows: readonly StoredRow[]): Promise<void> {
  const columns = sql`type, credits, source, destination, source_balance, destination_balance, superreseller, reseller,
      dealer, from_superreseller, from_reseller, from_dealer, client, actor, login, mac, description, expiry, expiry_before, counted_from`
  const appending = sql`
    insert into transfer (${columns}) select ${columns}
    from jsonb_to_recordset(${sql.json(rows)}) as row (
      type text, credits integer, source bigint, destination bigint, source_balance bigint,
      destination_balance bigint, superreseller bigint, reseller bigint, dealer bigint,
      from_superreseller bigint, from_reseller bigint, from_dealer bigint, client bigint, actor bigint,
      login text, mac text, description text, expiry timestamptz, expiry_before timestamptz, counted_from date)`
  await sendAhead(sql, appending)
}

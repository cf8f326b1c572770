import type { Sql } from '../../server/postgres/pool.ts'

type Holding = { id: number; kind: string; balance: number }
type Transfer = {
  id: number
  type: string
  credits: number
  source: number | null
  destination: number | null
  source_balance: number | null
  destination_balance: number | null
}

/**
 * Recounts the ledger row by row: the balances stated for a holding form a chain without a gap, its balance is their
 * sum and was never negative, and all balances add up to zero.
 * @param beneath checks only the branches of these superresellers, and then not the sum of all balances
 * @throws Error that names the first wrong row
 */
export async function proveTheBooks(sql: Sql, beneath?: readonly number[]): Promise<void> {
  const all = beneath === undefined
  const holdings = await sql<Holding[]>`
    select h.id, h.kind, h.balance from holding h join account a on a.id = h.account
    where ${all} or a.id = any (${beneath ?? []}) or a.superreseller = any (${beneath ?? []})`
  const transfers = await sql<Transfer[]>`
    select id, type, credits, source, destination, source_balance, destination_balance from transfer
    where ${all} or superreseller = any (${beneath ?? []}) order by id`
  const counted = new Map(holdings.map(({ id }) => [id, 0]))
  const issues = new Set(holdings.filter(({ kind }) => kind === 'issue').map(({ id }) => id))
  for (const row of transfers) {
    if (row.source === null || row.destination === null) {
      check(
        row.credits === 0 && ['TRIAL', 'DELETE', 'MOVE'].includes(row.type),
        `row ${row.id} lacks a source or a destination`,
      )
      continue
    }
    check(Number.isInteger(row.credits) && row.credits > 0, `row ${row.id} moves ${row.credits}`)
    move(row.id, row.source, -row.credits, row.source_balance)
    move(row.id, row.destination, row.credits, row.destination_balance)
  }
  for (const { id, balance } of holdings) {
    check(
      counted.get(id) === balance,
      `holding ${id} has ${balance}, but its rows add up to ${counted.get(id)}`,
    )
  }
  const sum = holdings.reduce((total, { balance }) => total + balance, 0)
  check(!all || sum === 0, `all balances add up to ${sum}`)

  function move(row: number, holding: number, credits: number, stated: number | null): void {
    const before = counted.get(holding)
    // For a part of the tree the issue is left out, because other branches have rows in it.
    if (before === undefined && !all) return
    const after = (before ?? Number.NaN) + credits
    check(after === stated, `row ${row} states ${stated} for holding ${holding}, which then had ${after}`)
    check(after >= 0 || issues.has(holding), `row ${row} takes holding ${holding} to ${after}`)
    counted.set(holding, after)
  }
}

function check(holds: boolean, otherwise: string): void {
  if (!holds) throw new Error(`The books are wrong: ${otherwise}`)
}

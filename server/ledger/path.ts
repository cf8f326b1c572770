import type { Role } from '../../contract/roles.ts'

/** The path to the account that a row concerns. */
export type Path = { superreseller: number; reseller: number | null; dealer: number | null }

/** An account with those above it. */
export type Placed = { id: number; role: Role; superreseller: number | null; reseller: number | null }

export function pathOf(account: Placed): Path {
  switch (account.role) {
    case 'dealer':
      return { superreseller: above(account.superreseller), reseller: account.reseller, dealer: account.id }
    case 'reseller':
      return { superreseller: above(account.superreseller), reseller: account.id, dealer: null }
    case 'superreseller':
      return { superreseller: account.id, reseller: null, dealer: null }
    case 'admin':
      throw new Error('the admin is on no path: the ledger concerns the accounts beneath it')
  }
}

function above(account: number | null): number {
  if (account === null) throw new Error('an account below the superresellers has one above it')
  return account
}

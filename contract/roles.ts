/** The four kinds of account, from the one who issues credits to the one who spends them. */
export const ROLES = ['admin', 'superreseller', 'reseller', 'dealer'] as const
export type Role = (typeof ROLES)[number]

/** Where the calls of a role begin, under `/v1`. */
export const DESK: Record<Role, string> = {
  admin: '/admin',
  superreseller: '/superreseller',
  reseller: '/reseller',
  dealer: '/api',
}

/** The roles of accounts, from the admin, who issues credits, to the dealer, who spends them. */
export const ROLES = ['admin', 'superreseller', 'reseller', 'dealer'] as const
export type Role = (typeof ROLES)[number]

/** The path prefix of each role's own calls, under `/v1`. */
export const DESK: Record<Role, string> = {
  admin: '/admin',
  superreseller: '/superreseller',
  reseller: '/reseller',
  dealer: '/api',
}

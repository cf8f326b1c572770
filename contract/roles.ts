/** The four kinds of account, from the one who issues credits to the one who spends them. */
export const ROLES = ['admin', 'superreseller', 'reseller', 'dealer'] as const
export type Role = (typeof ROLES)[number]

/** What a role is called, where its calls live, where its console begins and what its menu offers. */
type RoleFacts = {
  /** The panel's title in the top bar. */
  title: string
  /** The prefix of the role's calls under `/v1`. */
  desk: string
  /** The screen that `/` leads to. */
  home: string
  menu: readonly { path: string; label: string }[]
}

export const ROLE = {
  admin: {
    title: 'Admin Panel',
    desk: '/admin',
    home: '/admin',
    menu: [
      { path: '/admin', label: 'Dashboard' },
      { path: '/add-super-reseller', label: 'Add Super Reseller' },
      { path: '/super-resellers', label: 'Super Resellers' },
      { path: '/admin/message', label: 'Message' },
      { path: '/admin/delete-mac', label: 'Delete Mac' },
    ],
  },
  superreseller: {
    title: 'Super Reseller Panel',
    desk: '/superreseller',
    home: '/superreseller',
    menu: [
      { path: '/superreseller', label: 'Dashboard' },
      { path: '/add-reseller', label: 'Add Reseller' },
      { path: '/resellers', label: 'Resellers' },
    ],
  },
  reseller: {
    title: 'Reseller Panel',
    desk: '/reseller',
    home: '/reseller',
    menu: [
      { path: '/reseller', label: 'Dashboard' },
      { path: '/add-dealer', label: 'Add Dealer' },
      { path: '/dealers', label: 'Dealers' },
    ],
  },
  dealer: {
    title: 'Dealer Panel',
    desk: '/api',
    home: '/',
    menu: [
      { path: '/', label: 'Dashboard' },
      { path: '/new-client', label: 'New Client' },
      { path: '/clients', label: 'Clients' },
    ],
  },
} as const satisfies Record<Role, RoleFacts>

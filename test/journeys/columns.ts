// The columns of the tables that several journeys look at.

export const CLIENTS = ['Name', 'Description', 'MAC', 'Ministra', 'Expiry', 'Status', 'Actions']
export const ALL_CLIENTS = ['Name', 'Dealer', 'Description', 'MAC', 'Ministra', 'Expiry', 'Status', 'Actions']

/** The transactions of one client, of a dealer, and of an account with others beneath it. */
export const OF_A_CLIENT = ['Date', 'Type', 'Credits', 'Description', 'Expiry']
export const OF_A_DEALER = ['Date', 'Type', 'Credits', 'Login', 'MAC', 'Description', 'Expiry']
export const OF_A_BRANCH = [...OF_A_DEALER, 'By', 'Dealer']
/** The same in a window of 1440 pixels, where who acted is a mark beside the dealer. */
export const OF_A_BRANCH_FOLDED = [...OF_A_DEALER, 'Dealer']

/** The accounts of a parent, and those beneath an account of the tree that have no accounts beneath them. */
export const ACCOUNTS = [
  'Created',
  'Name',
  'Credits',
  'Description',
  'Clients',
  'State',
  'Lasts',
  'Used, 30 days',
  'Last login',
]
export const TREE = ['Clients', 'Active', 'Expiring', 'Expired', 'Last login', 'Created']
export const DEALERS_OF_TREE = ['Name', 'Credits', 'Lasts', 'Used, 30 days', 'State', ...TREE]

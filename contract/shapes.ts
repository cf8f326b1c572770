import * as z from 'zod/mini'
import { TOLD_REFUSALS } from './box-refusals.ts'
import { BOX_EVENTS, DEVICE_EVENTS, LIST_FILTERS } from './clients.ts'
import { DUE_WITHIN } from './due.ts'
import { pagePlace, pageQuery } from './page.ts'
import { ROLES } from './roles.ts'
import { storable, trimmed } from './text.ts'

/** A moment on the wire: `YYYY-MM-DDTHH:mm:ss.sssZ`. */
export const Moment = z.string().check(
  z.regex(
    /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/,
    'This must be a moment such as 2026-01-31T23:59:59.000Z',
  ),
  // A day such as February 30th is another one to Date, and PostgreSQL knows no year 0.
  z.refine((text) => isWritten(text) && !text.startsWith('0000'), 'There is no such moment'),
)

/** Returns whether a moment is written as it reads. */
function isWritten(text: string): boolean {
  const moment = new Date(text)
  return !Number.isNaN(moment.getTime()) && moment.toISOString() === text
}

/** A calendar day on the wire: `YYYY-MM-DD`. */
export const Day = z.iso.date('This must be a day such as 2026-01-31')

/** The name of something that should exist. Its limits are wide, so that an impossible name is a 404, not a 400. */
export const GivenName = z.string().check(z.maxLength(200), storable('There is no such name'))

/** The text of a search box, which matches as a plain substring. */
export const Search = z
  .string()
  .check(
    z.overwrite(trimmed),
    z.maxLength(100, 'Search takes at most 100 characters'),
    storable('Search has characters that cannot be searched'),
  )

export const RoleName = z.enum(ROLES)

/** A session of the caller. */
export const OwnSession = z.object({
  id: z.int(),
  since: Moment,
  expiry: Moment,
  /** From where it was begun; null where that is not known. */
  address: z.nullable(z.string()),
  /** What the browser said that it is. */
  agent: z.string(),
  /** Whether it is the one in which the call is made. */
  this: z.boolean(),
})
export type OwnSession = z.output<typeof OwnSession>

const SIGN_IN_OUTCOMES = ['succeeded', 'failed', 'suspended'] as const

/** A sign-in to the caller's account, or a try. */
export const SignIn = z.object({
  id: z.int(),
  at: Moment,
  address: z.string(),
  agent: z.string(),
  outcome: z.enum(SIGN_IN_OUTCOMES),
})
export type SignIn = z.output<typeof SignIn>

/** The types of a transaction. TRIAL and DELETE move no credits. */
export const TRANSACTION_TYPES = ['ADD', 'REMOVE', 'USED', 'RETRIEVED', 'TRIAL', 'DELETE', 'MOVE'] as const

export const Transaction = z.object({
  id: z.int(),
  created: Moment,
  type: z.enum(TRANSACTION_TYPES),
  credits: z.int(),
  /** The client's login, or the name of the account that received credits or gave them back. */
  login: z.string(),
  mac: z.nullable(z.string()),
  description: z.string(),
  /** The client's expiry as the transaction left it; null between accounts. */
  expiry: z.nullable(Moment),
  /** Who acted; `UNNAMED` for somebody whom the reader may not know. */
  actor: z.string(),
  /** Whose client it was; null between accounts. */
  dealer: z.nullable(z.string()),
  /** The login of the client if the reader has its page: if it is the reader's own and not deleted. */
  client: z.nullable(z.string()),
  /** The name of the account if the reader has its page: if it is beneath the reader. Null for a client. */
  account: z.nullable(z.string()),
})
export type Transaction = z.output<typeof Transaction>

export const AccountRow = z.object({
  accountId: z.int(),
  name: z.string(),
  credits: z.int(),
  /** Whether the balance is below its threshold. */
  low: z.boolean(),
  description: z.string(),
  created: Moment,
})

export const SuperresellerRow = z.extend(AccountRow, {
  resellers: z.int(),
  dealers: z.int(),
  clients: z.int(),
})

/** A superreseller's credits, and the number of accounts and clients beneath it, at the end of a day. */
export const StatisticsRow = z.object({
  onDate: Day,
  credits: z.int(),
  resellers: z.int(),
  dealers: z.int(),
  clients: z.int(),
})

/** The clients of each day; both arrays have the same length. */
export const ChartSeries = z.object({ onDate: z.array(Day), clients: z.array(z.int()) })

export const ClientRow = z.object({
  name: z.string(),
  description: z.string(),
  mac: z.nullable(z.string()),
  ministra: z.boolean(),
  expiry: Moment,
  /** Whether the dealer has switched the client on, shown as Active or Inactive; the expiry does not change it. */
  status: z.boolean(),
  phone: z.string(),
  package_selection: z.int(),
  /** Whether its box has polled within the last five minutes. */
  online: z.boolean(),
})
export type ClientRow = z.output<typeof ClientRow>

export const AnyClientRow = z.extend(ClientRow, { dealer: z.string() })
export type AnyClientRow = z.output<typeof AnyClientRow>

/** A client that was found, with what it may have been found by. */
export const FoundClient = z.omit(ClientRow, { package_selection: true, online: true })
export type FoundClient = z.output<typeof FoundClient>

/** All fields of one client. Those that its box reports are null until it does. */
export const ClientDetail = z.extend(ClientRow, {
  password: z.string(),
  o_mac: z.nullable(z.string()),
  alt_player: z.boolean(),
  locked: z.boolean(),
  created: Moment,
  /** The most credits that can be retrieved now; every smaller number succeeds too. */
  retrievable: z.int(),
  /** The expiry after a retrieval of 1 credit, of 2, and so on up to `retrievable`. */
  retrievals: z.array(Moment),
  /** The number of credits whose retrieval would count as one of today's trials; null where none would. */
  trial_retrieval: z.nullable(z.int()),
  tariff_plan: z.string(),
  /** How many channels its package has; null where no playlist is in use. */
  channels: z.nullable(z.int()),
  stb_sn: z.nullable(z.string()),
  stb_type: z.nullable(z.string()),
  version: z.nullable(z.string()),
  watching: z.nullable(z.string()),
  last_active: z.nullable(Moment),
  /** The address from which its box was let in last; null where a proxy hid it. */
  last_address: z.nullable(z.string()),
  time_last_play_tv: z.nullable(Moment),
  time_last_play_video: z.nullable(Moment),
  last_played_tv_content: z.nullable(z.string()),
  last_played_vod_content: z.nullable(z.string()),
  locked_to_ip: z.nullable(z.string()),
  /** Why and when its box was refused; null where it was let in last, or has not asked. */
  box_refusal: z.nullable(z.enum(TOLD_REFUSALS)),
  box_answered: z.nullable(Moment),
  /**
   * While no box has asked with its MAC: the unknown box whose MAC differs from it in one or two digits, and when that
   * asked last. The client's MAC was probably mistyped. Null where there is none.
   */
  near_box: z.nullable(z.object({ mac: z.string(), asked: Moment, digits: z.int() })),
  /**
   * When a box last tried a wrong password with its login, within 24 hours and since a right one; null where none did.
   */
  wrong_login: z.nullable(Moment),
})
export type ClientDetail = z.output<typeof ClientDetail>

/** A change of a client's box. */
export const DeviceChange = z.object({
  id: z.int(),
  at: Moment,
  event: z.enum(DEVICE_EVENTS),
  /** The new serial number, address or MAC. */
  detail: z.string(),
  /**
   * The MAC that a new one replaced, or of a box that left for another client, where `detail` is empty; null for
   * anything else, and where there was none.
   */
  mac_before: z.nullable(z.string()),
  /** From where; null where that is not known, or not the reader's to know. */
  address: z.nullable(z.string()),
  /** The account that did it, or `UNNAMED`; null where the box itself changed. */
  actor: z.nullable(z.string()),
})
export type DeviceChange = z.output<typeof DeviceChange>

/** What became of something that was sent to a client's box: whether the box was told, and showed it. */
export const SentEvent = z.object({
  id: z.int(),
  created: Moment,
  event: z.enum(BOX_EVENTS),
  /** Empty where who sent it may not be named. */
  message: z.string(),
  /** 'too late' where the box did not poll in time. */
  state: z.enum(['waiting', 'sent', 'shown', 'too late']),
  /** When it was shown, or else told. */
  told: z.nullable(Moment),
  actor: z.string(),
})
export type SentEvent = z.output<typeof SentEvent>

/** A client that is due, with what its dealer needs to call and renew it. */
export const DueClient = z.object({
  name: z.string(),
  description: z.string(),
  mac: z.nullable(z.string()),
  phone: z.string(),
  package_selection: z.int(),
  expiry: Moment,
  /** The months of its newest purchase that was not taken back; 1 where there is none. */
  last_months: z.int(),
  /** Whether it has such a purchase; a client that had only a trial has none. */
  has_paid: z.boolean(),
  /** When it was reminded last, and by whom. */
  reminded: z.nullable(Moment),
  reminded_by: z.nullable(z.string()),
})
export type DueClient = z.output<typeof DueClient>

const Spent = z.object({
  used: z.int(),
  retrieved: z.int(),
  /** Used less retrieved, which is negative where more was taken back than used. */
  spent: z.int(),
  /** The number of trials that were given. */
  trials: z.int(),
})

/** What a dealer has spent in a calendar month, `YYYY-MM`. */
export const SpentMonth = z.extend(Spent, {
  month: z.string(),
  /**
   * The same by the package that each client has now, beginning with the most used; null for clients that were moved to
   * another dealer.
   */
  packages: z.array(z.extend(Spent, { package_selection: z.nullable(z.int()) })),
})

export const CLIENT_SORTS = ['name', 'description', 'mac', 'ministra', 'expiry', 'status'] as const
export const ANY_CLIENT_SORTS = [...CLIENT_SORTS, 'dealer'] as const

export function clientQuery<const Sorts extends readonly [string, ...string[]]>(sorts: Sorts) {
  return z.strictObject({
    ...pageQuery({ rows: 10 }),
    ...clientSelection(sorts),
  })
}

export function clientSelection<const Sorts extends readonly [string, ...string[]]>(sorts: Sorts) {
  return {
    search: z._default(Search, ''),
    sort: z._default(z.enum(sorts), 'name' as never),
    order: z._default(z.enum(['asc', 'desc']), 'asc'),
    filter: z._default(z.enum(LIST_FILTERS), 'all'),
  }
}

/** Returns the schema of a page of clients. `count` applies search and filter; `counts` apply the search alone. */
export function clientPage<Row extends z.ZodMiniType>(row: Row) {
  return z.object({
    data: z.array(row),
    count: z.int(),
    /** True where a search matches more than 10,000 clients, at which its count stops. */
    count_capped: z.boolean(),
    /** The number of matches for each filter; each stops at 10,000 too. */
    counts: z.object({ all: z.int(), active: z.int(), expiring: z.int(), expired: z.int() }),
    ...pagePlace,
  })
}

export const dueQuery = z.strictObject({
  within: z._default(z.enum(DUE_WITHIN), 'week'),
  search: z._default(Search, ''),
  order: z._default(z.enum(['asc', 'desc']), 'asc'),
  ...pageQuery({ rows: 10 }),
})

export const duePage = z.object({
  data: z.array(DueClient),
  count: z.int(),
  ...pagePlace,
})

import * as z from 'zod'
import { CLIENT_FILTERS } from './clients.ts'
import { ROLES } from './roles.ts'

/** A moment on the wire: `YYYY-MM-DDTHH:mm:ss.sssZ`. */
export const Moment = z
  .string()
  .regex(
    /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/,
    'This must be a moment such as 2026-01-31T23:59:59.000Z',
  )
  .refine((text) => !Number.isNaN(Date.parse(text)), 'There is no such moment')

/** A calendar day on the wire: `YYYY-MM-DD`. */
export const Day = z.iso.date('This must be a day such as 2026-01-31')

/** What a search box sends: a plain substring. */
export const Search = z
  .string()
  .max(100, 'Search takes at most 100 characters')
  .refine(
    (text) => text.isWellFormed() && !text.includes('\0'),
    'Search has characters that cannot be searched',
  )

export const Role = z.enum(ROLES)

/** The types of a transaction. TRIAL and DELETE move nothing. */
export const TRANSACTION_TYPES = ['ADD', 'REMOVE', 'USED', 'RETRIEVED', 'TRIAL', 'DELETE'] as const

export const Transaction = z.object({
  id: z.int(),
  created: Moment,
  type: z.enum(TRANSACTION_TYPES),
  credits: z.int(),
  /** The client, or the account that received or gave back. */
  login: z.string(),
  mac: z.string().nullable(),
  description: z.string(),
  /** The client's expiry as the transaction left it; null between accounts. */
  expiry: Moment.nullable(),
  /** The account that acted. */
  actor: z.string(),
})
export type Transaction = z.output<typeof Transaction>

export const AccountRow = z.object({
  accountId: z.int(),
  name: z.string(),
  credits: z.int(),
  description: z.string(),
  created: Moment,
})

export const SuperresellerRow = AccountRow.extend({
  resellers: z.int(),
  dealers: z.int(),
  clients: z.int(),
})

/** How much stands beneath a superreseller, and its own credits, as a day ended. */
export const StatisticsRow = z.object({
  onDate: Day,
  credits: z.int(),
  resellers: z.int(),
  dealers: z.int(),
  clients: z.int(),
})

/** Two arrays of one length. */
export const ChartSeries = z.object({ onDate: z.array(Day), clients: z.array(z.int()) })

export const ClientRow = z.object({
  name: z.string(),
  description: z.string(),
  mac: z.string().nullable(),
  ministra: z.boolean(),
  expiry: Moment,
  /** The dealer's switch, not the expiry: shown Active or Inactive. */
  status: z.boolean(),
})
export type ClientRow = z.output<typeof ClientRow>

export const AnyClientRow = ClientRow.extend({ dealer: z.string() })
export type AnyClientRow = z.output<typeof AnyClientRow>

/** Everything of one client; what its box told is null until it tells. */
export const ClientDetail = ClientRow.extend({
  password: z.string(),
  o_mac: z.string().nullable(),
  alt_player: z.boolean(),
  phone: z.string(),
  package_selection: z.int(),
  locked: z.boolean(),
  created: Moment,
  /** The credits that a retrieval could take back now. */
  retrievable: z.int(),
  tariff_plan: z.string(),
  stb_sn: z.string().nullable(),
  stb_type: z.string().nullable(),
  version: z.string().nullable(),
  watching: z.string().nullable(),
  online: z.boolean(),
  last_active: Moment.nullable(),
  time_last_play_tv: Moment.nullable(),
  time_last_play_video: Moment.nullable(),
  last_played_tv_content: z.string().nullable(),
  last_played_vod_content: z.string().nullable(),
  locked_to_ip: z.string().nullable(),
})
export type ClientDetail = z.output<typeof ClientDetail>

const wholeInQuery = (most: number) =>
  z
    .union(
      [
        z.number(),
        z
          .string()
          .regex(/^\d{1,9}$/)
          .transform(Number),
      ],
      'This must be a whole number',
    )
    .pipe(z.int().min(1).max(most))

export const CLIENT_SORTS = ['name', 'description', 'mac', 'ministra', 'expiry', 'status'] as const
export const ANY_CLIENT_SORTS = [...CLIENT_SORTS, 'dealer'] as const

/** The query of a paged list of clients, which may be sorted by the fields named. */
export function clientQuery<const Sorts extends readonly [string, ...string[]]>(sorts: Sorts) {
  return z.strictObject({
    page: wholeInQuery(1_000_000).default(1),
    per_page: wholeInQuery(500).default(10),
    ...clientSelection(sorts),
  })
}

/** Which clients a list or an export has, and in which order. */
export function clientSelection<const Sorts extends readonly [string, ...string[]]>(sorts: Sorts) {
  return {
    search: Search.default(''),
    sort: z.enum(sorts).default('name' as never),
    order: z.enum(['asc', 'desc']).default('asc'),
    filter: z.enum(CLIENT_FILTERS).default('all'),
  }
}

/** A page of clients. `count` is of search and filter; `counts` follow the search alone. */
export function clientPage<Row extends z.ZodType>(row: Row) {
  return z.object({
    data: z.array(row),
    count: z.int(),
    /** A searched count stops at 10,000; true where there are more. */
    count_capped: z.boolean(),
    counts: z.object({ all: z.int(), active: z.int(), expiring: z.int(), expired: z.int() }),
    current_page: z.int(),
    per_page: z.int(),
    total_pages: z.int(),
  })
}

import * as z from 'zod/mini'
import { AccountDescription, AccountName, AccountPassword, CreditAmount } from './accounts.ts'
import { Settings } from './appearance.ts'
import { type Call, call, Done, EVERYBODY, Nothing, named } from './call.ts'
import { channels } from './channels.ts'
import {
  BoxMessage,
  ClientDescription,
  ClientLogin,
  ClientPassword,
  Mac,
  MOST_RENEWED,
  PackageSelection,
  PaidMonths,
  Phone,
  StartMonths,
  TOLD,
  TypedMac,
} from './clients.ts'
import { boxes } from './gateway.ts'
import { LEVEL_NAMES, LEVELS, type LevelName } from './levels.ts'
import { Preferences } from './preferences.ts'
import { ChildRequest, EndedRequest, LowBelow, OwnRequest, PassedCredits, RequestNote } from './requests.ts'
import { DESK, type Role } from './roles.ts'
import { secret } from './secret.ts'
import {
  AccountRow,
  ANY_CLIENT_SORTS,
  AnyClientRow,
  ChartSeries,
  CLIENT_SORTS,
  ClientDetail,
  ClientRow,
  clientPage,
  clientQuery,
  clientSelection,
  Day,
  DeviceChange,
  duePage,
  dueQuery,
  FoundClient,
  Moment,
  OwnSession,
  Role as RoleName,
  Search,
  SentEvent,
  SignIn,
  SpentMonth,
  StatisticsRow,
  SuperresellerRow,
  Transaction,
  wholeInQuery,
} from './shapes.ts'
import { system } from './system.ts'
import { storable } from './text.ts'
import { TransactionPage, TransactionQuery, TransactionSum, transactionFilter } from './transactions.ts'
import { ABOVE, AccountBeneath, MovableClient, SuspensionReason, TreeRow } from './tree.ts'

/** The name of something that should exist. Its limits are wide, so that an impossible name is a 404, not a 400. */
const GivenName = z.string().check(z.maxLength(200), storable('There is no such name'))

const ByName = z.strictObject({ name: GivenName })

/** A client to delete, and the MAC that the person saw (null for none): the call is refused if it has changed. */
const Removal = z.strictObject({ name: GivenName, mac: z.optional(z.nullable(Mac)) })

/** The account that is signed in. */
const User = z.object({
  login_username: z.string(),
  name: z.string(),
  role: RoleName,
  /** null for the admin, who issues without limit. */
  credits: z.nullable(z.int()),
  settings: Settings,
  preferences: Preferences,
  /** The business's zone, in which every moment is shown. */
  time_zone: z.string(),
  expiry: Moment,
  /** The server's clock, for the console to go by. */
  now: Moment,
})
export type User = z.output<typeof User>

const session = {
  captcha: call({
    method: 'GET',
    path: '/captcha',
    roles: 'anyone',
    summary: 'Which human verification the login wants, with a fresh challenge where Boxtree makes it itself',
    input: Nothing,
    output: z.object({
      provider: z.enum(['altcha', 'recaptcha', 'hcaptcha', 'turnstile', 'none']),
      site_key: z.optional(z.string()),
      challenge: z.optional(z.unknown()),
    }),
  }),
  login: call({
    method: 'POST',
    path: '/authenticate',
    roles: 'anyone',
    summary: 'Begins a session of one hour',
    input: z.strictObject({
      login_username: GivenName.check(z.minLength(1, 'Please type your username')),
      login_password: secret(z.string().check(z.minLength(1, 'Please type your password'), z.maxLength(200))),
      g_recaptcha_response: z.optional(secret(z.string().check(z.maxLength(20_000)))),
    }),
    output: z.extend(Done, { token: z.string(), ...User.shape }),
    // With a full disk people must still be able to sign in and look.
    room: 'none',
  }),
  logout: call({
    method: 'POST',
    path: '/logout',
    roles: EVERYBODY,
    summary: 'Ends this session',
    input: Nothing,
    output: Done,
    // A repeat could not be answered: its session has ended.
    takesKey: false,
    room: 'none',
    endsSession: true,
  }),
  user: call({
    method: 'GET',
    path: '/api/user',
    roles: EVERYBODY,
    summary: 'Restores a session: who is signed in',
    input: Nothing,
    output: User,
  }),
  password: call({
    method: 'POST',
    path: '/changepassword',
    roles: EVERYBODY,
    summary: "Changes the caller's own password and ends the account's other sessions",
    input: z.strictObject({
      old_password: secret(z.string().check(z.minLength(1), z.maxLength(200))),
      password: AccountPassword,
    }),
    output: Done,
  }),
  savePreferences: call({
    method: 'POST',
    path: '/preferences',
    roles: EVERYBODY,
    summary: "Keeps the caller's preferences that are sent",
    input: Preferences,
    output: Done,
  }),
  list: call({
    method: 'GET',
    path: '/sessions',
    roles: EVERYBODY,
    summary: "The caller's sessions, the newest first",
    input: Nothing,
    output: z.object({ data: z.array(OwnSession) }),
  }),
  end: call({
    method: 'POST',
    path: '/sessions/end',
    roles: EVERYBODY,
    summary: "Ends another session of the caller's",
    input: z.strictObject({ id: z.int() }),
    output: Done,
    room: 'little',
  }),
  signIns: call({
    method: 'GET',
    path: '/sign-ins',
    roles: EVERYBODY,
    summary: "The last 100 sign-ins to the caller's account, and failures",
    input: Nothing,
    output: z.object({ data: z.array(SignIn) }),
  }),
  users: call({
    method: 'GET',
    path: '/users',
    roles: EVERYBODY,
    summary: 'The caller and every account beneath',
    input: Nothing,
    output: z.array(z.object({ name: z.string(), role: RoleName })),
  }),
}

function desk(role: Role) {
  const at = DESK[role]
  return {
    transactions: call({
      method: 'GET',
      path: `${at}/transactions`,
      roles: [role],
      summary: 'The newest 1,000 transactions of the caller and of everything beneath',
      input: Nothing,
      output: z.array(Transaction),
    }),
    exportTransactions: call({
      method: 'POST',
      path: `${at}/transactions/export`,
      roles: [role],
      summary: 'A ticket for the CSV of the filtered transactions between two days',
      input: z
        .strictObject({ ...transactionFilter, from: Day, to: Day })
        .check(
          z.refine(({ from, to }) => from <= to, { path: ['to'], error: 'The last day is before the first' }),
        ),
      output: Ticket,
      takesKey: false,
      room: 'little',
    }),
    message: call({
      method: 'GET',
      path: `${at}/message`,
      roles: [role],
      summary: 'The broadcast message, empty when there is none',
      input: Nothing,
      output: z.object({ message: z.string() }),
    }),
    saveSettings: call({
      method: 'POST',
      path: `${at}/savesettings`,
      roles: [role],
      summary: "Keeps the caller's appearance",
      input: Settings,
      output: Done,
    }),
  }
}

/** The call for the caller's balance, which every role but the admin has. */
function credits(role: Role) {
  return call({
    method: 'GET',
    path: `${DESK[role]}/credits`,
    roles: [role],
    summary: "The caller's balance",
    input: Nothing,
    output: z.object({
      credits: z.int(),
      /** Whether the balance is below the account's own threshold, or else its parent's for it. */
      low: z.boolean(),
      /** The account's own threshold; null where it has none. */
      low_below: z.nullable(z.int()),
    }),
  })
}

/**
 * Fetches a file at `GET /v1/exports/{ticket}`: once, within 60 seconds, and while the session that asked for it lasts.
 * The call takes no Idempotency-Key, so that no ticket is stored in clear: a repeat returns a new one.
 */
const Ticket = z.extend(Done, { ticket: z.string() })

/** The calls by which an owner manages its direct children, the accounts of one level. */
function level<Row extends z.ZodMiniType, Total extends z.core.$ZodLooseShape>(
  name: LevelName,
  row: Row,
  total: Total,
) {
  const { owner, title } = LEVELS[name]
  const at = DESK[owner]
  const roles = [owner]
  return {
    list: call({
      method: 'GET',
      path: `${at}/list`,
      roles,
      summary: `Every ${title} of the caller`,
      input: Nothing,
      output: z.object({ data: z.array(row), count: z.int(), onDate: Moment, ...total }),
    }),
    create: call({
      method: 'POST',
      path: `${at}/${name}`,
      roles,
      summary: `Creates a ${title} with no credits`,
      input: z.strictObject({ login: AccountName, password: AccountPassword }),
      output: z.extend(Done, { name: z.string() }),
    }),
    detail: call({
      method: 'GET',
      path: `${at}/${name}/{name}`,
      roles,
      summary: `One ${title} of the caller`,
      input: ByName,
      output: z.object({ name: z.string(), credits: z.int(), description: z.string(), created: Moment }),
    }),
    history: call({
      method: 'GET',
      path: `${at}/history/{name}`,
      roles,
      summary: `The newest 1,000 transactions of one ${title} and of everything beneath it`,
      input: ByName,
      output: z.array(Transaction),
    }),
    save: call({
      method: 'POST',
      path: `${at}/save`,
      roles,
      summary: `Adds credits to a ${title} or removes them, and sets its description`,
      input: z.strictObject({
        name: GivenName,
        credits: CreditAmount,
        desc: z.optional(AccountDescription),
        transaction: z.literal([0, 1], 'Transaction must be 0 (add) or 1 (remove)'),
      }),
      output: z.extend(Done, {
        credits: z.int(),
      }),
    }),
    changePassword: call({
      method: 'POST',
      path: `${at}/changepassword`,
      roles,
      summary: `Sets the password of a ${title} and ends its sessions`,
      input: z.strictObject({ name: GivenName, password: AccountPassword }),
      output: Done,
    }),
  }
}

/** The same months for every client, or those of each, in the order of `clients`. */
const MonthsOfEach = z.union(
  [PaidMonths, z.array(PaidMonths).check(z.maxLength(MOST_RENEWED))],
  'Credits must be a whole number from 1 to 12',
)

const monthsForEach = z.refine<{ clients: string[]; months: number | number[] }>(
  ({ clients, months }) => typeof months === 'number' || months.length === clients.length,
  { path: ['months'], error: 'There must be months for each client' },
)

/** The clients that expire within some days, and the months of their newest purchases. */
const Needed = z.object({ clients: z.int(), months: z.int() })

/** All transactions of the caller and of everything beneath, filtered, sorted, paged and summed by the server. */
const transactions = {
  list: call({
    method: 'GET',
    path: '/transactions',
    roles: EVERYBODY,
    summary: 'A page of the transactions of the caller and of everything beneath',
    input: TransactionQuery,
    output: TransactionPage,
  }),
  sums: call({
    method: 'GET',
    path: '/transactions/sums',
    roles: EVERYBODY,
    summary: 'The sums by type of all transactions that a filter finds',
    input: z.strictObject(transactionFilter),
    output: z.object({ data: z.array(TransactionSum) }),
  }),
}

/** The roles that get their credits from a parent. */
const BELOW = LEVEL_NAMES

/** The calls by which a child asks its parent for credits. */
const requests = {
  own: call({
    method: 'GET',
    path: '/credit-requests/own',
    roles: BELOW,
    summary: "The caller's newest requests for credits, and whom they go to",
    input: Nothing,
    output: z.object({ parent: z.string(), data: z.array(OwnRequest) }),
  }),
  ask: call({
    method: 'POST',
    path: '/credit-requests',
    roles: BELOW,
    summary: "Asks the caller's parent for credits; one request can be open",
    input: z.strictObject({ credits: PassedCredits, note: z._default(RequestNote, '') }),
    output: z.extend(Done, { id: z.int() }),
  }),
  withdraw: call({
    method: 'POST',
    path: '/credit-requests/withdraw',
    roles: BELOW,
    summary: "Withdraws the caller's open request",
    input: z.strictObject({ id: z.int() }),
    output: Done,
  }),
  list: call({
    method: 'GET',
    path: '/credit-requests',
    roles: ABOVE,
    summary: "The open requests of the caller's children, the oldest first",
    input: Nothing,
    output: z.object({
      data: z.array(ChildRequest),
      /** Those of the last 30 days whose account was moved away or closed. */
      ended: z.array(EndedRequest),
    }),
  }),
  grant: call({
    method: 'POST',
    path: '/credit-requests/grant',
    roles: ABOVE,
    summary: "Passes the credits of a child's open request, or fewer",
    input: z.strictObject({ id: z.int(), credits: PassedCredits }),
    output: z.extend(Done, { credits: z.int() }),
  }),
  decline: call({
    method: 'POST',
    path: '/credit-requests/decline',
    roles: ABOVE,
    summary: "Declines a child's open request, with a note",
    input: z.strictObject({ id: z.int(), note: z._default(RequestNote, '') }),
    output: Done,
  }),
}

/** The calls that set the balance below which an account is marked as low. */
const lowBalance = {
  own: call({
    method: 'POST',
    path: '/low-balance',
    roles: BELOW,
    summary: "Sets the caller's own threshold, which goes before the parent's",
    input: z.strictObject({ below: LowBelow }),
    output: Done,
  }),
  ofChild: call({
    method: 'POST',
    path: '/low-balance/child',
    roles: ABOVE,
    summary:
      "Sets a child's threshold (any account's, for the admin), which holds where it has set none itself",
    input: z.strictObject({ name: GivenName, below: LowBelow }),
    output: Done,
  }),
}

/** The calls by which an account sees and manages what is beneath it, at whatever level. */
const tree = {
  list: call({
    method: 'GET',
    path: '/tree',
    roles: ABOVE,
    summary: 'The accounts one level beneath the caller, or beneath an account that is beneath the caller',
    input: z.strictObject({
      of: z.optional(GivenName),
      show: z._default(z.enum(['open', 'closed']), 'open'),
    }),
    output: z.object({ data: z.array(TreeRow) }),
  }),
  account: call({
    method: 'GET',
    path: '/tree/{name}',
    roles: ABOVE,
    summary: 'One account beneath the caller, with what is beneath that',
    input: ByName,
    output: AccountBeneath,
  }),
  suspend: call({
    method: 'POST',
    path: '/tree/suspend',
    roles: ABOVE,
    summary:
      'Refuses the login of a child (of any account, for the admin) and of those beneath, and ends their sessions',
    input: z.strictObject({
      name: GivenName,
      reason: z._default(SuspensionReason, ''),
      service_too: z._default(z.boolean(), false),
    }),
    output: Done,
  }),
  lift: call({
    method: 'POST',
    path: '/tree/lift',
    roles: ABOVE,
    summary: 'Lifts a suspension that the caller set, or somebody beneath the caller',
    input: ByName,
    output: Done,
  }),
  move: call({
    method: 'POST',
    path: '/tree/move',
    roles: ['superreseller', 'admin'],
    summary: 'Moves an account beneath the caller to another parent, with everything beneath it',
    input: z.strictObject({ name: GivenName, to: GivenName }),
    output: Done,
  }),
  clients: call({
    method: 'GET',
    path: '/tree/{name}/clients',
    roles: ABOVE,
    summary: 'A page of the clients of a dealer beneath the caller',
    input: z.strictObject({
      name: GivenName,
      search: z._default(Search, ''),
      page: z._default(wholeInQuery(1_000_000), 1),
      per_page: z._default(wholeInQuery(500), 25),
    }),
    output: z.object({ data: z.array(MovableClient), count: z.int() }),
  }),
  moveClients: call({
    method: 'POST',
    path: '/tree/move-clients',
    roles: ABOVE,
    summary: 'Moves clients of a dealer beneath the caller to another; without names, the first 1,000',
    input: z.strictObject({ from: GivenName, to: GivenName, clients: z.optional(names()) }),
    output: z.extend(Done, {
      moved: z.int(),
      /** How many clients the dealer still has. */
      left: z.int(),
    }),
    body: 'long',
  }),
  close: call({
    method: 'POST',
    path: '/tree/close',
    roles: ABOVE,
    summary: 'Closes a child (any account, for the admin) with nothing beneath it',
    input: ByName,
    output: z.extend(Done, {
      /** The credits that went to the parent. */
      credits: z.int(),
    }),
  }),
  growth: call({
    method: 'GET',
    path: '/growth',
    roles: ABOVE,
    summary: 'The clients beneath the caller by day, and the credits used beneath it during each',
    input: Nothing,
    output: z.extend(ChartSeries, { used: z.array(z.int()) }),
  }),
  password: call({
    method: 'POST',
    path: '/admin/password',
    roles: ['admin'],
    summary: 'Sets the password of any account and ends its sessions',
    input: z.strictObject({ name: GivenName, password: AccountPassword }),
    output: Done,
  }),
}

const clients = {
  list: call({
    method: 'GET',
    path: '/api/clients',
    roles: ['dealer'],
    summary: "A page of the dealer's clients",
    input: clientQuery(CLIENT_SORTS),
    output: clientPage(ClientRow),
  }),
  find: call({
    method: 'GET',
    path: '/api/find',
    roles: ['dealer'],
    summary: 'The six clients that fit a search best',
    input: z.strictObject({ search: Search }),
    output: z.object({ data: z.array(FoundClient) }),
  }),
  detail: call({
    method: 'GET',
    path: '/api/client/{name}',
    roles: ['dealer'],
    summary: 'One client with its password and its box',
    input: ByName,
    output: ClientDetail,
  }),
  history: call({
    method: 'GET',
    path: '/api/history/{name}',
    roles: ['dealer'],
    summary: "The newest 1,000 of one client's transactions",
    input: ByName,
    output: z.array(Transaction),
  }),
  create: call({
    method: 'POST',
    path: '/api/client',
    roles: ['dealer'],
    summary: 'Creates a client on a trial or for paid months',
    input: z.pipe(
      z.strictObject({
        login: ClientLogin,
        password: ClientPassword,
        stb_mac: z.optional(z.nullable(z.string())),
        ministra: z._default(z.boolean(), false),
        months: StartMonths,
        desc: z._default(ClientDescription, ''),
        phone: z._default(Phone, ''),
        package_selection: PackageSelection,
      }),
      // A Ministra client has no MAC: one that is sent is ignored, and so not checked.
      z.transform((input, context) => {
        if (input.ministra) return { ...input, stb_mac: null }
        const mac = Mac.safeParse(input.stb_mac ?? '')
        if (mac.success) return { ...input, stb_mac: mac.data }
        const message = mac.error.issues[0]?.message ?? ''
        context.issues.push({ code: 'custom', input: input.stb_mac, path: ['stb_mac'], message })
        return z.NEVER
      }),
    ),
    output: z.extend(Done, { name: z.string(), expiry: Moment, credits: z.int() }),
  }),
  save: call({
    method: 'POST',
    path: '/api/saveclient',
    roles: ['dealer'],
    summary: 'Changes the fields sent; months of 1 to 12 are added and paid for',
    input: z.strictObject({
      login: GivenName,
      password: z.optional(ClientPassword),
      o_mac: z.optional(z.nullable(TypedMac)),
      stb_mac: z.optional(z.nullable(TypedMac)),
      alt_player: z.optional(z.boolean()),
      ministra: z.optional(z.boolean()),
      months: z.optional(
        z
          .int('Credits must be a whole number from 0 to 12')
          .check(
            z.minimum(0, 'Credits must be a whole number from 0 to 12'),
            z.maximum(12, 'Credits must be a whole number from 0 to 12'),
          ),
      ),
      desc: z.optional(ClientDescription),
      phone: z.optional(Phone),
      status: z.optional(z.boolean()),
      package_selection: z.optional(PackageSelection),
      locked: z.optional(z.boolean()),
      /** The expiry that the editor saw; the call is refused if it has changed since. */
      expiry: z.optional(Moment),
    }),
    output: z.extend(Done, { name: z.string(), expiry: Moment, credits: z.int() }),
  }),
  quote: call({
    method: 'POST',
    path: '/api/quote',
    roles: ['dealer'],
    summary: 'What a renewal would cost and bring; changes nothing',
    input: z.strictObject({ clients: names(), months: MonthsOfEach }).check(monthsForEach),
    output: z.extend(Done, {
      cost: z.int(),
      credits: z.int(),
      /** Negative where the balance falls short. */
      balance_after: z.int(),
      expiries: z.array(z.object({ name: z.string(), expiry: Moment, new_expiry: Moment })),
    }),
    changes: false,
    body: 'long',
  }),
  renew: call({
    method: 'POST',
    path: '/api/renew',
    roles: ['dealer'],
    summary: 'Adds paid months to one client',
    input: z.strictObject({ name: GivenName, months: PaidMonths, expiry: z.optional(Moment) }),
    output: z.extend(Done, { name: z.string(), expiry: Moment, credits: z.int() }),
  }),
  multirenew: call({
    method: 'POST',
    path: '/api/multirenew',
    roles: ['dealer'],
    summary: 'Adds paid months to many clients, all or none',
    input: z
      .strictObject({
        clients: names(),
        months: MonthsOfEach,
        /** The expiry that the person saw of each client, in the order of `clients`. */
        expiries: z.optional(z.array(Moment).check(z.maxLength(MOST_RENEWED))),
      })
      .check(
        monthsForEach,
        z.refine(({ clients, expiries }) => !expiries || expiries.length === clients.length, {
          path: ['expiries'],
          error: 'There must be one expiry for each client',
        }),
      ),
    output: z.extend(Done, { count: z.int(), credits: z.int() }),
    body: 'long',
  }),
  retrieve: call({
    method: 'POST',
    path: '/api/retrieve',
    roles: ['dealer'],
    summary: 'Takes back the newest paid months of a client',
    input: z.strictObject({ login: GivenName, credits: PaidMonths }),
    output: z.extend(Done, { name: z.string(), expiry: Moment, credits: z.int() }),
  }),
  remove: call({
    method: 'POST',
    path: '/api/remove',
    roles: ['dealer'],
    summary: 'Deletes an expired client',
    input: Removal,
    output: Done,
  }),
  multiquote: call({
    method: 'POST',
    path: '/api/multiquote',
    roles: ['dealer'],
    summary: 'What many clients are now, before all of them are changed; changes nothing',
    input: z.strictObject({ clients: names() }),
    output: z.extend(Done, {
      /** In the order of `clients`. */
      data: z.array(
        z.object({
          name: z.string(),
          expiry: Moment,
          /** Whether it has expired, by the server's clock: then it can be deleted, and nothing else changed. */
          expired: z.boolean(),
          status: z.boolean(),
          package_selection: z.int(),
        }),
      ),
    }),
    changes: false,
    body: 'long',
  }),
  multisave: call({
    method: 'POST',
    path: '/api/multisave',
    roles: ['dealer'],
    summary: 'Changes the package of many clients, or switches them on or off, all or none',
    input: z
      .strictObject({
        clients: names(),
        status: z.optional(z.boolean()),
        package_selection: z.optional(PackageSelection),
      })
      .check(
        z.refine(
          ({ status, package_selection }) => status !== undefined || package_selection !== undefined,
          'There must be a package or a status',
        ),
      ),
    output: z.extend(Done, { count: z.int() }),
    body: 'long',
  }),
  multiremove: call({
    method: 'POST',
    path: '/api/multiremove',
    roles: ['dealer'],
    summary: 'Deletes many expired clients, all or none',
    input: z.strictObject({ clients: names() }),
    output: z.extend(Done, { count: z.int() }),
    body: 'long',
  }),
  reset: call({
    method: 'POST',
    path: '/api/resetclient',
    roles: ['dealer'],
    summary: "Forgets a client's device and the IP that it is locked to",
    input: ByName,
    output: Done,
  }),
  export: exportClients('dealer', CLIENT_SORTS),
  trials: call({
    method: 'GET',
    path: '/api/trials',
    roles: ['dealer'],
    summary: 'How many trials the dealer may still give today, and whether a MAC had one in 30 days',
    input: z.strictObject({ mac: z.optional(TypedMac) }),
    output: z.object({ a_day: z.int(), left: z.int(), mac_had: z.boolean() }),
  }),
  tell: call({
    method: 'POST',
    path: '/api/tell',
    roles: ['dealer'],
    summary: 'Tells the boxes of clients at their next polls: a message, to reboot, or to reload',
    input: z
      .strictObject({
        clients: names(),
        event: z.enum(TOLD),
        message: z._default(z.union([z.literal(''), BoxMessage]), ''),
      })
      .check(
        z.refine(({ event, message }) => (event === 'message') === (message !== ''), {
          path: ['message'],
          error: 'A message has a text, and nothing else has',
        }),
      ),
    output: z.extend(Done, { count: z.int() }),
    body: 'long',
  }),
  told: call({
    method: 'GET',
    path: '/api/told/{name}',
    roles: ['dealer'],
    summary: "The newest 1,000 things that were sent to a client's box, and what became of them",
    input: ByName,
    output: z.array(SentEvent),
  }),
  deviceHistory: call({
    method: 'GET',
    path: '/api/device-history/{name}',
    roles: ['dealer'],
    summary: "The newest 1,000 changes of a client's box",
    input: ByName,
    output: z.array(DeviceChange),
  }),
  asked: call({
    method: 'GET',
    path: '/api/asked',
    roles: ['dealer'],
    summary: "When a box with this MAC asked last, if it is nobody's or the dealer's own",
    input: z.strictObject({ mac: Mac }),
    output: z.object({ asked: z.nullable(Moment) }),
  }),
  due: call({
    method: 'GET',
    path: '/api/due',
    roles: ['dealer'],
    summary:
      'How many clients are due today, tomorrow, within 7 and 30 days, and since 30 days; without those switched off',
    input: Nothing,
    output: z.object({
      counts: z.object({
        today: z.int(),
        tomorrow: z.int(),
        week: z.int(),
        month: z.int(),
        lapsed: z.int(),
      }),
      credits: z.int(),
    }),
  }),
  dueClients: call({
    method: 'GET',
    path: '/api/due/clients',
    roles: ['dealer'],
    summary: 'A page of the clients that are due, those that expire first first',
    input: dueQuery,
    output: duePage,
  }),
  forecast: call({
    method: 'GET',
    path: '/api/forecast',
    roles: ['dealer'],
    summary:
      'An estimate of the credits that the next 14 and 30 days need, and the day on which the balance no longer suffices',
    input: Nothing,
    output: z.object({ credits: z.int(), fortnight: Needed, month: Needed, runs_out: z.nullable(Day) }),
  }),
  remind: call({
    method: 'POST',
    path: '/api/remind',
    roles: ['dealer'],
    summary: 'Notes that a client was reminded, or that it was not',
    input: z.strictObject({ name: GivenName, reminded: z.boolean() }),
    output: z.extend(Done, { reminded: z.nullable(Moment) }),
  }),
  spent: call({
    method: 'GET',
    path: '/api/spent',
    roles: ['dealer'],
    summary: 'What was spent this month and last, in all and by package',
    input: Nothing,
    output: z.object({ this_month: SpentMonth, last_month: SpentMonth }),
  }),
}

const admin = {
  clients: call({
    method: 'GET',
    path: '/admin/clients',
    roles: ['admin'],
    summary: 'A page of all clients, each with its dealer',
    input: clientQuery(ANY_CLIENT_SORTS),
    output: clientPage(AnyClientRow),
  }),
  exportClients: exportClients('admin', ANY_CLIENT_SORTS),
  searchMac: call({
    method: 'GET',
    path: '/admin/searchmac/{mac}',
    roles: ['admin'],
    summary: 'The client that has a MAC',
    input: z.strictObject({ mac: Mac }),
    output: z.object({ name: z.string(), mac: z.string(), expiry: Moment, dealer: z.string() }),
  }),
  remove: call({
    method: 'POST',
    path: '/admin/remove',
    roles: ['admin'],
    summary: 'Deletes any client, expired or not; its months are lost',
    input: Removal,
    output: Done,
  }),
  setMessage: call({
    method: 'POST',
    path: '/admin/message',
    roles: ['admin'],
    summary: 'Sets the broadcast message',
    input: z.strictObject({
      message: z.string().check(
        z.maxLength(2_000, 'Message cannot exceed 2000 characters'),
        z.refine((text) => text.trim() !== '', 'Message must not be empty'),
        storable('Message has characters that cannot be kept'),
      ),
    }),
    output: Done,
  }),
  removeMessage: call({
    method: 'DELETE',
    path: '/admin/message',
    roles: ['admin'],
    summary: 'Ends the broadcast message',
    input: Nothing,
    output: Done,
  }),
  totals: call({
    method: 'GET',
    path: '/admin/statstotals',
    roles: ['admin'],
    summary: 'Clients by day, over all superresellers',
    input: Nothing,
    output: ChartSeries,
  }),
  statistics: call({
    method: 'GET',
    path: '/admin/statistics/{name}',
    roles: ['admin'],
    summary: "A superreseller's statistics by day, today's live row last",
    input: ByName,
    output: z.array(StatisticsRow),
  }),
  chart: call({
    method: 'GET',
    path: '/admin/statschart/{name}',
    roles: ['admin'],
    summary: "A superreseller's clients by day",
    input: ByName,
    output: ChartSeries,
  }),
}

export const calls = named({
  session,
  desk: {
    admin: desk('admin'),
    superreseller: desk('superreseller'),
    reseller: desk('reseller'),
    dealer: desk('dealer'),
  },
  credits: {
    superreseller: credits('superreseller'),
    reseller: credits('reseller'),
    dealer: credits('dealer'),
  },
  level: {
    superreseller: level('superreseller', SuperresellerRow, { totalClients: z.int() }),
    reseller: level('reseller', AccountRow, {}),
    dealer: level('dealer', AccountRow, {}),
  },
  transactions,
  tree,
  requests,
  lowBalance,
  clients,
  admin,
  channels,
  boxes,
  system,
  files: {
    download: call({
      method: 'GET',
      path: '/exports/{ticket}',
      roles: 'anyone',
      summary: 'The file that a ticket stands for, streamed; a ticket works once',
      input: z.strictObject({ ticket: secret(z.string().check(z.maxLength(100))) }),
      output: z.unknown(),
      returns: 'file',
    }),
  },
})

/** The names of the clients of a call, each once. */
function names() {
  return z.array(GivenName).check(
    z.minLength(1, 'Please select at least one client'),
    z.maxLength(MOST_RENEWED, `At most ${MOST_RENEWED} clients can be chosen at once`),
    z.superRefine((list, context) => {
      const seen = new Set<string>()
      const twice = list.findIndex((name) => seen.size === seen.add(name.toLowerCase()).size)
      if (twice >= 0) context.addIssue({ code: 'custom', path: [twice], message: 'A client is named twice' })
    }),
  )
}

function exportClients<const Sorts extends readonly [string, ...string[]]>(role: Role, sorts: Sorts) {
  return call({
    method: 'POST',
    path: `${DESK[role]}/clients/export`,
    roles: [role],
    summary: 'A ticket for the CSV or PDF of the filtered clients',
    input: z.strictObject({
      format: z.enum(['csv', 'pdf']),
      ...clientSelection(sorts),
      /** Leaves out all others. */
      clients: z.optional(names()),
    }),
    output: Ticket,
    takesKey: false,
    room: 'little',
    body: 'long',
  })
}

/** An input as the caller writes it, before defaults and transformations. */
export type InputOf<C extends Call> = z.input<C['input']>
export type OutputOf<C extends Call> = z.output<C['output']>

import * as z from 'zod/mini'
import { call, Done, Nothing } from '../call.ts'
import {
  AddedMonths,
  BOX_EVENTS,
  BoxMessage,
  ClientLogin,
  ClientPassword,
  Mac,
  MOST_CHOSEN,
  MOST_MONTHS,
  PackageSelection,
  PaidMonths,
  Phone,
  StartMonths,
  TypedMac,
} from '../clients.ts'
import {
  CLIENT_SORTS,
  ClientDetail,
  ClientRow,
  clientPage,
  clientQuery,
  Day,
  DeviceChange,
  duePage,
  dueQuery,
  FoundClient,
  GivenName,
  Moment,
  Search,
  SentEvent,
  SpentMonth,
  Transaction,
} from '../shapes.ts'
import { Description } from '../text.ts'
import { exportClients } from './exports.ts'
import { ByName, names } from './names.ts'

/**
 * A client to delete, with the MAC (null for none) and the expiry that the person saw: the call is refused if one of
 * them has changed.
 */
export const Removal = z.strictObject({
  name: GivenName,
  mac: z.optional(z.nullable(Mac)),
  expiry: z.optional(Moment),
})

/** The same months for every client, or those of each, in the order of `clients`. */
const MonthsOfEach = z.union(
  [PaidMonths, z.array(PaidMonths).check(z.maxLength(MOST_CHOSEN))],
  `Credits must be a whole number from 1 to ${MOST_MONTHS}`,
)

const monthsForEach = z.refine<{ clients: string[]; months: number | number[] }>(
  ({ clients, months }) => typeof months === 'number' || months.length === clients.length,
  { path: ['months'], error: 'There must be months for each client' },
)

/** When a client expires now, and what credits its dealer has left. */
const Outcome = z.extend(Done, { name: z.string(), expiry: Moment, credits: z.int() })

/** The clients that expire within some days, and the months of their newest purchases. */
const Needed = z.object({ clients: z.int(), months: z.int() })

export const clients = {
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
        desc: z._default(Description, ''),
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
    output: Outcome,
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
      months: z.optional(AddedMonths),
      desc: z.optional(Description),
      phone: z.optional(Phone),
      status: z.optional(z.boolean()),
      package_selection: z.optional(PackageSelection),
      locked: z.optional(z.boolean()),
      /** The expiry that the editor saw; the call is refused if it has changed since. */
      expiry: z.optional(Moment),
    }),
    output: Outcome,
    sets: '{name} {field}',
  }),
  quote: call({
    method: 'POST',
    path: '/api/quote',
    roles: ['dealer'],
    summary: 'What a renewal would cost and bring, without the clients that are gone; changes nothing',
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
    output: Outcome,
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
        expiries: z.optional(z.array(Moment).check(z.maxLength(MOST_CHOSEN))),
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
    /** `expiry` is the one that the person saw; the call is refused if it has changed since. */
    input: z.strictObject({ login: GivenName, credits: PaidMonths, expiry: z.optional(Moment) }),
    output: Outcome,
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
    summary:
      'What many clients are now, before all of them are changed, without those that are gone; changes nothing',
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
    sets: '{name} {field}',
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
    input: z.strictObject({ mac: z.optional(Mac) }),
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
        event: z.enum(BOX_EVENTS),
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
  macLastSeen: call({
    method: 'GET',
    path: '/api/asked',
    roles: ['dealer'],
    summary: "When a box with this MAC asked last, if no client or one of the dealer's own has that MAC",
    input: z.strictObject({ mac: Mac }),
    output: z.object({ asked: z.nullable(Moment) }),
  }),
  due: call({
    method: 'GET',
    path: '/api/due',
    roles: ['dealer'],
    summary:
      'How many clients are due today, tomorrow, within 7 and 30 days, and how many expired in the last 30 days; without those switched off',
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
    sets: '{name} {field}',
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

import { UNNAMED } from '../../../contract/accounts.ts'
import { MOST_UNKNOWN_BOXES } from '../../../contract/boxes.ts'
import { COUNTED_TO, EXPIRING_DAYS, MAC_PREFIX, MOST_CHOSEN } from '../../../contract/clients.ts'
import { PACKAGES } from '../../../contract/packages.ts'
import { inDigits } from '../../../contract/quantities.ts'

const ALL_GONE = 'Where none of `clients` is there any more, it is refused (404).'

/** What a call's summary does not tell, by its name. */
export const OF_CALLS: Readonly<Record<string, string>> = {
  'session.captcha':
    'A program can sign in where the provider is `altcha` or `none`. The hosted ones let in only a person with a browser.',
  'session.login':
    'The session ends after an hour, however much it is used: then sign in again. A program solves the challenge of `altcha` with altcha-lib 2, by `solveChallenge` with `deriveKey` of its PBKDF2.',
  'clients.save':
    'Of an expired client only `months` is applied, which it then needs: send the other fields in another call after it.',
  'clients.quote': ALL_GONE,
  'clients.multiquote': ALL_GONE,
  'clients.export': ALL_GONE,
  'admin.exportClients': ALL_GONE,
  'clients.multisave': 'It needs `status` or `package_selection`, or both.',
  'channels.savePlayers': 'It needs `player` or `alt_player`, or both; one that is left out stays as it is.',
  'files.download': 'A ticket is good once, for a minute: after a 404 or 503 ask for another one.',
}

const MAC = `Six pairs of hexadecimal digits with colons, such as ${MAC_PREFIX}0A:1B:2C`
const PAID = 'paid months, a credit each'
const MOST = inDigits(COUNTED_TO)
const MONTHS_OF_EACH = `The same ${PAID}, for every client, or a list as long as \`clients\` with those of each, in that order`
const NAMES = 'Each name once, in capital or small letters'
const IN_TRANSACTIONS = 'A part of login, MAC or description, without case'
const SWITCH = 'The switch Active; it says nothing of the expiry'
const TIDIED = 'Spaces at both ends are removed, and special ones become plain ones'

/**
 * What name and type do not tell of the fields that calls take, by the name of the field, or of the call and the field.
 * A field in another one is named with it, as `held.at`; a `*` stands for the role of a call that several roles have.
 * It is no part of the contract, because the console would bring it to every browser.
 */
export const OF_INPUTS: Readonly<Record<string, string>> = {
  g_recaptcha_response:
    'With `altcha`: {"challenge", "solution"} as JSON in base64, with the challenge as `/captcha` gave it; good once, within 5 minutes. With a hosted captcha: what its widget gives. With `none`: left out',
  transaction: '0 adds the credits to the account, 1 takes them back',
  'level.*.save credits': '0 changes only the description, whatever `transaction` is',
  'requests.grant credits': 'At most as many as were asked for',
  'clients.retrieve credits': 'Paid months to take back, the newest first',
  months: `Adds ${PAID}`,
  'clients.create months': `0 is a trial to the end of today, "2d" one to the end of tomorrow; 1 to 12 are ${PAID}`,
  'clients.quote months': MONTHS_OF_EACH,
  'clients.multirenew months': MONTHS_OF_EACH,
  desc: TIDIED,
  'level.*.save desc': `${TIDIED}. Left out, the description stays`,
  phone:
    'It is stored, and answered, in another form: as ten digits, as `+` and 4 to 15 digits, or as at most 15 digits. `(416) 555-0100`, `1 416 555 0100` and `+1 416 555 0100` are all 4165550100',
  package_selection: PACKAGES.map(({ value, label }) => `${value} is ${label}`).join(', '),
  mac: MAC,
  'clients.create stb_mac': `${MAC}. It is needed unless \`ministra\` is true, and then ignored`,
  'clients.save stb_mac': `${MAC}. A new one needs \`o_mac\`; a Ministra client has none`,
  o_mac: `Needed with \`stb_mac\`. ${seen('The MAC', ', null for none')}`,
  'clients.remove mac': seen('The MAC', ', null for none'),
  'admin.remove mac': seen('The MAC', ', null for none'),
  expiry: seen('The expiry'),
  expiries: seen('The expiry', ', for each in the order of `clients`, and as many'),
  clients: NAMES,
  'clients.export clients': `All others are left out. ${NAMES}`,
  'admin.exportClients clients': `All others are left out. ${NAMES}`,
  'tree.moveClients clients': `Left out, the first ${inDigits(MOST_CHOSEN)} that the dealer has. ${NAMES}`,
  'clients.tell message': 'Needed where `event` is `message`, and refused with any other',
  search: 'A part of name, description, MAC, phone digits or day of expiry, without case',
  'admin.clients search':
    'A part of name, description, MAC, phone digits, day of expiry or the name of the dealer, without case',
  'admin.exportClients search':
    'A part of name, description, MAC, phone digits, day of expiry or the name of the dealer, without case',
  'transactions.list search': IN_TRANSACTIONS,
  'transactions.sums search': IN_TRANSACTIONS,
  'desk.*.exportTransactions search': IN_TRANSACTIONS,
  'tree.clients search': 'A part of name or MAC, without case',
  'boxes.unknown search': 'A part of MAC, type, version or address, without case',
  filter: `\`active\` are those not expired, with the \`expiring\` ones, which have at most ${EXPIRING_DAYS} whole days left; \`online\` are those whose box polled within 5 minutes`,
  within:
    '`week` is today and the next 6 days, `month` today and the next 29; `lapsed` are those that expired within the last 30 days. Without those switched off',
  from: "The first day, in the business's time zone; it is included",
  to: 'The last day, likewise; it is included',
  'tree.moveClients from': 'The dealer that has them',
  'tree.moveClients to': 'The dealer that gets them',
  'tree.move to': 'Its new parent',
  'tree.list of': 'An account beneath the caller; left out, the caller itself',
  below: 'An account is low where it has less; null for no threshold',
  'channels.giveFile file': 'The M3U file, compressed with gzip, in base64',
  anyway: 'True takes it also where it would be held back',
  'channels.takeHeld at': '`held.at` as you read it',
  seen: seen('The `since` of the suspension', ', null for none', 'account'),
  service_too: 'True stops the service of all clients beneath the account too',
  'clients.save status': SWITCH,
  'clients.multisave status': SWITCH,
  account:
    'The caller or an account beneath: its transactions and those of everything beneath it. Not together with `client`',
  client:
    "The login of a client: one of a dealer's own, or any for the admin. For others there is none (404). Not together with `account`",
}

const BALANCE = "The caller's balance"
const AFTERWARDS = "The caller's balance afterwards"
const OF_CHILD = "The child's balance afterwards"
const ITS_BALANCE = 'Its balance'
const NAMED = 'How many `clients` names'
const ITS_MAC = 'Null for a Ministra client'
const OF_DAY = 'As it was when that day ended, and today as it is now'
const DAYS = 'The days, the oldest first'
const UNTIL_TOLD = 'Null until its box tells it'
const NOT_DELETED = 'Those not deleted, the expired ones too'
const OWN_OR_BENEATH = 'Its own, or those beneath it, without deleted ones; the expired ones too'
const OPEN = 'Those beneath it that are not closed'
const SKIPPED = 'Entries without an address that a box could play'
const LAST_MONTHS =
  'The months of their newest purchases that were not taken back, 1 for a client without one'

/** Of a transaction, in whatever list. */
const OF_TRANSACTIONS = {
  credits:
    "It has no sign: ADD and RETRIEVED add to the balance of the row's own account (that of `login`, or the client's dealer), REMOVE and USED take from it, and the others leave it as it is",
  login: "The client's login then, or the account that got the credits or gave them back",
  mac: "The client's MAC then; null for none, and between accounts",
  expiry: "The client's expiry as the transaction left it; null between accounts",
  actor: `Who acted; \`${UNNAMED}\` for somebody whom the caller may not know`,
  dealer: `Whose client it was; \`${UNNAMED}\` for somebody whom the caller may not know, null between accounts`,
  client: "The client's login now, if it is the caller's own and not deleted; else null",
  account: 'The account, if it is beneath the caller; else null, and for a client',
}

/** The same of the fields of answers. */
export const OF_OUTPUTS: Readonly<Record<string, string>> = {
  count: 'How many rows all pages have together',
  count_capped: `True where more than ${MOST} match: \`count\` is ${MOST} then, and the pages end there (of transactions in another order than \`created\`, the newest ${MOST} are sorted). Narrow the search or the days, or export all`,
  current_page: 'As it was asked for, also where it lies behind the last one',
  per_page: 'How many rows a full page has, as it was asked for',
  total_pages: 'How many pages `count` rows fill, and 1 for none',
  missing: 'The names in `clients` that the caller no longer has; the file leaves them out',
  'level.*.list count': 'How many rows `data` has',
  'level.*.list onDate': 'The moment of the answer',
  'clients.multirenew count': NAMED,
  'clients.multisave count': NAMED,
  'clients.multiremove count': NAMED,
  'clients.tell count': NAMED,

  credits: BALANCE,
  'session.login credits': `${BALANCE}; null for the admin, who issues without limit`,
  'session.user credits': `${BALANCE}; null for the admin, who issues without limit`,
  'clients.create credits': AFTERWARDS,
  'clients.save credits': AFTERWARDS,
  'clients.renew credits': AFTERWARDS,
  'clients.multirenew credits': AFTERWARDS,
  'clients.retrieve credits': AFTERWARDS,
  'level.*.save credits': OF_CHILD,
  'requests.grant credits': OF_CHILD,
  'level.*.detail credits': ITS_BALANCE,
  'level.*.list data.credits': ITS_BALANCE,
  'tree.list data.credits': ITS_BALANCE,
  'tree.account credits': ITS_BALANCE,
  'tree.close credits': 'The credits that went to the parent',
  low: "Whether the balance is below the account's own threshold, or else its parent's for it",
  'credits.* low_below':
    "The account's own threshold, which goes before its parent's for it; null where it has none of its own",
  'tree.account low_below':
    "The parent's threshold for it, which its own goes before; null where the parent set none",

  ...standingAt('desk.*.transactions ', OF_TRANSACTIONS),
  ...standingAt('level.*.history ', OF_TRANSACTIONS),
  ...standingAt('clients.history ', OF_TRANSACTIONS),
  ...standingAt('transactions.list data.', OF_TRANSACTIONS),
  'transactions.sums data.transactions': 'How many there are; a type without any is left out',
  'transactions.sums data.credits': 'The sum of their `credits`, without a sign',

  'requests.own parent': 'Whom they go to',
  'requests.own data.credits': 'As many as were asked for',
  'requests.own data.granted': 'The credits that came; null unless it was granted',
  'requests.own data.answer': 'Why it was declined, or withdrawn because the account was moved; else empty',
  'requests.own data.answered': 'When it was granted, declined or withdrawn; null while it is open',
  'requests.list data.credits': 'As many as were asked for',
  'requests.list data.balance': "The child's balance now",
  'requests.list ended.credits': 'As many as were asked for',
  'requests.list ended':
    'Those that ended in the last 30 days because the child was moved away (withdrawn) or closed (declined)',

  'level.*.list totalClients': `${NOT_DELETED}, beneath all of them`,
  'level.*.list data.resellers': OPEN,
  'level.*.list data.dealers': OPEN,
  'level.*.list data.clients': NOT_DELETED,
  'tree.list data.resellers': OPEN,
  'tree.list data.dealers': OPEN,
  'tree.list data.clients': OWN_OR_BENEATH,
  'tree.list data.active': 'Those not expired, with the expiring ones',
  'tree.list data.expiring': `Those with at most ${EXPIRING_DAYS} whole days left`,
  'tree.list data.expired': 'Those that have expired',
  'tree.list data.used':
    'Credits spent on its clients in the last 30 days, less those taken back; below 0 where more were',
  'tree.list data.lasts':
    'For how many days `credits` suffice at the pace of the last 30 days, or since the account, or the oldest dealer beneath it, was created where that is less; null where nothing was used, on its first day, and once it is closed',
  last_login: 'Null where none is known',
  closed: 'When it was closed; null while it is open',
  'tree.list data.suspended': 'Whether it is suspended itself, and not only one above it',
  'tree.account parent': `\`${UNNAMED}\` for somebody whom the caller may not know`,
  'beneath.resellers': OPEN,
  'beneath.dealers': OPEN,
  'beneath.clients': OWN_OR_BENEATH,
  'beneath.served': 'Those not expired, not switched off, and stopped by no suspension',
  suspension: 'Its own; null where it has none',
  'suspension.by': `Who set it; \`${UNNAMED}\` for somebody whom the caller may not know`,
  'suspension.reason': 'Empty for a caller who may not lift it',
  'suspension.service_too': 'Whether its clients are not served either',
  'suspension.liftable': 'Whether the caller may lift it: who set it may, and everybody above that one',
  suspended_above: 'Whether one above it is suspended, so that it cannot sign in either',
  held_above: 'Whether the caller may not lift that suspension, and so cannot move it away from there',
  service_stopped: 'Whether its clients are not served, because it or one above it is suspended with service',
  path: "The names from the caller's child down to its parent",
  moved: 'How many clients were moved',
  'tree.moveClients left': 'How many clients the dealer still has',

  'tree.growth onDate': DAYS,
  'tree.growth clients': `${OF_DAY}. In the order of \`onDate\``,
  'tree.growth used':
    'Credits used during each day, less those taken back; below 0 where more were. In the order of `onDate`',
  'admin.totals onDate': DAYS,
  'admin.totals clients': `${OF_DAY}. In the order of \`onDate\``,
  'admin.chart onDate': DAYS,
  'admin.chart clients': `${OF_DAY}. In the order of \`onDate\``,
  'admin.statistics credits': `Its balance. ${OF_DAY}`,
  'admin.statistics resellers': OF_DAY,
  'admin.statistics dealers': OF_DAY,
  'admin.statistics clients': OF_DAY,

  package_selection: 'A package, by its number: `/api/client` says which there are',
  ministra: 'Whether it signs in with its login and password, and has no MAC',
  phone: 'Ten digits; or `+` and 4 to 15 digits; or other digits, at most 15; empty for none',
  expiry: "The last moment of service, on its last day in the business's time zone",
  'data.status': SWITCH,
  'clients.detail status': SWITCH,
  online: 'Whether its box polled within the last 5 minutes',
  'clients.list counts': `Those that the search finds, whatever \`filter\` is; each at most ${MOST} where something is searched`,
  'admin.clients counts': `Those that the search finds, whatever \`filter\` is; each at most ${MOST} where something is searched`,
  'counts.all': 'In whatever state',
  'counts.active': 'Those not expired, with the expiring ones',
  'counts.expiring': `Those with at most ${EXPIRING_DAYS} whole days left`,
  'counts.expired': 'Those that have expired',
  'clients.list data.mac': ITS_MAC,
  'clients.find data.mac': ITS_MAC,
  'clients.dueClients data.mac': ITS_MAC,
  'admin.clients data.mac': ITS_MAC,
  'tree.clients data.mac': ITS_MAC,

  'clients.detail mac': ITS_MAC,
  o_mac: 'The same as `mac`, to be sent back with a new one',
  retrievable: 'The most credits that can be retrieved now; every smaller number can be too',
  retrievals: '`retrievals[n - 1]` is the expiry after n credits were retrieved',
  trial_retrieval:
    "The number of credits whose retrieval would count as one of today's trials; null where none would",
  'clients.detail channels': 'How many channels its package has; null where no playlist is in use',
  stb_sn: UNTIL_TOLD,
  'clients.detail stb_type': UNTIL_TOLD,
  'clients.detail version': UNTIL_TOLD,
  watching: 'What its box plays; null where it plays nothing',
  last_active: 'When its box polled last; null where it has not',
  last_address: 'From where its box was let in last; null where that is not known',
  time_last_play_tv: UNTIL_TOLD,
  time_last_play_video: UNTIL_TOLD,
  last_played_tv_content: UNTIL_TOLD,
  last_played_vod_content: UNTIL_TOLD,
  locked_to_ip: 'Null while its box is not locked to an address',
  locked: 'Whether its box may ask only from the address to which it is locked',
  tariff_plan: 'The name of its package',
  box_refusal: 'Why its box was refused; null where it was let in last, or has not asked',
  box_answered: 'When its box was let in or refused last; null where it has not asked',
  near_box:
    "While no box has asked with the client's MAC: the unknown box whose MAC differs from it in one or two digits; else, and where there is none, null",
  digits: 'In how many digits the two MACs differ, 1 or 2',
  wrong_login:
    "When a box last tried a wrong password with a Ministra client's login, within 24 hours and since a right one; null where none did",

  cost: 'In credits',
  balance_after: 'Below 0 where the balance falls short',
  'clients.quote expiries': 'In the order of `clients`, without those that are gone',
  'clients.multiquote data': 'In the order of `clients`, without those that are gone',
  'clients.multiquote data.expired':
    "By the server's clock: then it can be deleted, and nothing else changed",
  a_day: 'How many trials a dealer may give in a day',
  'clients.trials left': 'How many more may be given today',
  mac_had: 'Whether `mac` had a trial within 30 days, whoever gave it; false where none was sent',
  'clients.deviceHistory detail':
    'The new serial number, address or MAC; empty for a box that left for another client',
  'clients.deviceHistory mac_before':
    'The MAC that a new one replaced, or of a box that left for another client; else null',
  'clients.deviceHistory address': "Null where it is not known, or not the caller's to know",
  'clients.deviceHistory actor': `Who did it, or \`${UNNAMED}\`; null where the box itself changed`,
  'clients.told message': 'Empty where who sent it may not be known',
  'clients.told state': '`too late` where the box did not poll in time',
  'clients.told actor': `Who sent it; \`${UNNAMED}\` for somebody whom the caller may not know`,
  'clients.told told': 'When it was shown, or else sent; null while it waits, and where that was too late',
  'clients.macLastSeen asked': 'Null where none has asked, or where the client with this MAC is not yours',
  'counts.today': 'Those that expire later today',
  'counts.tomorrow': 'Those that expire tomorrow',
  'counts.week': 'Today and the next 6 days',
  'counts.month': 'Today and the next 29 days',
  'counts.lapsed': 'Those that expired earlier today, or on the 30 days before',
  last_months: 'The months of its newest purchase that was not taken back; 1 where there is none',
  has_paid: 'Whether it has such a purchase; a client that had only a trial has none',
  'data.reminded': 'When it was reminded last; null where it was not since its reminder was taken back',
  reminded_by: `By whom; \`${UNNAMED}\` for somebody whom the caller may not know, null where it was not reminded`,
  'clients.remind reminded': 'When that was; null where the reminder was taken back',
  'fortnight.clients': 'Those that expire today or within the next 13 days, without those switched off',
  'fortnight.months': LAST_MONTHS,
  'month.clients': 'Those that expire today or within the next 29 days, without those switched off',
  'month.months': LAST_MONTHS,
  runs_out: 'The day on which the balance no longer suffices; null where it suffices for 30 days',
  'this_month.month': 'YYYY-MM',
  'last_month.month': 'YYYY-MM',
  packages: 'By the package that each client has now, the most used first',
  'packages.package_selection': 'Null for the clients that were moved to another dealer',
  used: 'Credits used, before those that were taken back',
  retrieved: 'Credits taken back, also of months that were bought before',
  spent: '`used` less `retrieved`, and below 0 where that is more',
  trials: 'How many were given',

  'refused.reason': '`unknown` is that of boxes whose MAC no client has',
  known: "The clients' boxes that have signed in",
  'boxes.overview online': 'Those of them that polled within the last 5 minutes',
  'refused.boxes': `Those that were refused for this when they asked last, within 24 hours; of the \`unknown\` only the newest ${inDigits(MOST_UNKNOWN_BOXES)} are counted`,
  'counts.at': 'Moments, the oldest first',
  'counts.online': 'How many were online then, in the order of `at`',
  'boxes.models data.boxes': 'How many say so of themselves',
  'boxes.models data.online': 'Those of them that polled within the last 5 minutes',
  'boxes.unknown data.address': 'From where it asked last; null where a proxy hid it',
  'boxes.unknown data.times': 'How often it asked',
  similar: 'The client whose MAC differs in one or two digits; null where there is none',

  playlist: 'Null before one was given',
  'playlist.shown': 'Its address without what may be secret, or the name of the file',
  'playlist.tried': 'When it was read last',
  'playlist.failure': 'Why it could not be read last; null where it could',
  'playlist.next': 'When its address is read again; null for a file',
  'playlist.taken': 'When the channels in use were taken; null before the first',
  'playlist.channels': 'How many channels are in use',
  'playlist.held': 'What was read last and held back; null where nothing is',
  'held.channels': 'How many channels it has',
  'held.at': 'When it was read',
  skipped: SKIPPED,
  held: 'Why it was held back; null where it was taken',
  channels: 'How many channels it has',
  unprotected: 'How many of them anybody can watch who has their address, because it has no {token}',
  'groups.packages': 'The numbers of the packages that hold it',

  'session.login expiry': 'When the session ends',
  'session.user expiry': 'When the session ends',
  'session.list data.expiry': 'When it ends',
  'session.list data.this': 'Whether it is the one in which the call is made',
  time_zone: 'The zone of the business, to which every day belongs',
  now: "The server's clock",
  ticket:
    'It fetches the file at `/v1/exports/{ticket}`: once, within 60 seconds, and while the session lasts',
  'session.list data.address': 'From where it was begun; null where that is not known',
  'system.state schema': 'The first digits of the fingerprint of the schema',
  'database.writes': 'Whether a change can be made',
  'database.clock_behind': 'Whether its time lies before its newest entry, so that changes are refused',
  'database.synchronous': 'Whether a change waits for a standby, and whether one is there',
  'servers.seen': 'When it was heard of last',
  'servers.state': '`gone` was not stopped, and is silent; of an `unknown` one nothing is known',
  urgent: 'Whether something is refused or lost already',
  sentence: 'What is wrong, and what to do',
  'database.size': 'In bytes',
  'database.hosts': 'How many hosts DATABASE_URL names',
  'database.standbys': 'How many standbys follow it',
  'database.host': 'The address that it tells of itself; null for an embedded one',
  pid: 'The number of its process, by which two servers on one host are told apart',
  console_port: 'Null where it serves no console',
  box_port: 'Null where it serves no boxes',
  clock_offset_ms: "How far its clock is ahead of the database's, in milliseconds",
  database_host: 'The server of the database that it writes to; null while there is none',
  disk_free: 'Free bytes under an embedded database; null for an external one',
  disk_least: 'Below so many free bytes changes are refused; null for an external database',
  backups: 'Null where it makes none',
  every_hours: 'Hours from one to the next',
  kept: 'How many it has',
  newest: 'When it was made; null where there is none',
  'test_restore.sentence': 'What came of it, in words',
  test_restore: 'What came of restoring the newest one; null before its end',
  sound: 'When the newest was made that was proved sound; null where none was',
  'backups.failure': 'The last try, where it made none; else null',
  took_ms: 'In milliseconds',
  succeeded: 'When it succeeded last; null where it has not',
  failures: 'How many runs have failed since',
  'jobs.failure': 'Why the last of them failed; null where none did',
  'jobs.next': 'When it runs next; null where it does not',
}

/** Returns the descriptions of a row's fields where the row stands at `place`. */
function standingAt(place: string, fields: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(fields).map(([field, description]) => [place + field, description]),
  )
}

function seen(what: string, more = '', whose = 'client'): string {
  return `${what} that the ${whose} had when you looked${more}: if it has changed since, the call is refused (409 \`changed_since\`)`
}

import { COUNTED_TO, MAC_PREFIX } from '../../../contract/clients.ts'
import { PACKAGES } from '../../../contract/packages.ts'

/** What a call's summary does not tell, by its name. */
export const OF_CALLS: Readonly<Record<string, string>> = {
  'session.captcha':
    'A program can sign in where the provider is `altcha` or `none`. The hosted ones let in only a person with a browser.',
  'session.login':
    'The session ends after an hour, however much it is used: then sign in again. A program solves the challenge of `altcha` with altcha-lib 2, by `solveChallenge` with `deriveKey` of its PBKDF2.',
  'clients.save':
    'Of an expired client only `months` is applied, which it then needs: send the other fields in another call after it.',
  'files.download': 'A ticket is good once, for a minute: after a 404 or 503 ask for another one.',
}

const MAC = `Six pairs of hexadecimal digits with colons, such as ${MAC_PREFIX}0A:1B:2C`
const PAID = 'paid months, a credit each'
const MOST = COUNTED_TO.toLocaleString('en-US')
const MONTHS_OF_EACH = `The same ${PAID}, for every client, or those of each in the order of \`clients\``

/**
 * What name and type do not tell of the fields that calls take, by the name of the field, or of the call and the field.
 * It is no part of the contract, because the console would bring it to every browser.
 */
export const OF_INPUTS: Readonly<Record<string, string>> = {
  g_recaptcha_response:
    'With `altcha`: {"challenge", "solution"} as JSON in base64, with the challenge as `/captcha` gave it; good once, within 5 minutes. With a hosted captcha: what its widget gives. With `none`: left out',
  transaction: '0 adds the credits to the account, 1 takes them back',
  months: `Adds ${PAID}`,
  'clients.create months': `0 is a trial to the end of today, "2d" one to the end of tomorrow; 1 to 12 are ${PAID}`,
  'clients.quote months': MONTHS_OF_EACH,
  'clients.multirenew months': MONTHS_OF_EACH,
  package_selection: PACKAGES.map(({ value, label }) => `${value} is ${label}`).join(', '),
  mac: MAC,
  'clients.create stb_mac': `${MAC}. It is needed unless \`ministra\` is true, and then ignored`,
  'clients.save stb_mac': `${MAC}. A new one needs \`o_mac\`; a Ministra client has none`,
  o_mac: `Needed with \`stb_mac\`. ${seen('The MAC', ', null for none')}`,
  'clients.remove mac': seen('The MAC', ', null for none'),
  'admin.remove mac': seen('The MAC', ', null for none'),
  expiry: seen('The expiry'),
  expiries: seen('The expiry', ', for each in the order of `clients`'),
  'channels.giveFile file': 'The M3U file, compressed with gzip, in base64',
  anyway: 'True takes it also where it would be held back',
  'channels.takeHeld at': '`held.at` as you read it',
  seen: seen('The `since` of the suspension', ', null for none', 'account'),
  service_too: 'True stops the service of all clients beneath the account too',
  'clients.save status': 'The switch Active; it says nothing of the expiry',
  'clients.multisave status': 'The switch Active; it says nothing of the expiry',
  client:
    "The login of a client: one of a dealer's own, or any for the admin. For others there is none (404)",
}

/** The same of the fields of answers. */
export const OF_OUTPUTS: Readonly<Record<string, string>> = {
  count_capped: `True where more than ${MOST} match: \`count\` is ${MOST} then, and the pages end there (of transactions in another order than \`created\`, the newest ${MOST} are sorted). Narrow the search or the days, or export all`,
  total_pages: 'How many pages `count` rows fill',
  missing: 'The names in `clients` that the caller no longer has; the file leaves them out',
}

function seen(what: string, more = '', whose = 'client'): string {
  return `${what} that the ${whose} had when you looked${more}: if it has changed since, the call is refused (409 \`changed_since\`)`
}

import { minuteOf } from '../../contract/time.ts'
import { codeOf, constraintOf, isOutage } from '../postgres/errors.ts'
import { fieldRefusal, notFound, Refusal } from '../refusal.ts'

/** Returns the refusal for an error: a refusal itself, and errors of Fastify and the database in our words. */
export function toRefusal(error: unknown): Refusal {
  if (error instanceof Refusal) return error
  return (
    OF_THE_REQUEST[codeOf(error)]?.() ??
    OF_THE_DATABASE[codeOf(error)]?.() ??
    OF_A_CONSTRAINT[constraintOf(error)]?.() ??
    (isOutage(error) ? unavailable() : internal())
  )
}

export function unavailable(more: { unchanged?: true } = {}): Refusal {
  return new Refusal(
    'unavailable',
    'Boxtree cannot reach its database at the moment. Please try again shortly.',
    { retryAfter: 2, ...more },
  )
}

function tooSlow(): Refusal {
  return new Refusal(
    'unavailable',
    'The database took too long, so this try changed nothing. Please try again in a minute. If it takes too long again, ask whoever runs Boxtree to see what keeps the database busy.',
    { retryAfter: 60, unchanged: true },
  )
}

/**
 * As where the disk is full, the call may be refused before its key is looked at: an earlier try may have been carried
 * out.
 * @param newest the moment of that entry, where it is known
 */
export function clockIsBehind(newest?: Date): Refusal {
  const until = newest ? minuteOf(newest) : 'that entry'
  return new Refusal(
    'unavailable',
    `The clock of the database was set back behind its newest entry, so this try changed nothing. Please ask whoever runs Boxtree to look at this clock; changes are made again once its time is past ${until}.`,
    { retryAfter: 30, unchanged: true },
  )
}

export function diskFull(what: string): Refusal {
  return new Refusal(
    'disk_full',
    `${what}, so this try changed nothing. Please ask whoever runs Boxtree to free space on it; everything can still be looked at.`,
    { retryAfter: 30, unchanged: true },
  )
}

function internal(): Refusal {
  return new Refusal('internal', 'Something went wrong on our side.')
}

const OF_THE_REQUEST: Record<string, () => Refusal> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: () =>
    new Refusal('unsupported_media', 'The body must be application/json.'),
  FST_ERR_CTP_BODY_TOO_LARGE: () => new Refusal('too_large', 'The body is too large.'),
  FST_ERR_CTP_EMPTY_JSON_BODY: malformed,
  FST_ERR_CTP_INVALID_JSON_BODY: malformed,
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: malformed,
  FST_ERR_BAD_URL: notFound,
  FST_ERR_MAX_PARAM_LENGTH: notFound,
  FST_ERR_ASYNC_CONSTRAINT: notFound,
  FST_STATIC_FORBIDDEN_PATH: notFound,
  // No call has the method QUERY, but Fastify asks for the type of its body before it says so.
  FST_ERR_ROUTE_MISSING_CONTENT_TYPE: notFound,
}

const OF_THE_DATABASE: Record<string, () => Refusal> = {
  // It was there, and gave up a wait for a lock, a statement, or one that needs more room than temp_file_limit allows.
  '55P03': tooSlow,
  '57014': tooSlow,
  '53400': internal,
  // What `post_transfers` raises where the clock was set back since the server has read it.
  BX503: () => clockIsBehind(),
  // Its disk is measured only where it is embedded.
  '53100': () => diskFull('The disk of the database is full'),
}

// What only the database can judge: the second of two calls that took a name at the same moment.
const OF_A_CONSTRAINT: Record<string, () => Refusal> = {
  account_name_key: () => fieldRefusal('name_taken', 'login', 'This login is taken.'),
  client_name_key: () => fieldRefusal('name_taken', 'login', 'This login is taken.'),
  client_mac_key: () => fieldRefusal('mac_taken', 'stb_mac', 'This MAC address is taken.'),
}

function malformed(): Refusal {
  return new Refusal('invalid_input', 'The body is not valid JSON.')
}

import { notFound, Refusal, refuseField } from '../refusal.ts'

/** Returns the refusal for an error: a refusal itself, and errors of Fastify and the database in our words. */
export function refusalOf(error: unknown): Refusal {
  if (error instanceof Refusal) return error
  const { code = '', constraint_name: constraint = '' } = (error ?? {}) as {
    code?: string
    constraint_name?: string
  }
  return OF_THE_REQUEST[code]?.() ?? TAKEN[constraint]?.() ?? (isOutage(code) ? unavailable() : internal())
}

export function unavailable(): Refusal {
  return new Refusal(
    'unavailable',
    'Boxtree cannot reach its database at the moment. Please try again shortly.',
    {
      retryAfter: 2,
    },
  )
}

function internal(): Refusal {
  return new Refusal('internal', 'Something went wrong on our side. Nothing was changed.')
}

// The errors of Fastify, which rejects a request before its call runs.
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
}

// Two calls took the same name at the same moment, and a constraint of the database refused the second.
const TAKEN: Record<string, () => Refusal> = {
  account_name_key: () => refuseField('name_taken', 'login', 'This login is taken.'),
  client_name_key: () => refuseField('name_taken', 'login', 'This login is taken.'),
  client_mac_key: () => refuseField('mac_taken', 'stb_mac', 'This MAC address is taken.'),
}

/** Whether the database is unreachable, shutting down, full or too slow. */
function isOutage(code: string): boolean {
  return /^(08|53|57P|58)|^(55P03|57014|40P01|40001|40003|25006)$/.test(code) || OUTAGES.has(code)
}

const OUTAGES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOENT',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'CONNECTION_CLOSED',
  'CONNECTION_ENDED',
  'CONNECTION_DESTROYED',
  'CONNECT_TIMEOUT',
])

function malformed(): Refusal {
  return new Refusal('invalid_input', 'The body is not valid JSON.')
}

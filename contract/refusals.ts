/** The codes of refusals and their HTTP statuses. A 4xx is a decision about the call, a 5xx a fault of the server. */
export const REFUSALS = {
  invalid_input: 400,
  insufficient_credits: 400,
  name_taken: 400,
  mac_taken: 400,
  trials_used_up: 400,
  mac_had_trial: 400,
  client_expired: 400,
  client_not_expired: 400,
  account_suspended: 400,
  not_retrievable: 400,
  already_asked: 400,
  not_empty: 400,
  wrong_password: 400,
  captcha_failed: 400,
  no_session: 401,
  wrong_login: 401,
  wrong_role: 403,
  suspended: 403,
  not_found: 404,
  changed_since: 409,
  key_reused: 409,
  too_large: 413,
  unsupported_media: 415,
  too_many_tries: 429,
  internal: 500,
  unavailable: 503,
  disk_full: 503,
} as const

export type RefusalCode = keyof typeof REFUSALS

/** The body of a refusal. `errors` has a sentence for each field at fault. */
export type RefusalBody = {
  status: 'ERROR'
  code: RefusalCode
  message: string
  errors?: Record<string, string>
  /** In a 429 of the login: a harder captcha challenge for this login name, whose solution allows the next try. */
  challenge?: unknown
  /** In a 409 of a move of clients: those of its names that the dealer no longer has. */
  missing?: readonly string[]
  /** True where this try changed nothing, whatever became of an earlier one under its Idempotency-Key. */
  unchanged?: true
  /** The id of the request, which stands in every line that the log has of it. */
  request_id: string
}

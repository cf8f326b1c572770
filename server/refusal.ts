import { REFUSALS, type RefusalBody, type RefusalCode } from '../contract/refusals.ts'

/** A decision not to carry out a call. Thrown anywhere, it rolls the transaction back and becomes the answer. */
export class Refusal extends Error {
  readonly code: RefusalCode
  readonly errors: Record<string, string> | undefined
  /** Seconds after which it makes sense to try again. */
  readonly retryAfter: number | undefined
  /** A captcha challenge whose solution allows another try before then. */
  readonly challenge: unknown
  /** Those of the names of a call that are there no more. */
  readonly missing: readonly string[] | undefined
  /** Whether it is certain that this try changed nothing, where the code alone does not say so. */
  readonly unchanged: boolean

  /**
   * `message` is a sentence for the person at the screen; `errors` repeats it at the fields that it concerns. `cause`
   * is the error that it stands for, which only the log is told.
   */
  constructor(
    code: RefusalCode,
    message: string,
    more: {
      errors?: Record<string, string>
      retryAfter?: number
      challenge?: unknown
      missing?: readonly string[]
      unchanged?: true
      cause?: unknown
    } = {},
  ) {
    super(message, { cause: more.cause })
    this.code = code
    this.errors = more.errors
    this.retryAfter = more.retryAfter
    this.challenge = more.challenge
    this.missing = more.missing
    this.unchanged = more.unchanged ?? false
  }

  get httpStatus(): number {
    return REFUSALS[this.code]
  }

  /** Returns the body of the answer. The id is that of the request, by which the log is searched. */
  bodyOf(requestId: string): RefusalBody {
    return {
      status: 'ERROR',
      code: this.code,
      message: this.message,
      ...(this.errors && { errors: this.errors }),
      ...(this.challenge !== undefined && { challenge: this.challenge }),
      ...(this.missing && { missing: this.missing }),
      ...(this.unchanged && { unchanged: true }),
      request_id: requestId,
    }
  }
}

export function isRefusalCode(code: string): code is RefusalCode {
  return Object.hasOwn(REFUSALS, code)
}

/**
 * Returns the refusal for what does not exist and for what is somebody else's alike, so that a stranger cannot tell one
 * from the other.
 */
export function notFound(): Refusal {
  return new Refusal('not_found', 'There is nothing of this name here.')
}

/** Returns a refusal that the console shows at a field. */
export function fieldRefusal(code: RefusalCode, field: string, message: string, cause?: unknown): Refusal {
  return new Refusal(code, message, { errors: { [field]: message }, cause })
}

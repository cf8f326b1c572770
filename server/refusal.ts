import { REFUSALS, type RefusalBody, type RefusalCode } from '../contract/refusals.ts'

/** The one expected error: a decision against what was asked. Thrown anywhere, it rolls back and becomes the answer. */
export class Refusal extends Error {
  readonly code: RefusalCode
  readonly errors: Record<string, string> | undefined
  /** Seconds after which it makes sense to try again. */
  readonly retryAfter: number | undefined
  /** What can be solved to be let in before. */
  readonly challenge: unknown

  /** `message` is a sentence for the person at the screen; `errors` repeats it at the fields that it concerns. */
  constructor(
    code: RefusalCode,
    message: string,
    more: { errors?: Record<string, string>; retryAfter?: number; challenge?: unknown } = {},
  ) {
    super(message)
    this.code = code
    this.errors = more.errors
    this.retryAfter = more.retryAfter
    this.challenge = more.challenge
  }

  get httpStatus(): number {
    return REFUSALS[this.code]
  }

  get body(): RefusalBody {
    return {
      status: 'ERROR',
      code: this.code,
      message: this.message,
      ...(this.errors && { errors: this.errors }),
      ...(this.challenge !== undefined && { challenge: this.challenge }),
    }
  }
}

/** Not there or not yours: byte for byte the same, so that nothing is learned from it. */
export function notFound(): Refusal {
  return new Refusal('not_found', 'There is nothing of this name here.')
}

/** A refusal that one field is the reason of. */
export function refuseField(code: RefusalCode, field: string, message: string): Refusal {
  return new Refusal(code, message, { errors: { [field]: message } })
}

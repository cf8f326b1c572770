import * as z from 'zod/mini'
import { creditsFrom, MOST_CREDITS } from './credits.ts'
import { secret } from './secret.ts'
import { LEGIBLE_PASSWORD, LOGIN_CHARACTERS, oneLine, tidy, trimmed } from './text.ts'

export const AccountName = z
  .string()
  .check(
    z.overwrite(trimmed),
    z.minLength(3, 'Login should be between 3 and 32 characters'),
    z.maxLength(32, 'Login should be between 3 and 32 characters'),
    LOGIN_CHARACTERS,
  )

export const AccountPassword = secret(
  z
    .string()
    .check(
      z.minLength(8, 'Password should be between 8 and 128 characters'),
      z.maxLength(128, 'Password should be between 8 and 128 characters'),
      ...LEGIBLE_PASSWORD,
    ),
)

export const AccountDescription = z
  .string()
  .check(
    z.overwrite(tidy),
    z.maxLength(100, 'Description cannot exceed 100 characters'),
    oneLine('Description may not have control characters'),
  )

/** A whole number of credits, 0 for a change of the description alone. */
export const CreditAmount = z
  .int(creditsFrom(0))
  .check(z.minimum(0, creditsFrom(0)), z.maximum(MOST_CREDITS, creditsFrom(0)))

import * as z from 'zod/mini'

/** Checks that a new password was typed the same way twice. */
export const passwordsMatch = z.refine<{ password: string; again: string }>(
  ({ password, again }) => password === again,
  { path: ['again'], error: 'Passwords do not match' },
)

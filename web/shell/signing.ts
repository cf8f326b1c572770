import * as z from 'zod'
import { calls, type InputOf } from '../../contract/calls.ts'
import { send } from '../api.ts'
import type { SubmitError } from '../parts/Form.tsx'

/** What the login page and the dialog that signs in again share. */
export const askCaptcha = () => send(calls.session.captcha, {})

/** The button waits for the captcha alone: a browser fills in names and passwords without saying so. */
export const captchaSolved = z.object({
  login_username: z.string(),
  login_password: z.string(),
  g_recaptcha_response: z.string(),
})

export type Credentials = InputOf<typeof calls.session.login>

export const emptyCredentials: Partial<Credentials> = { login_username: '', login_password: '' }

/** What is still to be typed, said at its field. */
export function faultsOf(credentials: Credentials): SubmitError | null {
  const { error } = calls.session.login.input.safeParse(credentials)
  if (!error) return null
  const fields = Object.fromEntries(error.issues.map((issue) => [issue.path.join('.'), issue.message]))
  return { message: '', fields }
}

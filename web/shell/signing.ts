import { useState } from 'react'
import * as z from 'zod/mini'
import { calls, type InputOf, type OutputOf } from '../../contract/calls.ts'
import { ApiError, send } from '../api.ts'
import type { SubmitError } from '../parts/form/Form.tsx'

// What the login page and the dialog that signs in again share.

export type Credentials = InputOf<typeof calls.session.login>

/** Asks for a session. Nothing is sent before everything is typed. */
export function useSigning(onDone: (answer: OutputOf<typeof calls.session.login>) => void) {
  const [loading, setLoading] = useState(false)
  const [refused, setRefused] = useState<SubmitError | null>(null)
  const [round, setRound] = useState(0)
  const sign = async (credentials: Credentials) => {
    const faults = faultsOf(credentials)
    setRefused(faults)
    if (faults) return
    setLoading(true)
    try {
      onDone(await send(calls.session.login, credentials))
    } catch (error) {
      setRefused({ message: error instanceof ApiError ? error.message : 'An unknown error occurred' })
      // An answer to the captcha is good once, whatever else was wrong.
      setRound((before) => before + 1)
    }
    setLoading(false)
  }
  return { sign, loading, refused, round }
}

export const askCaptcha = () => send(calls.session.captcha, {})

/** The button waits for the captcha alone: a browser fills in names and passwords without saying so. */
export const captchaSolved = z.object({
  login_username: z.string(),
  login_password: z.string(),
  g_recaptcha_response: z.string(),
})

/** What is still to be typed, said at its field. */
function faultsOf(credentials: Credentials): SubmitError | null {
  const { error } = calls.session.login.input.safeParse(credentials)
  if (!error) return null
  const fields = Object.fromEntries(error.issues.map((issue) => [issue.path.join('.'), issue.message]))
  return { message: '', fields }
}

import { useEffect, useRef, useState } from 'react'
import * as z from 'zod/mini'
import { calls, type InputOf, type OutputOf } from '../../contract/calls.ts'
import { ApiError, send } from '../calls/api.ts'
import { solve } from '../parts/captcha/solving.ts'
import type { SubmitError } from '../parts/form/Form.tsx'
import { endOnServer, NotStored } from '../session.tsx'

type SignInInput = InputOf<typeof calls.session.login>

/** Signs in, unless its form is gone before the answer. It sends nothing until every field is filled in. */
export function useSigning(onDone: (answer: OutputOf<typeof calls.session.login>) => void) {
  const [loading, setLoading] = useState(false)
  const [refused, setRefused] = useState<SubmitError | null>(null)
  const [round, setRound] = useState(0)
  const { work, begin, stop } = useWork()
  const isGone = useRef(false)
  useEffect(
    () => () => {
      isGone.current = true
    },
    [],
  )
  const sign = async (credentials: SignInInput) => {
    const empty = emptyFields(credentials)
    setRefused(empty)
    if (empty) return
    setLoading(true)
    try {
      const solve = async (challenge: unknown) => (isGone.current ? null : begin(challenge))
      const answer = await sendSolving(credentials, solve)
      // By then somebody else may have signed in here, or the person have put it off and signed out.
      if (answer && isGone.current) endOnServer(answer.token)
      else if (answer) onDone(answer)
    } catch (error) {
      const isTold = error instanceof ApiError || error instanceof NotStored
      setRefused({ message: isTold ? error.message : 'An unknown error occurred' })
      // A captcha solution is valid once, even when the password was wrong.
      setRound((before) => before + 1)
    }
    setLoading(false)
  }
  return { sign, loading, refused, round, work, stop }
}

/** Signs in, solving a longer challenge first if the server demands one. Returns null if the person stops it. */
async function sendSolving(
  credentials: SignInInput,
  solveLonger: (challenge: unknown) => Promise<string | null>,
): Promise<OutputOf<typeof calls.session.login> | null> {
  try {
    return await send(calls.session.login, credentials)
  } catch (error) {
    if (!(error instanceof ApiError) || error.challenge === undefined) throw error
    const solution = await solveLonger(error.challenge)
    return solution === null
      ? null
      : sendSolving({ ...credentials, g_recaptcha_response: solution }, solveLonger)
  }
}

/** Solves longer challenges and reports the progress. Unmounting aborts it. */
function useWork() {
  const [work, setWork] = useState<{ seconds: number; done: number } | null>(null)
  const controller = useRef<AbortController | null>(null)
  const stop = () => controller.current?.abort()
  useEffect(() => () => controller.current?.abort(), [])
  const begin = async (challenge: unknown) => {
    const { seconds, tries } = LongerChallenge.parse(challenge).parameters.data
    const working = new AbortController()
    controller.current = working
    setWork({ seconds, done: 0 })
    let made = 0
    try {
      return await solve(challenge, working, (more) => {
        made += more
        setWork({ seconds, done: Math.min(1, made / tries) })
      })
    } finally {
      setWork(null)
    }
  }
  return { work, begin, stop }
}

const LongerChallenge = z.object({
  parameters: z.object({ data: z.object({ seconds: z.number(), tries: z.number() }) }),
})

/** The button waits for the captcha alone, since a browser may fill in username and password without an event. */
export const captchaSolved = z.object({
  login_username: z.string(),
  login_password: z.string(),
  g_recaptcha_response: z.string(),
})

/** Returns the messages of the fields that are still empty. */
function emptyFields(credentials: SignInInput): SubmitError | null {
  const { error } = calls.session.login.input.safeParse(credentials)
  if (!error) return null
  const fields = Object.fromEntries(error.issues.map((issue) => [issue.path.join('.'), issue.message]))
  return { message: '', fields }
}

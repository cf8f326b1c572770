import { type UseQueryResult, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useMemo, useRef, useState } from 'react'
import { useNavigate } from 'react-router'
import type { Call } from '../contract/call.ts'
import { calls, type InputOf, type OutputOf } from '../contract/calls.ts'
import { type ApiError, connection, send } from './api.ts'
import { clientForm, keepDraft } from './drafts.ts'
import { failureOf, type Words, wordsOf } from './notices.ts'
import type { SubmitError } from './parts/form/Form.tsx'
import { useNotice } from './parts/notices/Notices.tsx'
import { useSession } from './session.tsx'
import { submitOnce, takeInterrupted } from './submits.ts'

/** Loads what a call answers. `enabled: false` waits; `keep` shows the last answer until the next one has come. */
export function useCall<C extends Call>(
  call: C,
  input: InputOf<C>,
  { enabled = true, keep = false }: { enabled?: boolean; keep?: boolean } = {},
): UseQueryResult<OutputOf<C>, ApiError> {
  return useQuery<OutputOf<C>, ApiError>({
    queryKey: keyOf(call, input),
    queryFn: ({ signal }) => send(call, input, { signal }),
    enabled,
    ...(keep && { placeholderData: (last: OutputOf<C> | undefined) => last as never }),
  })
}

/** The caller's balance: a number, undefined while it loads, null for the admin, who has no limit. */
export function useCredits(): number | null | undefined {
  return useBalance().credits
}

/** The same, and whether it is still on its way: undefined after that, it could not be loaded. */
export function useBalance(): { credits: number | null | undefined; loading: boolean } {
  const { role } = useSession()
  const call = role === 'admin' ? calls.credits.dealer : calls.credits[role]
  const { data, isLoading } = useCall(call, {}, { enabled: role !== 'admin' })
  return { credits: role === 'admin' ? null : data?.credits, loading: isLoading }
}

interface Afterwards<C extends Call> {
  onDone?: (output: OutputOf<C>, input: InputOf<C>) => void
  /** Where to go after a success, and after how many milliseconds. */
  goTo?: { path: string; after: number }
  /** What it changed, to be loaded anew; everything on view if unsaid. */
  changes?: readonly Call[]
  /** What is told of it here, where that is not what is told of the call everywhere else. */
  words?: Words<NoInfer<C>>
}

export interface Submit<C extends Call> {
  submit: (input: InputOf<C>) => void
  /** It runs; also while it waits to go on to the next page. */
  loading: boolean
  /** Why it was refused, as a form takes it. */
  submitError: SubmitError | null
  /** Somebody else changed it first: what is on the screen has to be loaded anew. */
  outdated: boolean
  /** Forgets the refusal. */
  reset: () => void
  /** How often it has been done; a form that stays starts anew by it. */
  done: number
}

/** Makes a call that changes something: once, with its notice, and with what it changed loaded anew. */
export function useSubmit<C extends Call>(call: C, afterwards: Afterwards<C> = {}): Submit<C> {
  const { name } = useSession()
  const client = useQueryClient()
  const notice = useNotice()
  const { leave, leaving } = useLeave()
  const words = afterwards.words ?? wordsOf(call)
  const last = useRef({ busy: false, at: Number.NEGATIVE_INFINITY, text: '' })
  const [done, setDone] = useState(0)
  const { mutate, isPending, error, reset } = useMutation<OutputOf<C>, ApiError, InputOf<C>>({
    mutationFn: (input) => submitOnce(call, input, name),
    onSuccess: (output, input) => {
      if (words?.success) notice.success(words.success(input, output))
      for (const queryKey of afterwards.changes?.map(({ name }) => [name]) ?? [[]]) {
        client.invalidateQueries({ queryKey })
      }
      setDone((times) => times + 1)
      afterwards.onDone?.(output, input)
      if (afterwards.goTo) leave(afterwards.goTo)
    },
    onError: (failure) => {
      last.current.at = Number.NEGATIVE_INFINITY
      // The balance on view was not the one that is there.
      if (failure.code === 'insufficient_credits') client.invalidateQueries()
      // The login page says by itself that the session has ended.
      if (words && failure.code !== 'no_session') notice.error(...failureOf(words, failure))
    },
    onSettled: () => {
      last.current.busy = false
    },
  })
  const submit = (input: InputOf<C>) => {
    // The second click of a double click may come before the button is seen to be disabled, or after the answer. What
    // was refused or corrected in between is tried again.
    const { busy, at, text } = last.current
    const next = JSON.stringify(input)
    if (busy || (next === text && performance.now() - at < DOUBLE_CLICK)) return
    last.current = { busy: true, at: performance.now(), text: next }
    mutate(input)
  }
  // What the notice has told stands at the fields that it concerns, and nowhere a third time. The same refusal is the
  // same object, so that a form says it once.
  const isTold = words !== undefined
  const submitError = useMemo(
    () => error && { message: isTold ? '' : error.message, fields: error.errors },
    [error, isTold],
  )
  const outdated = error?.code === 'changed_since'
  return { submit, loading: isPending || leaving.current, submitError, outdated, reset, done }
}

/** Two clicks on the same input, as near as this, are one, in milliseconds. */
const DOUBLE_CLICK = 600

/** Loads everything on view anew once a lost connection has come back. */
export function useReturn(): void {
  const client = useQueryClient()
  useEffect(
    () =>
      connection.subscribe(() => {
        if (!connection.isLost()) client.invalidateQueries()
      }),
    [client],
  )
}

/** Finishes what a reload interrupted, under the same keys, and says what came of it. */
export function useInterrupted(): void {
  const { name } = useSession()
  const client = useQueryClient()
  const notice = useNotice()
  useEffect(() => {
    for (const { call, input } of takeInterrupted(name)) {
      const words = wordsOf(call)
      if (input === undefined) notice.warning('A change was interrupted. Please look whether it was made.')
      else {
        submitOnce(call, input, name)
          .then((output) => {
            if (words?.success) notice.success(words.success(input, output))
            const { login } = input as { login?: string }
            if (call === calls.clients.save && login) keepDraft(name, clientForm(login), null)
            return client.invalidateQueries()
          })
          .catch((failure) => words && notice.error(...failureOf(words, failure)))
      }
    }
  }, [name, client, notice])
}

function keyOf(call: Call, input: unknown): readonly unknown[] {
  return [call.name, input]
}

/** Goes to another page after a while, unless its person has gone elsewhere by then. */
function useLeave() {
  const navigate = useNavigate()
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const leaving = useRef(false)
  useEffect(() => () => clearTimeout(timer.current), [])
  const leave = ({ path, after }: { path: string; after: number }) => {
    leaving.current = true
    timer.current = setTimeout(() => navigate(path), after)
  }
  return { leave, leaving }
}

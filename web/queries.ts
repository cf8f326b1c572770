import { type UseQueryResult, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useId, useMemo, useRef, useState } from 'react'
import { useNavigate } from 'react-router'
import type { Call } from '../contract/call.ts'
import { calls, type InputOf, type OutputOf } from '../contract/calls.ts'
import { type ApiError, connection, leavesOpen, send } from './api.ts'
import { loadAgain } from './cache.ts'
import { CREDIT_REQUEST, clientForm, draftWasSent, MESSAGE } from './drafts.ts'
import { atForm, failureOf, type Words, wordsOf } from './notices.ts'
import { isTextUnsent, whenUndisturbed } from './parts/focus.ts'
import type { SubmitError } from './parts/form/Form.tsx'
import { useNotice } from './parts/notices/Notices.tsx'
import { mark } from './parts/table/marks.ts'
import { useHasLeft } from './parts/useHasLeft.ts'
import { useSession } from './session.tsx'
import { type Once, submitOnce, takeUnanswered } from './submits.ts'
import { lastVisit } from './visits.ts'

/**
 * Loads a call. `enabled: false` does not load it yet; `keep` shows the previous data while the next is loading;
 * `every` loads it again after so many milliseconds, perhaps by what was answered; `anew` shows nothing that is left from
 * before.
 */
export function useCall<C extends Call>(
  call: C,
  input: InputOf<C>,
  {
    enabled = true,
    keep = false,
    every,
    anew = false,
  }: {
    enabled?: boolean
    keep?: boolean
    every?: number | undefined | ((data: OutputOf<C> | undefined) => number | undefined)
    anew?: boolean
  } = {},
): UseQueryResult<OutputOf<C>, ApiError> {
  return useQuery<OutputOf<C>, ApiError>({
    queryKey: keyOf(call, input),
    queryFn: ({ signal }) => send(call, input, { signal }),
    enabled,
    ...(typeof every === 'number' && { refetchInterval: every }),
    ...(typeof every === 'function' && { refetchInterval: ({ state }) => every(state.data) ?? false }),
    ...(anew && { gcTime: 0 }),
    ...(keep && { placeholderData: (last: OutputOf<C> | undefined) => last as never }),
  })
}

/** Returns the caller's balance with its loading state. `every` asks for it again, in milliseconds. */
export function useBalance({ every }: { every?: number | undefined } = {}): {
  /** Null for the admin, who has no limit; undefined while it is loading, and where it could not be loaded. */
  credits: number | null | undefined
  /** Whether it is below the threshold. */
  low: boolean
  lowBelow: number | null | undefined
  loading: boolean
  error: ApiError | null
  refetch: () => void
} {
  const { role } = useSession()
  const call = role === 'admin' ? calls.credits.dealer : calls.credits[role]
  const { data, isLoading, error, refetch } = useCall(call, {}, { enabled: role !== 'admin', every })
  const credits = role === 'admin' ? null : data?.credits
  const { low = false, low_below: lowBelow } = data ?? {}
  return { credits, low, lowBelow, loading: isLoading, error, refetch }
}

/** How often what is too dear is asked for again, in milliseconds: the parent may be on the telephone. */
export const WHILE_SHORT = 5_000

interface GoTo {
  path: string
  after: number
  anew?: boolean
}

interface Afterwards<C extends Call> {
  onDone?: (output: OutputOf<C>, input: InputOf<C>) => void
  /** Called where somebody else changed the same thing first: what was asked here can never be done. */
  onOutdated?: () => void
  /** The page to open after a success, and the delay in milliseconds; `anew` opens a list as at first, not as it was left. */
  goTo?: GoTo
  /** The calls whose data the change made stale; all data on the page by default. */
  changes?: readonly Call[]
  /** The notices of this place, where they differ from those of the call. */
  words?: Words<NoInfer<C>>
}

export interface Submit<C extends Call> {
  submit: (input: InputOf<C>) => void
  /** True while the call runs, and until the next page opens. */
  loading: boolean
  /** The refusal, in the shape that a form takes. */
  submitError: SubmitError | null
  /** True when somebody else changed the same thing first, so that it has to be loaded again. */
  outdated: boolean
  /** True when nobody knows whether the call was carried out: the same input may be sent again, and is done once. */
  unanswered: boolean
  /** Stops the call, for one that may take minutes. Nobody knows then whether it was carried out. */
  stop: () => void
  reset: () => void
  /** The number of successes; a form that stays open resets on each. */
  done: number
}

/** Makes a call that changes something: once, with its notice, and then loads again what the call changed. */
export function useSubmit<C extends Call>(call: C, afterwards: Afterwards<C> = {}): Submit<C> {
  const { name } = useSession()
  const client = useQueryClient()
  const notice = useNotice()
  const { leave, leaving } = useDelayedNavigation()
  const words = afterwards.words ?? wordsOf(call)
  const last = useRef({ at: Number.NEGATIVE_INFINITY, text: '', unanswered: false })
  const underWay = useRef(new Set<string>())
  const stopper = useRef<AbortController>(null)
  const [done, setDone] = useState(0)
  const { mutate, isPending, error, reset } = useMutation<Once<C>, ApiError, InputOf<C>>({
    // One after the other, so that of two changes of one thing the later one stays.
    scope: { id: useId() },
    mutationFn: (input) => {
      const again = last.current.unanswered && last.current.text === JSON.stringify(input)
      stopper.current = new AbortController()
      return submitOnce(call, input, name, { again, signal: stopper.current.signal })
    },
    onSuccess: ({ output, isRepeat }, input) => {
      last.current.at = performance.now()
      // A repeat may have been meant as a second change: the notice then says that it was made once.
      const once = isRepeat ? DONE_ONCE : undefined
      if (words) notice.settle(words.failure)
      if (words?.success) notice.success(words.success(input, output), once)
      for (const queryKey of afterwards.changes?.map(({ name }) => [name]) ?? [[]])
        loadAgain(client, queryKey)
      mark(namedIn(input as Record<string, unknown>))
      setDone((times) => times + 1)
      afterwards.onDone?.(output, input)
      if (afterwards.goTo) leave(afterwards.goTo)
    },
    onError: (failure, input) => {
      if (last.current.text === JSON.stringify(input)) {
        last.current.at = Number.NEGATIVE_INFINITY
        last.current.unanswered = leavesOpen(failure)
      }
      if (STALE.has(failure.code) || stopper.current?.signal.aborted) loadAgain(client)
      if (failure.code === 'changed_since') afterwards.onOutdated?.()
      // The login page itself says that the session has ended.
      if (words && failure.code !== 'no_session') notice.error(...failureOf(words, failure))
    },
    onSettled: (_output, _failure, input) => {
      underWay.current.delete(JSON.stringify(input))
    },
  })
  const submit = (input: InputOf<C>) => {
    // The second click of a double click may arrive before the disabled button is rendered, or after the answer. An
    // input that was refused or has been edited since is sent again.
    const { at, text, unanswered } = last.current
    const next = JSON.stringify(input)
    const isSame = next === text
    if (underWay.current.has(next) || (isSame && performance.now() - at < DOUBLE_CLICK)) return
    last.current = { at: performance.now(), text: next, unanswered: isSame && unanswered }
    underWay.current.add(next)
    mutate(input)
  }
  // Memoised, so that a form shows each refusal once.
  const submitError = useMemo(() => error && atForm(words, error), [words, error])
  const outdated = error?.code === 'changed_since'
  const unanswered = error !== null && leavesOpen(error)
  const stop = () => stopper.current?.abort()
  const loading = isPending || leaving
  return { submit, loading, submitError, outdated, unanswered, stop, reset, done }
}

const DONE_ONCE = 'It was sent again, and done once.'

/** The refusals that show that what is on the page is stale: a balance, an expiry, or something that is gone. */
const STALE: ReadonlySet<ApiError['code']> = new Set<ApiError['code']>([
  'insufficient_credits',
  'changed_since',
  'not_found',
  'client_expired',
  'client_not_expired',
  'not_retrievable',
  'not_empty',
  'already_asked',
  'trials_used_up',
  'mac_had_trial',
])

/** Returns the names of the accounts or clients that a change concerns. */
function namedIn({ name, login, clients = [] }: Record<string, unknown>): string[] {
  return [name, login, ...(clients as unknown[])].filter((one) => typeof one === 'string')
}

/** The same input counts as one submit for so many milliseconds after it was sent, and after its success. */
const DOUBLE_CLICK = 600

/** Loads all data on the page again once a lost connection is back. */
export function useReloadOnReconnect(): void {
  const client = useQueryClient()
  useEffect(
    () =>
      connection.subscribe(() => {
        if (!connection.isLost()) loadAgain(client)
      }),
    [client],
  )
}

/** Sends the submits that a reload interrupted again, with the same idempotency keys, and shows their notices. */
export function useUnansweredSubmits(): void {
  const { name } = useSession()
  const client = useQueryClient()
  const notice = useNotice()
  useEffect(() => {
    for (const { call, input } of takeUnanswered(name)) {
      const words = wordsOf(call)
      if (input === undefined) notice.warning('A change was interrupted. Please look whether it was made.')
      else {
        submitOnce(call, input, name)
          .then(({ output }) => {
            if (words) notice.settle(words.failure)
            if (words?.success) notice.success(words.success(input, output))
            mark(namedIn(input as Record<string, unknown>))
            const form = formOf(call, input)
            if (form) draftWasSent(name, form)
            loadAgain(client)
          })
          .catch((failure) => words && notice.error(...failureOf(words, failure)))
      }
    }
  }, [name, client, notice])
}

/** Returns the form whose draft a call has sent. */
function formOf(call: Call, input: unknown): string | undefined {
  if (call === calls.requests.ask) return CREDIT_REQUEST
  if (call === calls.admin.setMessage) return MESSAGE
  const { login } = input as { login?: string }
  return call === calls.clients.save && login ? clientForm(login) : undefined
}

/** Returns the key under which what a call answers to an input is kept. */
export function keyOf(call: Call, input: unknown): readonly unknown[] {
  return [call.name, input]
}

/**
 * Opens another page after a delay, as it was left, unless the person has left this one before, even if they came back, or
 * has typed into another form of this one.
 */
function useDelayedNavigation() {
  const navigate = useNavigate()
  const hasLeft = useHasLeft()
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const stopWaiting = useRef(() => {})
  const [leaving, setLeaving] = useState(false)
  const gone = useRef(false)
  useEffect(() => {
    gone.current = false
    return () => {
      gone.current = true
      clearTimeout(timer.current)
      stopWaiting.current()
    }
  }, [])
  const leave = ({ path, after, anew }: GoTo) => {
    // The answer to what was sent from here may come after the person has gone.
    if (gone.current) return
    setLeaving(true)
    const { search = '', y = 0 } = (!anew && lastVisit(path)) || {}
    timer.current = setTimeout(() => {
      // What the person opened meanwhile is not closed under their hands.
      stopWaiting.current = whenUndisturbed(() => {
        if (isTextUnsent()) setLeaving(false)
        else if (!hasLeft()) navigate(path + search, { state: { y } })
      })
    }, after)
  }
  return { leave, leaving }
}

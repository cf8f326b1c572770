import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useCallback, useId, useMemo, useRef, useState } from 'react'
import type { Call } from '../../contract/call.ts'
import type { InputOf, OutputOf } from '../../contract/calls.ts'
import type { SubmitError } from '../parts/form/Form.tsx'
import { useNotice } from '../parts/notices/Notices.tsx'
import { mark } from '../parts/table/marks.ts'
import { useSession } from '../session.tsx'
import { type GoTo, useDelayedNavigation } from '../useDelayedNavigation.ts'
import { type ApiError, leavesOpen, mayBeDone } from './api.ts'
import { loadAgain } from './cache.ts'
import { namedIn } from './named.ts'
import { atForm, type CallNotices, noticesOf, tellFailure, tellSuccess } from './notices.ts'
import { type Once, submitOnce } from './submits.ts'
import { useClickGuard } from './useClickGuard.ts'

interface Afterwards<C extends Call> {
  onDone?: (output: OutputOf<C>, input: InputOf<C>) => void
  /** Called where the same thing was changed or removed first, or time has: what was asked can never be done. */
  onOutdated?: () => void
  /**
   * What a submit is about, where a button says the opposite after a success: the second click of a double click then
   * comes with another input, and is none all the same. The whole input by default.
   */
  about?: (input: InputOf<C>) => unknown
  /** The page to open after a success. */
  goTo?: GoTo
  /** The calls whose data the change made stale; all data on the page by default. */
  changes?: readonly Call[]
  /** The notices of this place, where they differ from those of the call. */
  notices?: CallNotices<NoInfer<C>>
}

export interface Submit<C extends Call> {
  submit: (input: InputOf<C>) => void
  /** True while the call runs, and until the next page opens. */
  loading: boolean
  /** The refusal, in the shape that a form takes. */
  submitError: SubmitError | null
  /** What the refusal is about; undefined where there is none. */
  refused: ApiError['code'] | undefined
  /** True when somebody else changed the same thing first, so that it has to be loaded again. */
  outdated: boolean
  /** True when nobody knows whether the call was carried out: the same input may be sent again, and is done once. */
  unanswered: boolean
  /** Stops the call, for one that may take minutes. Nobody knows then whether it was carried out. */
  stop: () => void
  /** Forgets the refusal. Where nobody knows whether the call was carried out, it loads again what is on the page. */
  reset: () => void
  /** The number of successes; a form that stays open resets on each. */
  done: number
}

/** Makes a call that changes something: once, with its notice, and then loads again what the call changed. */
export function useSubmit<C extends Call>(call: C, afterwards: Afterwards<C> = {}): Submit<C> {
  const { name } = useSession()
  const cache = useQueryClient()
  const notice = useNotice()
  const { leave, leaving } = useDelayedNavigation()
  const notices = afterwards.notices ?? noticesOf(call)
  const clicks = useClickGuard()
  const toCompare = (input: InputOf<C>) => JSON.stringify(afterwards.about?.(input) ?? input)
  const stopper = useRef<AbortController>(null)
  const [done, setDone] = useState(0)
  const {
    mutate,
    isPending,
    error,
    reset: forget,
  } = useMutation<Once<C>, ApiError, InputOf<C>>({
    // One after the other, so that of two changes of one thing the later one stays.
    scope: { id: useId() },
    mutationFn: (input) => {
      const again = clicks.isOpen(toCompare(input))
      stopper.current = new AbortController()
      return submitOnce(call, input, name, { again, signal: stopper.current.signal })
    },
    onSuccess: ({ output, isRepeat }, input) => {
      clicks.end(toCompare(input), 'done')
      // A repeat may have been meant as a second change: the notice then says that it was made once.
      tellSuccess(notice, notices, { input, output }, isRepeat ? DONE_ONCE : undefined)
      loadAgain(cache, afterwards.changes)
      markNamed(input as object)
      setDone((times) => times + 1)
      afterwards.onDone?.(output, input)
      if (afterwards.goTo) leave(afterwards.goTo)
    },
    onError: (failure, input) => {
      clicks.end(toCompare(input), leavesOpen(failure) ? 'open' : 'refused')
      if (STALE.has(failure.code) || stopper.current?.signal.aborted) loadAgain(cache)
      if (OUTDATED.has(failure.code)) afterwards.onOutdated?.()
      tellFailure(notice, notices, failure)
    },
  })
  const submit = (input: InputOf<C>) => {
    if (clicks.begin(toCompare(input))) mutate(input)
  }
  // Memoised, so that a form shows each refusal once.
  const submitError = useMemo(() => error && atForm(notices, error), [notices, error])
  const refused = error?.code
  const outdated = refused === 'changed_since'
  const unanswered = error !== null && mayBeDone(error)
  const isOpen = useRef(unanswered)
  isOpen.current = unanswered
  const reset = useCallback(() => {
    if (isOpen.current) loadAgain(cache)
    forget()
  }, [cache, forget])
  const stop = () => stopper.current?.abort()
  const loading = isPending || leaving
  return { submit, loading, submitError, refused, outdated, unanswered, stop, reset, done }
}

const DONE_ONCE = 'It was sent again, and done once.'

/** The refusals after which the same input would be refused again, whatever comes. */
const OUTDATED: ReadonlySet<ApiError['code']> = new Set<ApiError['code']>([
  'changed_since',
  'not_found',
  'client_expired',
  'client_not_expired',
  'not_retrievable',
])

/** Those, and others that show that what is on the page is stale, such as a balance. */
const STALE: ReadonlySet<ApiError['code']> = new Set<ApiError['code']>([
  ...OUTDATED,
  'insufficient_credits',
  'account_suspended',
  'not_empty',
  'already_asked',
  'trials_used_up',
  'mac_had_trial',
])

/** Marks the rows of the accounts or clients that a change named. */
export function markNamed(input: object): void {
  const { name, login, clients = [] } = namedIn(input)
  mark([name, login, ...clients].filter((one) => one !== undefined))
}

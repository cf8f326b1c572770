import { useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import type { Call } from '../../contract/call.ts'
import { counted } from '../../contract/quantities.ts'
import type { Sending } from '../parts/form/Form.tsx'
import { useNotice } from '../parts/notices/Notices.tsx'
import { number } from '../parts/number.ts'
import { Progress } from '../parts/Progress.tsx'
import { ApiError, mayBeDone } from './api.ts'
import { loadAgain } from './cache.ts'
import { failureOf, noticesOf } from './notices.ts'

interface Running {
  done: number
  all: number
  /** True once the person has asked to stop after the batch that is under way. */
  isStopped: boolean
}

interface BatchWork {
  all: number
  /** Does the next batch, whole or not at all. Returns how many it did and how many are left. */
  next: (done: number) => Promise<{ did: number; left: number }>
  /** Says that all are done. */
  success: (done: number) => string
}

interface Batches {
  /**
   * Does the work. Where nobody knows whether a batch was done, it returns how many were before it, and loads nothing
   * again: what the batch was must stay, so that it can be sent again. Else it returns null.
   */
  run: (work: BatchWork) => Promise<number | null>
  /** What the form that begins the work is told of it. */
  form: { sending: Sending; onStop: () => void; stopping: boolean }
  /** Shows how far the work is; null while nothing is under way. */
  progress: ReactNode
}

/**
 * Makes a call for clients again and again, for work that is longer than one call may be, and can stop between two
 * batches.
 * @param did what was done to the clients, such as 'moved'
 * @param onDone is called after the last batch, and where it was stopped
 */
export function useBatches(call: Call, did: string, onDone: () => void): Batches {
  const cache = useQueryClient()
  const notice = useNotice()
  const notices = noticesOf(call)
  const [running, setRunning] = useState<Running | null>(null)
  const isStopped = useRef(false)
  const stop = () => {
    isStopped.current = true
    setRunning((now) => now && { ...now, isStopped: true })
  }
  // Whoever leaves the page has left the button that stops too.
  useEffect(
    () => () => {
      isStopped.current = true
    },
    [],
  )
  const run = async ({ all, next, success }: BatchWork): Promise<number | null> => {
    isStopped.current = false
    let done = 0
    let unanswered: number | null = null
    setRunning({ done, all, isStopped: false })
    try {
      for (let left = all; left > 0 && !isStopped.current; ) {
        const batch = await next(done)
        done += batch.did
        left = batch.did > 0 ? batch.left : 0
        setRunning((now) => now && { ...now, done })
        if (left === 0) {
          if (notices) notice.settle(notices.failure)
          notice.success(success(done))
        } else if (isStopped.current) notice.warning(`Stopped: ${howMany(done, all)} were ${did}.`)
      }
      onDone()
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      const [text, reason, about] = notices ? failureOf(notices, error) : [error.message]
      const before = done > 0 ? `${howMany(done, all)} were ${did}. ` : ''
      if (error.code !== 'no_session') notice.error(text, `${before}${reason ?? ''}`, about)
      if (mayBeDone(error)) unanswered = done
    } finally {
      setRunning(null)
      if (unanswered === null) loadAgain(cache)
    }
    return unanswered
  }
  return {
    run,
    form: {
      sending: { loading: running !== null, submitError: null },
      onStop: stop,
      stopping: running?.isStopped === true,
    },
    progress: running && (
      <Progress label={`Clients ${did}`} done={running.done} all={running.all}>
        {howMany(running.done, running.all)} {did}
      </Progress>
    ),
  }
}

function howMany(done: number, all: number): string {
  return `${number(done)} of ${counted(all, 'client')}`
}

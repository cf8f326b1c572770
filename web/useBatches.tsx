import Button from '@mui/material/Button'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import type { Call } from '../contract/call.ts'
import { ApiError } from './api.ts'
import { failureOf, wordsOf } from './notices.ts'
import { Cancel } from './parts/dialog/Cancel.tsx'
import { useNotice } from './parts/notices/Notices.tsx'

interface Running {
  done: number
  all: number
  /** True once the person has asked to stop after the batch that is under way. */
  isStopped: boolean
}

export interface Work {
  all: number
  /** Does the next batch, whole or not at all. Returns how many it did and how many are left. */
  next: (done: number) => Promise<{ did: number; left: number }>
  /** Says that all are done. */
  success: (done: number) => string
  /** Says how many of all are done, where it stopped or failed in between. */
  partly: (done: number, all: number) => string
}

export interface Batches {
  /** Null while nothing is under way. */
  progress: Running | null
  stop: () => void
  run: (work: Work) => Promise<void>
}

/**
 * Makes a call again and again, for work that is longer than one call may be, and can stop between two batches.
 * @param onDone is called after the last batch, and where it was stopped
 */
export function useBatches(call: Call, onDone: () => void): Batches {
  const cache = useQueryClient()
  const notice = useNotice()
  const [progress, setProgress] = useState<Running | null>(null)
  const isStopped = useRef(false)
  const stop = () => {
    isStopped.current = true
    setProgress((now) => now && { ...now, isStopped: true })
  }
  // Whoever leaves the page has left the button that stops too.
  useEffect(
    () => () => {
      isStopped.current = true
    },
    [],
  )
  const run = async ({ all, next, success, partly }: Work) => {
    isStopped.current = false
    let done = 0
    setProgress({ done, all, isStopped: false })
    try {
      for (let left = all; left > 0 && !isStopped.current; ) {
        const batch = await next(done)
        done += batch.did
        left = batch.did > 0 ? batch.left : 0
        setProgress((now) => now && { ...now, done })
        if (left === 0) notice.success(success(done))
        else if (isStopped.current) notice.warning(`Stopped: ${partly(done, all)}`)
      }
      onDone()
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      const words = wordsOf(call)
      const [text, reason] = words ? failureOf(words, error) : [error.message]
      const before = done > 0 ? `${partly(done, all)} ` : ''
      if (error.code !== 'no_session') notice.error(text, `${before}${reason ?? ''}`)
    } finally {
      setProgress(null)
      cache.invalidateQueries()
    }
  }
  return { progress, stop, run }
}

interface CancelOrStopProps {
  batches: Batches
  onCancel: () => void
  autoFocus?: boolean
}

/** The button beside the one that begins: it closes the dialog, or stops what was begun. */
export function CancelOrStop({
  batches: { progress, stop },
  onCancel,
  autoFocus = false,
}: CancelOrStopProps) {
  if (progress === null) {
    return <Cancel autoFocus={autoFocus} onClick={onCancel} />
  }
  return (
    <Button variant="outlined" disabled={progress.isStopped} onClick={stop}>
      {progress.isStopped ? 'Stopping…' : 'Stop'}
    </Button>
  )
}

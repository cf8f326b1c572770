import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { useNow } from '../clock.ts'
import { showMoment } from '../parts/time.ts'
import { zone } from '../zone.ts'
import { loadAgain, replace } from './cache.ts'
import { connection } from './connection.ts'
import { useBalance } from './useBalance.ts'

/** Loads all data on the page again once a lost connection is back. */
export function useReloadOnReconnect(): void {
  const cache = useQueryClient()
  useEffect(
    () =>
      connection.lost.subscribe(() => {
        if (!connection.lost.get()) loadAgain(cache)
      }),
    [cache],
  )
}

/** Loads an open page again once the balance or the day is another, as after the parent has added credits. */
export function useReloadOnChange(): void {
  const cache = useQueryClient()
  const { credits, loadedAt } = useBalance()
  const day = showMoment(useNow().toISOString(), zone(), 'date')
  const shown = useRef({ credits, day })
  useEffect(() => {
    const before = shown.current
    shown.current = { credits: credits ?? before.credits, day }
    if (day !== before.day) loadAgain(cache)
    // A change of one's own has loaded all again, together with the balance.
    else if (typeof before.credits === 'number' && shown.current.credits !== before.credits)
      replace(
        cache,
        ({ state }) => state.fetchStatus === 'idle' && state.dataUpdatedAt < loadedAt - TOGETHER_MS,
      )
  }, [cache, credits, loadedAt, day])
}

/** What is loaded within so many milliseconds is of one moment. */
const TOGETHER_MS = 5_000

import { useEffect, useState } from 'react'
import { type Store, storeOf } from './store.ts'

/** A part of the console that is fetched when it is first needed. */
export interface Chunk<T> {
  /** Fetches it, or joins the fetching under way. A failure is forgotten, so that the next call tries again. */
  load: () => Promise<T>
  /** Is undefined until it has arrived. */
  value: Omit<Store<T | undefined>, 'set'>
}

export function chunk<T>(get: () => Promise<T>): Chunk<T> {
  let coming: Promise<T> | undefined
  const value = storeOf<T | undefined>(undefined)
  const load = () => {
    coming ??= get().then(
      (arrived) => {
        value.set(arrived)
        return arrived
      },
      (error) => {
        coming = undefined
        throw error
      },
    )
    return coming
  }
  return { load, value }
}

/**
 * Returns the value of a chunk, or undefined while it is being fetched; a chunk that cannot be fetched throws. React's
 * `lazy` would show the value 300 ms after its fallback at the earliest, however quickly it comes.
 */
export function useChunk<T>(of: Chunk<T>, wanted = true): T | undefined {
  const value = of.value.use()
  const [failure, setFailure] = useState<Error | null>(null)
  useFetch(of, wanted, setFailure)
  if (failure && value === undefined) throw failure
  return value
}

export function useFetch<T>(of: Chunk<T>, wanted: boolean, onFailure: (error: Error) => void): void {
  useEffect(() => {
    if (!wanted || of.value.get() !== undefined) return
    let gone = false
    of.load().catch((error: Error) => gone || onFailure(error))
    return () => {
      gone = true
    }
  }, [of, wanted, onFailure])
}

/** Calls `act` after the page has had time to load. */
export function useAfterLoad(act: () => Promise<unknown>): void {
  useEffect(() => {
    const timer = setTimeout(() => act().catch(() => {}), QUIET_MS)
    return () => clearTimeout(timer)
  }, [act])
}

/**
 * Calls `act`, after the page has had time to load, as soon as the person turns to any control: points at it, touches
 * it or moves the focus there. Whoever only looks at the page does not pay for what a control would open. From the
 * second visit on it is called at once then, because the browser has kept what it fetches.
 */
export function useBeforeUse(act: () => Promise<unknown>): void {
  useEffect(() => {
    const stop = () => {
      clearTimeout(timer)
      for (const kind of TURNS) document.removeEventListener(kind, turn)
    }
    const begin = () => {
      stop()
      act().catch(() => {})
    }
    const turn = ({ target }: Event) => {
      if (target instanceof Element && target.closest(CONTROLS)) begin()
    }
    const wait = () => {
      if (isKept()) return begin()
      for (const kind of TURNS) document.addEventListener(kind, turn)
    }
    const timer = setTimeout(wait, QUIET_MS)
    return stop
  }, [act])
}

/** Returns whether a service worker keeps what is fetched, as it does from the second visit on. */
export function isKept(): boolean {
  return Boolean(navigator.serviceWorker?.controller)
}

const QUIET_MS = 2_000
const TURNS = ['pointerover', 'focusin']
const CONTROLS = 'a, button, input, select, textarea, label'

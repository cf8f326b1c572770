import { useEffect } from 'react'
import { storeOf } from '../store.ts'

// What was just changed is marked in the tables, by the keys of their rows, for three seconds from when it is seen.

const MARKED_MS = 3_000
/** A change that is not seen within this time is not marked any more. */
const FRESH_MS = 10_000

const marks = storeOf<ReadonlyMap<string, number>>(new Map())

export function mark(keys: readonly string[]): void {
  set([...marks.get(), ...keys.map((key) => [key, Date.now()] as const)])
}

/** Returns the marks that are to be shown among the keys of a page. */
export function useMarks(keys: readonly string[]): ReadonlyMap<string, number> {
  const now = marks.use()
  const seen = keys.filter((key) => now.has(key)).join('\n')
  useEffect(() => {
    if (!seen) return
    const timer = setTimeout(
      () => set([...marks.get()].filter(([key]) => !seen.split('\n').includes(key))),
      MARKED_MS,
    )
    return () => clearTimeout(timer)
  }, [seen])
  return now
}

function set(next: (readonly [string, number])[]) {
  marks.set(new Map(next.filter(([, at]) => Date.now() - at < FRESH_MS)))
}

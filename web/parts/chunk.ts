import { useEffect, useState } from 'react'

/** A part of the console that is fetched when it is first needed. */
export interface Chunk<T> {
  /** Fetches it, or joins the fetching under way. A failure is forgotten, so that the next call tries again. */
  load: () => Promise<T>
  /** Its value, once it is here. */
  value: T | undefined
}

export function chunk<T>(get: () => Promise<T>): Chunk<T> {
  let coming: Promise<T> | undefined
  const self: Chunk<T> = {
    value: undefined,
    load() {
      coming ??= get().then(
        (value) => {
          self.value = value
          return value
        },
        (error) => {
          coming = undefined
          throw error
        },
      )
      return coming
    },
  }
  return self
}

/**
 * Returns the value of a chunk, or undefined while it is being fetched; a chunk that cannot be fetched throws. React's
 * `lazy` would show the value 300 ms after its fallback at the earliest, however quickly it comes.
 */
export function useChunk<T>(of: Chunk<T>, wanted = true): T | undefined {
  const [, setArrived] = useState(of.value !== undefined)
  const [failure, setFailure] = useState<Error | null>(null)
  useEffect(() => {
    if (!wanted) return
    // It may have arrived since this was rendered.
    if (of.value !== undefined) return setArrived(true)
    let gone = false
    of.load().then(
      () => gone || setArrived(true),
      (error: Error) => gone || setFailure(error),
    )
    return () => {
      gone = true
    }
  }, [of, wanted])
  if (failure && of.value === undefined) throw failure
  return of.value
}

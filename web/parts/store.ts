import { useSyncExternalStore } from 'react'

/** A value that belongs to no component and may be changed from anywhere. */
export interface Store<T> {
  get: () => T
  /** Tells those who follow the value, unless it is the one that there was. */
  set: (next: T) => void
  /** Calls the listener after each change, unless the returned function was called before. */
  subscribe: (listener: () => void) => () => void
  /** A hook: returns the value, and follows it. */
  use: () => T
}

export function storeOf<T>(initial: T): Store<T> {
  let value = initial
  const listeners = new Set<() => void>()
  const get = () => value
  const subscribe = (listener: () => void) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }
  return {
    get,
    set: (next) => {
      if (next === value) return
      value = next
      for (const listener of listeners) listener()
    },
    subscribe,
    // React looks again once it has subscribed, so a change between a render and its effects is not missed.
    use: () => useSyncExternalStore(subscribe, get),
  }
}
